package host

import (
	"testing"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
)

func TestControlIsTapped(t *testing.T) {
	down := key.Event{Name: key.NameCtrl, Modifiers: key.ModCtrl, State: key.Press}
	up := key.Event{Name: key.NameCtrl, State: key.Release}
	c := key.Event{Name: "C", Modifiers: key.ModCtrl, State: key.Press}
	for name, x := range map[string]struct {
		events []event.Event
		taps   int
	}{
		"press and release":      {[]event.Event{down, up}, 1},
		"twice":                  {[]event.Event{down, up, down, up}, 2},
		"with the pointer moved": {[]event.Event{down, pointer.Event{Kind: pointer.Move}, up}, 1},
		"held for long":          {[]event.Event{down, down, down, up}, 1},
		"with another key":       {[]event.Event{down, c, up}, 0},
		"another key repeats":    {[]event.Event{down, c, down, up}, 0},
		"with the wheel":         {[]event.Event{down, pointer.Event{Kind: pointer.Scroll}, up}, 0},
		"with a click": {[]event.Event{down,
			pointer.Event{Kind: pointer.Press, Buttons: pointer.ButtonPrimary},
			pointer.Event{Kind: pointer.Release}, up}, 0},
		"while dragging": {[]event.Event{down,
			pointer.Event{Kind: pointer.Drag, Buttons: pointer.ButtonPrimary}, up}, 0},
		"with Shift": {[]event.Event{key.Event{Name: key.NameCtrl, State: key.Press,
			Modifiers: key.ModCtrl | key.ModShift}, up}, 0},
		"the window loses the focus": {[]event.Event{down, key.FocusEvent{}, up}, 0},
		"released alone":             {[]event.Event{up}, 0},
	} {
		var watch tap
		n := 0
		for _, e := range x.events {
			if watch.hear(e) {
				n++
			}
		}
		if n != x.taps {
			t.Errorf("%s: %d taps, want %d", name, n, x.taps)
		}
	}
}
