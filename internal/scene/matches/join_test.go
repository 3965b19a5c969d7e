package matches

import (
	"context"
	"math"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/links"
	"diptych/internal/trace"
)

var realPairs = map[string][2]string{
	"go-build": {"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"},
	"node":     {"chrome/node-n8.json.gz", "chrome/node-n16.json.gz"},
	"queue":    {"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"},
}

// TestTubesJoinCells holds that every tube begins and ends in the middle of a cell, as wide as it,
// and that picking there finds the call that the link names.
func TestTubesJoinCells(t *testing.T) {
	for name, files := range realPairs {
		t.Run(name, func(t *testing.T) {
			traces := recorded(t, files[0], files[1])
			var a Arena
			n := 0
			for _, all := range []bool{false, true} {
				for _, zoom := range []float64{1, .3, .05} {
					st := joined(t, traces)
					st.Links.All, st.Links.Budget = all, 2000
					for k := range st.Sides {
						f := &st.Sides[k].Focus
						*f = f.ZoomAt(f.Len()*.05, zoom)
					}
					v := Build(&st, geom.Size{W: 1200, H: 800}, &a)
					checkEnds(t, v)
					n += v.Links.Drawn
				}
			}
			if n < 100 {
				t.Errorf("only %d tubes", n)
			}
		})
	}
}

func checkEnds(t *testing.T, v *View) {
	t.Helper()
	tubes := &v.Scene.Layers[0].Tubes
	if len(tubes.Tubes) != v.Links.Drawn {
		t.Fatalf("%d tubes of %d links", len(tubes.Tubes), v.Links.Drawn)
	}
	for i, tube := range tubes.Tubes {
		knots := tubes.Knots[tube.First : tube.First+tube.Count]
		ends := v.Links.Link(i).Ends
		for k, at := range [2]scene.Knot{knots[0], knots[len(knots)-1]} {
			r, w := ends[k].Rect, [2]float32{tube.W0, tube.W1}[k]
			x, y := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2
			if at.X != x || at.Y != y || w != r.W() {
				t.Fatalf("tube %d ends at %v, %g wide, and its cell is %v", i, at, w, r)
			}
			checkCell(t, v, k, ends[k])
		}
	}
}

// checkCell holds that a link's end is what is drawn there. Where quads narrower than two pixels
// crowd, a neighbour may be picked.
func checkCell(t *testing.T, v *View, k int, end links.End) {
	t.Helper()
	r := end.Rect
	hit, ok := v.Pick(geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2})
	if !ok || hit.Side != k {
		t.Fatalf("nothing of side %d is drawn at %v", k, r)
	}
	if r.W() < 2 {
		return
	}
	if view := v.Sides[k].Drawing.View; hit.Rect.Intersect(view) != r {
		t.Fatalf("%+v is drawn where %+v ends", hit, end)
	}
	call := int(end.Ref.Call)
	if int(end.Ref.Thread) != hit.Thread || call < hit.From || call >= hit.To {
		t.Fatalf("call %d is not among those picked, %+v", call, hit)
	}
	if hit.To-hit.From != end.Calls {
		t.Fatalf("%+v stands for %d calls", end, hit.To-hit.From)
	}
}

// TestPickLink: the pointer finds a tube between the stacks, and none over them.
func TestPickLink(t *testing.T) {
	v, _ := figureView(t, "replication", nil)
	tubes := &v.Scene.Layers[0].Tubes
	found := map[int]bool{}
	for i := range tubes.Tubes {
		for u := range 20 {
			x, y, _ := tubes.Axis(i, float32(u)/20)
			p := geom.Point{X: x, Y: y}
			link, ok := v.PickLink(p)
			if _, over := v.Pick(p); over && ok {
				t.Fatalf("a link is picked over a call at %v", p)
			}
			if ok {
				at := slices.IndexFunc(tubes.Tubes, func(b scene.Tube) bool {
					k := tubes.Knots[b.First]
					return k.X == (link.Ends[A].Rect.X0+link.Ends[A].Rect.X1)/2
				})
				found[at] = true
			}
		}
	}
	if len(found) < 3 {
		t.Errorf("only %d tubes are found by the pointer", len(found))
	}
	none := &View{}
	if _, ok := none.PickLink(geom.Point{}); ok {
		t.Error("a view without links has one")
	}
}

