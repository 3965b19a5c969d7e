package aligned

import (
	"math"
	"slices"
	"testing"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

// changed is a program and what became of it: a function has another name, one is gone, one is new,
// and a subtree is elsewhere.
func changed(t failer) *Prepared {
	parts := func(at int64, names string) (out []call) {
		for i := range names {
			out = append(out, call{names[i : i+1], at + int64(5*i), at + int64(5*i) + 5, nil})
		}
		return out
	}
	a := recorded(t, []call{{"main", 0, 200, []call{
		{"load", 0, 20, nil}, {"work", 20, 40, parts(20, "pqr")}, {"old", 40, 60, nil},
		{"tail", 60, 80, nil}, {"block", 80, 100, parts(80, "xyz")}, {"store", 100, 120, nil},
		{"end", 120, 140, nil},
	}}})
	b := recorded(t, []call{{"main", 0, 200, []call{
		{"load", 0, 20, nil}, {"works", 40, 60, parts(40, "pqr")}, {"tail", 80, 100, nil},
		{"store", 100, 120, nil}, {"fresh", 120, 140, nil}, {"end", 140, 160, nil},
		{"block", 160, 180, parts(160, "xyz")},
	}}})
	return prepared(t, a, b)
}

func stateOfWhole(p *Prepared) State {
	return State{Prepared: p, Palette: palette.Light(), Scale: 1,
		Focus: geom.Span{End: float64(p.Virtual.Length)}}
}

// TestStatesAreShown: every kind of change is a node of its state, drawn in its colour and picked
// where it is drawn.
func TestStatesAreShown(t *testing.T) {
	p := changed(t)
	st := stateOfWhole(p)
	v := Build(&st, geom.Size{W: 1200, H: 700}, nil)
	a := st.Palette.Alignment()
	find := func(s pair.Side, name string) int {
		tr := p.Sides[s]
		return slices.IndexFunc(tr.Threads[0].Fn, func(f trace.FuncID) bool {
			return tr.Functions[f].Name == name
		})
	}
	tests := []struct {
		side  pair.Side
		name  string
		state align.State
		moved bool
	}{
		{pair.A, "main", align.Equal, false},
		{pair.A, "load", align.Equal, false},
		{pair.A, "work", align.Different, false},
		{pair.B, "works", align.Different, false},
		{pair.A, "q", align.Equal, false},
		{pair.A, "old", align.GapB, false},
		{pair.B, "fresh", align.GapA, false},
		{pair.A, "block", align.GapB, true},
		{pair.B, "block", align.GapA, true},
		{pair.B, "end", align.Equal, false},
	}
	for _, c := range tests {
		call := find(c.side, c.name)
		n := p.Node(p.NodeOf(c.side, call))
		if n.State != c.state || n.Moved != c.moved {
			t.Errorf("%s: %v, moved %v", c.name, n.State, n.Moved)
		}
		r, ok := v.NodeRect(n.Index)
		if !ok {
			t.Fatalf("%s is not in the status", c.name)
		}
		h, _ := v.Pick(geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2})
		if h.Part != Status || !h.OnCall || h.Node != n || h.Count[c.state] != 1 {
			t.Errorf("%s: picked %+v", c.name, h)
		}
		if !has(v.Scene, h.Pick.Rect, a.State(int(c.state)), scene.Flat) {
			t.Errorf("%s is not drawn as %v", c.name, c.state)
		}
		hatched := has(v.Scene, h.Pick.Rect, palette.WithAlpha(st.Palette.Pane, 0xa0), scene.Hatch)
		if hatched != c.moved {
			t.Errorf("%s: hatched %v", c.name, hatched)
		}
		ref, _ := p.Ref(n, c.side)
		r, _ = v.CallRect(c.side, ref)
		h, _ = v.Pick(geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2})
		if h.Part != SideA+Part(c.side) || !h.OnCall || h.Node != n {
			t.Errorf("%s on its side: picked %+v", c.name, h)
		}
	}
	if twin := p.Twin(pair.A, find(pair.A, "block")+2); twin != find(pair.B, "block")+2 {
		t.Errorf("y was moved to call %d", twin)
	}
	if n, ok := p.First(); !ok || n.State != align.Different {
		t.Errorf("first divergence %+v", n)
	}
}

// has reports whether a scene has a quad like that.
func has(s *scene.Scene, r geom.Rect, fill any, shade scene.Shade) bool {
	for _, l := range s.Layers {
		for _, q := range l.Quads {
			if q.Rect == r && any(q.Fill) == fill && q.Shade == shade {
				return true
			}
		}
	}
	return false
}

// TestSteps: calls that only B has lower the skew by their duration, one after the other, and it
// stays there.
func TestSteps(t *testing.T) {
	a := []call{{"main", 0, 400, []call{{"first", 0, 50, nil}, {"last", 350, 400, nil}}}}
	b := []call{{"main", 0, 480, []call{{"first", 0, 50, nil}, {"retry", 100, 120, nil},
		{"retry", 170, 190, nil}, {"retry", 240, 260, nil}, {"retry", 310, 330, nil},
		{"last", 430, 480, nil}}}}
	p := prepared(t, recorded(t, a), recorded(t, b))
	for k, want := range []int64{0, -20e6, -40e6, -60e6, -80e6} {
		at := int64(90+70*k) * 1e6
		if got := p.At(at).Skew; got != want {
			t.Errorf("skew %d at %d, want %d", got, at, want)
		}
	}
	n, ok := p.Next(0, Filter{States: Set(align.GapA), Least: 20e6})
	for k := 0; k < 4; k++ {
		if !ok || n.Start != int64(100+70*k)*1e6 {
			t.Fatalf("difference %d is %+v", k, n)
		}
		n, ok = p.Next(n.Start, Filter{})
	}
	if ok {
		t.Errorf("a fifth difference: %+v", n)
	}
}

