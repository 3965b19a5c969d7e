package svg

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// Widths in px.
const (
	slimQuad  = 1.5 // a narrower cushion has no shading
	broadQuad = 6   // a narrower one is shaded only at its right border
	dash      = 6   // of dashed lines, and between stripes of hatched areas
)

// quads writes rectangles. Flat ones of one colour that follow each other are one path, and so are
// cushions, over which their shading lies. Cushions are calls, and those of a layer do not overlap.
func (d *drawing) quads(list, dark []scene.Quad) {
	for i := 0; i < len(list); {
		n := 1
		if plain(&list[i]) {
			for i+n < len(list) && plain(&list[i+n]) && list[i+n].Fill == list[i].Fill &&
				dark[i+n].Fill == dark[i].Fill {
				n++
			}
			d.area(list[i:i+n], dark[i].Fill)
		} else {
			d.quad(&list[i], dark[i].Fill)
		}
		i += n
	}
}

// plain reports whether a quad may be part of a path with others.
func plain(q *scene.Quad) bool {
	return q.Radius == 0 && (q.Shade == scene.Flat || cushion(q))
}

func cushion(q *scene.Quad) bool { return q.Shade == scene.Cushion || q.Shade == scene.CushionUp }

// area writes plain quads of one colour.
func (d *drawing) area(list []scene.Quad, dark color.NRGBA) {
	fmt.Fprintf(d, `<path%s d="`, d.painted(paint{"fill", list[0].Fill, dark}))
	for i := range list {
		d.WriteString(box(drawn(list[i].Rect)))
	}
	d.WriteString(`"/>`)
	for i := range list {
		d.shade(&list[i])
	}
}

// drawn returns a rectangle as render draws it, at least a pixel wide.
func drawn(r geom.Rect) geom.Rect {
	r.X1 = max(r.X1, r.X0+1)
	return r
}

// shade lays the shading of a cushion over it. That of a call which the viewport cuts is the whole
// call's.
func (d *drawing) shade(q *scene.Quad) {
	r := drawn(q.Rect)
	if !cushion(q) || r.W() < slimQuad {
		return
	}
	if part := q.U1 - q.U0; part > 0 && part < 1 {
		whole := r.W() / part
		r.X0 -= q.U0 * whole
		r.X1 = r.X0 + whole
	}
	name, left, right := "c", .13, .18
	if r.W() < broadQuad {
		name, left, right = "n", .02, .4
	}
	id := d.shared(name, func(id string) {
		fmt.Fprintf(d, `<linearGradient id="%s"><stop stop-opacity="%g"/>`+
			`<stop offset=".2" stop-opacity="0"/><stop offset=".8" stop-opacity="0"/>`+
			`<stop offset="1" stop-opacity="%g"/></linearGradient>`, id, left, right)
	})
	fmt.Fprintf(d, `<path fill="url(#%s)" d="%s"/>`, id, box(r))
}

// quad writes a rectangle that stands alone.
func (d *drawing) quad(q *scene.Quad, dark color.NRGBA) {
	r := drawn(q.Rect)
	switch q.Shade {
	case scene.Outline, scene.Dashed:
		d.outline(q, dark)
	case scene.Hatch:
		d.rect(r, q.Radius, fmt.Sprintf(` fill="url(#%s)"`, d.hatch(q.Fill, dark)))
	case scene.GradientX:
		d.rect(r, q.Radius, fmt.Sprintf(` fill="url(#%s)"`, d.fade(q.Fill, dark)))
	case scene.Nested:
		d.rect(r.Inset(.25), q.Radius, ` fill="none" stroke="#000" stroke-opacity=".25" stroke-width=".5"`)
	case scene.Glide, scene.GlideUp:
		d.rect(r, q.Radius, d.painted(paint{"fill", q.Fill, dark}))
		d.rect(r, q.Radius, fmt.Sprintf(` fill="url(#%s)"`, d.glide(q.U0, q.U1)))
	default:
		d.rect(r, q.Radius, d.painted(paint{"fill", q.Fill, dark}))
	}
}

