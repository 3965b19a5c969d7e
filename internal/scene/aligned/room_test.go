package aligned

import (
	"math"
	"slices"
	"testing"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/scenetest"
	"diptych/internal/testtrace"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

func drawState(t *rapid.T) (State, geom.Size) {
	p := prepared(t, drawnTrace(t, "a"), drawnTrace(t, "b"))
	st := stateOfWhole(p)
	whole := float64(max(p.Virtual.Length, 1))
	start := rapid.Float64Range(-.3, .9).Draw(t, "from") * whole
	st.Focus = geom.Span{Start: start, End: start + rapid.Float64Range(.01, 1.5).Draw(t, "len")*whole}
	st.Scroll = rapid.Float32Range(0, 100).Draw(t, "scroll")
	st.Scale = rapid.SampledFrom([]float32{1, 2}).Draw(t, "scale")
	if rapid.Bool().Draw(t, "filter") {
		st.Filter = Filter{States: Set(align.Different, align.GapA), Least: 3}
	}
	cursor := st.Focus.Mid()
	st.Cursor = &cursor
	for s := range st.Hover {
		if n := p.Virtual.Threads[s].Len(); n > 0 {
			call := rapid.IntRange(0, n-1).Draw(t, "hover")
			st.Hover[s] = []trace.CallRef{{Thread: int32(p.Virtual.Indices[s]), Call: int32(call)}}
			st.Pins = append(st.Pins, Pin{Calls: [2]int{-1, -1}})
			st.Pins[len(st.Pins)-1].Calls[s] = call
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "pairs") {
		st.Pairs = append(st.Pairs, Row{Timeline: p.Timeline, Length: whole})
	}
	size := geom.Size{W: rapid.Float32Range(0, 700).Draw(t, "w"),
		H: rapid.Float32Range(0, 500).Draw(t, "h")}
	if rapid.IntRange(0, 3).Draw(t, "large") > 0 { // at least what every view must live with
		size.W, size.H = max(size.W*2, 300*st.Scale), max(size.H*2, 200*st.Scale)
	}
	return st, size
}

// TestAnySizeFits: whatever the size, the view stays within its rectangle and its texts apart.
func TestAnySizeFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		scenetest.Fits(t, Build(&st, size, nil).Scene)
	})
}

// TestPartsGiveWay: in ever lower panes first the rows of all pairs go, then the skew, then the
// dissimilarity; stacks and status stay, and keep room for a few levels.
func TestPartsGiveWay(t *testing.T) {
	p := changed(t)
	st := stateOfWhole(p)
	for range 5 {
		st.Pairs = append(st.Pairs, Row{Timeline: p.Timeline, Length: float64(p.Virtual.Length)})
	}
	gone := -1
	for h := float32(900); h >= 100; h -= 10 {
		v := Build(&st, geom.Size{W: 300, H: h}, nil)
		parts := []bool{!v.PairRows.Empty(), !v.Skew.Empty(), !v.Dissimilarity.Empty(), v.Status != nil}
		first := slices.Index(parts, true)
		if slices.Contains(parts[first:], false) || first < gone {
			t.Fatalf("in %v px there are %v; before, part %d had gone", h, parts, gone)
		}
		gone = first
		if h >= 200 && (v.Status == nil || v.Sides[pair.B].Bounds.H() < 2*labelRow) {
			t.Errorf("in %v px the stacks of B have %v", h, v.Sides[pair.B].Bounds)
		}
	}
	if gone < 2 {
		t.Errorf("nothing but %d parts gave way", gone)
	}
}

// TestBareHasNoStrips: a bare view has stacks and status alone, and needs no timeline.
func TestBareHasNoStrips(t *testing.T) {
	p := *changed(t)
	p.Timeline = nil
	st := stateOfWhole(&p)
	st.Bare = true
	v := Build(&st, geom.Size{W: 600, H: 600}, nil)
	if !v.Skew.Empty() || !v.Dissimilarity.Empty() || v.Status == nil || v.Sides[pair.B].Drawing == nil {
		t.Errorf("skew %v, dissimilarity %v", v.Skew, v.Dissimilarity)
	}
}

// TestStripsCover: the strips and rows have a colour at every pixel of the alignment that is in
// view, each once.
func TestStripsCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		v := Build(&st, size, nil)
		if v.Dissimilarity.Empty() {
			return
		}
		from := max(v.Axis.X(0), v.Axis.X0)
		to := min(v.Axis.X(float64(st.Prepared.Virtual.Length)), v.Axis.X1)
		parts := []geom.Rect{v.Dissimilarity}
		for k := range st.Pairs {
			if r := v.PairRow(k); r.H() > (pairRow-.01)*v.dp { // wholly in sight
				r.Y1 = r.Y0 + pairHeat*v.dp
				parts = append(parts, r)
			}
		}
		for _, l := range v.Scene.Layers {
			if !slices.Contains(parts, l.Clip) {
				continue
			}
			x := from
			for _, q := range l.Quads {
				if q.Rect.X0 != x || q.Rect.X1 <= x {
					t.Fatalf("%v does not begin at %g", q.Rect, x)
				}
				x = q.Rect.X1
			}
			if from < to && x != to {
				t.Fatalf("covered to %g of %g", x, to)
			}
		}
	})
}

