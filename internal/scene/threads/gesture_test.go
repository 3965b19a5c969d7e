package threads

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
)

// TestZoomHoldsTheTime: zooming a place keeps the time under the pointer where it is, and panning
// takes it along, unless the trace ends there.
func TestZoomHoldsTheTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someTrace(t)
		st := whole(t, a, rapid.IntRange(-1, 0).Draw(t, "focus"), Options{Idle: true})
		size := someSize(t)
		v := Build(&st, size, nil)
		p := somePlace(t, v)
		place := v.PlaceAt(p)
		if place == Nowhere {
			return
		}
		at := v.TimeAt(place, p)
		st.section(place).View = v.ViewOf(place).ZoomAt(at, rapid.Float64Range(.01, .9).Draw(t, "factor"))
		v = Build(&st, size, nil)
		if got := v.TimeAt(place, p); math.Abs(got-at) > 1e-6*v.ViewOf(place).Len() {
			t.Fatalf("time %v at the pointer became %v", at, got)
		}
		q := geom.Point{X: p.X + rapid.Float32Range(-30, 30).Draw(t, "dx"),
			Y: p.Y + rapid.Float32Range(-30, 30).Draw(t, "dy")}
		to := v.ViewOf(place).Shift(at - v.TimeAt(place, q))
		if to.Start <= 0 || to.End >= float64(v.trace.Duration) {
			return
		}
		st.section(place).View = to
		v = Build(&st, size, nil)
		if got := v.TimeAt(place, q); math.Abs(got-at) > 1e-6*to.Len() {
			t.Fatalf("time %v was dragged to %v", at, got)
		}
	})
}

// TestFolding: a drag towards the roots by a row folds a level, back unfolds it, and none beyond
// what there is.
func TestFolding(t *testing.T) {
	a := office(t)
	st := whole(t, a, 0, Options{})
	v := Build(&st, pane, nil)
	for _, place := range []int{Main, 2} {
		row := v.Row
		if place != Main {
			row = v.RingRow
		}
		tests := []struct {
			fold int
			rows float32
			want int
		}{{0, -1, 1}, {1, -1, 2}, {2, 1, 1}, {1, 1, -1}, {0, 3, -1}, {0, -50, v.maxFold(place)}}
		for _, c := range tests {
			if got := v.FoldAfter(place, c.fold, c.rows*row); got != c.want {
				t.Errorf("place %d: %d levels folded, a drag by %v rows: %d, want %d", place, c.fold,
					c.rows, got, c.want)
			}
		}
	}
	up := v.Outward(0, v.Ring.point(200, 3), v.Ring.point(230, 3))
	if math.Abs(float64(up-30)) > .1 {
		t.Errorf("outward %v", up)
	}
	st.Focus.Fold, st.Sections[2].Fold = 1, 1
	v = Build(&st, pane, nil)
	if v.Folded(Main) != 1 || v.Folded(2) != 1 || v.sections[2].plot.offset(1) >= v.RingRow {
		t.Error("folded levels are not folded")
	}
}

func TestSplitterAndRadius(t *testing.T) {
	a := office(t)
	st := whole(t, a, 0, Options{})
	v := Build(&st, pane, nil)
	r := v.Splitter
	h, ok := v.Pick(geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2})
	if !ok || h.Part != OnSplitter {
		t.Errorf("on the splitter: %+v", h)
	}
	st.Split = v.SplitAt(300)
	if v = Build(&st, pane, nil); math.Abs(float64(v.Splitter.Y0-300)) > 1 {
		t.Errorf("the splitter is at %v", v.Splitter.Y0)
	}
	p := v.Ring.point(v.Ring.Zero-2, .3)
	st.Zero = v.ZeroAt(v.Ring.point(120, 1))
	if h, _ := v.Pick(p); h.Part != OnZero && h.Part != OnRibbon && h.Part != OnRelease {
		t.Errorf("on the zero radius: %+v", h)
	}
	if v = Build(&st, pane, nil); math.Abs(float64(v.Ring.Zero-120)) > 1 {
		t.Errorf("the zero radius is %v", v.Ring.Zero)
	}
}

