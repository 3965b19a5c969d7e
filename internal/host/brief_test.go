package host_test

import (
	"image"
	"os"
	"os/exec"
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
// Where the CPU draws, no frame leaves it out.
func TestHurriedPicture(t *testing.T) {
	for name, hurry := range map[string]bool{"at leisure": false, "in a hurry": true} {
		t.Run(name, func(t *testing.T) {
			a := newTestApp()
			a.arc = true
			p := picture(t, a)
			if hurry {
				p.Hurry()
			}
			lacks := hurry && !p.ByCPU()
			for n, c := range []struct{ disc, wants bool }{{!lacks, lacks}, {true, false}} {
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

// softpipe is a rasteriser on the CPU for which all is drawn by programs.
const softpipe = "softpipe"

// TestHurriedPictureByPrograms is TestHurriedPicture where shapes are drawn by programs.
func TestHurriedPictureByPrograms(t *testing.T) {
	const driver = "GALLIUM_DRIVER"
	if os.Getenv(driver) == softpipe {
		if picture(t, newTestApp()).ByCPU() {
			t.Error("a canvas draws")
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHurriedPicture")
	cmd.Env = append(os.Environ(), "LIBGL_ALWAYS_SOFTWARE=1", driver+"="+softpipe)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
