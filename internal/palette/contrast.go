package palette

import (
	"image/color"
	"math"
)

// linear is the light of each value of a colour's component, from 0 to 1.
var linear = func() (l [256]float64) {
	for v := range l {
		s := float64(v) / 255
		if l[v] = s / 12.92; s > .04045 {
			l[v] = math.Pow((s+.055)/1.055, 2.4)
		}
	}
	return l
}()

// Luminance is WCAG's relative luminance of an opaque colour.
func Luminance(c color.NRGBA) float64 {
	return .2126*linear[c.R] + .7152*linear[c.G] + .0722*linear[c.B]
}

// Contrast is WCAG's ratio of two opaque colours, from 1 to 21.
func Contrast(a, b color.NRGBA) float64 {
	x, y := Luminance(a), Luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// leastContrast is what WCAG 2.2 asks of text (1.4.3).
const leastContrast = 4.5

// Legible returns the ink for a text on some ground: the usual one, or the other where the usual
// one can hardly be read and the other can be read better.
func Legible(usual, other, ground color.NRGBA) color.NRGBA {
	if k := Contrast(usual, ground); k < leastContrast && Contrast(other, ground) > k {
		return other
	}
	return usual
}
