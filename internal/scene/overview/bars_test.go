package overview

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// compared is a state with n bars a side, all with the weight and mean shift that of gives.
func compared(tr *trace.Trace, n int, of func(side, i int) match.Bar) State {
	st := state(tr)
	for k := range st.Sides {
		st.Sides[k].Bars = make([]match.Bar, n)
		for i := range st.Sides[k].Bars {
			st.Sides[k].Bars[i] = of(k, i)
		}
	}
	return st
}

// filled returns what is drawn flat in a colour within r.
func filled(s *scene.Scene, r geom.Rect, c color.NRGBA) []geom.Rect {
	var out []geom.Rect
	for i := range s.Layers {
		for _, q := range s.Layers[i].Quads {
			at := geom.Point{X: (q.Rect.X0 + q.Rect.X1) / 2, Y: (q.Rect.Y0 + q.Rect.Y1) / 2}
			if q.Shade == scene.Flat && q.Fill == c && r.Contains(at) {
				out = append(out, q.Rect)
			}
		}
	}
	return out
}

func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		width, scale float32
		want         int
	}{{1280, 1, 123}, {2560, 2, 123}, {1280, 0, 123}, {48 + 10, 1, 1}, {20, 1, 1}, {0, 1, 1}} {
		if n := Intervals(c.width, c.scale); n != c.want {
			t.Errorf("Intervals(%g, %g) = %d, want %d", c.width, c.scale, n, c.want)
		}
	}
}

// TestBarsStandOutside: A's bars grow upwards from its stacks and B's downwards, in the colour of
// their shift, by the square root of their weight on one scale for both sides.
func TestBarsStandOutside(t *testing.T) {
	tr := busy(t, 1, 100)
	st := compared(tr, 10, func(side, i int) match.Bar {
		return match.Bar{Weight: [2]float64{100, 25}[side], Matches: 1}
	})
	v := Build(&st, geom.Size{W: 1000, H: 200}, nil)
	var tall [2]float32
	for k := range v.Sides {
		h := &v.Sides[k]
		for i := range 10 {
			column := v.BarRect(k, i)
			got := filled(v.Scene, column, st.Palette.Turn(0))
			if len(got) != 1 {
				t.Fatalf("side %d has %d bars in interval %d", k, len(got), i)
			}
			r := got[0]
			if k == A && r.Y1 != h.icicle.Y0 || k == B && r.Y0 != h.icicle.Y1 {
				t.Errorf("side %d: bar %v does not stand on the stacks %v", k, r, h.icicle)
			}
			if r.X0 < column.X0 || r.X1 >= column.X1 || column.Intersect(r) != r {
				t.Errorf("side %d: bar %v is not within its column %v", k, r, column)
			}
			tall[k] = r.H()
		}
	}
	if d := tall[A] - 2*tall[B]; math.Abs(float64(d)) > .01 {
		t.Errorf("heights %v of weights 100 and 25", tall)
	}
}

// TestBarsLean: a bar whose matches lie elsewhere in time has its colour and a step on the side to
// which they lie; one without matches is not drawn.
func TestBarsLean(t *testing.T) {
	tr := busy(t, 1, 100)
	whole := float64(tr.Duration)
	shifts := []float64{-whole, -.2 * whole, -.01 * whole, 0, .01 * whole, .2 * whole, whole}
	st := compared(tr, len(shifts)+1, func(_, i int) match.Bar {
		if i == len(shifts) {
			return match.Bar{}
		}
		return match.Bar{Weight: 1, Matches: 1, Shift: shifts[i]}
	})
	v := Build(&st, geom.Size{W: 1000, H: 200}, nil)
	for k := range v.Sides {
		for i, shift := range shifts {
			column := v.BarRect(k, i)
			got := filled(v.Scene, column, st.Palette.Turn(float32(shift/whole/fullTurn)))
			if math.Abs(shift) < aligned*fullTurn*whole {
				if len(got) != 1 {
					t.Errorf("side %d, shift %g: %d quads", k, shift, len(got))
				}
				continue
			}
			if len(got) != 2 {
				t.Fatalf("side %d, shift %g: %d quads", k, shift, len(got))
			}
			bar, step := got[0], got[1]
			if left := step.X0 == bar.X0; left != (shift < 0) || left == (step.X1 == bar.X1) {
				t.Errorf("side %d, shift %g: step %v of bar %v", k, shift, step, bar)
			}
			if k == A && step.Y1 != bar.Y0 || k == B && step.Y0 != bar.Y1 ||
				step.Intersect(column) != step {
				t.Errorf("side %d: step %v is not at the end of bar %v in %v", k, step, bar, column)
			}
		}
		for _, q := range v.Scene.Layers[2*k].Quads {
			if empty := v.BarRect(k, len(shifts)); !empty.Intersect(q.Rect).Empty() {
				t.Errorf("side %d: %v is drawn where nothing matches", k, q.Rect)
			}
		}
	}
}

