package aggregate

import (
	"fmt"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestThreadsThatDoNotCountShiftNothing holds that each leaf has the time of the thread that it is
// named after, on both sides and in their difference, where threads of the language's runtime and
// threads without calls stand between the others.
func TestThreadsThatDoNotCountShiftNothing(t *testing.T) {
	side := func(kinds ...trace.ThreadKind) *trace.Trace {
		b := trace.NewBuilder("test")
		for i, kind := range kinds {
			th := b.Thread(fmt.Sprint(i), -1)
			th.SetName(fmt.Sprint("thread ", i))
			th.SetKind(kind)
			th.Begin(0, b.Function(trace.Function{Name: fmt.Sprint("work of thread ", i)}))
			th.End(100)
		}
		return testtrace.Build(t, b)
	}
	const runs, out = trace.Ordinary, trace.Runtime
	p := pair.New(side(out, runs, out, runs), side(runs, out, out, runs), pair.Rules{})
	m := modelsOf(t, p, [2]Span{{To: 100}, {To: 100}}, Options{Slices: 8})
	for s, side := range m.Sides {
		for leaf, thread := range m.Threads[s] {
			want := "work of " + p.Trace(pair.Side(s)).Threads[thread].Name
			for _, c := range side.Cells[leaf] {
				if got := side.states[c.State]; got != want {
					t.Errorf("%v, leaf %d: %q, want %q", pair.Side(s), leaf, got, want)
				}
			}
			if name := leafName(side.tree, leaf); "work of "+name != want {
				t.Errorf("%v, leaf %d is named %q, want %q", pair.Side(s), leaf, name, want)
			}
		}
		if len(m.Threads[s]) != 2 {
			t.Errorf("%v: %d leaves", pair.Side(s), len(m.Threads[s]))
		}
	}
	d := m.Difference()
	row := make([]float64, len(d.States())*d.Slices())
	for leaf := range d.Of {
		d.Row(leaf, row)
		for k, v := range row[:len(d.States())] {
			if v != 0 && d.States()[k] != "work of "+leafName(d.Tree(), leaf) {
				t.Errorf("leaf %q has %v of %q", leafName(d.Tree(), leaf), v, d.States()[k])
			}
		}
	}
}

// leafName returns the last name of a leaf's path.
func leafName(t *Tree, leaf int) string {
	for _, n := range t.Nodes {
		if int(n.Leaf) == leaf && len(n.Path) > 0 {
			return n.Path[len(n.Path)-1]
		}
	}
	return ""
}
