package aggregate

import (
	"image"
	"image/color"
	"math"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op/clip"

	"diptych/internal/aggregate"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// curve is the slider of p: the quality curves of what is shown, gain as a line and loss as dots,
// with a handle that is dragged along them. Marks below stand where other partitions become
// optimal, and a triangle where p is best.
type curve struct {
	dragging bool
	turned   float32 // what the wheel was turned, in notches, and has not led to a step yet
	clicks   kit.ClickCount
}

// What the ends of the curves are.
const (
	exact  = "exact"
	simple = "simple"
)

// Measures of the curves in dp.
const (
	knob     = 5  // radius of the handle
	markRoom = 22 // below the curves: marks and words
)

func (v *curve) layout(c *view.Context, gtx layout.Context, st *session.State,
	o *overview) layout.Dimensions {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Constraints.Max.Y)
	r := image.Rect(gtx.Dp(knob), gtx.Dp(2*knob), size.X-gtx.Dp(knob+16), size.Y-gtx.Dp(markRoom))
	if r.Empty() {
		return layout.Dimensions{Size: size}
	}
	v.update(c, gtx, st, o, r)
	v.axes(c, gtx, r, v.apartName(c, gtx, r, o, ownOf(st)))
	if !o.searched {
		v.unknown(c, gtx, r, o.p(ownOf(st)))
	}
	own, g := ownOf(st), growthIn(st, o)
	for k := range o.curves {
		if k != o.leading(own) {
			continue
		}
		points := o.known(g, k)
		v.lines(c, gtx, r, o, k, points)
		v.marks(c, gtx, r, points)
	}
	v.best(c, gtx, r, o, own)
	v.handle(c, gtx, r, o.p(own))

	area := clip.Rect{Max: size}.Push(gtx.Ops)
	event.Op(gtx.Ops, v)
	semantic.LabelOp("Simplicity against detail, with the quality curves").Add(gtx.Ops)
	pointer.CursorPointer.Add(gtx.Ops)
	area.Pop()
	return layout.Dimensions{Size: size}
}

// update hears what the user does: drags choose p, a double click the best one, the wheel steps.
func (v *curve) update(c *view.Context, gtx layout.Context, st *session.State, o *overview,
	r image.Rectangle) {
	for e := range kit.Pointed(gtx, v) {
		switch e.Kind {
		case pointer.Press:
			gtx.Execute(key.FocusCmd{})
			if v.dragging = e.Buttons.Contain(pointer.ButtonPrimary); !v.dragging {
				continue
			}
			if v.clicks.Add(e) >= 2 {
				v.dragging = false
				best(c.S)
				continue
			}
		case pointer.Release, pointer.Cancel:
			v.dragging = false
			continue
		case pointer.Scroll:
			v.turned += e.Scroll.Y / c.Kit.Px(kit.Notch)
			if steps := int(v.turned); steps != 0 {
				v.turned -= float32(steps)
				step(c.S, -steps)
			}
			continue
		}
		if v.dragging {
			setP(c.S, float64(e.Position.X-float32(r.Min.X))/float64(r.Dx()))
		}
	}
}

// apartName returns where the mark of the difference has its name, within the curves; empty where
// it has none.
func (v *curve) apartName(c *view.Context, gtx layout.Context, r image.Rectangle, o *overview,
	own *Own) image.Rectangle {
	if o.curves[apart] == nil || o.leading(own) == apart {
		return image.Rectangle{}
	}
	w := int(c.Kit.Width(plotNames[scene.Difference], kit.Small)) + 1
	x := min(max(at(r, o.best[apart].P)-w/2, r.Min.X), r.Max.X-w)
	return image.Rect(x, r.Max.Y+gtx.Dp(8), x+w, r.Max.Y+gtx.Dp(markRoom))
}

// axes draw the frame, and say what its ends are unless the name of a mark stands there.
func (v *curve) axes(c *view.Context, gtx layout.Context, r, name image.Rectangle) {
	pal, line := c.Kit.Pal, max(1, gtx.Dp(1))
	kit.Fill(gtx, image.Rect(r.Min.X, r.Max.Y, r.Max.X, r.Max.Y+line), pal.Line)
	kit.Fill(gtx, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+line), pal.Line)
	text := func(r image.Rectangle, s string, st kit.Style) {
		kit.At(gtx, r, func(gtx layout.Context) {
			gtx.Constraints.Min.X = gtx.Constraints.Max.X
			c.Kit.Label(gtx, s, st)
		})
	}
	right := image.Rect(r.Max.X+gtx.Dp(4), r.Min.Y-gtx.Dp(7), r.Max.X+gtx.Dp(16), r.Min.Y+gtx.Dp(9))
	text(right, "1", c.Kit.Caption())
	text(right.Add(image.Pt(0, r.Dy())), "0", c.Kit.Caption())
	below := image.Rect(r.Min.X, r.Max.Y+gtx.Dp(7), r.Max.X, r.Max.Y+gtx.Dp(markRoom))
	room := func(s string) int { return int(c.Kit.Width(s, kit.Small)) + gtx.Dp(6) }
	if name.Empty() || name.Min.X >= r.Min.X+room(exact) {
		text(below, exact, c.Kit.Caption())
	}
	if name.Empty() || name.Max.X <= r.Max.X-room(simple) {
		text(below, simple, kit.Right(c.Kit.Caption()))
	}
}

