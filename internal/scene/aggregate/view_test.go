package aggregate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/scene/scenetest"
)

// TestEverySceneFits: whatever is shown stays in its pane, and texts do not lie over one another.
func TestEverySceneFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		v := Build(&st, size, nil)
		scenetest.Fits(t, v.Scene)
		for k := range v.Plots {
			g := &v.Plots[k]
			if k > 0 && g.Bounds.Y0 < v.Plots[k-1].Bounds.Y1 {
				t.Fatalf("plot %d at %v begins before %v ends", k, g.Bounds, v.Plots[k-1].Bounds)
			}
			if g.Bounds.Intersect(g.Plot) != g.Plot || g.Plot.Empty() {
				t.Fatalf("the grid %v of plot %v", g.Plot, g.Bounds)
			}
		}
	})
}

// TestRowsFillThePlot: each leaf is below the one before, and all together are as high as the grid.
func TestRowsFillThePlot(t *testing.T) {
	eachPlot(t, func(t *rapid.T, st *State, v *View, k int) {
		top, height := v.Plots[k].grid.rows.top, v.Plots[k].Plot.H()
		for i := range top[1:] {
			if top[i+1] <= top[i] {
				t.Fatalf("leaf %d is from %g to %g", i, top[i], top[i+1])
			}
		}
		if top[0] != 0 || math.Abs(float64(top[len(top)-1]-height)) > .01 {
			t.Fatalf("rows are from %g to %g of %g", top[0], top[len(top)-1], height)
		}
	})
}

// TestManyRowsFillThePlot: rounding does not add up over the rows.
func TestManyRowsFillThePlot(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(1, 1)), 20_000, 8, 1, false)
	r := layOut(s.tree, 777, 17, 3, nil)
	if end := r.top[s.tree.Leaves]; math.Abs(float64(end-777)) > .01 {
		t.Errorf("20,000 rows end at %g, not 777", end)
	}
}

func middle(r geom.Rect) geom.Point { return geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2} }

// TestPickIsWhatIsDrawn: an area is picked at the middle of what is visible of it, names too; and
// areas of one plot do not lie over one another.
func TestPickIsWhatIsDrawn(t *testing.T) {
	eachPlot(t, func(t *rapid.T, st *State, v *View, k int) {
		g := &v.Plots[k]
		for i, a := range g.Areas {
			seen := a.Rect.Intersect(g.Plot)
			if seen.Empty() {
				continue // timeslices without time
			}
			if got, ok := v.Pick(middle(seen)); !ok || got != a || got.Plot != k {
				t.Fatalf("%+v is picked as %+v", a, got)
			}
			if v.PlotAt(middle(seen)) != k {
				t.Fatalf("%v is not in plot %d", middle(seen), k)
			}
			for _, x := range g.Areas[i+1:] {
				if r := x.Rect.Intersect(seen); r.W() > .01 && r.H() > .01 {
					t.Fatalf("%+v lies over %+v", x, a)
				}
			}
		}
		for _, l := range g.Labels {
			at, got, ok := v.PickLabel(middle(l.Rect))
			if !l.Rect.Empty() && (!ok || at != k || got != l) {
				t.Fatalf("%+v is picked as %+v of plot %d", l, got, at)
			}
			if n := g.grid.key.picture.Source.Tree().Nodes[l.Node]; n.Leaf >= 0 {
				t.Fatalf("leaf %v can be folded", n.Path)
			}
		}
	})
}

// TestNothingIsPickedOutside: beside the grids there are no areas.
func TestNothingIsPickedOutside(t *testing.T) {
	st := one(t, randomTable(rand.New(rand.NewPCG(1, 1)), 6, 8, 2, false), .5)
	v := Build(&st, geom.Size{W: 600, H: 300}, nil)
	for _, p := range []geom.Point{{X: -1, Y: 50}, {X: 599, Y: 50}, {X: 300, Y: 2}, {X: 300, Y: 301}} {
		if a, ok := v.Pick(p); ok {
			t.Errorf("%v is %+v", p, a)
		}
		if _, l, ok := v.PickLabel(p); ok {
			t.Errorf("%v is %+v", p, l)
		}
	}
	if v.PlotAt(geom.Point{Y: -5}) != 0 || Build(&State{}, pane, nil).PlotAt(geom.Point{}) != -1 {
		t.Error("a point is in no plot, or in one where there is none")
	}
}

