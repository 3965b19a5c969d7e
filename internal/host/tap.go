package host

import (
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
)

// TapControl is the name of the key that is pressed when Control was pressed and released with
// nothing between: no other key, no button, no wheel. Moving the pointer in between does no harm.
const TapControl key.Name = "Tap Control"

// tap watches for a tap of Control among all events. An App could not: a widget that has the focus
// takes the C of Ctrl-C, and what is left looks like a tap.
type tap struct{ held, alone bool }

// hear takes one event and reports whether it completes a tap.
func (t *tap) hear(e event.Event) (tapped bool) {
	switch e := e.(type) {
	case key.Event:
		switch {
		case e.Name != key.NameCtrl:
			t.alone = false
		case e.State == key.Release:
			tapped = t.alone
			*t = tap{}
		case !t.held:
			*t = tap{held: true, alone: e.Modifiers&^key.ModCtrl == 0}
		}
	case pointer.Event:
		if e.Buttons != 0 || e.Kind == pointer.Release || e.Kind == pointer.Scroll {
			t.alone = false
		}
	default:
		t.alone = false
	}
	return tapped
}