// unknown says, in the half in which the handle is not, why there are no curves yet.
func (v *curve) unknown(c *view.Context, gtx layout.Context, r image.Rectangle, p float64) {
	text := c.Kit.Caption()
	text.Lines = 2
	half := r
	if half.Max.X = at(r, .5) - gtx.Dp(knob); p < .5 {
		half = half.Add(image.Pt(at(r, .5)+gtx.Dp(knob)-r.Min.X, 0))
	}
	kit.At(gtx, half, func(gtx layout.Context) {
		kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, searching, text)
		})
	})
}

// lines draw gain and loss of each source of a curve, as steps from one optimum to the next.
func (v *curve) lines(c *view.Context, gtx layout.Context, r image.Rectangle, o *overview, k int,
	points []aggregate.Point) {
	inks := []color.NRGBA{c.Kit.Pal.Text}
	if k == sides {
		inks = inks[:0]
		for s := range o.parts[:scene.Difference] {
			if o.parts[s] != nil {
				inks = append(inks, c.Kit.Pal.Side(s))
			}
		}
	}
	for i, ink := range inks {
		v.steps(gtx, r, points, ink, false, func(p *aggregate.Partition) float64 { return p.Gain }, i)
		v.steps(gtx, r, points, ink, true, func(p *aggregate.Partition) float64 { return p.Loss }, i)
	}
}

// steps draw one line.
func (v *curve) steps(gtx layout.Context, r image.Rectangle, points []aggregate.Point,
	ink color.NRGBA, dotted bool, value func(*aggregate.Partition) float64, source int) {
	thick := max(1, gtx.Dp(1)+gtx.Dp(1)/2)
	before := -1
	for i := range points {
		p := &points[i]
		x0, x1 := at(r, p.From), at(r, p.To)
		y := r.Max.Y - int(float64(r.Dy())*min(max(value(p.Partitions[source]), 0), 1)+.5)
		if before >= 0 && !dotted {
			kit.Fill(gtx, image.Rect(x0, min(y, before), x0+thick, max(y, before)+thick), ink)
		}
		for x := x0; x < x1; {
			end := x1
			if dotted {
				end = min(x+2*thick, x1)
			}
			kit.Fill(gtx, image.Rect(x, y, end, y+thick), ink)
			x = end
			if dotted {
				x += 2 * thick
			}
		}
		if x1 == x0 && !dotted {
			kit.Fill(gtx, image.Rect(x0, y, x0+thick, y+thick), ink)
		}
		before = y
	}
}

// at returns where p is on the curves.
func at(r image.Rectangle, p float64) int { return r.Min.X + int(float64(r.Dx())*p+.5) }

// marks stand where another partition becomes optimal: at the significant p.
func (v *curve) marks(c *view.Context, gtx layout.Context, r image.Rectangle,
	points []aggregate.Point) {
	for i := range points {
		if i == 0 {
			continue
		}
		x := at(r, points[i].From)
		kit.Fill(gtx, image.Rect(x, r.Max.Y, x+max(1, gtx.Dp(1)/2), r.Max.Y+gtx.Dp(4)),
			c.Kit.Pal.Secondary)
	}
}

// best marks the best p of the sides and, by a smaller mark, that of their difference.
func (v *curve) best(c *view.Context, gtx layout.Context, r image.Rectangle, o *overview, own *Own) {
	for k := range o.curves {
		if o.curves[k] == nil {
			continue
		}
		ink := c.Kit.Pal.Text
		if k != o.leading(own) {
			ink = c.Kit.Pal.Secondary
		}
		x, half := at(r, o.best[k].P), gtx.Dp(4)
		for i := range half + 1 { // a triangle that points up
			y := r.Max.Y + gtx.Dp(3) + i
			kit.Fill(gtx, image.Rect(x-i, y, x+i+1, y+1), ink)
		}
	}
	if name := v.apartName(c, gtx, r, o, own); !name.Empty() {
		kit.At(gtx, name, func(gtx layout.Context) {
			kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, plotNames[scene.Difference], c.Kit.Caption())
			})
		})
	}
}

// handle stands where p is.
func (v *curve) handle(c *view.Context, gtx layout.Context, r image.Rectangle, p float64) {
	x, line, radius := at(r, p), max(1, gtx.Dp(1)), gtx.Dp(knob)
	kit.Fill(gtx, image.Rect(x, r.Min.Y, x+line, r.Max.Y), c.Kit.Pal.Text)
	disc := image.Rect(x-radius, r.Min.Y-2*radius, x+radius, r.Min.Y)
	kit.FillRound(gtx, disc, radius, c.Kit.Pal.Pane)
	kit.StrokeRound(gtx, disc, radius, c.Kit.Px(1.5), c.Kit.Pal.A)
}

// best goes back to the best p of each overview.
func best(s *session.Session) { change(s, func(o *Own) { o.Fixed, o.P = false, 0 }) }

// step goes so many significant p on, towards simplicity or back.
func step(s *session.Session, by int) {
	st := s.State()
	o, own := overviewIn(st), ownOf(st)
	if o == nil {
		return
	}
	points := o.known(growthIn(st, o), o.leading(own))
	if len(points) == 0 {
		return
	}
	now, here := o.p(own), 0
	for i := range points {
		if points[i].From <= now {
			here = i
		}
	}
	here = min(max(here+by, 0), len(points)-1)
	setP(s, within(points[here]))
}

// within returns a p for which a point is optimal, with few digits where there is one.
func within(p aggregate.Point) float64 {
	for _, grain := range []float64{1e2, 1e3, 1e4, 1e5} {
		if v := math.Round(p.P*grain) / grain; v > p.From && v < p.To {
			return v
		}
	}
	return p.P
}
