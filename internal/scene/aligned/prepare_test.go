package aligned

import (
	"testing"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

// TestPrepareHoldsTheWalk: the merged tree has exactly the nodes of the walk, with their calls,
// states and callers, and every call finds its node.
func TestPrepareHoldsTheWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := prepared(t, drawnTrace(t, "a"), drawnTrace(t, "b"))
		i := 0
		for n := range p.Virtual.Walk {
			got := p.Node(i)
			want := got
			want.Index, want.State, want.Calls = i, n.State, [2]int{int(n.A), int(n.B)}
			if got != want || int(p.tree().Parent(i)) != n.Parent {
				t.Fatalf("node %d is %+v below %d, want %+v", i, got, p.tree().Parent(i), n)
			}
			for s, call := range got.Calls {
				if call < 0 {
					continue
				}
				if k := p.NodeOf(pair.Side(s), call); k != i {
					t.Fatalf("call %d of side %d is in node %d, not %d", call, s, k, i)
				}
				v := p.Virtual
				if got.Passed != v.Passed[s].Has(int32(call)) {
					t.Fatalf("node %d: passed through: %v", i, got.Passed)
				}
				if v.Start[s][call] != got.Start || v.End[s][call] != got.End && !got.Passed {
					t.Fatalf("node %d lies elsewhere than call %d of side %d", i, call, s)
				}
			}
			i++
		}
		if i != p.Len() {
			t.Fatalf("%d nodes, want %d", p.Len(), i)
		}
	})
}

// TestPreparedTracesAreValid: columns are of equal length, starts never fall, callees lie in their
// callers one after the other, and the pyramid answers as the columns do.
func TestPreparedTracesAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := prepared(t, drawnTrace(t, "a"), drawnTrace(t, "b"))
		for _, tr := range []*trace.Trace{p.Sides[pair.A], p.Sides[pair.B], p.Status} {
			th := tr.Threads[0]
			depth := 0
			for i := range th.Len() {
				at, end := int64(0), p.Virtual.Length
				if c := int(th.Parent(i)); c >= 0 {
					at, end = th.Start(c), th.End(c)
				}
				if th.Start(i) < at || th.End(i) < th.Start(i) || th.End(i) > end {
					t.Fatalf("call %d [%d, %d] is not in [%d, %d]", i, th.Start(i), th.End(i), at, end)
				}
				if next := th.Next(i); next < th.Len() && th.Start(next) < th.End(i) {
					t.Fatalf("calls %d and %d overlap", i, next)
				}
				depth = max(depth, int(th.Depth(i))+1)
			}
			if th.MaxDepth() != depth {
				t.Fatalf("%d levels, want %d", th.MaxDepth(), depth)
			}
			w := float64(rapid.IntRange(1, 200).Draw(t, "w"))
			wide := -1
			for i := range th.Len() {
				if float64(th.Dur(i)) >= w {
					wide = i
					break
				}
			}
			if got := th.NextWide(0, th.Len(), w); wide >= 0 && got > wide {
				t.Fatalf("the first call of %g ns is %d, not %d", w, wide, got)
			}
		}
	})
}

// TestReachIsReal: the short way to real times gives what align's map gives.
func TestReachIsReal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := prepared(t, drawnTrace(t, "a"), drawnTrace(t, "b"))
		v, last := p.Virtual, place{from: -1}
		step := rapid.Int64Range(1, 20).Draw(t, "step")
		for at := int64(0); at <= v.Length; at += step {
			got := p.reachFrom(at, &last)
			if single := p.reach(at); single != got {
				t.Fatalf("at %d: %v, going on from earlier %v", at, single, got)
			}
			for s := range got {
				if want := v.Real(pair.Side(s), at); got[s] < want-1 || got[s] > want+1 {
					t.Fatalf("at %d of %d side %d has reached %d, not %d", at, v.Length, s, got[s], want)
				}
			}
		}
	})
}

// TestTally: counts in any range are those of the nodes in it.
func TestTally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SliceOfN(rapid.Uint32Range(0, uint32(kinds)-1), 0, 300).Draw(t, "kinds")
		ks := make([]kind, len(of))
		for i, k := range of {
			ks[i] = kind(k)
		}
		from := rapid.IntRange(0, len(ks)).Draw(t, "from")
		to := rapid.IntRange(from, len(ks)).Draw(t, "to")
		var want counts
		for _, k := range ks[from:to] {
			want[k]++
		}
		y := newTally(ks)
		if got := y.in(from, to); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestNavigation: next and previous are those of a plain look at all nodes.
func TestNavigation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := prepared(t, drawnTrace(t, "a"), drawnTrace(t, "b"))
		at := rapid.Int64Range(-1, p.Virtual.Length+1).Draw(t, "at")
		f := Filter{States: States(rapid.IntRange(0, 15).Draw(t, "states")),
			Least: rapid.Int64Range(0, 60).Draw(t, "least")}
		next, previous, first := -1, -1, -1
		for i := range p.Len() {
			n, gap := p.Node(i), false
			for c := p.tree().Parent(i); c >= 0; c = p.tree().Parent(int(c)) {
				gap = gap || p.Node(int(c)).State >= align.GapA && !p.Node(int(c)).Passed
			}
			if n.State == align.Equal || gap {
				continue
			}
			if first < 0 {
				first = i
			}
			if !f.States.Has(n.State) || p.takes(i) < f.Least {
				continue
			}
			if n.Start > at && next < 0 {
				next = i
			}
			if n.Start < at {
				previous = i
			}
		}
		check := func(what string, want int, n Node, ok bool) {
			if ok != (want >= 0) || ok && n.Index != want {
				t.Fatalf("%s of %d is %d (%v), want %d", what, at, n.Index, ok, want)
			}
		}
		n, ok := p.Next(at, f)
		check("next", next, n, ok)
		n, ok = p.Previous(at, f)
		check("previous", previous, n, ok)
		n, ok = p.First()
		check("first", first, n, ok)
	})
}
