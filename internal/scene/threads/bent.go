package threads

import (
	"image/color"
	"math"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
	"diptych/internal/typeface"
	"diptych/internal/wait"
)

// bent is a call, or a level of a run of narrow calls, as an arc.
type bent struct {
	arc      scene.Arc
	from, to float32 // the call's own angles, if the arc had to be widened to be seen
	cell     icicle.Cell
}

// ringBudget is how many arcs the ring has before its threads are drawn more coarsely; a section
// gets its share of them, but leastBudget at least.
const (
	ringBudget  = 14000
	leastBudget = 200
)

// ring draws the threads of all sections.
func (b *builder) ring() {
	layer := b.layer(geom.Rect{})
	b.a.bent = b.a.bent[:0]
	rim := -1
	for k := range b.v.sections {
		p := &b.v.sections[k]
		p.first = len(b.a.bent)
		if th := b.st.Sections[k].Threads; len(th) > 0 {
			rim = b.rim(b.at(layer), p, rim)
			b.ringStates(b.at(layer), k)
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

// rim draws the line that a section's stacks stand on, where nothing is called, and returns its
// index in the layer. If a section and the one before it are both narrower than a pixel, they share
// a line. The renderer draws no arc narrower than a pixel, so the lines of thousands of sections
// would lie over each other, several a pixel. Before is the line of the section before, or −1 if
// it cannot be shared.
func (b *builder) rim(l *scene.Layer, p *placed, before int) int {
	pixel := 1 / float64(max(b.v.Ring.Zero, 1))
	narrow := p.left-p.right < pixel
	if narrow && before >= 0 && math.Abs(float64(l.Arcs[before].From)-p.left) < pixel {
		l.Arcs[before].From = min(l.Arcs[before].From, float32(p.right))
		return before
	}
	l.Arcs = append(l.Arcs, scene.Arc{Centre: b.v.Ring.Centre, R0: b.v.Ring.Zero - b.dp,
		R1: b.v.Ring.Zero, From: float32(p.right), To: float32(p.left), Fill: b.pal.Line, U1: 1})
	if !narrow {
		return -1
	}
	return len(l.Arcs) - 1
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
			b.a.bent = append(b.a.bent, shape) // it may begin within a pixel of the ring
		}
	}
}

// wrap maps a rectangle of the straight drawing onto the ring. An arc that would be narrower than a
// pixel is widened to one, towards later times as in a straight icicle. That is done here and not
// in the shader, so that picking sees the arcs as they are drawn.
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

// covers reports whether an arc holds a point in polar coordinates: as it is drawn, and as it would
// be had it not been widened.
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
	depth := int(th.Depth(int(ref.Call)))
	from := max(p.angle(float64(th.End(int(ref.Call)))), p.right)
	to := min(p.angle(float64(th.Start(int(ref.Call)))), p.left)
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

// nameForms are the ways to write a function's name.
type nameForms = *typeface.Name

const (
	leastRow  = 1.15 // height, in text sizes, of a row that bears names
	leastName = 3.4  // width, in text sizes, below which trying to fit a name is in vain
	namePad   = .4   // free space on either side, in text sizes
	ringText  = 10   // dp

	mostNames  = 300 // on the ring, shared by its sections
	leastNames = 8   // of a section's share
)

// arcNames labels calls on the ring where there is room. A name is a straight line of text that
// touches the ring like a tangent. It may only be so long that it stays within its row, although
// the row bends.
func (b *builder) arcNames(layer int) {
	each := max(mostNames/max(len(b.v.sections), 1), leastNames)
	for k := range b.v.sections {
		n := 0
		for i := b.v.sections[k].first; i < b.v.sections[k].last && n < each; i++ {
			if b.arcName(b.at(layer), &b.v.bent[i]) {
				n++
			}
		}
	}
}

// arcName labels a call if there is room, and reports whether there was.
func (b *builder) arcName(l *scene.Layer, s *bent) bool {
	size, height := float32(ringText)*b.dp, s.arc.R1-s.arc.R0
	mid := (s.arc.R0 + s.arc.R1) / 2
	width := s.width() * mid
	if s.cell.Run || width < leastName*size || height < leastRow*size {
		return false
	}
	width = min(width-2*namePad*size, float32(math.Sqrt(float64(8*mid*(height-.8*size)))))
	th := b.v.trace.Threads[s.cell.Thread]
	text := b.formsOf(th.Fn[s.cell.From]).Fit(width, size)
	if text == "" {
		return false
	}
	b.turned(l, text, mid, float64(s.arc.From+s.arc.To)/2, size)
	return true
}

// turned writes a line of text along the ring, its middle at an angle, and never upside down.
func (b *builder) turned(l *scene.Layer, text string, radius float32, angle float64, size float32) {
	w := typeface.Width(text, size, false) + 1
	bulge := w * w / (8 * radius)
	at := b.v.Ring.point(radius-bulge/2, angle)
	turn := angle - math.Pi/2
	if turn > math.Pi/2 {
		turn -= math.Pi
	} else if turn < -math.Pi/2 {
		turn += math.Pi
	}
	l.Write(scene.Text{Text: text, Fill: b.pal.Text, Size: size, Align: scene.AlignCentre,
		Turn: float32(turn), Rect: geom.Rect{X0: at.X - w/2, X1: at.X + w/2,
			Y0: at.Y - size*.7, Y1: at.Y + size*.7}})
}

// formsOf remembers the ways to write a name, which cost more to find than to choose from.
func (b *builder) formsOf(f trace.FuncID) nameForms {
	if b.a.of != b.v.trace || b.a.names == nil {
		b.a.of, b.a.names = b.v.trace, map[trace.FuncID]nameForms{}
	}
	n, ok := b.a.names[f]
	if !ok {
		n = typeface.NewName(b.v.trace.Functions[f].Name)
		b.a.names[f] = n
	}
	return n
}
