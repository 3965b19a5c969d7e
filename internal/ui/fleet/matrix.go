package fleet

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"diptych/internal/batch/fleet"
	"diptych/internal/geom"
	base "diptych/internal/scene"
	scene "diptych/internal/scene/fleet"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// matrix is what the page keeps of its picture between frames.
type matrix struct {
	whole image.Rectangle // of the card, in the window
	area  image.Rectangle // of the scene
	view  *scene.View
	built builtOf
	kept  base.Scene

	quantity fleet.Quantity
	choices  [fleet.Quantities]widget.Clickable
	zoom     float32 // of the rows; 1 where all are in sight
	top      float64 // rows scrolled out above

	at      geom.Point // pointer, relative to area
	inside  bool
	pressed bool
	moved   bool
	grab    geom.Point // where it was pressed, and what was scrolled then
	from    float64
	marked  int // the row of what is pointed at in a list, or −1
}

// builtOf is what the scene was built of.
type builtOf struct {
	state scene.State
	size  image.Point
}

// headHeight is the height of the controls, dp.
const headHeight = 44

// build builds the scene, if anything has changed.
func (m *matrix) build(c *view.Context, of *content) {
	m.area = m.whole
	m.area.Min.Y = min(m.area.Min.Y+c.Kit.Dp(headHeight), m.area.Max.Y)
	m.area.Max.X -= c.Kit.Dp(6)
	if m.area.Empty() {
		m.view = nil
		return
	}
	st := scene.State{Grid: of.grid, Palette: c.Kit.Pal, Scale: c.Kit.Px(1),
		Quantity: int(m.quantity), Zoom: m.zoom, Top: m.top, Marked: m.marked}
	now := builtOf{st, m.area.Size()}
	if now.state.Hover = m.built.state.Hover; m.view != nil && now == m.built && !m.stale() {
		return
	}
	now.state.Hover = m.hovered()
	size := geom.Size{W: float32(m.area.Dx()), H: float32(m.area.Dy())}
	m.view, m.built = scene.Build(&now.state, size, &m.kept), now
	m.top = m.view.Top
	m.built.state.Top = m.top
	if spot := m.hovered(); spot != now.state.Hover { // the picture has moved below the pointer
		now.state.Hover = spot
		m.view = scene.Build(&now.state, size, &m.kept)
		m.built.state.Hover = spot
	}
}

// stale reports whether something else is under the pointer than when the scene was built.
func (m *matrix) stale() bool { return m.hovered() != m.built.state.Hover }

// hovered returns the cell under the pointer; beside the cells the row without a bucket.
func (m *matrix) hovered() scene.Spot {
	if !m.inside || m.moved || m.view == nil {
		return scene.Spot{}
	}
	spot, cell := m.view.Pick(m.at)
	if !cell {
		spot.Bucket = none
	}
	return spot
}

// pointer hears one event.
func (p *Page) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	m := &p.matrix
	m.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	switch e.Kind {
	case pointer.Enter, pointer.Move:
		m.inside = true
	case pointer.Leave, pointer.Cancel:
		m.inside, m.pressed, m.moved = false, false, false
	case pointer.Press:
		if e.Buttons.Contain(pointer.ButtonPrimary) {
			m.pressed, m.moved, m.grab, m.from = true, false, m.at, m.top
		}
	case pointer.Drag:
		m.drag(c)
	case pointer.Release:
		if m.pressed && !m.moved {
			p.click()
		}
		m.pressed, m.moved = false, false
	case pointer.Scroll:
		m.scroll(p.content.grid, e)
	}
	gtx.Execute(op.InvalidateCmd{})
}

// drag moves the rows with the pointer.
func (m *matrix) drag(c *view.Context) {
	dy := m.at.Y - m.grab.Y
	if m.pressed && kit.Abs(dy) > c.Kit.Px(kit.DragThreshold) {
		m.moved = true
	}
	if m.moved {
		m.top = max(m.from-float64(dy/m.view.Height), 0)
	}
}

// scroll zooms the rows and holds the one under the pointer in place; with Shift it moves them.
func (m *matrix) scroll(g *scene.Grid, e pointer.Event) {
	by := e.Scroll.Y
	if by == 0 {
		by = e.Scroll.X
	}
	if e.Modifiers != 0 && e.Scroll.X != 0 {
		m.top = max(m.top+float64(by/m.view.Height), 0)
		return
	}
	factor := float32(1)
	for n := by / kit.Notch; n <= -.5; n++ {
		factor /= kit.WheelZoom
	}
	for n := by / kit.Notch; n >= .5; n-- {
		factor *= kit.WheelZoom
	}
	m.rescale(g, factor, m.at.Y)
}

// rescale makes rows taller by a factor and holds the one at y in place.
func (m *matrix) rescale(g *scene.Grid, factor, y float32) {
	if m.view == nil {
		return
	}
	tallest := g.Tallest(float32(m.area.Dy()), m.built.state.Scale)
	was := m.zoom
	m.zoom = min(max(m.zoom*factor, 1), tallest)
	at := float64((y - m.view.Plot.Y0) / m.view.Height)
	m.top = max(m.top+at*(1-float64(was/m.zoom)), 0)
}