// TestBrushing: only matches below the brushed call keep their colour, and they lie over their
// equals.
func TestBrushing(t *testing.T) {
	brush := links.Brush{Side: B, Ref: trace.CallRef{Call: 1}} // the first omega
	v, traces := figureView(t, "permutation", func(st *State) {
		st.Links.Brush, st.Links.Marked = []links.Brush{brush}, []links.Brush{brush}
	})
	th := traces[B].Threads[0]
	tubes, coloured := v.Scene.Layers[0].Tubes.Tubes, 0
	for i, tube := range tubes {
		l := v.Links.Link(i)
		inside := l.Ends[B].Ref.Call >= 1 && int(l.Ends[B].Ref.Call) < th.Next(1)
		red := int(tube.Fill.R)-int(tube.Fill.G) > 40
		if inside != red {
			t.Errorf("link %d, in the brush %v, has the colour %v", i, inside, tube.Fill)
		}
		if inside {
			coloured++
		}
		if marked := l.Ends[B].Ref.Call == 1; marked != (tube.Gloss > 0) {
			t.Errorf("link %d, marked %v, has a gloss of %g", i, marked, tube.Gloss)
		}
	}
	if coloured < 5 {
		t.Errorf("%d links are in the brush", coloured)
	}
}

// TestHoverShowsMatches: a hovered call, given on either side and without a pointer over this view,
// is outlined together with the calls that matches join it with; a call of a thread that is not
// shown changes nothing.
func TestHoverShowsMatches(t *testing.T) {
	plain, _ := figureView(t, "replication", nil)
	outlined := func(v *View, k int, ref trace.CallRef) bool {
		r, _ := v.Sides[k].Drawing.CallRect(ref)
		return slices.ContainsFunc(v.Scene.Layers, func(l scene.Layer) bool {
			return slices.ContainsFunc(l.Quads, func(q scene.Quad) bool {
				return q.Shade == scene.Outline && q.Fill == palette.Light().Hover && q.Rect == r
			})
		})
	}
	for k := range plain.Sides {
		ref := plain.Links.Link(plain.Links.Drawn / 2).Ends[k].Ref
		v, _ := figureView(t, "replication", func(st *State) { st.Hover(k, ref) })
		partners := 0
		for i := range v.Links.Drawn {
			ends := v.Links.Link(i).Ends
			if ends[k].Ref == ref {
				partners++
			}
			if got := outlined(v, 1-k, ends[1-k].Ref); ends[k].Ref == ref && !got {
				t.Errorf("side %d: the partner %v of %v is not outlined", k, ends[1-k].Ref, ref)
			}
		}
		if partners == 0 || !outlined(v, k, ref) {
			t.Errorf("side %d: %v has %d partners, outlined %v", k, ref, partners, outlined(v, k, ref))
		}
	}
	elsewhere, _ := figureView(t, "replication", func(st *State) { st.Hover(A, trace.CallRef{Thread: 7}) })
	if dump(elsewhere.Scene) != dump(plain.Scene) ||
		!slices.Equal(elsewhere.Scene.Layers[0].Tubes.Tubes, plain.Scene.Layers[0].Tubes.Tubes) {
		t.Error("a call that is not shown changes the view")
	}
}

// TestPanesAreIndependent: the same state in two panes of different sizes, built in turn, gives in
// each what it gives alone.
func TestPanesAreIndependent(t *testing.T) {
	st := joined(t, recorded(t, realPairs["queue"][0], realPairs["queue"][1]))
	sizes := []geom.Size{{W: 300, H: 200}, {W: 1200, H: 800}}
	var arenas [2]Arena
	for step := range 6 {
		for k := range st.Sides {
			st.Sides[k].Focus = st.Sides[k].Focus.ZoomAt(2e6, .8)
		}
		var views [2]*View
		for i, size := range sizes {
			views[i] = Build(&st, size, &arenas[i])
		}
		for i, size := range sizes {
			if dump(views[i].Scene) != dump(Build(&st, size, nil).Scene) {
				t.Fatalf("step %d: the pane of %v differs from one alone", step, size)
			}
		}
	}
}

