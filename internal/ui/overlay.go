package ui

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// overlay is what lies over everything while it is open: the palette, the keys, the file
// chooser, the text of a note, the files that a session lacks.
type overlay struct {
	page    page
	shown   page // in the last frame
	enters  bool // whether the page is shown for the first time
	palette paletteBox
	keys    keysBox
	files   fileBox
	note    noteBox
	sought  soughtBox
	shade   struct{ _ byte }
}

type page uint8

const (
	noPage page = iota
	palettePage
	keysPage
	filesPage
	notePage
	soughtPage
)

func (o *overlay) show(p page) { o.page = p }

func (o *overlay) layout(a *App, gtx layout.Context, st *session.State) {
	o.enters, o.shown = o.page != o.shown, o.page
	if o.page == noPage {
		return
	}
	o.backdrop(a, gtx)
	if o.page == noPage {
		return
	}
	size := image.Pt(min(gtx.Dp(680), gtx.Constraints.Max.X-gtx.Dp(32)),
		min(gtx.Dp(560), gtx.Constraints.Max.Y-gtx.Dp(96)))
	switch o.page {
	case notePage:
		size.Y = gtx.Dp(172)
	case soughtPage:
		size.Y = gtx.Dp(140 + 74*unit.Dp(len(o.sought.missing)))
		size.Y = min(size.Y, gtx.Constraints.Max.Y-gtx.Dp(96))
	case keysPage:
		size.X = min(gtx.Dp(860), gtx.Constraints.Max.X-gtx.Dp(32))
		size.Y = min(gtx.Dp(780), gtx.Constraints.Max.Y-gtx.Dp(80))
	}
	x := (gtx.Constraints.Max.X - size.X) / 2
	corner := image.Pt(x, min(gtx.Dp(64), (gtx.Constraints.Max.Y-size.Y)/2))
	r := image.Rectangle{Min: corner, Max: corner.Add(size)}
	kit.FillRound(gtx, r, gtx.Dp(8), a.kit.Pal.Pane)
	kit.StrokeRound(gtx, r, gtx.Dp(8), a.kit.Px(1), a.kit.Pal.Line)
	kit.At(gtx, r, func(gtx layout.Context) {
		event.Op(gtx.Ops, o) // a press inside does not reach the backdrop
		layout.UniformInset(16).Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min = gtx.Constraints.Max
			switch o.page {
			case palettePage:
				return o.palette.layout(a, gtx, st)
			case keysPage:
				return o.keys.layout(a, gtx)
			case notePage:
				return o.note.layout(a, gtx, st)
			case soughtPage:
				return o.sought.layout(a, gtx)
			}
			return o.files.layout(a, gtx)
		})
	})
}

// backdrop dims the rest and closes the overlay when it is pressed.
func (o *overlay) backdrop(a *App, gtx layout.Context) {
	area := image.Rectangle{Max: gtx.Constraints.Max}
	kit.Fill(gtx, area, a.kit.Pal.Shadow)
	stack := clip.Rect(area).Push(gtx.Ops)
	event.Op(gtx.Ops, &o.shade)
	stack.Pop()
	for {
		e, ok := gtx.Event(pointer.Filter{Target: &o.shade, Kinds: pointer.Press | pointer.Scroll,
			ScrollY: pointer.ScrollRange{Min: -1e6, Max: 1e6}})
		if !ok {
			return
		}
		if p, ok := e.(pointer.Event); ok && p.Kind == pointer.Press {
			o.show(noPage)
			gtx.Execute(key.FocusCmd{})
			gtx.Execute(op.InvalidateCmd{})
		}
	}
}

func (o *overlay) openPalette() {
	o.palette.query.SetText("")
	o.palette.at = 0
	o.show(palettePage)
}
