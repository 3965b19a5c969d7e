package structure

import (
	"fmt"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/structure"
	"diptych/internal/trace"
)

// TestStepsDoNotGrowWithCalls: a frame goes through shapes, samples and cells, and these are as many
// for eight times as many calls of the same functions.
func TestStepsDoNotGrowWithCalls(t *testing.T) {
	steps := func(calls int) (n int) {
		var traces [2]*trace.Trace
		for k := range traces {
			var err error
			if traces[k], err = synthetic(calls, 300, uint64(k+1)); err != nil {
				t.Fatal(err)
			}
		}
		st, err := stateOf(traces)
		if err != nil {
			t.Fatal(err)
		}
		size := geom.Size{W: 400, H: 300}
		st.Pointer = &geom.Point{X: 200, Y: 26}
		v := Build(&st, size, nil)
		if v.Focus.Mode != Detail {
			t.Fatalf("the mode is %v", v.Focus.Mode)
		}
		for s := range v.a.stacks {
			n += len(v.a.stacks[s].shapes) + len(v.a.stacks[s].samples)
			if most := maxSamples + len(v.a.stacks[s].shapes); len(v.a.stacks[s].samples) > most {
				t.Errorf("%d samples of %d shapes", len(v.a.stacks[s].samples), most)
			}
		}
		return n + len(v.a.cells.drawn) + v.Scene.Count()
	}
	few, many := steps(40_000), steps(320_000)
	if t.Logf("%d and %d steps", few, many); many > 2*few {
		t.Errorf("%d steps for 40,000 calls, and %d for 320,000", few, many)
	}
}

// TestFadesByDefinition: within the focus subtree a cell's saturation depends on how many levels
// above the node under the pointer the two have a node in common.
func TestFadesByDefinition(t *testing.T) {
	st := nested(t)
	st.Input, st.Height = Treemap, 3
	for y := float32(30); y < 270; y += 24 {
		for x := float32(45); x < 380; x += 24 {
			st.Pointer = &geom.Point{X: x, Y: y}
			v := Build(&st, geom.Size{W: 400, H: 300}, nil)
			checkFades(t, &st, v)
		}
	}
}

func checkFades(t *testing.T, st *State, v *View) {
	t.Helper()
	f, nodes := &v.Focus, st.Tree.Nodes
	for k, n := range v.a.cells.drawn {
		fill := v.Scene.Layers[0].Quads[k].Fill
		if !st.Tree.Contains(f.Subtree, int(n)) {
			if fill != st.Palette.Structure().Cell {
				t.Fatalf("%s is outside and %v", st.Tree.FullName(int(n)), fill)
			}
			continue
		}
		up, meet := 0, f.Node
		for ; !st.Tree.Contains(meet, int(n)); meet = int(nodes[meet].Parent) {
			up++
		}
		levels := max(1, nodes[f.Node].Depth-nodes[f.Subtree].Depth)
		pkgs := &v.a.spare.pkgs
		want := palette.Fade(pkgs.colours[pkgs.of[n]], 1-float32(up)/float32(levels))
		if fill != want {
			t.Fatalf("%s is %v, not %v: %d of %d levels up", st.Tree.FullName(int(n)), fill, want, up,
				levels)
		}
	}
}

// nested is the state of one trace with packages in packages.
func nested(t *testing.T) State {
	t.Helper()
	b := trace.NewBuilder("nested")
	th := b.Thread("1", -1)
	at := int64(0)
	for _, name := range []string{"a::b::c::T::F", "a::b::c::T::G", "a::b::c::U::F", "a::b::d::F",
		"a::b::d::G", "a::e::F", "a::e::G", "a::e::H", "k::l::F", "k::m::G", "n::F", "n::G"} {
		f := b.Function(trace.Function{Name: name})
		th.Begin(at, f)
		th.End(at + 100)
		at += 100
	}
	tr, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	st, err := stateOf([2]*trace.Trace{tr})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// TestHeightGoesUpLevelByLevel: each step shows the next node around, and stops below the root.
func TestHeightGoesUpLevelByLevel(t *testing.T) {
	st := nested(t)
	st.Input = Treemap
	node := st.Tree.NodeOf(pair.A, 0, 0)
	st.Pointer = middleOf(t, &st, node)
	var names []string
	for st.Height = range 6 {
		v := Build(&st, geom.Size{W: 400, H: 300}, nil)
		names = append(names, v.Focus.Name)
		if v.Focus.Node != node || v.Focus.Height != min(st.Height, v.Focus.Height) {
			t.Fatalf("%+v", v.Focus)
		}
	}
	want := []string{"a::b::c::T::F", "a::b::c::T", "a::b::c", "a::b", "a", "a"}
	for i := range want {
		if names[i] != want[i] {
			t.Fatalf("going up from %s: %q", want[0], names)
		}
	}
}

// TestLargeCellsBearNames: on a large screen, too, each cell with room for its name has it, and a
// group whose name is a path has all of that.
func TestLargeCellsBearNames(t *testing.T) {
	b := trace.NewBuilder("many")
	b.Symbols = true
	th := b.Thread("1", -1)
	const functions = 400
	for i := range functions {
		f := b.Function(trace.Function{Name: fmt.Sprintf("f%d", i), Module: fmt.Sprintf("/bin/m%d", i%4)})
		th.Complete(int64(i), 1, f)
	}
	tr, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	st, err := stateOf([2]*trace.Trace{tr})
	if err != nil {
		t.Fatal(err)
	}
	// In the smaller window cells are 65 px wide: names that fit are written.
	for _, size := range []geom.Size{{W: 2560, H: 1440}, {W: 1920, H: 1080}} {
		v, named := Build(&st, size, nil), map[string]bool{}
		for _, l := range v.Scene.Layers {
			for _, text := range l.Texts {
				if named[text.Text] {
					t.Errorf("%v: %s is written twice", size, text.Text)
				}
				named[text.Text] = true
			}
		}
		missing := 0
		for i := range functions {
			if !named[fmt.Sprintf("f%d", i)] {
				missing++
			}
		}
		// Those under the stacks have no room.
		if missing > functions/20 || !named["/bin/m2"] {
			t.Errorf("%v: %d of %d cells have no name, and group /bin/m2: %t", size, missing, functions,
				named["/bin/m2"])
		}
	}
}

// middleOf returns the middle of a node's cell.
func middleOf(t *testing.T, st *State, node int) *geom.Point {
	t.Helper()
	v := Build(st, geom.Size{W: 400, H: 300}, nil)
	r := v.NodeRect(node)
	if r.Empty() {
		t.Fatalf("%s is not shown", st.Tree.FullName(node))
	}
	return &geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2}
}

