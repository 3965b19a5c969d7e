package palette

import (
	"image/color"
	"math"
	"sync"
)

// Waits is the colours of who waits on whom (SyncTrace).
type Waits struct {
	Busy   color.NRGBA // a call that neither waited nor did input or output
	Queued color.NRGBA // a thread that could run and has no processor

	// Correspondences by object: of those that the hovered wait is for, of some of them, of none.
	Same, Shared, Other color.NRGBA

	waiting, operating *ramp // by intensity
	thread             lch   // but for the hue
}

// Waiting returns the colour of a call that spent share k of its time waiting.
func (w *Waits) Waiting(k float32) color.NRGBA { return w.waiting.at(k) }

// Operating returns the colour of a call that spent share k of its time in input and output.
func (w *Waits) Operating(k float32) color.NRGBA { return w.operating.at(k) }

// goldenAngle in degrees: if each hue is turned by it from the one before, no hue comes close to
// one of the last few.
const goldenAngle = 137.50776

// ThreadHue returns the hue of the k-th thread in degrees.
func ThreadHue(k int) float64 {
	return math.Mod(252+goldenAngle*float64(k), 360) // the first is blue
}

// Active returns the colour of a thread that runs.
func (p *Palette) Active() color.NRGBA { return Mix(p.Text, p.Pane, .45) }

// Thread returns a thread's colour by its hue in degrees.
func (w *Waits) Thread(hue float64) color.NRGBA {
	o := w.thread
	o.h = hue
	return o.opaque()
}

// Waits returns the colours of waits in p's theme and scheme, computed once for each.
func (p *Palette) Waits() *Waits {
	switch {
	case p.Scheme == ColourBlind && p.Dark:
		return waitsDarkBlind()
	case p.Scheme == ColourBlind:
		return waitsLightBlind()
	case p.Dark:
		return waitsDark()
	}
	return waitsLight()
}

var waitsLight = sync.OnceValue(func() *Waits {
	return &Waits{
		Busy: lch{.88, .035, 70}.opaque(), Queued: lch{.74, .13, 85}.opaque(), Same: lch{.58, .20, 27}.opaque(),
		Shared: lch{.58, .10, 70}.opaque(), Other: lch{.72, .008, 260}.opaque(),
		waiting:   along(lch{.90, .03, 150}, lch{.68, .16, 150}),
		operating: along(lch{.88, .03, 25}, lch{.66, .18, 25}),
		thread:    lch{.62, .15, 0},
	}
})

var waitsDark = sync.OnceValue(func() *Waits {
	return &Waits{
		Busy: lch{.40, .030, 70}.opaque(), Queued: lch{.72, .12, 85}.opaque(), Same: lch{.66, .20, 27}.opaque(),
		Shared: lch{.66, .10, 70}.opaque(), Other: lch{.50, .008, 260}.opaque(),
		waiting:   along(lch{.37, .03, 150}, lch{.50, .12, 150}),
		operating: along(lch{.37, .03, 25}, lch{.53, .16, 25}),
		thread:    lch{.70, .13, 0},
	}
})

// The schemes for red-green blindness keep waiting and input and output apart by blue and orange,
// and by lightness: waiting is the darker.

var waitsLightBlind = sync.OnceValue(func() *Waits {
	return &Waits{
		Busy: lch{.91, .015, 80}.opaque(), Queued: lch{.50, .12, 330}.opaque(), Same: lch{.45, .17, 27}.opaque(),
		Shared: lch{.66, .11, 80}.opaque(), Other: lch{.76, .008, 260}.opaque(),
		waiting:   along(lch{.90, .03, 245}, lch{.62, .13, 245}),
		operating: along(lch{.89, .04, 65}, lch{.76, .15, 62}),
		thread:    lch{.62, .15, 0},
	}
})

var waitsDarkBlind = sync.OnceValue(func() *Waits {
	return &Waits{
		Busy: lch{.35, .010, 80}.opaque(), Queued: lch{.68, .12, 330}.opaque(), Same: lch{.74, .17, 35}.opaque(),
		Shared: lch{.57, .10, 85}.opaque(), Other: lch{.46, .008, 260}.opaque(),
		waiting:   along(lch{.34, .03, 245}, lch{.50, .13, 250}),
		operating: along(lch{.36, .03, 60}, lch{.46, .12, 50}),
		thread:    lch{.70, .13, 0},
	}
})
