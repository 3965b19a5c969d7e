package palette

import (
	"image/color"
	"math"
	"testing"
)

// TestActivityIsReadable: names can be read on calls of any intensity, and the more of its time a
// call waits, the further its colour is from that of one that does not.
func TestActivityIsReadable(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		w := p.Waits()
		far, what := [2]float64{}, [2]string{"waiting", "operating"}
		for k := range 11 {
			share := float32(k) / 10
			for i, fill := range [2]color.NRGBA{w.Waiting(share), w.Operating(share)} {
				if n := Contrast(p.Text, fill); n < 4.5 {
					t.Errorf("text on %s %.1f has a contrast of %.2f", what[i], share, n)
				}
				d := sights["usual"].apart(fill, w.Busy)
				if k > 1 && d <= far[i] {
					t.Errorf("%s %.1f is %.3f from a busy call, less than before", what[i], share, d)
				}
				far[i] = d
			}
		}
		if d := sights["usual"].apart(w.Waiting(1), w.Operating(1)); d < .15 {
			t.Errorf("waiting and operating are %.3f apart", d)
		}
	})
}

// TestActivityForColourBlind: waiting, input and output, and neither stay apart for either kind of
// red-green blindness.
func TestActivityForColourBlind(t *testing.T) {
	for _, base := range []*Palette{Light(), Dark()} {
		w := base.WithScheme(ColourBlind).Waits()
		for name, s := range sights {
			for what, d := range map[string]float64{
				"waiting and operating": s.apart(w.Waiting(1), w.Operating(1)),
				"waiting and busy":      s.apart(w.Waiting(1), w.Busy),
				"operating and busy":    s.apart(w.Operating(1), w.Busy),
				"same and shared":       s.apart(w.Same, w.Shared),
				"shared and other":      s.apart(w.Shared, w.Other),
			} {
				if d < .09 {
					t.Errorf("%s, dark %t: %s are %.3f apart", name, base.Dark, what, d)
				}
			}
		}
	}
}

// TestThreadHues: of a few threads in a row no two have similar hues.
func TestThreadHues(t *testing.T) {
	for i := range 200 {
		for j := i + 1; j < i+8; j++ {
			apart := math.Abs(math.Remainder(ThreadHue(i)-ThreadHue(j), 360))
			if apart < 30 {
				t.Fatalf("threads %d and %d are %.1f degrees apart", i, j, apart)
			}
		}
	}
	eachScheme(t, func(t *testing.T, p *Palette) {
		for k := range 60 {
			c := p.Waits().Thread(ThreadHue(k))
			if n := Contrast(c, p.Pane); n < 2.5 {
				t.Errorf("thread %d has a contrast of %.2f to the pane", k, n)
			}
			if n := Contrast(c, p.OnSide); n < 2.5 {
				t.Errorf("the id on thread %d has a contrast of %.2f", k, n)
			}
		}
	})
}
