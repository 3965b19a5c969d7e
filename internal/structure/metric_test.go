package structure

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestMoversExecute: what many open requests add up to in tracks of asynchronous spans does not hide
// the package that executes, unless there is nothing but such tracks.
func TestMoversExecute(t *testing.T) {
	side := func(runs, async int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Symbols = true
		add := func(id string, kind trace.ThreadKind, name string, dur int64) {
			th := b.Thread(id, -1)
			th.SetKind(kind)
			th.Complete(0, dur+1, b.Function(trace.Function{Name: "outer." + name}))
			th.Complete(1, dur, b.Function(trace.Function{Name: name}))
		}
		if runs > 0 {
			add("1", trace.Ordinary, "code.f", runs)
		}
		add("2", trace.AsyncTrack, "wait.g", async)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		a, b *trace.Trace
		want string
	}{
		{side(100, 5000), side(107, 9000), "code +7"},
		{side(0, 5000), side(0, 5009), "wait +9"},
	} {
		tree := treeOf(t, c.a, c.b, Options{})
		var got []string
		for _, m := range tree.Movers(3) {
			got = append(got, fmt.Sprintf("%s %+d", tree.FullName(m.Node), m.ByNs))
		}
		if d := cmp.Diff([]string{c.want}, got); d != "" {
			t.Error(d)
		}
	}
	if moved := treeOf(t, side(100, 5000), nil, Options{}).Movers(3); moved != nil {
		t.Errorf("of one trace %v have moved", moved)
	}
}

// TestCountedCalls: of profiles, numbers of calls are what the recorders of both have counted; else
// they are stacks, and are called that.
func TestCountedCalls(t *testing.T) {
	side := func(counted int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind, b.Unit, b.Symbols = trace.Profile, "Ir", true
		main := b.Function(trace.Function{Name: "code.main"})
		f := b.Function(trace.Function{Name: "code.f"})
		th := b.Thread("1", -1)
		th.Complete(0, 10, main)
		th.Complete(1, 2, f)
		b.CountCalls(main, f, counted)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		a, b int64
		noun string
		want [2]string // of f, and of main
	}{
		{40, 50, "call", [2]string{"40 50 +10 true", "0 0 +0 false"}},
		{40, 0, "stack", [2]string{"1 1 +0 true", "1 1 +0 true"}},
	} {
		tree := treeOf(t, side(c.a), side(c.b), Options{})
		if got := tree.CallNoun(); got != c.noun {
			t.Errorf("%d and %d calls are numbers of %s", c.a, c.b, got)
		}
		for k, name := range []string{"f", "main"} {
			node := tree.Find([]string{"code", name})
			x, _ := tree.Value(ByCalls, pair.A, node)
			y, _ := tree.Value(ByCalls, pair.B, node)
			by, ok := tree.Change(ByCalls, node)
			if got := fmt.Sprintf("%d %d %+d %t", x, y, by, ok); got != c.want[k] {
				t.Errorf("with %d and %d calls, %s has %s, want %s", c.a, c.b, name, got, c.want[k])
			}
		}
		if tree.Gamma(0) != 4 {
			t.Errorf("γ is %d", tree.Gamma(0))
		}
	}
}

// TestSampleTypesAreNotAddedUp holds that the time of a node is that of the default sample type.
func TestSampleTypesAreNotAddedUp(t *testing.T) {
	b := trace.NewBuilder("test")
	b.Kind, b.Unit = trace.Profile, "bytes"
	for k, of := range []string{"inuse", "alloc"} {
		th := b.Thread(of, -1)
		th.SetRole(of, false)
		th.SetSort(k)
		th.SetKind(trace.SampleType)
		th.Complete(0, int64(10+90*k), b.Function(trace.Function{Name: "f"}))
	}
	if got := treeOf(t, testtrace.Build(t, b), nil, Options{}).Sums[pair.A][0].Self; got != 10 {
		t.Errorf("%d bytes, want the 10 in use", got)
	}
}