// within returns the quads that lie in r.
func within(s *scene.Scene, r geom.Rect) (in []scene.Quad) {
	for i := range s.Layers {
		for _, q := range s.Layers[i].Quads {
			if q.Rect.Intersect(r) == q.Rect && !q.Rect.Empty() {
				in = append(in, q)
			}
		}
	}
	return in
}

// TestOpenBarsAreStriped: a bar that may grow still is pale with stripes, also where nothing is
// known of it, and one that is final is neither; both are as high.
func TestOpenBarsAreStriped(t *testing.T) {
	tr := busy(t, 1, 100)
	st := compared(tr, 4, func(_, i int) match.Bar {
		return match.Bar{Weight: float64(i), Matches: 1, Shift: float64(tr.Duration)}
	})
	for k := range st.Sides {
		st.Sides[k].Open = []bool{true, true, true} // shorter than the bars
	}
	v := Build(&st, geom.Size{W: 1000, H: 200}, nil)
	for k := range v.Sides {
		var tall [4]float32
		for i := range 4 {
			stripes, pale, solid := 0, 0, 0
			for _, q := range within(v.Scene, v.BarRect(k, i)) {
				tall[i] = max(tall[i], q.Rect.H())
				switch {
				case q.Shade == scene.Hatch && q.Fill.A < 0xff:
					stripes++
				case q.Fill.A < 0xff:
					pale++
				default:
					solid++
				}
			}
			open := i < 3
			if open != (stripes > 0) || stripes != pale || open != (solid == 0) {
				t.Errorf("side %d, bar %d: %d stripes, %d pale, %d solid", k, i, stripes, pale, solid)
			}
		}
		if !slices.IsSorted(tall[:]) || tall[0] <= 0 || tall[0] == tall[3] {
			t.Errorf("side %d: heights %v", k, tall)
		}
	}
}

// TestLitBackground: a run of marked intervals is one rectangle over the height of the bars, drawn
// before them.
func TestLitBackground(t *testing.T) {
	tr := busy(t, 1, 100)
	st := compared(tr, 8, func(int, int) match.Bar { return match.Bar{Weight: 1, Matches: 1} })
	st.Sides[A].Lit = []bool{true, false, true, true, true} // shorter than the bars
	st.Sides[B].Lit = slices.Repeat([]bool{true}, 20)       // longer
	v := Build(&st, geom.Size{W: 1000, H: 200}, nil)
	whole := geom.Rect{X1: 1000, Y1: 200}
	union := func(k, i, j int) geom.Rect {
		r := v.BarRect(k, i)
		r.X1 = v.BarRect(k, j).X1
		return r
	}
	want := []geom.Rect{union(A, 0, 0), union(A, 2, 4), union(B, 0, 7)}
	if got := filled(v.Scene, whole, st.Palette.Lit); !slices.Equal(got, want) {
		t.Errorf("lit %v, want %v", got, want)
	}
	quads := v.Scene.Layers[0].Quads
	fill := func(c color.NRGBA) int {
		return slices.IndexFunc(quads, func(q scene.Quad) bool { return q.Fill == c })
	}
	if fill(st.Palette.Lit) > fill(st.Palette.Turn(0)) {
		t.Error("the background covers the bars")
	}
}

