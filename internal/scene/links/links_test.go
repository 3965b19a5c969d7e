package links

import (
	"cmp"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

func weightsOf(picked []candidate) []float64 {
	var out []float64
	for _, c := range picked {
		out = append(out, c.weight)
	}
	slices.SortFunc(out, func(x, y float64) int { return cmp.Compare(y, x) })
	return out
}

// TestBestIsAsDefined holds the default choice against the definition.
func TestBestIsAsDefined(t *testing.T) {
	var a Arena
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, t)
		l, tubes := s.build(&a)
		p := newPlain(s, &a)
		want := p.best()
		if l.Drawn != len(tubes.Tubes) || l.Partial {
			rt.Fatalf("%d drawn, %d tubes, partial %v", l.Drawn, len(tubes.Tubes), l.Partial)
		}
		if got, want := weightsOf(a.picked), p.weights(want); !slices.Equal(got, want) {
			rt.Fatalf("weights %v, want %v", got, want)
		}
		if n := len(p.every()); l.Visible != uint64(n) {
			rt.Fatalf("%d visible, want %d", l.Visible, n)
		}
		for _, c := range a.picked {
			if !slices.Contains(want, [2]int{int(c.ends[0]), int(c.ends[1])}) {
				rt.Fatalf("%v is the best of neither end", c)
			}
		}
	})
}

// TestAllAreTheMostImportant holds the other choice against sorting all matches.
func TestAllAreTheMostImportant(t *testing.T) {
	var a Arena
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, t)
		s.st.All = true
		s.build(&a)
		p := newPlain(s, &a)
		if got, want := weightsOf(a.picked), p.weights(p.every()); !slices.Equal(got, want) {
			rt.Fatalf("weights %v, want %v", got, want)
		}
		seen := map[[2]int32]bool{}
		for _, c := range a.picked {
			if seen[c.ends] {
				rt.Fatalf("%v is there twice", c.ends)
			}
			seen[c.ends] = true
		}
	})
}

// TestGroupsAreTheTopmostMatches holds groups against the definition on calls.
func TestGroupsAreTheTopmostMatches(t *testing.T) {
	var a Arena
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, t)
		s.st.All = rapid.Bool().Draw(rt, "all")
		s.build(&a)
		p := newPlain(s, &a)
		for _, c := range a.picked {
			roots := a.groups.roots[c.group]
			got := [2]trace.CallRef{a.sides[0].cells[roots[0]].ref(), a.sides[1].cells[roots[1]].ref()}
			if want := p.root(int(c.ends[0]), int(c.ends[1])); got != want {
				rt.Fatalf("the group of %v is %v, want %v", c.ends, got, want)
			}
		}
	})
}

// TestCellsAreDrawn holds that cells are what the icicle draws, with callers before and around
// them.
func TestCellsAreDrawn(t *testing.T) {
	var a Arena
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, t)
		s.build(&a)
		for k := range s.sides {
			cells, drawn := a.sides[k].cells, 0
			for i := range cells {
				c := &cells[i]
				if c.parent >= int32(i) || c.end <= int32(i) {
					rt.Fatalf("cell %d is under %d and ends at %d", i, c.parent, c.end)
				}
				if !c.hidden {
					drawn++
				}
				if c.parent == none {
					continue
				}
				p := &cells[c.parent]
				th := s.sides[k].Trace.Threads[c.thread]
				below := c.call > p.call && int(c.call) < th.Next(int(p.call))
				if p.thread != c.thread || p.run || !below {
					rt.Fatalf("cell %+v is not below %+v", c, p)
				}
			}
			want := 0
			for c := range s.sides[k].Cells {
				if Offset(&s.graph.Sides[k].Calls, s.sides[k].Trace, c.Thread) >= 0 {
					want++
				}
			}
			if drawn != want {
				rt.Fatalf("side %d: %d cells of %d", k, drawn, want)
			}
		}
	})
}

// TestArenaDoesNotLeakFrames: a used arena gives the links a fresh one gives.
func TestArenaDoesNotLeakFrames(t *testing.T) {
	var a Arena
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, t)
		s.st.All = rapid.Bool().Draw(rt, "all")
		if rapid.Bool().Draw(rt, "again") {
			s.build(&a)
			s.st.Colour = TraceCentric
		}
		x, used := s.build(&a)
		y, fresh := s.build(&Arena{})
		if !slices.Equal(used.Tubes, fresh.Tubes) || !slices.Equal(x.links, y.links) ||
			x.Visible != y.Visible {
			rt.Fatal("the links depend on what was drawn before")
		}
	})
}

// TestNothingComparedNothingDrawn: without a graph there are no links, also after a frame with some.
func TestNothingComparedNothingDrawn(t *testing.T) {
	var a Arena
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, t)
		s.build(&a)
		s.st.Graph = nil
		if l, tubes := s.build(&a); l.Drawn+len(tubes.Tubes) > 0 {
			rt.Fatalf("%+v", l)
		}
		if _, ok := a.links.Pick(geom.Point{X: 100, Y: 200}); ok {
			rt.Fatal("a link is picked that is not drawn")
		}
		s.st.Graph = s.graph
		again, _ := s.build(&a)
		fresh, _ := s.build(&Arena{})
		if !slices.Equal(again.links, fresh.links) {
			rt.Fatal("links differ after a frame without any")
		}
	})
}

func TestShares(t *testing.T) {
	for shape, want := range map[Shape][2]float32{Tubes: {1, 0}, Lines: {0, 0}, Both: {1, 1}} {
		if morph, spine := shape.Shares(); morph != want[0] || spine != want[1] {
			t.Errorf("shape %d: %g, %g", shape, morph, spine)
		}
	}
}
