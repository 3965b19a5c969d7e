package threads

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// TestSmallPanes: in a pane of 300 × 200 dp, in half of one, and in any larger one, the view is
// there, nothing of it lies outside of the pane, its parts lie beside each other, and so do its texts
// and labels.
func TestSmallPanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := someState(t, someTrace(t))
		st.Scale = rapid.SampledFrom([]float32{1, 2}).Draw(t, "scale")
		st.Split = rapid.SampledFrom([]float32{0, .1, .5, .9}).Draw(t, "split")
		if len(st.Sections) > 0 {
			st.Sections[0].Bar = rapid.Bool().Draw(t, "bar")
		}
		size := geom.Size{W: rapid.Float32Range(144, 700).Draw(t, "w") * st.Scale,
			H: rapid.Float32Range(120, 500).Draw(t, "h") * st.Scale}
		v := Build(&st, size, nil)
		checkScene(t, v.Scene, size)
		if v.Ring.Outer == 0 {
			t.Fatal("nothing is shown")
		}
		checkParts(t, v)
		checkInside(t, v.Scene, size)
		checkTexts(t, v)
	})
}

// checkParts: the parts of the view lie within the pane and not over each other.
func checkParts(t *rapid.T, v *View) {
	parts := []geom.Rect{{X1: v.size.W, Y1: header * v.dp}, v.Stacks, v.Splitter, v.Context}
	for k := range v.Bars {
		parts = append(parts, v.Bars[k].Bounds)
	}
	if !v.idle.Empty() {
		parts = append(parts, v.idle)
	}
	for k, p := range parts {
		if !p.Empty() && (p.X0 < 0 || p.Y0 < 0 || p.X1 > v.size.W || p.Y1 > v.size.H) {
			t.Fatalf("part %d lies at %v in %v", k, p, v.size)
		}
		for i, q := range parts[:k] {
			if overlap(p, q) > .5 {
				t.Fatalf("parts %d and %d: %v and %v", i, k, q, p)
			}
		}
	}
	if r := v.Ring; r.Centre.Y+r.Outer > v.Context.Y1+.5 || r.Centre.Y < v.Context.Y0 ||
		r.Centre.X-r.Outer < v.Context.X0-.5 || r.Zero > r.Outer {
		t.Fatalf("the ring %+v is not in %v", r, v.Context)
	}
}

// overlap returns by how many px two rectangles overlap in the direction in which it is least.
func overlap(p, q geom.Rect) float32 {
	if p.Empty() || q.Empty() {
		return 0
	}
	r := p.Intersect(q)
	return max(min(r.X1-r.X0, r.Y1-r.Y0), 0)
}

// checkInside: primitives lie within the pane, as far as their layer shows them.
func checkInside(t *rapid.T, s *scene.Scene, size geom.Size) {
	pane := geom.Rect{X1: size.W, Y1: size.H}
	inside := func(what string, clip, r geom.Rect) {
		if !clip.Empty() {
			r = r.Intersect(clip)
		}
		if !r.Empty() && (r.X0 < -1 || r.Y0 < -1 || r.X1 > pane.X1+1 || r.Y1 > pane.Y1+1) {
			t.Fatalf("%s lies at %v in %v", what, r, size)
		}
	}
	for _, l := range s.Layers {
		for _, q := range l.Quads {
			inside("a quad", l.Clip, q.Rect)
		}
		for k := range l.Arcs {
			inside("an arc", l.Clip, bounds(&l.Arcs[k]))
		}
		for _, r := range l.Ribbons {
			for i := range r.Edges {
				for k := range 11 {
					p := r.At(i, float32(k)/10)
					inside("a ribbon", l.Clip, geom.Rect{X0: p.X, X1: p.X + .1, Y0: p.Y, Y1: p.Y + .1})
				}
			}
		}
		for _, x := range l.Texts {
			inside("the text "+x.Text, l.Clip, textBox(&x))
		}
	}
}

// textBox returns where a text is written.
func textBox(x *scene.Text) geom.Rect {
	mid := geom.Point{X: (x.Rect.X0 + x.Rect.X1) / 2, Y: (x.Rect.Y0 + x.Rect.Y1) / 2}
	w := x.Rect.W()
	if x.Turn == 0 {
		return geom.Rect{X0: x.Rect.X0, X1: x.Rect.X1, Y0: mid.Y - x.Size/2, Y1: mid.Y + x.Size/2}
	}
	sin, cos := math.Sincos(float64(x.Turn))
	dx := (w*abs(float32(cos)) + x.Size*abs(float32(sin))) / 2
	dy := (w*abs(float32(sin)) + x.Size*abs(float32(cos))) / 2
	return geom.Rect{X0: mid.X - dx, X1: mid.X + dx, Y0: mid.Y - dy, Y1: mid.Y + dy}
}

// checkTexts: labels do not lie over each other, and level texts not over each other either.
func checkTexts(t *rapid.T, v *View) {
	for k := range v.labels {
		p := &v.labels[k]
		for i := range k {
			q := &v.labels[i]
			dx := max(abs(p.at.X-q.at.X)-p.half-q.half, 0)
			dy := p.at.Y - q.at.Y
			if d := float32(math.Hypot(float64(dx), float64(dy))); d < p.radius+q.radius-.5 {
				t.Fatalf("labels of places %d and %d are %v px apart, of radius %v and %v", p.place,
					q.place, d, p.radius, q.radius)
			}
		}
	}
	var texts []*scene.Text
	for k := range v.Scene.Layers {
		l := &v.Scene.Layers[k]
		for i := range l.Texts {
			if x := &l.Texts[i]; x.Turn == 0 && x.Text != "" {
				texts = append(texts, x)
			}
		}
	}
	for k, x := range texts {
		for _, y := range texts[:k] {
			if overlap(written(x), written(y)) > 1 {
				t.Fatalf("%q at %v and %q at %v", x.Text, written(x), y.Text, written(y))
			}
		}
	}
}

// written returns the part of a text's box that its letters take.
func written(x *scene.Text) geom.Rect {
	box := textBox(x)
	w := min(typeface.Width(x.Text, x.Size, x.Bold), box.W())
	switch x.Align {
	case scene.AlignRight:
		box.X0 = box.X1 - w
	case scene.AlignCentre:
		mid := (box.X0 + box.X1) / 2
		box.X0, box.X1 = mid-w/2, mid+w/2
	default:
		box.X1 = box.X0 + w
	}
	return box
}