// TestPickReturnsWhatIsDrawn: in the middle of every cell its own calls and node are picked, calls
// that are paired lie at the same place on both sides, and parts do not overlap.
func TestPickReturnsWhatIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		v, p := Build(&st, size, nil), st.Prepared
		if v.Status == nil {
			return
		}
		for c := range v.Status.Cells {
			if c.Rect.W() < 2 {
				continue
			}
			h, ok := v.Pick(geom.Point{X: (c.Rect.X0 + c.Rect.X1) / 2, Y: (c.Rect.Y0 + c.Rect.Y1) / 2})
			if !ok || h.Part != Status || h.Pick.From != c.From || h.Pick.To != c.To {
				t.Fatalf("%+v is picked in the middle of %+v", h, c)
			}
			total := 0
			for _, n := range h.Count {
				total += n
			}
			if total != c.To-c.From || h.Node.Index < c.From || h.Node.Index >= c.To {
				t.Fatalf("%+v does not say what %+v stands for", h, c)
			}
		}
		for i := range p.Len() {
			n := p.Node(i)
			a, inA := p.Ref(n, pair.A)
			b, inB := p.Ref(n, pair.B)
			if !inA || !inB {
				continue
			}
			ra, _ := v.CallRect(pair.A, a)
			rb, _ := v.CallRect(pair.B, b)
			dy := v.Sides[pair.B].Bounds.Y0 - v.Sides[pair.A].Bounds.Y0
			th := p.Virtual.Threads
			level := th[pair.A].Depth(n.Calls[pair.A]) == th[pair.B].Depth(n.Calls[pair.B])
			d := math.Abs(float64(rb.Y0 - ra.Y0 - dy))
			if ra.X0 != rb.X0 || ra.X1 != rb.X1 || level && d > .01 {
				t.Fatalf("node %d is at %v and %v", i, ra, rb)
			}
		}
		parts := append([]geom.Rect{v.Sides[pair.A].Bounds, v.Status.View, v.Sides[pair.B].Bounds,
			v.Dissimilarity, v.Skew}, v.PairsHead, v.PairRows)
		parts = slices.DeleteFunc(parts, geom.Rect.Empty) // what gave way
		for i, r := range parts {
			if r.Y1 > size.H+.01 || r.Y0 < 0 {
				t.Fatalf("%v is not in the pane", r)
			}
			if i > 0 && r.Y0 < parts[i-1].Y1-.01 {
				t.Fatalf("%v overlaps %v", r, parts[i-1])
			}
		}
	})
}

// TestDeepStacks: of 50,000 levels only what is in view is drawn.
func TestDeepStacks(t *testing.T) {
	const levels = 50_000
	var traces [2]*trace.Trace
	for s := range traces {
		b := trace.NewBuilder("deep")
		th, f := b.Thread("1", -1), b.Function(trace.Function{Name: "recurse"})
		for i := range int64(levels) {
			th.Begin(i*10, f)
		}
		if s == 1 {
			th.Complete(levels*10, levels*10+5, b.Function(trace.Function{Name: "leaf"}))
		}
		for i := range int64(levels) {
			th.End((levels + 1 + i) * 10)
		}
		var err error
		if traces[s], err = b.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p := prepared(t, traces[0], traces[1])
	st := stateOfWhole(p)
	for _, scroll := range []float32{0, levels, 1e9} {
		st.Scroll = scroll
		v := Build(&st, geom.Size{W: 1200, H: 700}, nil)
		if n := v.Scene.Count(); n > 8000 {
			t.Errorf("scrolled by %g: %d primitives", scroll, n)
		}
	}
	if n, ok := p.First(); !ok || n.Index != levels {
		t.Errorf("first divergence %+v", n)
	}
}

// TestNothingToShow: no alignment, no room and no time give an empty scene.
func TestNothingToShow(t *testing.T) {
	p := changed(t)
	whole := stateOfWhole(p)
	for _, c := range []struct {
		st   State
		size geom.Size
	}{
		{State{Palette: palette.Light()}, geom.Size{W: 800, H: 600}},
		{State{Prepared: p, Palette: palette.Light()}, geom.Size{W: 800, H: 600}},
		{whole, geom.Size{}},
		{whole, geom.Size{W: 60, H: 600}},
		{whole, geom.Size{W: 800, H: 30}},
	} {
		if v := Build(&c.st, c.size, nil); v.Scene.Count() != 0 {
			t.Errorf("%v: %d primitives", c.size, v.Scene.Count())
		} else if _, ok := v.Pick(geom.Point{X: 10, Y: 10}); ok {
			t.Errorf("%v: something is picked", c.size)
		}
	}
}

// TestNoRowIsCut: where not all levels fit, those in sight before any scrolling are whole.
func TestNoRowIsCut(t *testing.T) {
	cut := 0
	testtrace.CheckUntil(t, func() bool { return cut > 0 }, func(t *rapid.T) {
		st, size := drawState(t)
		b := builder{st: &st, p: st.Prepared, v: &View{}, dp: st.Scale}
		half, _ := b.share(size.H)
		folds := float32(b.folded) * b.strip
		rows := float64((half - edge*b.dp - folds) / b.row)
		if b.v.MaxScroll > 0 && rows >= 1 {
			if cut++; math.Abs(rows-math.Round(rows)) > .001 {
				t.Fatalf("%v rows of %v px are in sight, beside %d folded ones", rows, b.row, b.folded)
			}
		}
	})
}