// rect writes a rectangle with round corners.
func (d *drawing) rect(r geom.Rect, radius float32, attributes string) {
	fmt.Fprintf(d, `<rect x="%s" y="%s" width="%s" height="%s"`, num(r.X0), num(r.Y0),
		num(max(r.W(), 0)), num(max(r.H(), 0)))
	if radius > 0 {
		fmt.Fprintf(d, ` rx="%s"`, num(radius))
	}
	d.WriteString(attributes + "/>")
}

// outline writes the border of a rectangle, which lies inside it.
func (d *drawing) outline(q *scene.Quad, dark color.NRGBA) {
	attributes := fmt.Sprintf(` fill="none" stroke-width="%s"%s`, num(q.Line),
		d.painted(paint{"stroke", q.Fill, dark}))
	if q.Shade == scene.Dashed {
		attributes += fmt.Sprintf(` stroke-dasharray="%d"`, dash)
	}
	d.rect(drawn(q.Rect).Inset(q.Line/2), q.Radius, attributes)
}

// hatch defines diagonal stripes of a colour.
func (d *drawing) hatch(light, dark color.NRGBA) string {
	fill := d.painted(paint{"fill", light, dark})
	return d.define(func(id string) {
		fmt.Fprintf(d, `<pattern id="%s" patternUnits="userSpaceOnUse" width="%d" height="%d" `+
			`patternTransform="rotate(45)"><path%s d="M0 0h1.8v%dh-1.8z"/></pattern>`, id, dash, dash,
			fill, dash)
	})
}

// fade defines a colour that becomes transparent towards the right.
func (d *drawing) fade(light, dark color.NRGBA) string {
	clear := func(c color.NRGBA) color.NRGBA { c.A = 0; return c }
	return d.define(func(id string) {
		fmt.Fprintf(d, `<linearGradient id="%s"><stop%s/><stop offset="1"%s/></linearGradient>`, id,
			d.painted(paint{"stop-color", light, dark}),
			d.painted(paint{"stop-color", clear(light), clear(dark)}))
	})
}

// glide defines the darkness of a call in focus, by how near its borders are to the pointer.
func (d *drawing) glide(u0, u1 float32) string {
	return d.define(func(id string) {
		fmt.Fprintf(d, `<linearGradient id="%s"><stop stop-opacity="%s"/>`+
			`<stop offset="1" stop-opacity="%s"/></linearGradient>`, id, num(.5*(1-u0)), num(.5*(1-u1)))
	})
}

// arc writes a bent rectangle.
func (d *drawing) arc(a, dark *scene.Arc) {
	path := bent(a)
	switch a.Shade {
	case scene.Outline:
		fmt.Fprintf(d, `<path fill="none"%s stroke-width="%s" d="%s"/>`,
			d.painted(paint{"stroke", a.Fill, dark.Fill}), num(a.Line), path)
	case scene.Hatch:
		fmt.Fprintf(d, `<path fill="url(#%s)" d="%s"/>`, d.hatch(a.Fill, dark.Fill), path)
	default:
		fmt.Fprintf(d, `<path%s d="%s"/>`, d.painted(paint{"fill", a.Fill, dark.Fill}), path)
	}
}

// bent returns the path of an arc, at least a pixel wide and thick. The two ends of a full turn are
// a little apart, since an arc between equal points is nothing in SVG.
func bent(a *scene.Arc) string {
	middle := max((a.R0+a.R1)/2, .1)
	thick := max(a.R1-a.R0, 1) / 2
	wide := min(max(a.To-a.From, 1/middle), 2*math.Pi-1e-3) / 2
	at := (a.From + a.To) / 2
	on := func(radius, angle float32) string {
		sin, cos := math.Sincos(float64(angle))
		return point(geom.Point{X: a.Centre.X + radius*float32(cos), Y: a.Centre.Y + radius*float32(sin)})
	}
	large := 0
	if 2*wide > math.Pi {
		large = 1
	}
	r0, r1, from, to := max(middle-thick, 0), middle+thick, at-wide, at+wide
	return fmt.Sprintf("M%sA%s %s 0 %d 1 %sL%sA%s %s 0 %d 0 %sz", on(r1, from), num(r1), num(r1), large,
		on(r1, to), on(r0, to), num(r0), num(r0), large, on(r0, from))
}

