package structure

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/scenetest"
	"diptych/internal/structure"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

var shapes = testtrace.Shape{Threads: testtrace.Range{1, 2}, Records: testtrace.Range{20, 60},
	Step: testtrace.Range{0, 60}, Close: true, Functions: []string{"net/http.Get", "net/http.(*Client).Do",
		"net/url.Parse", "main.main", "main.run", "std::vector<int>::at", "os.(*File).Read", "f"}}

// drawState draws a state with a pair or one trace, and a pointer anywhere.
func drawState(t *rapid.T) (State, geom.Size) {
	var traces [2]*trace.Trace
	sides := rapid.IntRange(1, 3).Draw(t, "sides")
	for k := range traces {
		if sides>>k&1 == 1 {
			traces[k] = shapes.Draw(t, "AB"[k:k+1])
		}
	}
	st, err := stateOf(traces)
	if err != nil {
		t.Fatal(err)
	}
	// Rapid prefers small numbers, which are degenerate panes and pointers in a corner.
	any := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	size := geom.Size{W: 600 * any.Float32(), H: 500 * any.Float32()}
	if rapid.Bool().Draw(t, "roomy") {
		size = geom.Size{W: 700, H: 400}
	}
	for k, tr := range traces {
		if tr == nil {
			continue
		}
		all := make([]int, len(tr.Threads))
		for i := range all {
			all[i] = i
		}
		if rapid.Bool().Draw(t, "all threads") {
			st.Sides[k].Tracks, st.Sides[k].Headers = all, true
		}
		st.Sides[k].Scroll = float32(rapid.IntRange(0, 60).Draw(t, "scroll"))
		st.Sides[k].Focus.Start += st.Sides[k].Focus.Len() * .4 * any.Float64()
	}
	if rapid.IntRange(0, 5).Draw(t, "pointed") > 0 {
		st.Pointer = &geom.Point{X: size.W*1.1*any.Float32() - 5, Y: size.H*1.1*any.Float32() - 5}
	}
	st.Input = Target(rapid.IntRange(0, 1).Draw(t, "input"))
	st.Linking = Linking(rapid.IntRange(0, 1).Draw(t, "linking"))
	for _, c := range []*Colour{&st.Icicles, &st.Treemap} {
		c.Metric = Metric(rapid.IntRange(0, int(ByFirst)).Draw(t, "metric"))
		c.Of = Of(rapid.IntRange(0, int(Ratio)).Draw(t, "of"))
	}
	st.Height = rapid.IntRange(0, 4).Draw(t, "height")
	st.Area = structure.Area(rapid.IntRange(0, 3).Draw(t, "area"))
	if rapid.IntRange(0, 3).Draw(t, "zoomed") == 3 {
		st.Root = any.IntN(len(st.Tree.Nodes))
	}
	st.Hover = rapid.IntRange(0, len(st.Tree.Nodes)-1).Draw(t, "hover")
	st.Scale = rapid.SampledFrom([]float32{1, 1, 2}).Draw(t, "scale")
	if rapid.Bool().Draw(t, "dark") {
		st.Palette = palette.Dark().WithScheme(palette.ColourBlind)
	}
	return st, size
}

// TestEverySceneFits: whatever is shown stays in its pane, texts do not lie over one another, and
// the texts of the treemap do not lie over the stacks.
func TestEverySceneFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		v := Build(&st, size, nil)
		scenetest.Fits(t, v.Scene)
		if v.Treemap.Empty() {
			return
		}
		names := v.Scene.Layers[2].Texts
		for i, x := range names {
			for _, y := range names[i+1:] {
				if !x.Rect.Intersect(y.Rect).Empty() {
					t.Fatalf("%q at %v lies over %q at %v", x.Text, x.Rect, y.Text, y.Rect)
				}
			}
			for s := range v.Sides {
				if v.Sides[s].Drawing == nil {
					continue
				}
				for c := range v.Sides[s].Drawing.Cells {
					if !c.Rect.Intersect(x.Rect).Empty() {
						t.Fatalf("%q at %v lies over a call at %v", x.Text, x.Rect, c.Rect)
					}
				}
			}
		}
	})
}

