package aligned

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// TestSkewIsDrawn: at each pixel the line lies where the skew there does between the strip's
// bounds, in the colour of the side that has run longer, and what is between it and zero is filled.
// The bounds are named where there is one.
func TestSkewIsDrawn(t *testing.T) {
	of := func(x, y, z int64) *trace.Trace { // until when they last
		return recorded(t, []call{{"main", 0, 200, []call{{"x", 0, x, nil}, {"y", x, y, nil}, {"z", y, z, nil}}}})
	}
	p := prepared(t, of(60, 90, 110), of(20, 50, 150))
	st := stateOfWhole(p)
	v := Build(&st, geom.Size{W: 1200, H: 700}, nil)
	r, pal := v.Skew, st.Palette.Alignment()
	lo, hi := float32(v.SkewSpan[0]), float32(v.SkewSpan[1])
	if lo >= 0 || hi <= 0 {
		t.Fatalf("skew from %v to %v: want both sides to run ahead", lo, hi)
	}
	height := func(skew int64) float32 { return r.Y0 + (hi-float32(skew))/(hi-lo)*(r.H()-1) }
	for x := r.X0 + .5; x < r.X1 && v.Axis.T(x) < float64(p.Virtual.Length); x++ {
		skew, ink := p.At(int64(v.Axis.T(x))).Skew, pal.SkewA
		if skew < 0 {
			ink = pal.SkewB
		}
		y, zero, pale := height(skew), height(0), palette.Mix(st.Palette.Pane, ink, .14)
		lines, areas := 0, 0
		for _, q := range quadsAt(v.Scene, r, x) {
			switch {
			case q.Fill == ink && near(q.Rect.Y0, y-1) && near(q.Rect.Y1, y+1):
				lines++
			case q.Fill == pale && near(q.Rect.Y0, min(y, zero)) && near(q.Rect.Y1, max(y, zero)):
				areas++
			}
		}
		if lines == 0 || areas > 1 || (areas > 0) != (skew != 0) {
			t.Fatalf("at %v px, skew %d: %d lines at %v and %d areas", x, skew, lines, y, areas)
		}
	}
	for _, want := range []string{"A +", "B +"} {
		if !writes(v.Scene, want) {
			t.Errorf("no bound begins with %q", want)
		}
	}
}

// quadsAt returns the quads at x in the layers that are clipped to a part.
func quadsAt(s *scene.Scene, part geom.Rect, x float32) (list []scene.Quad) {
	for _, l := range s.Layers {
		for _, q := range l.Quads {
			if l.Clip == part && q.Rect.X0 <= x && x < q.Rect.X1 {
				list = append(list, q)
			}
		}
	}
	return list
}

func near(x, y float32) bool { return max(x-y, y-x) < .01 }

// writes reports whether a text of a scene begins like that.
func writes(s *scene.Scene, text string) bool {
	for _, l := range s.Layers {
		for _, x := range l.Texts {
			if strings.HasPrefix(x.Text, text) {
				return true
			}
		}
	}
	return false
}

// TestPartsAreNamed: the axis has its name and ticks, and each side its letter and its thread.
func TestPartsAreNamed(t *testing.T) {
	st := stateOfWhole(changed(t))
	v := Build(&st, geom.Size{W: 1200, H: 700}, nil)
	for _, text := range []string{"virtual time", "100 ms", "A", "B", "1", "status", "dissimilarity"} {
		if !writes(v.Scene, text) {
			t.Errorf("nowhere is written %q", text)
		}
	}
}

// stacked is so many calls in one another, all of the same time, that lie around others.
func stacked(levels int, until int64, below []call) []call {
	for range levels {
		below = []call{{"f", 0, until, below}}
	}
	return below
}

// TestStemOfBothIsFolded: as many levels are folded as fill the focus on both sides, but for the
// last of them.
func TestStemOfBothIsFolded(t *testing.T) {
	long, short := stacked(30, 200, nil), stacked(4, 200, nil)
	for k, sides := range [][2][]call{{long, short}, {short, long}} {
		st := stateOfWhole(prepared(t, recorded(t, sides[0]), recorded(t, sides[1])))
		virtual := st.Prepared.Virtual // whose focus is what one side has alone
		st.Focus = geom.Span{Start: float64(virtual.Start[k][20]), End: float64(virtual.End[k][20])}
		v := Build(&st, geom.Size{W: 800, H: 400}, nil)
		for s := range v.Sides {
			if got := v.Sides[s].Drawing.Fold; got != 3 {
				t.Errorf("pair %d: %d levels of %v are folded, want 3", k, got, pair.Side(s))
			}
		}
	}
}

// TestStatusScrollsAlong: where the stacks are scrolled to their first level or to their last, so is
// the status.
func TestStatusScrollsAlong(t *testing.T) {
	const levels = 80
	calls := stacked(1, 200, stacked(levels-1, 100, nil)) // no stem, which would be folded
	st := stateOfWhole(prepared(t, recorded(t, calls), recorded(t, calls)))
	size := geom.Size{W: 800, H: 300}
	v := Build(&st, size, nil)
	if v.MaxScroll <= 0 {
		t.Fatal("all levels are in sight")
	}
	first, _ := v.Status.CallRect(nodeRef(0))
	if top := v.Status.View.Y0; !near(first.Y0, top) {
		t.Errorf("the first level begins at %v, want %v", first.Y0, top)
	}
	st.Scroll = v.MaxScroll
	v = Build(&st, size, nil)
	last, _ := v.Status.CallRect(nodeRef(levels - 1))
	if bottom := v.Status.View.Y1; !near(last.Y1, bottom) {
		t.Errorf("the last level ends at %v, want %v", last.Y1, bottom)
	}
	stacks := v.Sides[pair.A].Drawing.View
	thumb := func(q scene.Quad) bool { return q.Rect.X0 > stacks.X1 && near(q.Rect.Y1, stacks.Y1) }
	if !draws(v, thumb) {
		t.Error("no thumb is at the end of the stacks")
	}
}

// draws reports whether a view has such a quad.
func draws(v *View, such func(q scene.Quad) bool) bool {
	return slices.ContainsFunc(v.Scene.Layers, func(l scene.Layer) bool {
		return slices.ContainsFunc(l.Quads, such)
	})
}

// TestFilterOfRuns: a run matters if any of its nodes is in a state that the filter lets pass.
func TestFilterOfRuns(t *testing.T) {
	p := changed(t)
	n := p.tree().Len()
	for _, states := range []States{Set(align.Different), Set(align.GapA), Set(align.GapB, align.Equal)} {
		b := builder{p: p, st: &State{Filter: Filter{States: states}}}
		for from := range n {
			want := false
			for to := from + 1; to <= n; to++ {
				want = want || states.Has(p.Node(to-1).State)
				if got := b.matters(from, to, 0); got != want {
					t.Fatalf("states %b: nodes %d to %d matter: %v", states, from, to-1, got)
				}
			}
		}
	}
}