// ribbon writes the area between two curves, and the lines along them.
func (d *drawing) ribbon(r, dark *scene.Ribbon) {
	p, q := &r.Edges[0], &r.Edges[1]
	curve := func(a, b, c geom.Point) string { return "C" + point(a) + " " + point(b) + " " + point(c) }
	if r.Fill.A > 0 {
		fmt.Fprintf(d, `<path%s d="M%s%sL%s%sz"/>`, d.painted(paint{"fill", r.Fill, dark.Fill}),
			point(p[0]), curve(p[1], p[2], p[3]), point(q[3]), curve(q[2], q[1], q[0]))
	}
	if r.Line <= 0 {
		return
	}
	edges := "M" + point(p[0]) + curve(p[1], p[2], p[3])
	if *p != *q {
		edges += "M" + point(q[0]) + curve(q[1], q[2], q[3])
	}
	fmt.Fprintf(d, `<path fill="none"%s stroke-width="%s" d="%s"/>`,
		d.painted(paint{"stroke", r.Ink, dark.Ink}), num(r.Line), edges)
}

// tubePieces is how many straight pieces a border of a tube has.
const tubePieces = 24

// tube writes a band between two cells.
func (d *drawing) tube(t, dark *scene.Tubes, i int) {
	var there, back strings.Builder
	for k := range tubePieces + 1 {
		x, y, half := t.Span(i, float32(k)/tubePieces)
		fmt.Fprintf(&there, "L%s", point(geom.Point{X: x - half, Y: y}))
		x, y, half = t.Span(i, 1-float32(k)/tubePieces)
		fmt.Fprintf(&back, "L%s", point(geom.Point{X: x + half, Y: y}))
	}
	fmt.Fprintf(d, `<path%s stroke="#000" stroke-opacity=".2" stroke-width=".5" d="M%s%sz"/>`,
		d.painted(paint{"fill", t.Tubes[i].Fill, dark.Tubes[i].Fill}), there.String()[1:], back.String())
}

// text writes a line of text in the width that the view has measured.
func (d *drawing) text(t *scene.Text, dark color.NRGBA) {
	x, anchor := t.Rect.X0, ""
	switch t.Align {
	case scene.AlignCentre:
		x, anchor = (t.Rect.X0+t.Rect.X1)/2, ` text-anchor="middle"`
	case scene.AlignRight:
		x, anchor = t.Rect.X1, ` text-anchor="end"`
	}
	const capitals = .355 // half the height of a capital letter, in text sizes
	middle := (t.Rect.Y0 + t.Rect.Y1) / 2
	fmt.Fprintf(d, `<text x="%s" y="%s" font-size="%s"%s%s textLength="%s" `+
		`lengthAdjust="spacingAndGlyphs"`, num(x), num(middle+capitals*t.Size), num(t.Size), anchor,
		d.painted(paint{"fill", t.Fill, dark}), num(typeface.Width(t.Text, t.Size, t.Bold)))
	if t.Bold {
		d.WriteString(` font-weight="bold"`)
	}
	if t.Turn != 0 {
		fmt.Fprintf(d, ` transform="rotate(%s %s %s)"`, num(t.Turn*180/math.Pi),
			num((t.Rect.X0+t.Rect.X1)/2), num(middle))
	}
	fmt.Fprintf(d, `>%s</text>`, escaped(t.Text))
}
