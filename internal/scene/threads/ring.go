package threads

import (
	"math"
	"slices"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/typeface"
)

// Ring is the semicircle on which the other threads lie. Angles are those of scene.Arc: clockwise
// from the right, so that a section's time runs from its larger angle to its smaller one.
type Ring struct {
	Centre      geom.Point
	Zero, Outer float32 // px
}

// point returns the point at a radius and an angle.
func (r *Ring) point(radius float32, angle float64) geom.Point {
	sin, cos := math.Sincos(angle)
	return geom.Point{X: r.Centre.X + radius*float32(cos), Y: r.Centre.Y + radius*float32(sin)}
}

// polar returns the radius and the angle of a point. The angle is from −π/2 to 3π/2, so that a
// point above the left end of the ring is near to that end, and one above the right end to that
// one.
func (r *Ring) polar(p geom.Point) (radius float32, angle float64) {
	dx, dy := float64(p.X-r.Centre.X), float64(p.Y-r.Centre.Y)
	angle = math.Atan2(dy, dx)
	if angle < -math.Pi/2 {
		angle += 2 * math.Pi
	}
	return float32(math.Hypot(dx, dy)), angle
}

// placed is a section as it lies on the ring.
type placed struct {
	left, right float64 // angles; left > right
	view        geom.Span
	plot        levels
	first, last int // its shapes, as a range of View.bent
}

// levels says where stack levels lie outside the zero radius.
type levels struct {
	fold          int
	row, foldRow  float32
	shown, deeper int // levels that there is room for; those that the thread has
}

// offset returns how far outside the zero radius a level begins.
func (l *levels) offset(level int) float32 {
	folded := min(level, l.fold)
	return float32(folded)*l.foldRow + float32(level-folded)*l.row
}

// levelAt returns the level at an offset.
func (l *levels) levelAt(offset float32) int {
	if folded := float32(l.fold) * l.foldRow; offset >= folded {
		return l.fold + int((offset-folded)/l.row)
	}
	return int(offset / l.foldRow)
}

// angle returns where time t of a section lies, which may be outside of it.
func (p *placed) angle(t float64) float64 {
	return p.left - (t-p.view.Start)/p.view.Len()*(p.left-p.right)
}

// time returns the time at an angle.
func (p *placed) time(angle float64) float64 {
	return p.view.Start + (p.left-angle)/(p.left-p.right)*p.view.Len()
}

// mid returns the angle in the middle.
func (p *placed) mid() float64 { return (p.left + p.right) / 2 }

// sectionGap is the free space between sections on the zero radius in dp.
const sectionGap = 5

// divideRing gives each section its part of the semicircle.
func (b *builder) divideRing() {
	b.v.sections = spread(b.st.Sections, b.gap(len(b.st.Sections)))
	if b.moving() {
		b.moveSections(spread(b.st.Before, b.gap(len(b.st.Before))))
	}
	for k := range b.v.sections {
		b.v.sections[k].view = b.st.view(k)
	}
}

// moving reports whether sections are on their way to other places.
func (b *builder) moving() bool { return b.st.Before != nil && b.st.Progress < 1 }

// gap returns the angle between sections.
func (b *builder) gap(n int) float64 {
	return min(float64(sectionGap*b.dp/b.v.Ring.Zero), .2*math.Pi/float64(max(n, 1)))
}

// spread divides the semicircle by weight.
func spread(sections []Section, gap float64) []placed {
	total := float64(0)
	for k := range sections {
		total += sections[k].weight()
	}
	out := make([]placed, len(sections))
	free := math.Pi - gap*float64(max(len(sections)-1, 0))
	at := math.Pi
	for k := range sections {
		out[k].left = at
		at -= free * sections[k].weight() / total
		out[k].right = at
		at -= gap
	}
	return out
}

func (s *Section) weight() float64 {
	if s.Weight > 0 {
		return float64(s.Weight)
	}
	return 1
}

// moveSections puts the sections between where they were before a rearrangement and where they will
// be. A section that was not there grows out of its middle.
func (b *builder) moveSections(before []placed) {
	was := map[int]placed{}
	for k := range before {
		for _, t := range b.st.Before[k].Threads {
			was[t] = before[k]
		}
	}
	left := 1 - ease(float64(max(b.st.Progress, 0)))
	for k := range b.v.sections {
		p := &b.v.sections[k]
		from := placed{left: p.mid(), right: p.mid() - 1e-3}
		if th := b.st.Sections[k].Threads; len(th) > 0 {
			if old, ok := was[th[0]]; ok {
				from = old
			}
		}
		p.left += (from.left - p.left) * left
		p.right += (from.right - p.right) * left
	}
}