// TestArenasKeepNothingWrong: a view is the same whatever was drawn with its arena before, and the
// same each time.
func TestArenasKeepNothingWrong(t *testing.T) {
	var used Arena
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		states := []State{st, st, st}
		states[1].Pointer = &geom.Point{X: size.W / 2, Y: size.H / 3}
		states[2].Linking, states[2].Treemap = 1-st.Linking, Colour{BySelf, Both}
		for i := range states {
			got := Build(&states[i], size, &used)
			want := Build(&states[i], size, nil)
			if !reflect.DeepEqual(layersOf(got), layersOf(want)) {
				t.Fatalf("state %d is drawn otherwise with a used arena", i)
			}
			if !reflect.DeepEqual(got.Focus, want.Focus) || !slices.Equal(got.Packages, want.Packages) ||
				got.TreemapScale != want.TreemapScale || got.IcicleScale != want.IcicleScale ||
				got.Absent != want.Absent || got.Blank != want.Blank {
				t.Fatalf("state %d: %+v, not %+v", i, got, want)
			}
		}
	})
}

// layersOf copies what is drawn; empty and nil are the same.
func layersOf(v *View) (out [][]any) {
	for _, l := range v.Scene.Layers {
		var all []any
		for _, q := range l.Quads {
			all = append(all, q)
		}
		for _, x := range l.Texts {
			all = append(all, x)
		}
		out = append(out, append(all, l.Clip))
	}
	return out
}

// cell is a cell of an icicle that is visible.
type cell struct {
	side int
	i    int
	r    geom.Rect
}

func visible(v *View) (out []cell) {
	for s := range v.Sides {
		if v.Sides[s].Drawing == nil {
			continue
		}
		x := &v.a.stacks[s]
		for i := range x.shapes {
			r := x.shapes[i].quad.Rect
			r.X1 = max(r.X1, r.X0+1)
			if r = r.Intersect(x.drawing.View); !r.Empty() {
				out = append(out, cell{s, i, r})
			}
		}
	}
	return out
}

// plainDistance is the distance of a point from a rectangle, by the nearest of its points.
func plainDistance(p geom.Point, r geom.Rect) float64 {
	x := min(max(p.X, r.X0), r.X1)
	y := min(max(p.Y, r.Y0), r.Y1)
	return math.Hypot(float64(p.X-x), float64(p.Y-y))
}

// TestModesByDefinition holds mode and focus items against a plain search through all cells.
func TestModesByDefinition(t *testing.T) {
	seen := map[Mode]int{}
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		st.Input = Icicles
		if st.Pointer == nil {
			return
		}
		p := *st.Pointer
		v := Build(&st, size, nil)
		cells := visible(v)
		seen[v.Focus.Mode]++
		if len(cells) == 0 {
			if v.Focus.Mode != Whole {
				t.Fatalf("nothing is drawn, and the mode is %v", v.Focus.Mode)
			}
			return
		}
		least, on := math.Inf(1), false
		for _, c := range cells {
			least = min(least, plainDistance(p, c.r))
			on = on || c.r.Contains(p)
		}
		if on != (v.Focus.Mode == Detail) {
			t.Fatalf("on a call: %v, and the mode is %v", on, v.Focus.Mode)
		}
		switch v.Focus.Mode {
		case Overview:
			if d := plainDistance(p, shownOf(v, v.Focus.Items[0])); math.Abs(d-least) > 1e-3 {
				t.Fatalf("the item is %v away, and the nearest cell %v", d, least)
			}
		case Approach:
			checkNeighbours(t, v, cells, p)
		}
	})
	t.Logf("modes seen: %v", seen)
}

// shownOf returns the visible part of an item.
func shownOf(v *View, h Hit) geom.Rect {
	r := h.Pick.Rect
	r.X1 = max(r.X1, r.X0+1)
	return r.Intersect(v.Sides[h.Side].Drawing.View)
}

// checkNeighbours checks that the two items are at the height of p, and that nothing lies between.
func checkNeighbours(t *rapid.T, v *View, cells []cell, p geom.Point) {
	l, r := shownOf(v, v.Focus.Items[0]), shownOf(v, v.Focus.Items[1])
	if l.X1 > p.X || r.X0 <= p.X || p.Y < l.Y0 || p.Y >= l.Y1 || p.Y < r.Y0 || p.Y >= r.Y1 {
		t.Fatalf("%v is not between %v and %v", p, l, r)
	}
	for _, c := range cells {
		if c.side == v.Focus.Items[0].Side && p.Y >= c.r.Y0 && p.Y < c.r.Y1 &&
			c.r.X0 >= l.X1 && c.r.X1 <= r.X0 {
			t.Fatalf("%v is nearer than %v and %v", c.r, l, r)
		}
	}
}

