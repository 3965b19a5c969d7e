package ui

import (
	"image"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/matches"
	"diptych/internal/ui/threads"
	"diptych/internal/ui/words"
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

// TestWordsForUnitsLeaveRoomForNumbers: what a profile of Callgrind counts has a word for a unit, and
// columns of tables have no room for that beside a number. No number is cut, and the word is said
// once.
func TestWordsForUnitsLeaveRoomForNumbers(t *testing.T) {
	s := session.New(func() {})
	for side, n := range []string{"812", "911"} {
		s.Put(pair.Side(side), "", texttest.Parse(t, "trace text profile unit=Instructions\n"+
			"thread 1\n  0+"+n+" main\n    2+700 lib/file.c.look\n"))
	}
	b := benchOf(t, New(s), image.Pt(1280, 800))
	b.settle()
	unit := words.UnitOf(b.state())
	for _, view := range []string{"3", "6"} {
		b.press(key.Name(view), 0)
		if view == "3" {
			b.press("1", key.ModCtrl)
		}
		seen := false
		for _, label := range b.pic.Labels() {
			seen = seen || strings.HasPrefix(label, unit)
		}
		if !seen {
			t.Errorf("beside view %s, nothing says that the table has %s", view, unit)
		}
		for _, cut := range b.app.kit.Cuts() {
			if strings.HasSuffix(cut.Text, unit) {
				t.Errorf("beside view %s: %q is cut", view, cut.Text)
			}
		}
	}
}

// TestThreadsOfProfilesKeepTheTab: beside the view of threads the dock turns to the waits, but not of
// profiles, which have none.
func TestThreadsOfProfilesKeepTheTab(t *testing.T) {
	for name, want := range map[string]string{"queue": threads.WaitsTab, "profile": dock.Findings} {
		b := newBench(t, pairs[name]...)
		b.press("5", 0)
		if got := b.state().Tab; got != want {
			t.Errorf("beside threads of the pair %q the dock shows %q, want %q", name, got, want)
		}
	}
}
