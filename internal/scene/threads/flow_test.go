package threads

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// sends is a trace in which each of some threads sends so many things to the next one.
func sends(t testing.TB, threads, links int) *wait.Analysis {
	b := trace.NewBuilder("sends")
	work := b.Function(trace.Function{Name: "work"})
	m := b.Object("m")
	var all []*trace.ThreadBuilder
	for k := range threads {
		all = append(all, b.Thread(string(rune('a'+k)), -1))
	}
	var last []trace.Ref
	for k := range int64(links) {
		var now []trace.Ref
		for _, th := range all {
			now = append(now, th.Complete(1000*k, 1000*k+800, work))
		}
		for i := range last {
			b.Link(last[i], now[(i+1)%threads], 1000*k-500, 1000*k+10)
		}
		last = now
	}
	for i, th := range all { // a wait each, so that no thread is idle
		kind := []trace.BlockKind{trace.Wait, trace.Release}[i%2]
		th.Block(th.Complete(1000*int64(links), 1000*int64(links)+100, work), kind, m)
	}
	return find(t, testtrace.Build(t, b))
}

// flowLines returns the ribbons that are drawn as lines of causal links.
func flowLines(v *View) (list []scene.Ribbon) {
	for _, l := range v.Scene.Layers {
		for _, r := range l.Ribbons {
			if r.Fill == r.Ink && r.Line > 0 && abs(r.Edges[0][0].X-r.Edges[1][0].X) <= 2*core {
				list = append(list, r)
			}
		}
	}
	return list
}

// TestLinksAreBundled holds bundles against a count of all links: each link between two places that
// goes out in sight is in one line, unless there are too many lines, and a line's links go out within
// few pixels.
func TestLinksAreBundled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someTrace(t)
		st := someState(t, a)
		v := Build(&st, pane, nil)
		if v.Ring.Outer == 0 {
			return
		}
		b := builder{st: &st, v: v, a: &Arena{}, dp: v.dp, ready: &st.Prepared.sides[0]}
		b.where = places(nil, len(v.trace.Threads), &st.Focus, st.Sections)
		lines := b.bundles()
		got, want := 0, 0
		for _, l := range lines {
			got += l.count
			view := st.view(l.from)
			if at := float64(v.trace.Links[l.link].At); at < view.Start || at > view.End {
				t.Fatalf("a line for %v, which is not in sight", at)
			}
		}
		for _, l := range st.Prepared.sides[0].lanes {
			from, to := b.placeOf(int(l.from)), b.placeOf(int(l.to))
			for _, k := range l.links {
				view := st.view(from)
				if at := float64(v.trace.Links[k].At); from != Nowhere && to != Nowhere && from != to &&
					at >= view.Start && at <= view.End {
					want++
				}
			}
		}
		// A stretch that the view's end cuts is counted as a whole.
		if len(lines) < mostLines && got < want || len(lines) > mostLines || len(lines) > want {
			t.Fatalf("%d lines of %d links, %d are in sight", len(lines), got, want)
		}
	})
}

// TestLinksOfACallStandOut holds that the links of the call under the pointer are drawn one by one,
// stronger than the others, and that links that ended waits are no lines.
func TestLinksOfACallStandOut(t *testing.T) {
	a := sends(t, 4, 12)
	st := whole(t, a, 0, Options{})
	calm := flowLines(Build(&st, pane, nil))
	if len(calm) == 0 {
		t.Fatal("no links are drawn")
	}
	st.Hover = []trace.CallRef{{Thread: 1, Call: 5}}
	strong := 0
	for _, r := range flowLines(Build(&st, pane, nil)) {
		if r.Ink == st.Palette.Text {
			strong++
		}
	}
	if strong != 2 { // one goes in and one goes out
		t.Errorf("%d links stand out, want 2", strong)
	}
	ended := lesson(t)
	if l := lanes(ended); len(l) != 0 {
		t.Errorf("%d lanes of links where there is none", len(l))
	}
}

// TestLinksCostWhatIsVisible: many more links are hardly more lines, and not all of them are looked at.
func TestLinksCostWhatIsVisible(t *testing.T) {
	var n [2]int
	for i, links := range []int{300, 20_000} {
		st := whole(t, sends(t, 5, links), 0, Options{})
		v := Build(&st, geom.Size{W: 700, H: 500}, nil)
		n[i] = v.Lines
		if !slices.ContainsFunc(flowLines(v), func(r scene.Ribbon) bool { return r.Line > 1.2 }) && i == 1 {
			t.Error("no line is thicker where it stands for many")
		}
	}
	if n[0] == 0 || n[1] > mostLines || n[1] > 2*n[0] {
		t.Errorf("%d lines for few links, %d for many", n[0], n[1])
	}
}
