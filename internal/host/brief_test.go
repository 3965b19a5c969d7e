package host_test

import (
	"image"
	"testing"

	"diptych/internal/host"
)

// onDisc is a point of the disc that testApp shows if arc is set.
var onDisc = image.Pt(325, 110)

// TestWindowFollowsABriefFrame: what a window's frame left out, since its program was yet to be
// compiled, is in the next one, for which nobody has to ask.
func TestWindowFollowsABriefFrame(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	c := dial(t)
	until(t, "the scene", func() bool { return c.pixel(t, w.number(t), image.Pt(30, 30)) == steel })
	w.frame(t, func(a *testApp) { a.arc = true })
	until(t, "the disc", func() bool { return c.pixel(t, w.number(t), onDisc) == rust })
}

// TestHurriedPicture: the frame that leaves the disc out asks for another one, and only that one.
func TestHurriedPicture(t *testing.T) {
	for name, hurry := range map[string]bool{"at leisure": false, "in a hurry": true} {
		t.Run(name, func(t *testing.T) {
			a := newTestApp()
			a.arc = true
			p := picture(t, a)
			if hurry {
				p.Hurry()
			}
			for n, c := range []struct{ disc, wants bool }{{!hurry, hurry}, {true, false}} {
				m, err := p.Image()
				if err != nil {
					t.Fatal(err)
				}
				disc := m.RGBAAt(onDisc.X, onDisc.Y).R == rust.R
				if disc != c.disc || p.Wants() != c.wants {
					t.Errorf("frame %d: disc %v, wants another frame %v", n, disc, p.Wants())
				}
				p.Settle()
			}
		})
	}
}