// TestFewDifferencesAreSeen: of thousands of equal calls in a few pixels one has another name.
func TestFewDifferencesAreSeen(t *testing.T) {
	calls := func(name string) []call {
		var below []call
		for i := range int64(5000) {
			below = append(below, call{"leaf", i, i + 1, nil})
		}
		below[2500].name = name
		return []call{{"main", 0, 5000, below}}
	}
	p := prepared(t, recorded(t, calls("leaf")), recorded(t, calls("other")))
	st := stateOfWhole(p)
	v := Build(&st, geom.Size{W: 400, H: 400}, nil)
	seen := 0
	for _, l := range v.Scene.Layers {
		for _, q := range l.Quads {
			r := q.Rect
			if q.Fill == st.Palette.Alignment().Different && r.H() >= 2 && v.Status.View.Contains(
				geom.Point{X: r.X0, Y: r.Y0}) {
				seen++
			}
		}
	}
	if seen != 1 {
		t.Errorf("the difference is seen %d times", seen)
	}
}

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
	for range rapid.IntRange(0, 4).Draw(t, "pairs") {
		st.Pairs = append(st.Pairs, Row{Timeline: p.Timeline, Length: whole})
	}
	return st, geom.Size{W: rapid.Float32Range(0, 700).Draw(t, "w"),
		H: rapid.Float32Range(0, 500).Draw(t, "h")}
}

// TestRowsShareAScale: what colour a skew has in the rows of all pairs goes by the largest of all,
// and a row begins where its threads do.
func TestRowsShareAScale(t *testing.T) {
	p := changed(t)
	st := stateOfWhole(p)
	line := func(skew ...int64) *align.Timeline {
		return &align.Timeline{Dissimilarity: make([]float64, len(skew)), Skew: skew}
	}
	whole := float64(p.Virtual.Length)
	st.Pairs = []Row{{Timeline: line(0, 50), Length: whole, Current: true},
		{Timeline: line(-100), Start: whole / 2, Length: whole / 4}, {Title: "nothing known"}}
	v := Build(&st, geom.Size{W: 1200, H: 700}, nil)
	if len(v.Pairs) != 6 {
		t.Fatalf("%d rows", len(v.Pairs))
	}
	a := st.Palette.Alignment()
	x := func(share float64) float32 { return v.Axis.X(whole * share) }
	for _, c := range []struct {
		row      int
		from, to float32
		want     any
	}{
		{3, x(0), x(.5), a.Skew(0)}, {3, x(.5), x(1), a.Skew(.5)}, {4, x(.5), x(.75), a.Skew(-1)},
	} {
		r := v.Pairs[c.row]
		r.X0, r.X1, r.Y1 = c.from, c.to, r.Y1-1
		if !has(v.Scene, r, c.want, scene.Flat) {
			t.Errorf("row %d has no %v at %v", c.row, c.want, r)
		}
		h, _ := v.Pick(geom.Point{X: (r.X0 + r.X1) / 2, Y: r.Y0 + 1})
		if h.Part != Pairs || h.Row != c.row-3 {
			t.Errorf("row %d: picked %+v", c.row, h)
		}
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
		parts := append([]geom.Rect{v.Dissimilarity}, v.Pairs...)
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
			level := th[pair.A].Depth[n.Calls[pair.A]] == th[pair.B].Depth[n.Calls[pair.B]]
			d := math.Abs(float64(rb.Y0 - ra.Y0 - dy))
			if ra.X0 != rb.X0 || ra.X1 != rb.X1 || level && d > .01 {
				t.Fatalf("node %d is at %v and %v", i, ra, rb)
			}
		}
		parts := append([]geom.Rect{v.Sides[pair.A].Bounds, v.Status.View, v.Sides[pair.B].Bounds,
			v.Dissimilarity, v.Skew}, v.Pairs...)
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

// TestOneThreadAlone: a thread without a counterpart is all gaps, and the other side says so.
func TestOneThreadAlone(t *testing.T) {
	tr := recorded(t, []call{{"main", 0, 50, []call{{"f", 10, 20, nil}}}})
	for s := range 2 {
		var traces [2]*trace.Trace
		traces[s] = tr
		p := preparedPair(t, pair.New(traces[0], traces[1], pair.Rules{}))
		st := stateOfWhole(p)
		v := Build(&st, geom.Size{W: 800, H: 600}, nil)
		if v.Sides[s].Drawing == nil || v.Sides[1-s].Drawing != nil || p.Differences() != 1 {
			t.Errorf("side %d: %+v, %d differences", s, v.Sides, p.Differences())
		}
		if n := p.Node(1); n.Calls[s] != 1 || n.Calls[1-s] != -1 || n.End-n.Start != 10e6 {
			t.Errorf("side %d: %+v", s, n)
		}
	}
}

// TestGhost: what is selected on one side and missing on the other is outlined at its place there.
func TestGhost(t *testing.T) {
	p := changed(t)
	st := stateOfWhole(p)
	n, _ := p.Next(0, Filter{States: Set(align.GapB)})
	ref, _ := p.Ref(n, pair.A)
	st.Selected[pair.A] = []trace.CallRef{ref}
	v := Build(&st, geom.Size{W: 1200, H: 700}, nil)
	r, _ := v.CallRect(pair.A, ref)
	r = r.Offset(0, v.Sides[pair.B].Bounds.Y0-v.Sides[pair.A].Bounds.Y0)
	if !has(v.Scene, r, st.Palette.Hover, scene.Outline) {
		t.Error("there is no outline on side B")
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
