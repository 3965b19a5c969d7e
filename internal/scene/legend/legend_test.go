package legend

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/links"
	"diptych/internal/scene/scenetest"
	"diptych/internal/typeface"
)

// labels joins the labels of entries.
func labels(entries []Entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Label)
	}
	return strings.Join(out, " | ")
}

func TestLabels(t *testing.T) {
	p := palette.Light()
	for _, c := range []struct {
		name string
		got  []Entry
		want string
	}{
		{"bars", Overview(Options{Unit: "ns", Palette: p}),
			"bars: matches earlier in the other trace | at the same time | later | " +
				"height: √ of the sum of similarity"},
		{"bars, scaled and lit", Overview(Options{Unit: "ns", Palette: p, Turn: 2.5e6, Lit: true}),
			"bars: matches ≥ 2.50 ms earlier in the other trace | at the same time | ≥ 2.50 ms later | " +
				"height: √ of the sum of similarity | matches of the call under the pointer"},
		{"shift", Matches(Options{Unit: "ns", Palette: p}), "same time to far apart"},
		{"shift in ns", Matches(Options{Unit: "ns", Palette: p, Far: 1.5e9, Boxes: true, Repeats: true}),
			"same time to ≥ 1.50 s apart | calls narrower than a pixel | repetition"},
		{"shift in shares", Matches(Options{Unit: "ns", Palette: p, Far: .33, Relative: true}),
			"same place in its group to ≥ 33 % apart"},
		{"from A", Matches(Options{Unit: "ns", Palette: p, Colour: links.TraceCentric}),
			"starts early to late in its group in B"},
		{"from B", Matches(Options{Unit: "ns", Palette: p, Colour: links.TraceCentric, Viewpoint: 1}),
			"starts early to late in its group in A"},
		{"plain", Matches(Options{Unit: "ns", Palette: p, Colour: links.Plain, Brush: true, Similarity: true}),
			"match | match of another call | weak match | strong match"},
	} {
		if got := labels(c.got); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// full is every entry there is, in a theme and scheme.
func full(p *palette.Palette) []Entry {
	o := Options{
		Palette: p, Turn: 1e6, Lit: true, Far: 1e6,
		Brush: true, Similarity: true, Boxes: true, Repeats: true,
	}
	out := append(Overview(o), Matches(o)...)
	o.Colour = links.TraceCentric
	out = append(out, Matches(o)[0])
	o.Colour = links.Plain
	return append(out, Matches(o)[0])
}

// TestSwatchesHaveTheViewsColours: what a swatch shows is what the palette gives the view.
func TestSwatchesHaveTheViewsColours(t *testing.T) {
	for _, base := range []*palette.Palette{palette.Light(), palette.Dark()} {
		for _, s := range []palette.Scheme{palette.Usual, palette.ColourBlind} {
			p := base.WithScheme(s)
			bars := Overview(Options{Unit: "ns", Palette: p})
			for i, v := range []float32{-1, 0, 1} {
				if bars[i].Swatch.Colours[0] != p.Turn(v) {
					t.Errorf("%q does not have the colour of %g", bars[i].Label, v)
				}
			}
			scales := map[links.Colour]func(float32) color.NRGBA{
				links.TimeShift: p.Shift, links.TraceCentric: p.Rainbow,
			}
			for mode, scale := range scales {
				e := Matches(Options{Unit: "ns", Palette: p, Colour: mode})[0]
				c := e.Swatch.Colours
				if e.Swatch.Kind != Gradient || c[0] != scale(0) || c[len(c)-1] != scale(1) {
					t.Errorf("%q does not run over its scale", e.Label)
				}
			}
		}
	}
}

// TestLayout: whatever the width, entries stand in order, in lines that share a middle, without
// overlap and within the width, and Measure knows their size.
func TestLayout(t *testing.T) {
	p := palette.Light()
	all := full(p)
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.Float32Range(40, 3000).Draw(rt, "width")
		scale := rapid.SampledFrom([]float32{0, 1, 1.5, 2}).Draw(rt, "scale")
		entries := all[:rapid.IntRange(0, len(all)).Draw(rt, "entries")]
		r := geom.Rect{X0: 7, Y0: 11, X1: 7 + width, Y1: 12}
		places, taken := lay(entries, r, dpOf(scale))
		for i, at := range places {
			sw, text := at.swatch, at.text
			if sw.Y0+sw.Y1 != text.Y0+text.Y1 || sw.X1 > text.X0 || sw.X0 < r.X0 {
				rt.Fatalf("swatch %v and text %v", sw, text)
			}
			if text.X1 > r.X1+.01 && at.label != "" {
				rt.Fatalf("%q ends at %g of %g", at.label, text.X1, r.X1)
			}
			if i == 0 {
				continue
			}
			last := places[i-1].text
			if next := sw.X0 > last.X1 && text.Y0 == last.Y0; !next &&
				(sw.X0 != r.X0 || text.Y0 != last.Y1) {
				rt.Fatalf("%v follows %v", sw, last)
			}
		}
		size := Measure(entries, width, scale)
		if abs(size.W-taken.W()) > .01 || abs(size.H-taken.H()) > .01 {
			rt.Fatalf("measured %v, took %v", size, taken)
		}
	})
}

