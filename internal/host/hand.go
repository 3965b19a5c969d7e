package host

import (
	"image"

	"gioui.org/f32"
	"gioui.org/io/input"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
)

// What a user's hands do to a window, done to a Picture. Each act settles the App before it
// returns; positions are in px from the top left corner.

// Find returns the place of the first control or text with the given accessible label.
func (p *Picture) Find(label string) (image.Rectangle, bool) {
	for _, n := range p.nodes() {
		if n.Desc.Label == label || n.Desc.Description == label {
			return n.Desc.Bounds, true
		}
	}
	return image.Rectangle{}, false
}

// Labels returns the accessible labels the App shows, in drawing order.
func (p *Picture) Labels() []string {
	var labels []string
	for _, n := range p.nodes() {
		if n.Desc.Label != "" {
			labels = append(labels, n.Desc.Label)
		}
	}
	return labels
}

// Clipboard returns what the App has put on the clipboard last.
func (p *Picture) Clipboard() string { return p.stage.window.clipboard() }

func (p *Picture) nodes() []input.SemanticNode { return p.stage.router.AppendSemantics(nil) }

// Move moves the mouse with no button down.
func (p *Picture) Move(at image.Point, m key.Modifiers) {
	p.point(pointer.Move, 0, at, m)
	p.Settle()
}

// Point moves the mouse as Move does, and leaves laying out to the caller.
func (p *Picture) Point(at image.Point) { p.point(pointer.Move, 0, at, 0) }

// Click presses and releases a button.
func (p *Picture) Click(at image.Point, b pointer.Buttons, m key.Modifiers) {
	p.click(at, b, m)
	p.Settle()
}

// DoubleClick clicks twice at one moment.
func (p *Picture) DoubleClick(at image.Point) {
	p.click(at, pointer.ButtonPrimary, 0)
	p.click(at, pointer.ButtonPrimary, 0)
	p.Settle()
}

// Drag moves the mouse from one point to another, in a few steps, with a button down.
func (p *Picture) Drag(from, to image.Point, b pointer.Buttons, m key.Modifiers) {
	const steps = 4
	p.point(pointer.Move, 0, from, m)
	p.point(pointer.Press, b, from, m)
	p.Layout()
	for i := 1; i <= steps; i++ {
		p.point(pointer.Move, b, from.Add(to.Sub(from).Mul(i).Div(steps)), m)
		p.Layout()
	}
	p.point(pointer.Release, 0, to, m)
	p.Settle()
}

// Scroll turns the wheel by so many notches, downwards and to the right where positive.
func (p *Picture) Scroll(at image.Point, x, y float32, m key.Modifiers) {
	e := p.pointer(pointer.Scroll, 0, at, m)
	e.Scroll = f32.Pt(x, y).Mul(notch * p.stage.scale)
	p.Queue(e)
	p.Settle()
}

// Press strikes a key that writes nothing.
func (p *Picture) Press(name key.Name, m key.Modifiers) {
	p.Queue(key.Event{Name: name, Modifiers: m, State: key.Press})
	p.Layout()
	p.Queue(key.Event{Name: name, Modifiers: m, State: key.Release})
	p.Settle()
}

// Type enters text into the editor that has the focus.
func (p *Picture) Type(text string) {
	p.Queue(key.EditEvent{Text: text})
	p.Settle()
}

func (p *Picture) click(at image.Point, b pointer.Buttons, m key.Modifiers) {
	p.point(pointer.Move, 0, at, m)
	p.point(pointer.Press, b, at, m)
	p.point(pointer.Release, 0, at, m)
}

func (p *Picture) point(k pointer.Kind, b pointer.Buttons, at image.Point, m key.Modifiers) {
	p.Queue(p.pointer(k, b, at, m))
}

func (p *Picture) pointer(
	k pointer.Kind, b pointer.Buttons, at image.Point, m key.Modifiers,
) pointer.Event {
	return pointer.Event{
		Kind: k, Source: pointer.Mouse, Buttons: b, Modifiers: m,
		Position: f32.Pt(float32(at.X), float32(at.Y)), Time: p.now.Sub(began),
	}
}