// ease starts and ends slowly.
func ease(t float64) float64 { return t * t * (3 - 2*t) }

// nothing is a box to include points in.
var nothing = geom.Rect{X0: math.MaxFloat32, Y0: math.MaxFloat32, X1: -math.MaxFloat32,
	Y1: -math.MaxFloat32}

// include returns the smallest box that holds r and p.
func include(r geom.Rect, p geom.Point) geom.Rect {
	return geom.Rect{X0: min(r.X0, p.X), Y0: min(r.Y0, p.Y), X1: max(r.X1, p.X), Y1: max(r.Y1, p.Y)}
}

// bounds returns the box around an arc.
func bounds(a *scene.Arc) geom.Rect {
	r := Ring{Centre: a.Centre}
	box := nothing
	add := func(p geom.Point) { box = include(box, p) }
	for _, radius := range []float32{a.R0, a.R1} {
		add(r.point(radius, float64(a.From)))
		add(r.point(radius, float64(a.To)))
	}
	if a.From < math.Pi/2 && a.To > math.Pi/2 {
		add(r.point(a.R1, math.Pi/2))
	}
	return box
}

// disc is a circle that can be picked.
type disc struct {
	at     geom.Point
	radius float32
	half   float32 // half the width of a label's straight part
	place  int
	ribbon int // index into View.ribbons, for a release
}

// Measures in dp.
const (
	labelRadius = 10
	labelSmall  = 7 // on a small ring
	labelLeast  = 5 // in a narrow section
	labelIn     = 8 // between the zero radius and a label
)

// labelShare is a label's radius as a share of the zero radius, within the limits above.
const labelShare = .06

// circles draws the threads' ids in circles of their colours, inside the ring. If sections are
// narrow, every other circle lies further inside. If that is not enough, only every n-th section
// has a circle, and the one under the pointer.
func (b *builder) circles() {
	layer := b.layer(geom.Rect{})
	every := b.labelEvery()
	for k := range b.v.sections {
		pointed := b.st.Under.Place == k && b.st.Under.Part != Elsewhere || b.lit(k)
		if every > 1 && k%every > 0 && !pointed {
			continue
		}
		s, p := &b.st.Sections[k], &b.v.sections[k]
		radius := min(max(labelShare*b.v.Ring.Zero, labelSmall*b.dp), labelRadius*b.dp)
		in := b.v.Ring.Zero - labelIn*b.dp - radius
		arc := float32(p.left-p.right) * in
		if arc < 2*radius+2*b.dp {
			if k%2 == 1 && every == 1 {
				in -= 2*radius + 3*b.dp
			}
			radius = min(max(float32(p.left-p.right)*in*.95, labelLeast*b.dp), radius)
			arc *= 2
		}
		d := disc{at: b.v.Ring.point(in, p.mid()), radius: radius, place: k}
		if in < radius || !pointed && !b.moving() && b.crowded(&d) {
			continue
		}
		if len(s.Threads) == 0 {
			b.vacant(b.at(layer), &d)
			continue
		}
		b.label(b.at(layer), &d, s, max(arc-6*b.dp, 2*radius))
		b.v.labels = append(b.v.labels, d)
	}
}

// crowded reports whether a label would lie over one that is there.
func (b *builder) crowded(d *disc) bool {
	return slices.ContainsFunc(b.v.labels, func(o disc) bool {
		dx, dy := max(abs(d.at.X-o.at.X)-o.half, 0), d.at.Y-o.at.Y
		least := d.radius + o.radius - .5
		return dx*dx+dy*dy < least*least
	})
}

// labelEvery returns n if only every n-th section has room for a label of the least size.
func (b *builder) labelEvery() int {
	widths := float32(0)
	for k := range b.v.sections {
		widths += float32(b.v.sections[k].left - b.v.sections[k].right)
	}
	arc := widths / max(float32(len(b.v.sections)), 1) * (b.v.Ring.Zero - 2*labelIn*b.dp)
	least := 2 * (labelLeast + 1) * b.dp
	if 2*arc >= least {
		return 1
	}
	return int(math.Ceil(float64(3 * least / max(arc, 1e-3))))
}