func abs(v float32) float32 { return max(v, -v) }

// TestDrawStaysInside: swatches keep to their place, and each label is written once, no wider than
// it is measured.
func TestDrawStaysInside(t *testing.T) {
	for _, p := range []*palette.Palette{palette.Light(), palette.Dark()} {
		for _, scale := range []float32{1, 1.5, 2} {
			var l scene.Layer
			entries := full(p)
			taken := Draw(&l, entries, geom.Rect{X0: 10, Y0: 20, X1: 700, Y1: 38}, p, scale)
			if len(l.Texts) != len(entries) {
				t.Fatalf("%d texts for %d entries", len(l.Texts), len(entries))
			}
			for _, q := range l.Quads {
				if q.Rect.Empty() || q.Rect.Intersect(taken) != q.Rect {
					t.Errorf("scale %g: %v is not within %v", scale, q.Rect, taken)
				}
			}
			for _, text := range l.Texts {
				if w := typeface.Width(text.Text, text.Size, false); w > text.Rect.W()+.01 {
					t.Errorf("%q is %g px wide, its place %g", text.Text, w, text.Rect.W())
				}
			}
		}
	}
}

// TestSwatchesDifferByShape: no two entries of a legend that mean different things look alike but
// for their colour, unless they are plain fills, whose labels stand beside them.
func TestSwatchesDifferByShape(t *testing.T) {
	seen := map[Kind]string{}
	p := palette.Light()
	o := Options{Unit: "ns", Palette: p, Similarity: true, Repeats: true}
	for _, e := range append(Overview(o), Matches(o)...) {
		if k := e.Swatch.Kind; k != Solid {
			if other, ok := seen[k]; ok {
				t.Errorf("%q looks like %q", e.Label, other)
			}
			seen[k] = e.Label
		}
	}
}

// TestNothingToDraw: an empty legend and an empty swatch take no space and draw nothing.
func TestNothingToDraw(t *testing.T) {
	var l scene.Layer
	p := palette.Light()
	taken := Draw(&l, nil, geom.Rect{X1: 100, Y1: 20}, p, 1)
	if !taken.Empty() || len(l.Quads)+len(l.Texts) > 0 {
		t.Errorf("nothing took %v", taken)
	}
	Draw(&l, []Entry{{Label: "bare"}}, geom.Rect{X1: 100, Y1: 20}, p, 1)
	if len(l.Quads) > 0 || len(l.Texts) != 1 {
		t.Errorf("%d quads, %d texts for a bare label", len(l.Quads), len(l.Texts))
	}
}

