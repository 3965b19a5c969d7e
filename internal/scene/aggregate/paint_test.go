package aggregate

import (
	"context"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// layersOf returns the layers of a grid: what it is filled with, the glyphs, the marks.
func layersOf(v *View, k int) (list []*scene.Layer) {
	for i := range v.Scene.Layers {
		if l := &v.Scene.Layers[i]; l.Clip == v.Plots[k].Plot {
			list = append(list, l)
		}
	}
	return list
}

// textsOf lists the texts of a view that lie below y0 and above y1.
func textsOf(v *View, y0, y1 float32) (list []string) {
	for _, l := range v.Scene.Layers {
		for _, x := range l.Texts {
			if x.Rect.Y0 >= y0 && x.Rect.Y1 <= y1 {
				list = append(list, x.Text)
			}
		}
	}
	return list
}

// given is a state of one plot whose partition is given, for p = 1.
func given(t *testing.T, s *table, list ...aggregate.Aggregate) State {
	t.Helper()
	st := one(t, s, 1)
	pic := st.Plots[0].Picture
	pic, err := Prepare(context.Background(), s, pic.Quality,
		&aggregate.Partition{P: 1, Aggregates: list})
	if err != nil {
		t.Fatal(err)
	}
	st.Plots[0].Picture = pic
	return st
}

// twoLeaves has five timeslices. Its nodes are the root, 0, and the leaves 1 and 2.
func twoLeaves() *table {
	return tableOf([]string{"f", "g"}, 5, placesOf([]string{"x"}, []string{"y"}),
		[]float64{1, 0, 1, 0, 1, 0, 0, 1, 0, 1}, []float64{.5, 0, .5, 0, .5, 0, 0, .5, 0, .5})
}

// TestDiagonalAndCross draws the two examples of folder.area: a diagonal from the lower left to the
// upper right, and a cross with the other one; and a hatch where there is no room for either.
func TestDiagonalAndCross(t *testing.T) {
	for _, c := range []struct {
		name  string
		cut   int // the last slice of leaf 1's first aggregate
		size  geom.Size
		mark  Mark
		lines int
	}{
		{"same", 2, geom.Size{W: 600, H: 100}, Same, 1},
		{"mixed", 1, geom.Size{W: 600, H: 100}, Mixed, 2},
		{"too low", 1, geom.Size{W: 600, H: axisRoom + 7}, Mixed, 0},
		{"too narrow", 1, geom.Size{W: 160, H: 100}, Mixed, 0},
	} {
		st := given(t, twoLeaves(), aggregate.Aggregate{Node: 1, From: 0, To: 2},
			aggregate.Aggregate{Node: 1, From: 3, To: 4}, aggregate.Aggregate{Node: 2, From: 0, To: c.cut},
			aggregate.Aggregate{Node: 2, From: c.cut + 1, To: 4})
		st.Least = 1000
		if c.name == "too narrow" { // what is visible of it
			st.Plots[0].Span = geom.Span{Start: -500, End: 2}
		}
		v := Build(&st, c.size, nil)
		if len(v.Plots) != 1 || len(v.Plots[0].Areas) != 1 {
			t.Fatalf("%s: %+v", c.name, v.Plots)
		}
		a := v.Plots[0].Areas[0]
		if a.Mark != c.mark || a.Parts != 4 || a.From != 0 || a.To != 4 || a.Leaves != [2]int{0, 2} {
			t.Errorf("%s: %+v", c.name, a)
		}
		glyphs := layersOf(v, 0)[1]
		if len(glyphs.Ribbons) != c.lines || len(glyphs.Quads) != (2-c.lines)/2 {
			t.Fatalf("%s: %d lines, %+v", c.name, len(glyphs.Ribbons), glyphs.Quads)
		}
		for i, r := range glyphs.Ribbons {
			from, to := r.Edges[0][0], r.Edges[0][3]
			if from.X >= to.X || (from.Y > to.Y) != (i == 0) || !a.Rect.Contains(from) ||
				!a.Rect.Contains(to) || to.X-from.X != mostGlyph {
				t.Errorf("%s: line %d is from %v to %v", c.name, i, from, to)
			}
		}
		for _, q := range glyphs.Quads {
			if q.Shade != scene.Hatch {
				t.Errorf("%s: %+v", c.name, q)
			}
		}
	}
}

// TestGlyphsOfCutAreasAreVisible: an area that begins left of the range has its glyph in the range.
func TestGlyphsOfCutAreasAreVisible(t *testing.T) {
	st := given(t, twoLeaves(), aggregate.Aggregate{Node: 1, From: 0, To: 4},
		aggregate.Aggregate{Node: 2, From: 0, To: 4})
	st.Least, st.Plots[0].Span = 1000, geom.Span{Start: 33, End: 50}
	v := Build(&st, geom.Size{W: 600, H: 100}, nil)
	x := layersOf(v, 0)[1].Ribbons[0].Edges[0][0].X
	if left := v.Plots[0].Plot.X0; x < left || x > left+5 {
		t.Errorf("the glyph is at %g, the grid begins at %g", x, left)
	}
}

// TestAnAreaInNoStateDrawsNothing: cells without time stay as the pane is, but can be picked.
func TestAnAreaInNoStateDrawsNothing(t *testing.T) {
	s := tableOf([]string{"f"}, 2, placesOf([]string{"x"}), []float64{0, 1})
	st := given(t, s, aggregate.Aggregate{From: 0, To: 0}, aggregate.Aggregate{From: 1, To: 1})
	v := Build(&st, geom.Size{W: 600, H: 100}, nil)
	areas, quads := v.Plots[0].Areas, layersOf(v, 0)[0].Quads
	if len(areas) != 2 || areas[0].Mode != aggregate.None || len(quads) != 2 {
		t.Fatalf("%+v are drawn as %+v", areas, quads)
	}
	if quads[0].Shade != scene.Outline || quads[1].Rect.X0 != areas[1].Rect.X0 {
		t.Errorf("%+v", quads)
	}
	if a, ok := v.Pick(middle(areas[0].Rect)); !ok || a.Mode != aggregate.None {
		t.Errorf("%+v", a)
	}
}

// TestColoursOfADifference: where A has more is A's colour, where B has more B's; the larger the
// share, the farther from the pane.
func TestColoursOfADifference(t *testing.T) {
	s := tableOf([]string{"f"}, 4, placesOf([]string{"x"}), []float64{1, .5, -.5, -1})
	var list []aggregate.Aggregate
	for i := range 4 {
		list = append(list, aggregate.Aggregate{From: i, To: i})
	}
	st := given(t, s, list...)
	st.Plots[0].Of = Difference
	pal := st.Palette
	v := Build(&st, geom.Size{W: 600, H: 100}, nil)
	for i, want := range []color.NRGBA{pal.A, palette.Mix(pal.Pane, pal.A, .54),
		palette.Mix(pal.Pane, pal.B, .54), pal.B} {
		if got := layersOf(v, 0)[0].Quads[i+1].Fill; got != want {
			t.Errorf("slice %d is %v, not %v", i, got, want)
		}
	}
	st.Plots[0].Of = A // the same shares of a side have the colour of the state
	f := pal.States([]string{"f"}, aggregate.Other)[0]
	v = Build(&st, geom.Size{W: 600, H: 100}, nil)
	if got := layersOf(v, 0)[0].Quads[1].Fill; got != f {
		t.Errorf("%v, not %v", got, f)
	}
}

// TestMirroredPlaces: what is hovered is outlined in its plot alone; in the other plots its
// counterpart has dashes, and its time dotted lines, also where the resources are missing.
func TestMirroredPlaces(t *testing.T) {
	s := twoLeaves()
	base := one(t, s, 0)
	st := base
	st.Plots = nil
	for k := range 3 {
		p := base.Plots[0]
		p.Of, p.Hovered = k, Place{Plot: k, Leaves: [2]int{1, 2}, From: 1, To: 2, OK: true}
		st.Plots = append(st.Plots, p)
	}
	st.Plots[2].Hovered.Leaves = [2]int{aggregate.None, aggregate.None}
	st.Hover = st.Plots[0].Hovered
	v := Build(&st, geom.Size{W: 800, H: 600}, nil)
	for k, want := range []struct {
		shade  scene.Shade
		quads  int
		dotted bool
	}{{scene.Outline, 1, false}, {scene.Dashed, 1, true}, {0, 0, true}} {
		g := &v.Plots[k]
		marks := layersOf(v, k)[2].Quads
		n, lines := 0, map[float32]bool{}
		for _, q := range marks {
			if q.Shade == scene.Flat {
				lines[q.Rect.X0] = true
				continue
			}
			if n++; q.Shade != want.shade || q.Fill != st.Palette.Hover {
				t.Errorf("plot %d: %+v", k, q)
			}
			x0, x1 := g.Axis.X(10), g.Axis.X(30)
			if q.Rect.X0 != x0 || q.Rect.X1 != x1 || q.Rect.Y0 != g.Plot.Y0+g.Plot.H()/2 {
				t.Errorf("plot %d: %v, not from %g to %g", k, q.Rect, x0, x1)
			}
		}
		if n != want.quads || want.dotted != (lines[g.Axis.X(10)] && lines[g.Axis.X(30)]) ||
			!want.dotted && len(lines) > 0 {
			t.Errorf("plot %d: %d marks, lines at %v", k, n, lines)
		}
	}
}

// TestPlacesOfOtherTimesAreNotMarked: what was selected in a picture that is no more draws nothing.
func TestPlacesOfOtherTimesAreNotMarked(t *testing.T) {
	for _, p := range []Place{{Leaves: [2]int{1, 9}, OK: true}, {Leaves: [2]int{0, 1}, To: 5, OK: true},
		{Leaves: [2]int{-1, 1}, OK: true}, {Leaves: [2]int{0, 1}, From: -1, OK: true},
		{Leaves: [2]int{0, 1}, From: 3, To: 2, OK: true}, {Leaves: [2]int{0, 1}}} {
		st := one(t, twoLeaves(), 0)
		st.Plots = append(st.Plots, st.Plots[0])
		st.Selected, st.Hover, st.Plots[1].Hovered = p, p, p
		v := Build(&st, geom.Size{W: 800, H: 600}, nil)
		for _, q := range layersOf(v, 1)[2].Quads {
			if q.Shade == scene.Dashed {
				t.Errorf("%+v has a counterpart: %+v", p, q)
			}
		}
		if marks := layersOf(v, 0)[2].Quads; len(marks) > 0 {
			t.Errorf("%+v: %+v", p, marks)
		}
	}
}

// TestTicks: an axis that is not even has the labels that it is given; none is cut at the border.
func TestTicks(t *testing.T) {
	st := one(t, twoLeaves(), 0)
	size := geom.Size{W: 800, H: 100}
	if got := strings.Join(textsOf(Build(&st, size, nil), 0, axisRoom), " "); got !=
		"0 ns 10 ns 20 ns 30 ns 40 ns" {
		t.Errorf("even: %q", got)
	}
	st.Plots[0].Ticks = func(at float64) string { return fmt.Sprintf("<%g>", at*at) }
	if got := strings.Join(textsOf(Build(&st, size, nil), 0, axisRoom), " "); got !=
		"<0> <100> <400> <900> <1600>" {
		t.Errorf("with labels: %q", got)
	}
	st.Plots[0].Ticks = func(at float64) string { return strings.Repeat("long ", 20+int(at)) }
	if got := textsOf(Build(&st, size, nil), 0, axisRoom); len(got) != 1 {
		t.Errorf("long ones: %q", got)
	}
}

// TestNotes: as many notes as there is room for stand below the badge, none in a narrow view.
func TestNotes(t *testing.T) {
	st := one(t, twoLeaves(), 0)
	st.Plots[0].Note = []string{"first", "second", "third"}
	for _, c := range []struct {
		size geom.Size
		want int
	}{{geom.Size{W: 800, H: 150}, 3}, {geom.Size{W: 800, H: axisRoom + badge + 4 + 2*14}, 2},
		{geom.Size{W: 800, H: axisRoom + badge}, 0}, {geom.Size{W: noteLeast - 1, H: 150}, 0}} {
		n := 0
		for _, x := range textsOf(Build(&st, c.size, nil), axisRoom, c.size.H) {
			if strings.HasSuffix("first second third", x) || x == "first" || x == "second" {
				n++
			}
		}
		if n != c.want {
			t.Errorf("%v: %d notes, not %d", c.size, n, c.want)
		}
	}
}

// TestNamesThatAreShortenedAlike: rows whose names would be shortened to one text show what tells
// them apart, in every column.
func TestNamesThatAreShortenedAlike(t *testing.T) {
	places := placesOf([]string{"python3.8 (311)", "thread 3113936 (python3.8)"},
		[]string{"python3.8 (311)", "thread 3126441 (python3.8)"},
		[]string{"python3.8 (7)", "stream 7"}, []string{"python3.8 (7)", "stream 7 · 2"})
	st := one(t, tableOf([]string{"f"}, 2, places, []float64{1, 0}, []float64{0, 1}, []float64{1, 1},
		[]float64{1, 0}), 0)
	for _, width := range []float32{500, 600, 700} {
		v := Build(&st, geom.Size{W: width, H: 400}, nil)
		texts := textsOf(v, v.Plots[0].Plot.Y0, v.Plots[0].Plot.Y1)
		slices.Sort(texts)
		if same := len(texts) - len(slices.Compact(slices.Clone(texts))); same > 1 { // "2 threads" is twice
			t.Errorf("at %g px wide: %q", width, texts)
		}
	}
}