// TestBarsReplaceDensity: with bars known the density of calls is not drawn, and the stacks kept
// from before are not mixed up with it.
func TestBarsReplaceDensity(t *testing.T) {
	tr := busy(t, 1, 100)
	var a Arena
	size := geom.Size{W: 1000, H: 200}
	bare := state(tr)
	v := Build(&bare, size, &a)
	if len(filled(v.Scene, v.Sides[A].bars, bare.Palette.Bar)) == 0 {
		t.Error("there is no density")
	}
	if _, _, ok := v.Bar(geom.Point{X: 500, Y: 10}); ok || !v.BarRect(A, 0).Empty() {
		t.Error("density bars are taken for bars of matches")
	}
	st := compared(tr, 8, func(int, int) match.Bar { return match.Bar{} })
	for range 2 {
		v = Build(&st, size, &a)
		if n := len(filled(v.Scene, v.Sides[A].bars, st.Palette.Bar)); n > 0 {
			t.Errorf("%d density bars beside those of matches", n)
		}
	}
}

// TestEveryPointOfTheBarsHasOne: Bar finds the column that contains the point, and the columns tile
// the bars' area.
func TestEveryPointOfTheBarsHasOne(t *testing.T) {
	tr := busy(t, 1, 30)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(rt, "bars")
		scale := rapid.SampledFrom([]float32{1, 1.5, 2}).Draw(rt, "scale")
		w := rapid.Float32Range(100, 3000).Draw(rt, "width")
		st := compared(tr, n, func(int, int) match.Bar { return match.Bar{} })
		st.Scale = scale
		v := Build(&st, geom.Size{W: w, H: 300}, nil)
		for k := range v.Sides {
			for i := range n - 1 {
				if v.BarRect(k, i).X1 != v.BarRect(k, i+1).X0 {
					rt.Fatalf("side %d: a gap after column %d", k, i)
				}
			}
			first, last := v.BarRect(k, 0), v.BarRect(k, n-1)
			x := rapid.Float32Range(first.X0-5, last.X1+5).Draw(rt, "x")
			p := geom.Point{X: x, Y: (first.Y0 + first.Y1) / 2}
			side, i, ok := v.Bar(p)
			if inside := x >= first.X0 && x < last.X1; ok != inside {
				rt.Fatalf("x %g: found %t, inside %t", x, ok, inside)
			}
			if ok && (side != k || !v.BarRect(k, i).Contains(p)) {
				rt.Fatalf("x %g: side %d, column %d at %v", x, side, i, v.BarRect(k, i))
			}
		}
	})
}

// TestOddBars: weights and shifts that sums may give do no harm.
func TestOddBars(t *testing.T) {
	tr := busy(t, 1, 30)
	odd := []match.Bar{
		{Weight: math.Inf(1), Shift: math.NaN(), Matches: 1}, {Weight: 1, Shift: math.Inf(-1)},
		{Weight: -1, Matches: 1}, {Weight: 1e-300, Matches: 1},
	}
	st := compared(tr, len(odd), func(_, i int) match.Bar { return odd[i] })
	v := Build(&st, geom.Size{W: 500, H: 120}, nil)
	for _, l := range v.Scene.Layers {
		for _, q := range l.Quads {
			if r := q.Rect; !(r.X0 <= r.X1) || !(r.Y0 <= r.Y1) || r.Y0 < -1 || r.Y1 > 121 {
				t.Errorf("a quad at %v", r)
			}
		}
	}
}

// TestManyBars: more bars than there are pixels are drawn without rectangles turned inside out.
func TestManyBars(t *testing.T) {
	st := compared(busy(t, 1, 30), 500, func(_, i int) match.Bar {
		return match.Bar{Weight: float64(i), Matches: 1, Shift: float64(i) * 100}
	})
	for _, w := range []float32{60, 200, 700, 1500} {
		v := Build(&st, geom.Size{W: w, H: 120}, nil)
		for _, q := range v.Scene.Layers[0].Quads {
			if q.Rect.W() < 0 || q.Rect.H() < 0 {
				t.Errorf("width %g: a quad at %v", w, q.Rect)
			}
		}
	}
}

// BenchmarkBars builds a frame with 150 bars a side over stacks that are kept.
func BenchmarkBars(b *testing.B) {
	st := State{Palette: palette.Light(), Scale: 1}
	tr := &trace.Trace{Duration: 1e9}
	for k := range st.Sides {
		st.Sides[k].Trace = tr
		st.Sides[k].Bars = make([]match.Bar, 150)
		for i := range st.Sides[k].Bars {
			st.Sides[k].Bars[i] = match.Bar{Weight: float64(i), Matches: 1, Shift: float64(i-75) * 1e7}
		}
	}
	var a Arena
	for b.Loop() {
		Build(&st, geom.Size{W: 1560, H: 160}, &a)
	}
}
