package overview

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/scenetest"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// busy is a trace of n threads, each with calls of 10 ns in calls of 100 ns.
func busy(t *testing.T, threads, calls int) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	outer := b.Function(trace.Function{Name: "outer"})
	inner := b.Function(trace.Function{Name: "inner"})
	for k := range threads {
		th := b.Thread(string(rune('a'+k)), -1)
		for i := range calls + k {
			at := int64(i) * 200
			th.Complete(at, at+100, outer)
			th.Complete(at+20, at+30, inner)
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func state(tr *trace.Trace) State {
	st := State{Palette: palette.Light(), Scale: 1}
	for k := range st.Sides {
		whole := float64(tr.Duration)
		st.Sides[k] = Side{Trace: tr, Focus: geom.Span{Start: whole / 4, End: whole / 2}}
		for i := range tr.Threads {
			st.Sides[k].Tracks = append(st.Sides[k].Tracks, i)
		}
	}
	return st
}

func TestHit(t *testing.T) {
	st := state(busy(t, 1, 100))
	v := Build(&st, geom.Size{W: 1000, H: 160}, nil)
	for k := range v.Sides {
		f, b := v.Sides[k].Focus, v.Sides[k].Bounds
		y := (b.Y0 + b.Y1) / 2
		tests := []struct {
			x    float32
			want Part
		}{
			{f.X0 - 20, Outside}, {f.X0 - 2, LeftHandle}, {f.X0 + 2, LeftHandle},
			{(f.X0 + f.X1) / 2, Body},
			{f.X1 - 2, RightHandle}, {f.X1 + 2, RightHandle}, {f.X1 + 20, Outside},
		}
		for _, c := range tests {
			if side, part := v.Hit(geom.Point{X: c.x, Y: y}); side != k || part != c.want {
				t.Errorf("side %d, x %g: side %d, part %d, want %d", k, c.x, side, part, c.want)
			}
		}
	}
	if side, _ := v.Hit(geom.Point{X: 500, Y: 80}); side != -1 {
		t.Errorf("between the halves: side %d", side)
	}
}

// TestWholeFocusMarksNothing: of two traces at one scale, that of the shorter one is not filled
// either while all of it is shown.
func TestWholeFocusMarksNothing(t *testing.T) {
	st := state(busy(t, 1, 100))
	short := busy(t, 1, 40)
	st.Sides[B].Trace, st.Sides[B].Room = short, float64(st.Sides[A].Trace.Duration)
	for _, c := range []struct {
		end  float64
		fill bool
	}{{float64(short.Duration), false}, {float64(short.Duration) / 2, true}} {
		st.Sides[B].Focus = geom.Span{End: c.end}
		v := Build(&st, geom.Size{W: 1000, H: 160}, nil)
		filled := false
		for _, l := range v.Scene.Layers {
			for _, q := range l.Quads {
				filled = filled || q.Rect == v.Sides[B].Focus && q.Shade != scene.Outline && q.Fill.A > 0
			}
		}
		if filled != c.fill {
			t.Errorf("a focus up to %g of %d is filled: %t", c.end, short.Duration, filled)
		}
	}
}

// TestNarrowFocusCanBeMoved: of a rectangle a few px wide the body can still be caught.
func TestNarrowFocusCanBeMoved(t *testing.T) {
	st := state(busy(t, 1, 100))
	st.Sides[A].Focus = geom.Span{Start: 5000, End: 5001}
	v := Build(&st, geom.Size{W: 1000, H: 160}, nil)
	f := v.Sides[A].Focus
	side, part := v.Hit(geom.Point{X: (f.X0 + f.X1) / 2, Y: f.Y0 + 5})
	if side != A || part != Body {
		t.Errorf("side %d, part %d", side, part)
	}
}

// TestStacksAreKept: a focus that moves does not draw the stacks again, another theme or thread
// does.
func TestStacksAreKept(t *testing.T) {
	st := state(busy(t, 2, 100))
	size := geom.Size{W: 800, H: 200}
	var a Arena
	v := Build(&st, size, &a)
	count := v.Scene.Count()
	a.stacks[A].quads[0].U1 = 7 // a mark to recognise them by
	st.Sides[A].Focus = st.Sides[A].Focus.Shift(50)
	if v = Build(&st, size, &a); v.Scene.Layers[0].Quads[0].U1 != 7 || v.Scene.Count() != count {
		t.Error("the stacks were drawn anew for another focus")
	}
	st.Sides[A].Tracks = []int{1}
	if v = Build(&st, size, &a); v.Scene.Layers[0].Quads[0].U1 == 7 {
		t.Error("the stacks were kept for other threads")
	}
	st.Palette = palette.Dark()
	before := v.Scene.Layers[0].Quads[0].Fill
	if v = Build(&st, size, &a); v.Scene.Layers[0].Quads[0].Fill == before {
		t.Error("the stacks were kept in another theme")
	}
}

func TestActivityCountsStarts(t *testing.T) {
	tr := busy(t, 2, 10)
	sd := Side{Trace: tr, Tracks: []int{0, 1}}
	total := 0
	for _, n := range starts(&sd, geom.Span{End: float64(tr.Duration)}, 7) {
		total += n
	}
	if total != tr.Calls() {
		t.Errorf("%d of %d calls counted", total, tr.Calls())
	}
}

func TestBusiest(t *testing.T) {
	tr := busy(t, 4, 10)
	var order []int
	for i := range tr.Threads {
		order = append(order, i)
	}
	got := busiest(tr, order, 2)
	if len(got) != 2 || got[0] > got[1] {
		t.Fatalf("busiest = %v", got)
	}
	for _, k := range got {
		if tr.Threads[k].Len() < 2*12 {
			t.Errorf("thread %d has only %d calls", k, tr.Threads[k].Len())
		}
	}
}

func TestSmallPanesAreSafe(t *testing.T) {
	st := state(busy(t, 9, 10))
	sizes := []geom.Size{{}, {W: 10, H: 10}, {W: 1000, H: 3}, {W: 49, H: 500}, {W: 60, H: 30}}
	for _, size := range sizes {
		v := Build(&st, size, nil)
		v.Hit(geom.Point{X: 5, Y: 5})
	}
	empty := State{Palette: palette.Light()}
	if n := Build(&empty, geom.Size{W: 500, H: 100}, nil).Scene.Count(); n != 0 {
		t.Errorf("%d primitives without a trace", n)
	}
}

// TestAnySizeFits: whatever the size, the scale and the focus, the overview stays within its
// rectangle and its texts apart, with bars and without.
func TestAnySizeFits(t *testing.T) {
	base := state(busy(t, 9, 10))
	var a Arena
	rapid.Check(t, func(t *rapid.T) {
		st := base
		st.Scale = rapid.SampledFrom([]float32{0, 1, 2}).Draw(t, "scale")
		size := geom.Size{W: rapid.Float32Range(0, 1500).Draw(t, "w"), H: rapid.Float32Range(0, 400).Draw(t, "h")}
		for k := range st.Sides {
			sd := &st.Sides[k]
			f := sd.Focus
			sd.Focus = f.ZoomAt(f.Len()*rapid.Float64Range(-1, 2).Draw(t, "at"),
				rapid.SampledFrom([]float64{0, .001, 1, 3}).Draw(t, "zoom"))
			sd.Drawn = sd.Focus
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				sd.Trace = nil
			case 1:
				sd.Bars = make([]match.Bar, Intervals(size.W, st.Scale))
				sd.Lit = make([]bool, len(sd.Bars))
				sd.Open = make([]bool, len(sd.Bars)/2)
				for i := range sd.Bars {
					sd.Bars[i] = match.Bar{Weight: float64(i % 7), Matches: 1, Shift: float64(i%5-2) * 1e9}
					sd.Lit[i] = i%3 == 0
					if i < len(sd.Open) {
						sd.Open[i] = i%4 < 3
					}
				}
			}
		}
		scenetest.Fits(t, Build(&st, size, &a).Scene)
	})
}

// TestUnequalRuns: where both sides have room for the longer trace, a moment is at the same place on
// both, and nothing of the shorter trace lies after its end; where they do not, bars say so.
func TestUnequalRuns(t *testing.T) {
	st := &State{Palette: palette.Light()}
	for k, text := range []string{"thread 1 name=main\n  0+1000 run\n", "thread 1 name=main\n  0+4000 run\n"} {
		tr := texttest.Parse(t, text)
		st.Sides[k] = Side{Trace: tr, Tracks: []int{0}, Focus: geom.Span{End: 1000}, Bars: make([]match.Bar, 10)}
	}
	size := geom.Size{W: 1048, H: 200}
	for _, room := range []float64{0, 4000} {
		st.Sides[A].Room = room
		v := Build(st, size, nil)
		texts := 0
		for _, l := range v.Scene.Layers {
			for _, x := range l.Texts {
				if strings.HasSuffix(x.Text, "s") {
					texts++
				}
			}
		}
		a, b := v.Sides[A].Focus, v.Sides[B].Focus
		if common := a == b || math.Abs(float64(a.W()-b.W())) < .01; common != (room > 0) || (texts == 0) != common {
			t.Errorf("with room for %v the same time is %v and %v wide, with %d bars of scale", room, a.W(), b.W(), texts)
		}
		if end := v.BarRect(A, 9).X1; room > 0 && math.Abs(float64(end-a.X1)) > 1 {
			t.Errorf("the bars of A end at %v, its time at %v", end, a.X1)
		}
	}
}
