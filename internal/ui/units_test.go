package ui

import (
	"image"
	"regexp"
	"slices"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/command"
	"diptych/internal/scene/links"
	"diptych/internal/ui/matches"
)

// timely are words and units that a pair of heap profiles has no use for.
var timely = regexp.MustCompile(`(?i)\b(earlier|later|faster|slower|elapsed|longer|same time|` +
	`time shift|relative time|self time)\b|[0-9] ?(ns|µs|ms|s|min)\b|[0-9]{5,} ?(B|bytes)\b`)

// texts returns all that the window says: names of controls, texts of panels and of scenes, but not
// the titles of commands, which are the same for all traces.
func (b *bench) texts() []string {
	all := slices.DeleteFunc(b.pic.Labels(), func(label string) bool {
		return slices.ContainsFunc(b.app.commands.All, func(c command.Command) bool { return c.Title == label })
	})
	b.app.eachPane(func(c *content) {
		for _, part := range c.shown.Scenes() {
			for _, l := range part.Scene.Layers {
				for i := range l.Texts {
					all = append(all, l.Texts[i].Text)
				}
			}
		}
	})
	return all
}

// TestProfilesAreNotTimed goes through all views and tabs of a pair of heap profiles, with the
// pointer at calls: nothing there is about time, and colours of time shifts are not offered.
func TestProfilesAreNotTimed(t *testing.T) {
	b := newBench(t, pairs["profile"]...)
	seen := 0
	for _, view := range []string{"3", "4", "6", "7"} {
		b.press(key.Name(view), 0)
		for _, at := range []image.Point{{}, {X: 300, Y: 320}, {X: 500, Y: 560}, {X: 420, Y: 180}} {
			b.move(at)
			for _, text := range b.texts() {
				seen++
				if m := timely.FindString(text); m != "" {
					t.Errorf("in view %s, pointing at %v: %q is about time: %q", view, at, text, m)
				}
			}
		}
	}
	for _, tab := range []string{"1", "2", "3", "4", "5"} {
		b.clickAt(image.Pt(300, 320))
		b.press(key.Name(tab), key.ModCtrl)
		for _, text := range b.texts() {
			seen++
			if m := timely.FindString(text); m != "" {
				t.Errorf("in tab %s: %q is about time: %q", tab, text, m)
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d texts were looked at", seen)
	}
	if slices.Contains(b.pic.Labels(), b.app.Command(matches.ColourShift).Title) {
		t.Error("the colours of time shifts are offered")
	}
	if b.app.Can(matches.ColourShift) || b.app.Can(matches.ToggleRelative) {
		t.Error("time shifts can be chosen")
	}
	if got := b.state().TubeColour(); got != links.Plain {
		t.Errorf("matches have colours of kind %v", got)
	}
	b.press("C", 0)
	b.press("C", 0)
	if got := b.state().TubeColour(); got != links.Plain {
		t.Errorf("the second next kind of colour is %v: time shifts are offered", got)
	}
}