// isCaller reports whether a call is the other or one of its callers, by going up.
func isCaller(th *trace.Thread, caller, call int) bool {
	for ; call >= 0; call = int(th.Parent(call)) {
		if call == caller {
			return true
		}
	}
	return false
}

// TestSubsetsByDefinition: of the calls drawn alone, those are in focus that the mode's definition
// names, and the treemap shows their functions and no other.
func TestSubsetsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		v := Build(&st, size, nil)
		if v.Treemap.Empty() || v.Focus.Mode == Whole {
			return
		}
		for _, c := range visible(v) {
			s := &v.a.stacks[c.side].shapes[c.i]
			if s.run {
				continue
			}
			ref := trace.CallRef{Thread: s.thread, Call: s.call}
			want := defined(&st, v, c.side, ref)
			if got := v.a.focus.lots[c.side][c.i]; got != want {
				t.Fatalf("%v: call %v of side %d is %v, not %v", v.Focus.Mode, ref, c.side, got, want)
			}
			if want != inside || v.NodeRect(int(s.node)).Empty() {
				continue
			}
			if m := &v.a.focus; m.cell[v.a.cells.by[s.node]] != m.epoch {
				t.Fatalf("the function of %v is not in the image", ref)
			}
		}
		checkImage(t, v)
	})
}

// defined returns what the focus has to do with a call, from the definitions.
func defined(st *State, v *View, side int, ref trace.CallRef) lot {
	node := st.Tree.NodeOf(pair.Side(side), int(ref.Thread), int(ref.Call))
	if v.Focus.Mode == Subtree {
		for n := node; n >= 0; n = int(st.Tree.Nodes[n].Parent) {
			if n == v.Focus.Subtree {
				return image
			}
		}
		return outside
	}
	th := st.Sides[side].Trace.Threads[ref.Thread]
	for _, h := range v.Focus.Items {
		if h.Side != side || h.Pick.Thread != int(ref.Thread) {
			continue
		}
		up, down := isCaller(th, int(ref.Call), h.Pick.Call), isCaller(th, h.Pick.Call, int(ref.Call))
		if down && v.Focus.Mode != Overview || up && v.Focus.Mode != Detail ||
			int(ref.Call) == h.Pick.Call {
			return inside
		}
	}
	if side == v.Focus.Items[0].Side {
		return outside
	}
	for _, n := range v.a.focus.nodes {
		if int(n) == node {
			return image
		}
	}
	return outside
}

// checkImage checks that each function of the image is called by something in focus.
func checkImage(t *rapid.T, v *View) {
	if v.Focus.Mode == Subtree {
		return
	}
	called := map[int32]bool{}
	for s, lots := range v.a.focus.lots {
		x := &v.a.stacks[s]
		for i, l := range lots {
			if l != inside {
				continue
			}
			called[x.shapes[i].node] = true
			for c := x.shapes[i].from; c < x.shapes[i].to; c++ {
				called[x.nodeOf(int(x.shapes[i].thread), int(c))] = true
			}
		}
	}
	for _, n := range v.a.focus.nodes {
		if !called[n] {
			t.Fatalf("node %d is in the image, and nothing in focus calls it", n)
		}
	}
}

// TestPickIsWhatIsDrawn: the treemap is picked by the rectangles that are drawn.
func TestPickIsWhatIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		st.Input = Treemap
		v := Build(&st, size, nil)
		if v.Treemap.Empty() {
			return
		}
		if st.Pointer == nil {
			return
		}
		p := *st.Pointer
		var want []int
		for _, q := range v.Scene.Layers[0].Quads {
			if q.Rect.Contains(p) {
				for _, n := range v.a.cells.drawn {
					if v.a.cells.rects[n] == q.Rect {
						want = append(want, int(n))
					}
				}
			}
		}
		hit, ok := v.Pick(p)
		if ok != (len(want) > 0) || ok && !slices.Contains(want, hit.Node) {
			t.Fatalf("picked %+v, %v; drawn there are %v", hit, ok, want)
		}
	})
}
