package threads

import (
	"fmt"
	"image/color"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/wait"
)

// The critical path is drawn as a line in the colour of text: along the stacks of the thread that
// it lies on, and across the ring where it goes from one thread to the next. Where the thread
// waited for nobody that is known, the line is hollow. Stretches narrower than a pixel are skipped,
// so cost follows the pixels, however long the path is.

const (
	pathLine   = 3   // thickness, dp
	pathCross  = 1.5 // across the ring, dp
	pathInk    = 0xd8
	pathReach  = 4    // how near the pointer has to be, dp
	mostOfPath = 3000 // stretches looked at in a frame
	mostHollow = 64   // waits of one stretch that are drawn hollow
)

// stretch is a part of the critical path that is drawn.
type stretch struct {
	segment int // index into Path.Segments
	place   int
	main    geom.Rect // if place is Main
	arc     scene.Arc // else
}

// critical draws the critical path, across the ring into the layer under.
func (b *builder) critical(under int) {
	path := b.st.Path
	if path == nil || len(path.Segments) == 0 {
		return
	}
	ink := palette.WithAlpha(b.pal.Text, pathInk)
	layer := b.layer(geom.Rect{})
	segs, step, view := path.Segments, b.finest(), b.st.View
	first := sort.Search(len(segs), func(k int) bool { return float64(segs[k].To) > view.Start })
	prev := -1
	for k, n := first, 0; k < len(segs) && float64(segs[k].From) <= view.End && n < mostOfPath; n++ {
		if prev >= 0 {
			b.crossing(b.at(under), &segs[prev], &segs[k], ink)
		}
		b.stretch(b.at(layer), k, ink)
		prev = k
		next := k + 1
		if at := float64(segs[k].To) + step; next < len(segs) && float64(segs[next].To) < at {
			next += sort.Search(len(segs)-next, func(j int) bool { return float64(segs[next+j].To) >= at })
		}
		k = next
	}
}

// finest returns the time of a pixel where a place shows the most detail of the common view.
func (b *builder) finest() float64 {
	width := b.width(Main)
	for k := range b.v.sections {
		width = max(width, b.width(k))
	}
	return b.st.View.Len() / max(width, 1)
}

// stretch draws a segment on its thread, and where nothing explains its waiting.
func (b *builder) stretch(l *scene.Layer, k int, ink color.NRGBA) {
	s := &b.st.Path.Segments[k]
	place := b.placeOf(int(s.Thread))
	if place == Nowhere || place == Main && b.v.Stacks.Empty() {
		return
	}
	out, ok := b.along(place, float64(s.From), float64(s.To), pathLine*b.dp)
	if !ok {
		return
	}
	out.segment = k
	b.v.path = append(b.v.path, out)
	if k == b.st.Stretch {
		ink = b.pal.Selection
	}
	out.draw(l, ink)
	if s.WaitNs == 0 {
		return
	}
	n := 0
	for w := range b.v.waits.WaitsIn(int(s.Thread), s.From, s.To) {
		if n++; n > mostHollow {
			break
		}
		ws := &b.v.waits.Waits
		if !ws.Outermost(w) || ws.Start[w] < s.From {
			continue
		}
		if gap, ok := b.along(place, float64(ws.Start[w]), float64(min(ws.End[w], s.To)), b.dp); ok {
			gap.draw(l, b.pal.Pane)
		}
	}
}

// along returns the line of a thickness in the middle of the path over some time of a place.
func (b *builder) along(place int, from, to float64, thick float32) (s stretch, ok bool) {
	view := b.st.view(place)
	from, to = max(from, view.Start), min(to, view.End)
	if from > to {
		return s, false
	}
	s.place = place
	rest := (pathLine*b.dp - thick) / 2
	if place == Main {
		x0 := b.v.Axis.X(from)
		s.main = geom.Rect{X0: x0, X1: max(b.v.Axis.X(to), x0+b.dp),
			Y0: b.v.Stacks.Y1 - pathLine*b.dp + rest, Y1: b.v.Stacks.Y1 - rest}
		return s, true
	}
	p, inner := &b.v.sections[place], b.v.Ring.Zero-(ringStrip+pathLine)*b.dp
	s.arc = scene.Arc{Centre: b.v.Ring.Centre, R0: inner + rest, R1: inner + pathLine*b.dp - rest,
		From: float32(p.angle(to)), To: float32(p.angle(from)), U1: 1}
	s.arc.From = min(s.arc.From, s.arc.To-b.dp/b.v.Ring.Zero)
	return s, true
}

func (s *stretch) draw(l *scene.Layer, c color.NRGBA) {
	if s.place == Main {
		l.Fill(s.main, c)
		return
	}
	a := s.arc
	a.Fill = c
	l.Arcs = append(l.Arcs, a)
}

// crossing draws the way of the path from one thread to the next.
func (b *builder) crossing(l *scene.Layer, from, to *wait.Segment, ink color.NRGBA) {
	p, q := b.placeOf(int(from.Thread)), b.placeOf(int(to.Thread))
	if p == Nowhere || q == Nowhere || p == q ||
		!b.st.view(p).Contains(float64(from.To)) || !b.st.view(q).Contains(float64(to.From)) {
		return
	}
	e := b.edge(p, b.anchor(p, float64(from.To)), q, b.anchor(q, float64(to.From)))
	beside := e
	for k := range beside {
		beside[k].X += b.dp / 2
	}
	l.Ribbons = append(l.Ribbons, scene.Ribbon{Edges: [2][4]geom.Point{e, beside}, Ink: ink,
		Fill: ink, Line: pathCross * b.dp})
}

// pathText says how long the path is, and what of it nothing explains.
func (b *builder) pathText() string {
	p := b.st.Path
	if p == nil || len(p.Segments) == 0 {
		return ""
	}
	value := func(ns int64) string { return geom.FormatValue(float64(ns), string(b.v.trace.Unit)) }
	text := "critical path " + value(p.Ns)
	if p.WaitNs > 0 {
		text += fmt.Sprintf(", %s of it unexplained waiting", value(p.WaitNs))
	}
	return text
}

// pickPath picks a stretch of the critical path.
func (v *View) pickPath(p geom.Point, h *Hit) bool {
	radius, angle := v.Ring.polar(p)
	reach := pathReach * v.dp
	for k := len(v.path) - 1; k >= 0; k-- {
		s := &v.path[k]
		m, a := s.main, &s.arc
		if s.place == Main && (p.X < m.X0-1 || p.X > m.X1+1 || p.Y < m.Y0-reach || p.Y > m.Y1+reach) ||
			s.place != Main && (radius < a.R0-reach || radius > a.R1+1 ||
				angle < float64(a.From) || angle > float64(a.To)) {
			continue
		}
		v.hitPlace(h, OnPath, s.place, p)
		h.Thread, h.Segment = int(v.st.Path.Segments[s.segment].Thread), s.segment
		return true
	}
	return false
}