// vacant marks where only the other side has a thread.
func (b *builder) vacant(l *scene.Layer, d *disc) {
	radius := d.radius * .6
	l.Quads = append(l.Quads, scene.Quad{Shade: scene.Outline, Line: 1.5 * b.dp, Radius: radius,
		U1: 1, Fill: palette.Mix(b.hue(d.place), b.pal.Pane, .6),
		Rect: geom.Rect{X0: d.at.X - radius, X1: d.at.X + radius, Y0: d.at.Y - radius,
			Y1: d.at.Y + radius}})
}

// lit reports whether a place is pointed at by its label, or by a call of one of its threads, be it
// in another view.
func (b *builder) lit(place int) bool {
	if u := &b.st.Under; u.Part == OnLabel && u.Place == place {
		return true
	}
	return place != Nowhere && slices.ContainsFunc(b.st.Hover, func(ref trace.CallRef) bool {
		return int(ref.Thread) < len(b.where) && b.placeOf(int(ref.Thread)) == place
	})
}

// label draws a section's label as wide as its id, up to width px.
func (b *builder) label(l *scene.Layer, d *disc, s *Section, width float32) {
	c := b.cols.Thread(s.Hue)
	if b.lit(d.place) {
		dot(l, d.at, d.radius+3*b.dp, palette.WithAlpha(c, 0x50))
	}
	size := d.radius * 1.05
	text := fit(s.label(b.v.trace), max(width-d.radius*.8, 1.4*d.radius), size)
	w := typeface.Width(text, size, true)
	d.half = max(w/2+.4*d.radius-d.radius, 0)
	r := geom.Rect{X0: d.at.X - d.half - d.radius, X1: d.at.X + d.half + d.radius,
		Y0: d.at.Y - d.radius, Y1: d.at.Y + d.radius}
	l.Quads = append(l.Quads, scene.Quad{Rect: r, Fill: c, Radius: d.radius, U1: 1})
	l.Write(scene.Text{Rect: r, Text: text, Fill: b.pal.OnSide, Size: size,
		Align: scene.AlignCentre, Bold: true})
}

// label returns what is to be read in a section's circle.
func (s *Section) label(tr *trace.Trace) string {
	if s.Label != "" {
		return s.Label
	}
	id := tr.Threads[s.Threads[0]].ID
	if i := strings.LastIndexByte(id, '/'); i >= 0 && len(tr.Processes) < 2 {
		return id[i+1:] // of one process, its number says nothing
	}
	return id
}

// fit returns as much of an id as fits: the last digits of a number, because the numbers of one
// process begin alike, or the beginning of a name.
func fit(id string, width, size float32) string {
	r := []rune(id)
	digits := strings.Trim(id, "0123456789./") == ""
	for len(r) > 1 && typeface.Width(string(r), size, true) > width {
		if digits {
			r = r[1:]
		} else {
			r = r[:len(r)-1]
		}
	}
	return string(r)
}

// contains reports whether p lies in the disc.
func (d *disc) contains(p geom.Point) bool {
	dx := max(abs(p.X-d.at.X)-d.half, 0)
	dy := p.Y - d.at.Y
	return dx*dx+dy*dy < d.radius*d.radius
}

// drag draws the label that is being dragged, and marks the place it would go to.
func (b *builder) drag() {
	g := b.st.Dragged
	if g == nil || g.Place >= len(b.st.Sections) || len(b.st.section(g.Place).Threads) == 0 {
		return
	}
	l := b.at(b.layer(geom.Rect{}))
	s := b.st.section(g.Place)
	switch to := b.v.PlaceAt(g.At); {
	case to == g.Place || to == Nowhere:
	case to == Main:
		l.Border(b.v.Stacks, b.cols.Thread(s.Hue), 2*b.dp)
	default:
		p := &b.v.sections[to]
		l.Arcs = append(l.Arcs, scene.Arc{Centre: b.v.Ring.Centre, R0: b.v.Ring.Zero,
			R1: b.v.Ring.Outer, From: float32(p.right), To: float32(p.left), U1: 1,
			Fill: b.cols.Thread(s.Hue), Shade: scene.Outline, Line: 2 * b.dp})
	}
	d := disc{at: g.At, radius: 1.2 * labelRadius * b.dp, place: Nowhere}
	b.label(l, &d, s, 60*b.dp)
}
