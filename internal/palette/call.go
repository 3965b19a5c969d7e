package palette

import (
	"hash/fnv"
	"image/color"
)

// Call returns the fill of calls into a package: its hue is a function of the name alone, so the
// same package has the same colour in both traces, in every run and in both themes.
func (p *Palette) Call(pkg string) color.NRGBA {
	o := p.call
	o.h = hue(pkg)
	return o.opaque()
}

// hue spreads names over the circle. FNV's high bits hardly differ between short names that differ
// in their last letter, hence the finishing multiply and fold (as in MurmurHash3).
func hue(name string) float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	v := h.Sum64()
	v ^= v >> 33
	v *= 0xff51afd7ed558ccd
	v ^= v >> 33
	v *= 0xc4ceb9fe1a85ec53
	v ^= v >> 33
	return firstHue + float64(v>>11)/(1<<53)*(lastHue-firstHue)
}

// The hues that calls may have, in degrees; those between are the pink of calls too narrow to draw.
const firstHue, lastHue = 15.0, 335.0
