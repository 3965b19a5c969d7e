package host

import (
	"image"
	"time"

	"diptych/internal/render"
)

// shot is given the picture of a whole frame, or why there is none.
type shot = func(*image.RGBA, error)

// shots are the pictures that were asked for.
type shots struct {
	asked []shot // since the last layout began
	ripe  []shot // before: the frame that is painted next is theirs
}

// Shoot gives use a picture of the frame after the one that is being laid out, so that what asked
// for it, such as a menu, can be gone by then. Use is called on the App's goroutine.
func (w *Window) Shoot(use shot) {
	w.stage.shots.asked = append(w.stage.shots.asked, use)
	w.stage.want(time.Time{})
}

// ripen is called before a frame is laid out.
func (s *shots) ripen() { s.ripe, s.asked = append(s.ripe, s.asked...), nil }

// take reads what has been drawn, once for all who asked. A window has no transparent parts,
// whatever its framebuffer has for them.
func (s *shots) take(t render.Target) {
	if len(s.ripe) == 0 {
		return
	}
	m, err := t.ReadImage()
	if err == nil {
		for i := 3; i < len(m.Pix); i += 4 {
			m.Pix[i] = 0xff
		}
	}
	for _, use := range s.ripe {
		use(m, err)
	}
	s.ripe = nil
}