// TestRepeatsAreOutlined: a run has one outline around its visible calls.
func TestRepeatsAreOutlined(t *testing.T) {
	traces := figure(t, "permutation")
	st := joined(t, traces)
	g := st.Links.Graph
	for k := range st.Sides {
		r, err := g.Sides[k].Repeats(context.Background(), match.DefaultRho)
		if err != nil {
			t.Fatal(err)
		}
		st.Sides[k].Repeats = Repeats{&g.Sides[k].Calls, r.In}
	}
	v := Build(&st, geom.Size{W: 1000, H: 700}, nil)
	first, _ := v.Sides[B].Drawing.CallRect(trace.CallRef{Call: 1})
	outlines := 0
	for _, l := range v.Scene.Layers {
		for _, q := range l.Quads {
			if q.Shade != scene.Outline || q.Fill != st.Palette.Far {
				continue
			}
			outlines++
			if q.Rect.X0 != first.X0 || math.Abs(float64(q.Rect.W()/first.W()-3.4)) > .2 {
				t.Errorf("outline %v, first call %v", q.Rect, first)
			}
		}
	}
	if outlines != 1 {
		t.Errorf("%d outlines", outlines)
	}
}

// TestRepeatsInSight: runs are asked for of the time in sight, from the width on that an outline
// needs, and one that is narrower or elsewhere has none.
func TestRepeatsInSight(t *testing.T) {
	st := joined(t, figure(t, "permutation"))
	g := st.Links.Graph
	whole, length := st.Sides[B].Focus, st.Sides[B].Focus.Len()
	var asked match.Window
	st.Sides[B].Repeats = Repeats{&g.Sides[B].Calls, func(w match.Window, yield func(int, int) bool) {
		asked = w
		yield(1, 3)
	}}
	for focus, want := range map[geom.Span]int{
		whole:                          1,
		{End: whole.End + 1000*length}: 0,
		whole.Shift(2 * length):        0,
		whole.Shift(-2 * length):       0,
	} {
		st.Sides[B].Focus = focus
		v := Build(&st, geom.Size{W: 1000, H: 700}, nil)
		outlines := 0
		for _, l := range v.Scene.Layers {
			for _, q := range l.Quads {
				if q.Shade == scene.Outline && q.Fill == st.Palette.Far {
					outlines++
				}
			}
		}
		ax := v.Sides[B].Axis
		if least := ax.T(leastRepeat) - ax.T(0); outlines != want || asked.Least != int64(least) ||
			asked.From != int64(focus.Start) || asked.To != int64(focus.End) {
			t.Errorf("in %v: %d outlines, want %d, of %+v", focus, outlines, want, asked)
		}
	}
}

// TestNothingToJoin: with one trace, or nothing compared, there is neither a layer nor links.
func TestNothingToJoin(t *testing.T) {
	traces := figure(t, "nesting")
	st := joined(t, traces)
	st.Sides[B] = Side{}
	if v := Build(&st, geom.Size{W: 500, H: 300}, nil); v.Links != nil {
		t.Error("one trace has links")
	}
	st = joined(t, traces)
	st.Links.Graph = nil
	v := Build(&st, geom.Size{W: 500, H: 300}, nil)
	for _, l := range v.Scene.Layers {
		if v.Links != nil || len(l.Tubes.Tubes) > 0 {
			t.Fatal("what is not compared has links")
		}
	}
}

// TestTooManyClasses: where nearly every visible call is of a class of its own, the widest are
// compared and the view says that not all were.
func TestTooManyClasses(t *testing.T) {
	var traces [2]*trace.Trace
	for k := range traces {
		var err error
		if traces[k], err = synthetic(12_000, 1, uint64(k+1)); err != nil {
			t.Fatal(err)
		}
	}
	st := joined(t, traces)
	st.Links.Budget = 500
	size := geom.Size{W: 1600, H: 1000}
	v := Build(&st, size, nil)
	if !v.Links.Partial || v.Links.Drawn == 0 || v.Links.Drawn > 500 {
		t.Fatalf("%d drawn, partial %v", v.Links.Drawn, v.Links.Partial)
	}
	checkEnds(t, v)
	st.Sides[A].Focus.End /= 300
	st.Sides[B].Focus.End /= 300
	if v := Build(&st, size, nil); v.Links.Partial {
		t.Error("a few calls are too many")
	}
}
