package aligned

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/uitest/viewtest"
	"diptych/internal/ui/words"
)

// opened returns a settled session with the given files of testdata.
func opened(t *testing.T, files ...string) *session.Session {
	t.Helper()
	s := session.New(func() {})
	for i, f := range files {
		path := filepath.Join("../../../testdata", f)
		tr, err := traceio.Load(context.Background(), path, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Put(pair.Side(i), path, tr)
	}
	s.Settle(t.Context())
	return s
}

// TestLegendUnderTheBar checks that where there is little room the legend explains what the bar does
// not.
func TestLegendUnderTheBar(t *testing.T) {
	s := opened(t, "uftrace/family.data.tar.gz", "uftrace/family.data.tar.gz")
	s.SetView(session.Alignment)
	s.Settle(t.Context())
	pal := kit.New().Pal
	as := StateOf(s.State(), pal, 1)
	told := func(height int, bar bool) (all string) {
		sc := build(as, s.State(), image.Pt(860, height), bar, nil).Scene
		for _, x := range sc.Layers[len(sc.Layers)-1].Texts {
			all += x.Text + "\n"
		}
		return all
	}
	const state, strip = "only in A", "B has run longer"
	if all := told(600, true); !strings.Contains(all, state) || !strings.Contains(all, strip) {
		t.Errorf("with room the legend is\n%s", all)
	}
	if all := told(330, true); strings.Contains(all, state) || !strings.Contains(all, strip) {
		t.Errorf("with little room the legend is\n%s", all)
	}
	if all := told(330, false); strings.Contains(all, strip) {
		t.Errorf("without a bar half a legend is shown:\n%s", all)
	}
}

// TestRowsOfOneNameAreToldApart holds that pairs of threads whose names are the same have their ids
// in the list of all pairs, and others do not.
func TestRowsOfOneNameAreToldApart(t *testing.T) {
	s := opened(t, "uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz")
	s.SetView(session.Alignment)
	s.Settle(t.Context())
	titles := rowTitles(s.State())
	seen, named := map[string]bool{}, map[string]int{}
	for k, l := range s.State().Aligned.Lines {
		named[words.PairName(s.State(), s.State().Pair.Threads[l.Pair])]++
		if seen[titles[k]] {
			t.Errorf("two rows are called %q: %q", titles[k], titles)
		}
		seen[titles[k]] = true
	}
	for name, n := range named {
		if seen[name] != (n == 1) {
			t.Errorf("%d rows are of threads called %q: %q", n, name, titles)
		}
	}
	if len(titles) < 3 || len(named) == len(titles) {
		t.Errorf("%q, so nothing is tested", titles)
	}
}

// TestDeepCallsComeIntoSight holds that a call deep in a stack that does not fit is scrolled to when
// it is revealed, before the threads are laid out and after, and when a key steps to it.
func TestDeepCallsComeIntoSight(t *testing.T) {
	const deep = 30
	stack := func(extra bool) *trace.Trace {
		b := trace.NewBuilder("deep")
		th := b.Thread("1", -1)
		for k := range deep {
			th.Complete(int64(k), 1000-int64(k), b.Function(trace.Function{Name: fmt.Sprint("f", k)}))
			th.Complete(1100+int64(k), 2000-int64(k), b.Function(trace.Function{Name: fmt.Sprint("g", k)}))
		}
		if extra {
			th.Complete(400, 500, b.Function(trace.Function{Name: "extra"}))
		}
		return testtrace.Build(t, b)
	}
	s := session.New(func() {})
	s.Put(pair.A, "a", stack(false))
	s.Put(pair.B, "b", stack(true))
	p := New().(*Pane)
	b := viewtest.New(t, s, Row(), p, nil)
	call := session.Target{Side: pair.B, Ref: trace.CallRef{Call: deep}, OK: true}
	inSight := func(when string) {
		t.Helper()
		half := p.Shown().Sides[pair.B]
		r, ok := half.Drawing.CallRect(call.Ref)
		if !ok || r.Y0 < half.Bounds.Y0-1 || r.Y1 > half.Bounds.Y1+1 {
			t.Errorf("%s the call is at %v, the stacks at %v", when, r, half.Bounds)
		}
	}
	b.Start()
	s.Select(call)
	s.Reveal(call)
	b.Settle()
	inSight("revealed")
	if s.State().Scroll[pair.A] == 0 {
		t.Error("all levels fit, so nothing is tested")
	}
	s.Select(session.Target{})
	s.ShowAll()
	b.Do(FirstDifference)
	inSight("after a step")
	s.ShowAll()
	b.Do(command.FitSelection)
	inSight("fitted")

	p = New().(*Pane)
	s.ShowAll()
	s.SetView(session.Matches)
	b = viewtest.New(t, s, Row(), p, nil)
	b.Start()
	inSight("in a view that was chosen later")
}
