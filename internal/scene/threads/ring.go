package threads

import (
	"math"

	"diptych/internal/geom"
	"diptych/internal/scene"
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
	b.measure(&d, s, 60*b.dp)
	b.label(l, &d, s)
}
