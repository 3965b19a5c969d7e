package kit

import (
	"testing"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/widget"
)

func TestSpell(t *testing.T) {
	for _, c := range []struct {
		name key.Name
		mods key.Modifiers
		want string
	}{
		{"F", 0, "F"},
		{"F", key.ModShift, "Shift-F"},
		{"P", key.ModCtrl | key.ModShift, "Ctrl-Shift-P"},
		{"?", key.ModShift, "?"}, // the sign needs the shift key already
		{key.NameLeftArrow, key.ModAlt, "Alt-Left"},
		{key.NameReturn, 0, "Enter"},
		{key.NameEnter, 0, "Enter"},
		{key.NameTab, key.ModShift, "Shift-Tab"},
	} {
		if got := Spell(key.Event{Name: c.name, Modifiers: c.mods}); got != c.want {
			t.Errorf("%s with %s is %q, want %q", c.name, c.mods, got, c.want)
		}
	}
}

func TestArrowKeysStepThroughAList(t *testing.T) {
	k := New()
	var field widget.Editor
	var list widget.List
	at := 0
	field.SingleLine = true
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		StepKeys(gtx, &field, &list, &at, 3)
		return k.Field(gtx, &field, "Find", "Find")
	})
	b.Press(key.NameDownArrow, 0)
	if at != 0 {
		t.Fatalf("without the focus it stepped to %d", at)
	}
	b.Click("Find")
	for _, step := range []struct {
		key  key.Name
		want int
	}{{key.NameDownArrow, 1}, {key.NameDownArrow, 2}, {key.NameDownArrow, 2}, {key.NameUpArrow, 1},
		{key.NameUpArrow, 0}, {key.NameUpArrow, 0}} {
		if b.Press(step.key, 0); at != step.want {
			t.Errorf("%s chooses %d, want %d", step.key, at, step.want)
		}
	}
}
