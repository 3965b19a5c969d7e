package threads

import (
	"image/color"
	"math"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// bent is a call, or a level of a run of narrow calls, as an arc.
type bent struct {
	arc      scene.Arc
	from, to float32 // the call's own angles, if the arc had to be widened to be seen
	cell     icicle.Cell
}

// Arcs on the ring beyond which its threads are drawn more coarsely, and of one section.
const (
	ringBudget  = 14000
	leastBudget = 200
)

// ring draws the threads of all sections.
func (b *builder) ring() {
	layer := b.layer(geom.Rect{})
	b.a.bent = b.a.bent[:0]
	for k := range b.v.sections {
		p := &b.v.sections[k]
		p.first = len(b.a.bent)
		if th := b.st.Sections[k].Threads; len(th) > 0 {
			b.rim(b.at(layer), p)
			b.bend(p, th[0])
		}
		p.last = len(b.a.bent)
	}
	b.v.bent = b.a.bent
	l := b.at(layer)
	for k := range b.v.bent {
		l.Arcs = append(l.Arcs, b.v.bent[k].arc)
	}
	b.arcNames(layer)
}

// rim draws the line that a section's stacks stand on, where nothing is called.
func (b *builder) rim(l *scene.Layer, p *placed) {
	l.Arcs = append(l.Arcs, scene.Arc{Centre: b.v.Ring.Centre, R0: b.v.Ring.Zero - b.dp,
		R1: b.v.Ring.Zero, From: float32(p.right), To: float32(p.left), Fill: b.pal.Line, U1: 1})
}

// bend draws a thread straight, as wide as its section is in the middle of the ring, and maps what
// was drawn onto the section.
func (b *builder) bend(p *placed, thread int) {
	ring := &b.v.Ring
	mean := (ring.Zero + ring.Outer) / 2
	room := ring.Outer - ring.Zero
	width := float32(p.left-p.right) * mean
	if width < 1 || room < 1 || !(p.view.Len() > 0) {
		return
	}
	view := geom.Rect{X1: width, Y1: room}
	plot := icicle.Plot{
		Trace: b.v.trace, Threads: []int{thread}, Axis: geom.Axis{Span: p.view, X1: width},
		View: view, Row: p.plot.row, Fold: p.plot.fold, FoldRow: p.plot.foldRow,
		Palette: b.pal, Detail: icicle.Lighter, Emphasis: b.st.Emphasis,
		CallFill: b.callFill, RunFill: b.runFill,
		Budget: max(ringBudget/len(b.v.sections), leastBudget),
	}
	b.a.straight.Quads = b.a.straight.Quads[:0]
	d := plot.Draw(&b.a.straight, &b.a.rings)
	for c, q := range d.Shapes {
		if shape := b.wrap(p, c, q, mean); shape.arc.R0 < shape.arc.R1 {
			b.a.bent = append(b.a.bent, shape) // a level may begin less than a pixel beyond the ring
		}
	}
}

// wrap maps a rectangle of the straight drawing onto the ring. One that would be narrower than a
// pixel on its middle radius is widened to one here, towards later times as in a straight icicle,
// so that picking need not know how arcs are drawn.
func (b *builder) wrap(p *placed, c icicle.Cell, q *scene.Quad, mean float32) bent {
	ring := &b.v.Ring
	x0, x1 := max(q.Rect.X0, 0), min(q.Rect.X1, float32(p.left-p.right)*mean)
	a := scene.Arc{
		Centre: ring.Centre, R0: ring.Zero + max(q.Rect.Y0, 0),
		R1:   min(ring.Zero+q.Rect.Y1, ring.Outer),
		From: float32(p.left) - x1/mean, To: float32(p.left) - x0/mean,
		Fill: q.Fill, Shade: q.Shade, U0: 1 - q.U1, U1: 1 - q.U0,
	}
	if q.Shade == scene.Flat {
		a.U0, a.U1 = 0, 1
	}
	out := bent{arc: a, from: a.From, to: a.To, cell: c}
	if least := 2 / (a.R0 + a.R1); a.To-a.From < least {
		out.arc.From = max(a.To-least, float32(p.right))
		out.arc.To = max(a.To, out.arc.From+least)
	}
	return out
}

// callFill returns the colour of a call by what its time was spent on.
func (b *builder) callFill(thread, call int) color.NRGBA {
	return b.activity(b.v.waits.Activity(thread, call))
}

// runFill returns the colour of a run of narrow calls.
func (b *builder) runFill(thread, from, to int) color.NRGBA {
	return b.activity(b.v.waits.ActivityIn(thread, from, to))
}

func (b *builder) activity(of wait.Activity, k float64) color.NRGBA {
	switch of {
	case wait.Waiting:
		return b.cols.Waiting(float32(k))
	case wait.Operating:
		return b.cols.Operating(float32(k))
	}
	return b.cols.Busy
}

// covers reports whether an arc as drawn holds a point in polar coordinates, and whether the call's
// own angles do.
func (s *bent) covers(radius float32, angle float64) (drawn, own bool) {
	a := &s.arc
	at := float32(angle)
	if radius < a.R0 || radius >= a.R1 || at < a.From || at >= a.To {
		return false, false
	}
	return true, at >= s.from && at < s.to
}

// width returns the angle that an arc covers.
func (s *bent) width() float32 { return s.arc.To - s.arc.From }

// callArc returns where a call lies in a place of the ring, cut to its section.
func (v *View) callArc(place int, ref trace.CallRef) (scene.Arc, bool) {
	p := &v.sections[place]
	th := v.trace.Threads[ref.Thread]
	depth := int(th.Depth[ref.Call])
	from := max(p.angle(float64(th.End[ref.Call])), p.right)
	to := min(p.angle(float64(th.Start[ref.Call])), p.left)
	if int(ref.Thread) != v.st.Sections[place].Threads[0] || depth >= p.plot.shown ||
		from > p.left || to < p.right {
		return scene.Arc{}, false
	}
	a := scene.Arc{Centre: v.Ring.Centre, R0: v.Ring.Zero + p.plot.offset(depth),
		R1: min(v.Ring.Zero+p.plot.offset(depth+1), v.Ring.Outer), From: float32(from),
		To: float32(to), U1: 1}
	if least := 2 / (a.R0 + a.R1); a.To-a.From < least {
		a.From = a.To - least
	}
	return a, !math.IsNaN(from) && !math.IsNaN(to)
}
