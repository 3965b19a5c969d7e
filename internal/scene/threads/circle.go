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

// labelShare is a label's radius as a share of the zero radius, as far as the measures allow.
const labelShare = .06

// circles draws the threads' ids in circles of their colours, inside of the ring. Where sections
// are narrow, every other one lies further inside; where even that is not enough, only every so many
// have one, and what is pointed at.
func (b *builder) circles() {
	layer := b.layer(geom.Rect{})
	every := b.labelEvery()
	for k := range b.v.sections {
		if u := &b.st.Under; every > 1 && k%every > 0 && (u.Place != k || u.Part == Elsewhere) {
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
		pointed := b.st.Under.Place == k && b.st.Under.Part != Elsewhere
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

// labelEvery returns how many sections share a label: as many as one of the least size takes.
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

// label draws a section's label as wide as its id, up to width px.
func (b *builder) label(l *scene.Layer, d *disc, s *Section, width float32) {
	c := b.cols.Thread(s.Hue)
	if u := &b.st.Under; u.Part == OnLabel && u.Place == d.place {
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

// fit returns as much of an id as fits: the end of a number, as those of one process begin alike,
// and the beginning of a name.
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