// click opens what is under the pointer.
func (p *Page) click() {
	m := &p.matrix
	spot, cell := m.view.Pick(m.at)
	if !spot.OK {
		return
	}
	k := p.content.Matrix.Pairs[spot.Row]
	area := p.content.grid.Area(spot)
	switch x := &p.content.grid.Rows[spot.Row]; {
	case x.Departs() && (!cell || spot.Bucket >= x.From && spot.Bucket < x.To):
		p.visitOutlier(k)
	case cell && area != nil:
		p.visit(k, area.FromBucket, area.ToBucket)
	default:
		p.visit(k, 0, 0)
	}
}

// layoutMatrix lays out what lies over the scene, and the controls above it.
func (p *Page) layoutMatrix(c *view.Context, gtx layout.Context) {
	m := &p.matrix
	head := m.whole
	head.Max.Y = m.area.Min.Y
	kit.At(gtx, head, func(gtx layout.Context) { p.controls(c, gtx) })
	if m.view == nil {
		return
	}
	kit.At(gtx, m.area, func(gtx layout.Context) {
		stack := clip.Rect{Max: m.area.Size()}.Push(gtx.Ops)
		event.Op(gtx.Ops, m)
		semantic.LabelOp("Pairs over time").Add(gtx.Ops)
		if m.moved {
			pointer.CursorGrabbing.Add(gtx.Ops)
		} else if m.hovered().OK {
			pointer.CursorPointer.Add(gtx.Ops)
		}
		stack.Pop()
		if len(p.content.grid.Rows) == 0 {
			kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, "None of the pairs could be compared.", c.Kit.Text())
			})
		}
		p.tooltip(c, gtx)
	})
}

// tooltip explains what is under the pointer.
func (p *Page) tooltip(c *view.Context, gtx layout.Context) {
	m := &p.matrix
	if !m.inside || m.moved || c.Quiet() {
		return
	}
	spot, cell := m.view.Pick(m.at)
	if !spot.OK || m.at.X >= m.view.Plot.X1 && !p.content.grid.Rows[spot.Row].Departs() {
		return
	}
	shape := m.view.Rect(spot.Row, spot.Row+1, spot.Bucket, spot.Bucket+1)
	lines := p.content.explainPair(spot.Row)
	if cell {
		lines = p.content.explainCell(spot, m.quantity)
	}
	c.Kit.TipBox(gtx, lines, shape, m.at)
}

// controls choose what the colours tell, and say what they mean.
func (p *Page) controls(c *view.Context, gtx layout.Context) {
	m := &p.matrix
	for q := range m.choices {
		if m.choices[q].Clicked(gtx) {
			m.quantity = fleet.Quantity(q)
			gtx.Execute(op.InvalidateCmd{})
		}
	}
	layout.Inset{Left: 10, Right: 14}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min = gtx.Constraints.Max
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Segments(gtx, m.choices[:], quantityTitles[:], quantityNames[:],
					int(m.quantity))
			}),
			kit.Space(14),
			kit.Wide(func(gtx layout.Context) layout.Dimensions { return layout.Dimensions{} }),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions { return p.legend(c, gtx) }))
	})
}

// The bar of the legend in dp, at least and at most, and in how many steps it is drawn.
const legendLeast, legendWidth, legendHeight, legendSteps = 24, 120, 9, 40

// legend shows the scale of the colours between its ends in words, which have the room first.
func (p *Page) legend(c *view.Context, gtx layout.Context) layout.Dimensions {
	q := &p.content.grid.Quantities[p.matrix.quantity]
	low, high := limits(p.matrix.quantity, q)
	words := int(c.Kit.Width(low, kit.Small)+c.Kit.Width(high, kit.Small)) + gtx.Dp(6+6+2)
	wide := min(max(gtx.Constraints.Max.X-words, gtx.Dp(legendLeast)), gtx.Dp(legendWidth))
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, low, c.Kit.Caption())
		}), kit.Space(6),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			size := image.Pt(wide, gtx.Dp(legendHeight))
			for k := range legendSteps {
				share := (float32(k) + .5) / legendSteps
				if q.Signed {
					share = 2*share - 1
				}
				r := image.Rect(size.X*k/legendSteps, 0, size.X*(k+1)/legendSteps, size.Y)
				kit.Fill(gtx, r, scene.Ink(c.Kit.Pal, q, share))
			}
			return layout.Dimensions{Size: size}
		}), kit.Space(6),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, high, c.Kit.Caption())
		}))
}

// Scenes returns what is drawn beneath.
func (p *Page) Scenes() []view.Part {
	if p.content == nil || p.matrix.view == nil {
		return nil
	}
	return []view.Part{{Scene: p.matrix.view.Scene, Area: p.matrix.area}}
}
