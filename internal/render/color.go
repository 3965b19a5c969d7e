package render

import (
	"image"
	"image/color"
	"math"

	"diptych/internal/geom"
)

// premultiply returns c as the framebuffer wants it: alpha multiplied in, and in linear light if it
// encodes to sRGB by itself.
func premultiply(c color.NRGBA, linear bool) [4]float32 {
	a := float32(c.A) / 255
	channel := func(v uint8) float32 {
		f := float64(v) / 255
		if linear {
			f = decode(f)
		}
		return float32(f) * a
	}
	return [4]float32{channel(c.R), channel(c.G), channel(c.B), a}
}

// decode turns an sRGB-encoded value into linear light (IEC 61966-2-1).
func decode(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// pixels returns the pixels whose centres lie in r.
func pixels(r geom.Rect) image.Rectangle {
	round := func(v float32) int { return int(math.Floor(float64(v) + 0.5)) }
	return image.Rect(round(r.X0), round(r.Y0), round(r.X1), round(r.Y1))
}