// TestHoveredElsewhere: without a pointer, a hovered call is in focus, else a hovered node.
func TestHoveredElsewhere(t *testing.T) {
	st := nested(t)
	size := geom.Size{W: 400, H: 300}
	st.Hover = 1
	if f := Build(&st, size, nil).Focus; f.Mode != Subtree || f.Subtree != 1 {
		t.Errorf("a hovered node: %+v", f)
	}
	st.Sides[A].Hover = []trace.CallRef{{Thread: 0, Call: 4}}
	f := Build(&st, size, nil).Focus
	if f.Mode != Detail || f.Items[0].Pick.Call != 4 || f.Functions != 1 || f.Files != 1 {
		t.Errorf("a hovered call: %+v", f)
	}
	if st.Hover, st.Sides[A].Hover = 0, nil; Build(&st, size, nil).Focus.Mode != Whole {
		t.Error("nothing hovered")
	}
}

// TestValues: what a colour stands for is what the tree says.
func TestValues(t *testing.T) {
	a, b := builtPair(t)
	tree, err := structure.New(t.Context(), pair.New(a, b, pair.Rules{}), structure.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, onlyB := tree.NodeOf(pair.A, 0, 0), tree.NodeOf(pair.B, 0, 1)
	for _, c := range []struct {
		Colour
		node int
		want float64
		ok   bool
	}{
		{Colour{ByCalls, Both}, f, 3, true}, {Colour{ByCalls, OnlyA}, f, 1, true},
		{Colour{ByTotal, Change}, f, 100, true}, {Colour{ByTotal, Ratio}, f, 1, true},
		{Colour{ByFirst, Both}, f, 0, true}, {Colour{ByDepth, Both}, f, 1, true},
		{Colour{ByCalls, OnlyA}, onlyB, 0, false}, {Colour{ByCalls, Change}, onlyB, 1, true},
		{Colour{ByFirst, Change}, onlyB, 0, false}, {Colour{ByPackage, OnlyA}, onlyB, 0, false},
	} {
		if v, ok := c.value(tree, c.node); v != c.want || ok != c.ok {
			t.Errorf("%+v of %s is %v, %v", c.Colour, tree.FullName(c.node), v, ok)
		}
	}
}

// builtPair is p.F once for 100 ns in A; in B twice, and p.G.
func builtPair(t *testing.T) (a, b *trace.Trace) {
	t.Helper()
	var out [2]*trace.Trace
	for k, names := range [][]string{{"p.F"}, {"p.F", "p.G", "p.F"}} {
		b := trace.NewBuilder("built")
		th := b.Thread("1", -1)
		for i, name := range names {
			th.Begin(int64(i)*100, b.Function(trace.Function{Name: name}))
			th.End(int64(i)*100 + 100)
		}
		var err error
		if out[k], err = b.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return out[0], out[1]
}

// TestScales: a scale spans the values, a diverging one is centred at zero and clipped.
func TestScales(t *testing.T) {
	m := measured{colour: Colour{BySelf, Change}}
	var nodes []int32
	for i := range 100 {
		m.values, nodes = append(m.values, float64(i-50)), append(nodes, int32(i))
	}
	m.values[99] = 1e9
	s, _ := m.scaleOf(nodes, nil)
	if s.Lo != -s.Hi || s.Hi < 45 || s.Hi > 50 || !s.Diverging || s.at(0) != 0 || s.at(1e9) != 1 ||
		s.at(-1e9) != -1 || s.at(s.Hi/4) != .5 {
		t.Errorf("%+v", s)
	}
	m.colour = Colour{ByDepth, Both}
	s, _ = m.scaleOf(nodes[:11], nil)
	if s.Lo != -50 || s.Hi != -40 || s.at(-45) != .5 || s.at(-50) != 0 || s.at(-40) != 1 {
		t.Errorf("%+v", s)
	}
	if s, _ = m.scaleOf(nil, nil); !s.Empty {
		t.Errorf("%+v", s)
	}
}
