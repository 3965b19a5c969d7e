package aligned

import (
	"slices"
	"testing"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
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
		r, ok := v.Status.CallRect(nodeRef(n.Index))
		if !ok {
			t.Fatalf("%s is not in the status", c.name)
		}
		below := func(q scene.Quad) bool { return q.Rect.W() == v.Status.View.W() && near(q.Rect.Y1, r.Y1) }
		if !draws(v, below) {
			t.Errorf("%s: no line parts its row from the next", c.name)
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
	for k := range 4 { // the block and what it calls
		if twin := p.Twin(pair.A, find(pair.A, "block")+k); twin != find(pair.B, "block")+k {
			t.Errorf("call %d of the block was moved to call %d", k, twin)
		}
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

// TestHoverShowsPartner: a hovered call, given on one side alone, is outlined with what stands for it
// on the other side, moved or not; a call of another thread changes nothing.
func TestHoverShowsPartner(t *testing.T) {
	p := changed(t)
	size := geom.Size{W: 1200, H: 700}
	st := stateOfWhole(p)
	for _, s := range []pair.Side{pair.A, pair.B} {
		for call := range p.Virtual.Threads[s].Len() {
			ref := trace.CallRef{Thread: int32(p.Virtual.Indices[s]), Call: int32(call)}
			st.Hover = [2][]trace.CallRef{}
			st.Hover[s] = []trace.CallRef{ref}
			v := Build(&st, size, nil)
			marks := map[pair.Side]int{s: call, s.Other(): p.Twin(s, call)}
			for side, i := range marks {
				other := trace.CallRef{Thread: int32(p.Virtual.Indices[side]), Call: int32(i)}
				if i < 0 {
					continue
				}
				if r, _ := v.CallRect(side, other); !has(v.Scene, r, st.Palette.Hover, scene.Outline) {
					t.Errorf("call %d of %v is hovered, and call %d of %v not outlined", call, s, i, side)
				}
			}
		}
	}
	st.Hover = [2][]trace.CallRef{}
	plain := Build(&st, size, nil).Scene.Count()
	st.Hover[pair.A] = []trace.CallRef{{Thread: 5, Call: 1}}
	if n := Build(&st, size, nil).Scene.Count(); n != plain {
		t.Errorf("a call of another thread adds %d primitives", n-plain)
	}
}

// TestPanesAreIndependent: the same state in two panes of different sizes, built in turn, gives in
// each what it gives alone.
func TestPanesAreIndependent(t *testing.T) {
	st := stateOfWhole(changed(t))
	sizes := []geom.Size{{W: 300, H: 200}, {W: 1200, H: 800}}
	var arenas [2]Arena
	for step := range 6 {
		st.Focus = st.Focus.ZoomAt(st.Focus.Mid()*.8, .8)
		var views [2]*View
		for i, size := range sizes {
			views[i] = Build(&st, size, &arenas[i])
		}
		for i, size := range sizes {
			alone := Build(&st, size, nil)
			if !slices.EqualFunc(views[i].Scene.Layers, alone.Scene.Layers, func(x, y scene.Layer) bool {
				return x.Clip == y.Clip && slices.Equal(x.Quads, y.Quads) && slices.Equal(x.Texts, y.Texts)
			}) {
				t.Fatalf("step %d: the pane of %v differs from one alone", step, size)
			}
		}
	}
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
	if v.MaxPairScroll != 0 || v.PairRows.H() != 3*pairRow {
		t.Fatalf("rows at %v, %g px of them hidden", v.PairRows, v.MaxPairScroll)
	}
	a := st.Palette.Alignment()
	x := func(share float64) float32 { return v.Axis.X(whole * share) }
	for _, c := range []struct {
		row      int
		from, to float32
		want     any
	}{
		{0, x(0), x(.5), a.Skew(0)}, {0, x(.5), x(1), a.Skew(.5)}, {1, x(.5), x(.75), a.Skew(-1)},
	} {
		r := v.PairRow(c.row)
		r.X0, r.X1, r.Y0, r.Y1 = c.from, c.to, r.Y0+pairHeat, r.Y0+pairRow-1.5
		if !has(v.Scene, r, c.want, scene.Flat) {
			t.Errorf("row %d has no %v at %v", c.row, c.want, r)
		}
		h, _ := v.Pick(geom.Point{X: (r.X0 + r.X1) / 2, Y: r.Y0 + 1})
		if h.Part != Pairs || h.Row != c.row {
			t.Errorf("row %d: picked %+v", c.row, h)
		}
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
