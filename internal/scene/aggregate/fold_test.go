package aggregate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
)

// processes makes a source of some workers in process p, and of others in q.
func processes(p, q int) *table {
	var places []aggregate.Place
	var rows [][]float64
	for i := range p + q {
		path := []string{"p", "worker " + string(rune('a'+i))}
		if i >= p {
			path[0] = "q"
		}
		places = append(places, placesOf(path)...)
		rows = append(rows, []float64{1, 0, 0, 1 / float64(i+1)})
	}
	return tableOf([]string{"f", "g"}, 2, places, rows...)
}

// TestFoldingFoldsInAllPlots: a key folds the nodes of its path in all plots, whatever is below
// them, and no others.
func TestFoldingFoldsInAllPlots(t *testing.T) {
	st, other := one(t, processes(3, 2), 0), one(t, processes(4, 5), 0)
	st.Plots = append(st.Plots, other.Plots[0], other.Plots[0])
	size := geom.Size{W: 900, H: 900}
	key := Key(&aggregate.Node{Path: []string{"p"}})
	for _, folded := range [][]string{{key}, nil, {"p"}, {Key(&aggregate.Node{Path: []string{"p", "x"}})}} {
		st.Folded = folded
		want := slices.Contains(folded, key)
		v := Build(&st, size, nil)
		for k := range v.Plots {
			g := &v.Plots[k]
			if len(g.Labels) != 2 || g.Labels[0].Folded != want || g.Labels[1].Folded {
				t.Fatalf("plot %d with %q folded: %+v", k, folded, g.Labels)
			}
			a, ok := v.Pick(geom.Point{X: (g.Plot.X0 + g.Plot.X1) / 2, Y: g.Plot.Y0 + 3})
			if first := [2]int{0, int(3 + min(k, 1))}; !ok || want != (a.Leaves == first) {
				t.Errorf("plot %d with %q folded: %+v is the first row", k, folded, a)
			}
			if h := g.Labels[0].Rect.H(); want && h != foldRow {
				t.Errorf("plot %d: the row is %g high", k, h)
			}
			texts := textsOf(v, g.Plot.Y0, g.Plot.Y1)
			if want != slices.Contains(texts, []string{"+ 3 p", "+ 4 p"}[min(k, 1)]) ||
				want == slices.Contains(texts, "− p") || !slices.Contains(texts, "− q") ||
				want == slices.Contains(texts, []string{"3 threads", "4 threads"}[min(k, 1)]) {
				t.Errorf("plot %d with %q folded: %q", k, folded, texts)
			}
		}
	}
}

// TestFoldedRowsShareTheRoom: folded nodes take at most half the height, or all of it if there is
// nothing else.
func TestFoldedRowsShareTheRoom(t *testing.T) {
	tree := processes(3, 2).tree
	p, q := Key(&aggregate.Node{Path: []string{"p"}}), Key(&aggregate.Node{Path: []string{"q"}})
	for _, c := range []struct {
		folded []string
		height float32
		want   [6]float32 // the tops of the five leaves, and the end of all
	}{
		{nil, 100, [6]float32{0, 20, 40, 60, 80, 100}},
		{[]string{p}, 92, [6]float32{0, 4, 8, 12, 52, 92}},
		{[]string{p}, 12, [6]float32{0, 2, 4, 6, 9, 12}},
		{[]string{p, q}, 120, [6]float32{0, 20, 40, 60, 90, 120}},
		{[]string{""}, 50, [6]float32{0, 10, 20, 30, 40, 50}},
	} {
		r := layOut(tree, c.height, 12, 3, c.folded)
		if !slices.Equal(r.top, c.want[:]) {
			t.Errorf("%q in %g: %v, not %v", c.folded, c.height, r.top, c.want)
		}
	}
}

// TestFoldsWithinFoldsDoNotCount: what is inside a folded node is hidden with it.
func TestFoldsWithinFoldsDoNotCount(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(5, 1)), 30, 8, 1, false)
	var keys []string
	for i := range s.tree.Nodes {
		keys = append(keys, Key(&s.tree.Nodes[i]))
	}
	r := layOut(s.tree, 300, 17, 3, keys)
	if len(r.bands) != 1 || r.bands[0].leaves != [2]int{0, 30} {
		t.Errorf("%+v", r.bands)
	}
}

// TestWhatIsFoldedIsComparedByName: an arena tells two keys from one with a line break in it.
func TestWhatIsFoldedIsComparedByName(t *testing.T) {
	st := one(t, processes(3, 2), 0)
	var a Arena
	st.Folded = []string{Key(&aggregate.Node{Path: []string{"p", "\nq"}})}
	Build(&st, pane, &a)
	st.Folded = []string{Key(&aggregate.Node{Path: []string{"p"}}), Key(&aggregate.Node{Path: []string{"q"}})}
	for _, l := range Build(&st, pane, &a).Plots[0].Labels {
		if !l.Folded {
			t.Errorf("%+v is not folded", l)
		}
	}
}

// TestALeafAlone: a trace with one thread is one row without a name, folded by nothing.
func TestALeafAlone(t *testing.T) {
	st := one(t, tableOf([]string{"f"}, 2, placesOf([]string{"p", "x"}), []float64{1, 1}), 0)
	st.Least, st.Folded = 1000, []string{""}
	v := Build(&st, geom.Size{W: 600, H: 400}, nil)
	g := &v.Plots[0]
	if len(g.Areas) != 1 || g.Areas[0].Mark != Data || len(g.Labels) != 0 || g.Plot.H() != mostRow {
		t.Errorf("%+v", g)
	}
}

// TestNoPictureYet: a plot that is still computed has its axis and its badge.
func TestNoPictureYet(t *testing.T) {
	st := one(t, processes(3, 2), 0)
	st.Plots[0].Picture = nil
	var a Arena
	for range 2 {
		v := Build(&st, geom.Size{W: 600, H: 400}, &a)
		g := &v.Plots[0]
		texts := textsOf(v, 0, 400)
		if len(g.Areas)+len(g.Labels) > 0 || !slices.Contains(texts, "A") || len(texts) < 3 {
			t.Errorf("%+v with %q", g, texts)
		}
		if _, ok := v.Pick(middle(g.Plot)); ok {
			t.Error("something is picked in an empty plot")
		}
		st.Hover = Place{Plot: 0, Leaves: [2]int{0, 1}, OK: true}
	}
	empty := tableOf([]string{"f"}, 2, nil)
	st.Plots[0].Picture = pictureOf(t, empty, .5)
	if v := Build(&st, geom.Size{W: 600, H: 400}, &a); len(v.Plots[0].Areas) > 0 {
		t.Errorf("%+v of no leaves", v.Plots[0].Areas)
	}
}

// TestNoRoom: a pane that is too small shows nothing.
func TestNoRoom(t *testing.T) {
	st := one(t, processes(3, 2), 0)
	for _, size := range []geom.Size{{}, {W: 900}, {H: 900}, {W: 60, H: 900}, {W: 900, H: 25}} {
		if v := Build(&st, size, nil); len(v.Plots) > 0 || v.Scene.Count() > 0 {
			t.Errorf("%v: %d shapes", size, v.Scene.Count())
		}
	}
}