// TestLegendFits: in any width the entries stay within what Measure says, and their texts apart.
func TestLegendFits(t *testing.T) {
	p := palette.Light()
	o := Options{Unit: "ns", Palette: p, Turn: 1e6, Lit: true, Far: 1e6, Similarity: true, Brush: true, Boxes: true,
		Repeats: true, Moved: true, Compared: true, Links: true}
	all := slices.Concat(Overview(o), Matches(o), Alignment(o), Threads(o))
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]float32{1, 2}).Draw(t, "scale")
		width := rapid.Float32Range(100, 1600).Draw(t, "width") * scale
		n := rapid.IntRange(1, len(all)).Draw(t, "entries")
		s := scene.Scene{Size: geom.Size{W: width, H: Measure(all[:n], width, scale).H}}
		taken := Draw(s.Layer(geom.Rect{}), all[:n], geom.Rect{X1: width, Y1: s.Size.H}, p, scale)
		if taken.H() > s.Size.H || taken.W() > width {
			t.Fatalf("%v is taken of %v", taken, s.Size)
		}
		scenetest.Fits(t, &s)
	})
}

func TestAlignmentLabels(t *testing.T) {
	const states = "equal | different function | only in A | only in B | "
	const strips = "dissimilarity: none to all around differs | skew: A has run longer | " +
		"B has run longer"
	p := palette.Light()
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Unit: "ns", Palette: p}, states + strips},
		{Options{Unit: "ns", Palette: p, Moved: true, Boxes: true},
			states + "moved | " + strips + " | calls narrower than a pixel"},
		{Options{Unit: "ns", Palette: p, Runs: true}, states + strips + " | other runs of a side"},
	} {
		if got := labels(Alignment(c.o)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAlignmentColours: swatches have the colours of the view, what is moved the view's stripes.
func TestAlignmentColours(t *testing.T) {
	for _, p := range []*palette.Palette{palette.Light(), palette.Dark()} {
		a := p.Alignment()
		entries := Alignment(Options{Unit: "ns", Palette: p, Moved: true})
		for i, state := range []int{0, 1, 3, 2} {
			if entries[i].Swatch.Colours[0] != a.State(state) {
				t.Errorf("%q does not have the colour of state %d", entries[i].Label, state)
			}
		}
		var l scene.Layer
		Draw(&l, entries[4:5], geom.Rect{X1: 200, Y1: 20}, p, 1)
		if len(l.Quads) != 2 || l.Quads[0].Fill != a.GapB || l.Quads[1].Shade != scene.Hatch {
			t.Errorf("moved is drawn as %+v", l.Quads)
		}
	}
}

// TestDiagonalAndCross: the marks of visual aggregates are framed, with one line from the lower
// left to the upper right, and for a cross another; both as wide as a plain swatch, and inside it.
func TestDiagonalAndCross(t *testing.T) {
	p := palette.Light()
	for kind, lines := range map[Kind]int{Diagonal: 1, Cross: 2} {
		for _, scale := range []float32{1, 2} {
			var l scene.Layer
			entries := []Entry{{"folded", one(kind, p.Line)}}
			taken := Draw(&l, entries, geom.Rect{X0: 10, Y0: 20, X1: 700, Y1: 38}, p, scale)
			if len(l.Quads) != 1 || l.Quads[0].Shade != scene.Outline || l.Quads[0].Fill != p.Line ||
				l.Quads[0].Rect.W() != swatchSize*scale || len(l.Ribbons) != lines {
				t.Fatalf("kind %d: %+v, %+v", kind, l.Quads, l.Ribbons)
			}
			frame := l.Quads[0].Rect
			if frame.Intersect(taken) != frame {
				t.Errorf("kind %d: %v is not within %v", kind, frame, taken)
			}
			for i, r := range l.Ribbons {
				from, to := r.Edges[0][0], r.Edges[0][3]
				want := [2]float32{frame.Y1, frame.Y0}
				if i == 1 {
					want = [2]float32{frame.Y0, frame.Y1}
				}
				if from.X != frame.X0 || to.X != frame.X1 || from.Y != want[0] || to.Y != want[1] ||
					r.Ink != p.Text || r.Line != scale {
					t.Errorf("kind %d, line %d: %+v", kind, i, r)
				}
			}
		}
	}
}