// TestOverviewParts: the overview's focus rectangle can be caught by its body and its borders.
func TestOverviewParts(t *testing.T) {
	a := office(t)
	st := whole(t, a, 0, Options{})
	st.Focus.View = geom.Span{Start: 200e6, End: 400e6}
	st.Sections[1].Bar = true
	v := Build(&st, pane, nil)
	if len(v.Bars) != 2 || v.Bars[1].Place != 1 {
		t.Fatalf("bars %+v", v.Bars)
	}
	f := v.Bars[0].Focus
	y := (f.Y0 + f.Y1) / 2
	for x, want := range map[float32]Part{f.X0: OnLeft, f.X1: OnRight, (f.X0 + f.X1) / 2: OnFocus,
		f.X1 + 30: OnBar} {
		if h, ok := v.Pick(geom.Point{X: x, Y: y}); !ok || h.Part != want || h.Bar != 0 {
			t.Errorf("at %v: %+v, want part %d", x, h, want)
		}
	}
	if h, _ := v.Pick(geom.Point{X: f.X0, Y: v.Bars[1].Bounds.Y0 + 2}); h.Bar != 1 || h.Place != 1 {
		t.Errorf("the other bar: %+v", h)
	}
}

// swapped returns the sections with those of two places exchanged, as dragging one does; weights stay
// where they are.
func swapped(sections []Section, x, y int) []Section {
	sections = slices.Clone(sections)
	p, q := &sections[x], &sections[y]
	*p, *q = *q, *p
	p.Weight, q.Weight = q.Weight, p.Weight
	return sections
}

// TestMoves: at the beginning of a rearrangement sections are where they were, at its end where
// they are, and between in between.
func TestMoves(t *testing.T) {
	a := office(t)
	st := whole(t, a, 0, Options{})
	before := Build(&st, pane, nil).sections
	st.Before = st.Sections
	st.Sections = swapped(st.Sections, 0, 3)
	for progress, want := range map[float32]float64{0: before[3].left, 1: before[0].left,
		.5: (before[0].left + before[3].left) / 2} {
		st.Progress = progress
		if got := Build(&st, pane, nil).sections[0].left; math.Abs(got-want) > 1e-6 {
			t.Errorf("at %v the section is at %v, not %v", progress, got, want)
		}
	}
}

// TestGesturesOutliveTheirPlace: a gesture may go on after the traces, the waits or the places it
// began on have gone. It then means nothing, and no method fails.
func TestGesturesOutliveTheirPlace(t *testing.T) {
	st := whole(t, office(t), 0, Options{})
	gone := st
	gone.Prepared = nil
	fewer := st
	fewer.Sections = st.Sections[:1]
	unfocused := st
	unfocused.Focus = Section{}
	p, q := geom.Point{X: 350, Y: 500}, geom.Point{X: 300, Y: 400}
	for name, s := range map[string]State{"closed": gone, "fewer": fewer, "no focus": unfocused,
		"nothing": {}} {
		v := Build(&s, pane, nil)
		for _, place := range []int{Main, Nowhere, 0, 3, 99} {
			for _, f := range []float64{v.TimeAt(place, p), v.ViewOf(place).Start} {
				if math.IsNaN(f) {
					t.Errorf("%s: a time of place %d is not a number", name, place)
				}
			}
			v.Outward(place, p, q)
			v.Folded(place)
			v.FoldAfter(place, 1, -30)
			v.HitRect(Hit{Part: OnCall, Place: place, Thread: 1, Call: 1})
			v.HitRect(Hit{Part: OnCall, Place: place, Thread: 1, Call: 1, Aggregate: true})
			s.Dragged, s.Under = &Drag{Place: place, At: p}, Hit{Part: OnLabel, Place: place}
			Build(&s, pane, nil)
		}
		v.Pick(p)
		v.PlaceAt(p)
		v.ZeroAt(p)
		v.SplitAt(3)
	}
}