// TestArenasKeepNothingWrong: a view is the same whatever was drawn with its arena before: other
// pictures in any plots, sizes, thresholds and folds.
func TestArenasKeepNothingWrong(t *testing.T) {
	var used Arena
	rapid.Check(t, func(t *rapid.T) {
		st, size := drawState(t)
		states := []State{st, st, st, st, st, st}
		states[1].Least = st.Least + 9
		states[2].Folded = []string{Key(&st.Plots[0].Picture.Source.Tree().Nodes[0])}
		states[3].Plots = append([]Plot(nil), st.Plots[len(st.Plots)-1:]...)
		states[4].Plots = append([]Plot(nil), st.Plots...)
		vary(rand.New(rand.NewPCG(3, 1)), &states[4])
		states[5].Scale = 3 - max(st.Scale, 1)
		for i := range states {
			if i == 5 {
				size.H *= .9
			}
			got, want := Build(&states[i], size, &used), Build(&states[i], size, nil)
			if !reflect.DeepEqual(drawn(got), drawn(want)) {
				t.Fatalf("state %d is drawn otherwise with a used arena", i)
			}
			for k := range want.Plots {
				g, w := got.Plots[k], want.Plots[k]
				g.grid, w.grid = nil, nil
				if !reflect.DeepEqual(g, w) {
					t.Fatalf("plot %d of state %d: %+v, not %+v", k, i, g, w)
				}
			}
		}
	})
}

// drawn copies what is drawn; empty and nil are the same.
func drawn(v *View) (all []any) {
	for _, l := range v.Scene.Layers {
		all = append(all, l.Clip)
		for _, q := range l.Quads {
			all = append(all, q)
		}
		for _, x := range l.Texts {
			all = append(all, x)
		}
		for _, r := range l.Ribbons {
			all = append(all, r)
		}
	}
	return all
}

// TestOnlyThePointerMoves: while only the pointer moves, areas are not looked for again.
func TestOnlyThePointerMoves(t *testing.T) {
	st := one(t, randomTable(rand.New(rand.NewPCG(1, 1)), 60, 8, 2, false), .5)
	var a Arena
	was := &Build(&st, pane, &a).Plots[0].grid.areas[0]
	st.Hover = Place{Leaves: [2]int{3, 4}, OK: true}
	if now := &Build(&st, pane, &a).Plots[0].grid.areas[0]; now != was {
		t.Error("areas were made again for another pointer")
	}
	st.Least = 20
	if now := &Build(&st, pane, &a).Plots[0].grid.areas[0]; now == was {
		t.Error("areas were kept for another threshold")
	}
}

// TestNamesWithoutRoomAreCounted: where rows of the outermost level, and all below them, are too low
// for names, the picture says how many they are.
func TestNamesWithoutRoomAreCounted(t *testing.T) {
	told := 0
	eachPlotUntil(t, func() bool { return told > 10 }, func(t *rapid.T, st *State, v *View, k int) {
		g, n := v.Plots[k].grid, 0
		nodes := g.key.picture.Source.Tree().Nodes
		for i := 1; i < len(nodes); i++ {
			named := slices.ContainsFunc(g.names, func(x name) bool {
				return slices.Equal(nodes[x.node].Path[:1], nodes[i].Path)
			})
			if len(nodes[i].Path) == 1 && !named {
				n++
			}
		}
		if g.nameless != n {
			t.Fatalf("%d of the outermost nodes have no name, it counts %d", n, g.nameless)
		}
		want := fmt.Sprint(n, " more")
		if len(g.names) == 0 {
			want = fmt.Sprint(n, " ")
		}
		says := slices.ContainsFunc(v.Scene.Layers, func(l scene.Layer) bool {
			return slices.ContainsFunc(l.Texts, func(x scene.Text) bool { return strings.HasPrefix(x.Text, want) })
		})
		if room := v.Plots[k].Plot.X0 - sideRoom*max(st.Scale, 1); n > 0 && n < 1000 && room > 50*max(st.Scale, 1) {
			if told++; !says {
				t.Fatalf("%d names without room are not told in %g px", n, room)
			}
		}
	})
}
