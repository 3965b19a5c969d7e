package palette

import (
	"image/color"
	"math"
	"math/cmplx"
)

// ramp is a scale of colours, computed once: tubes and bars look theirs up by the thousand.
type ramp [256]color.NRGBA

// at returns the colour at t, from 0 to 1; what lies outside, or is no number, is its nearer end.
func (r *ramp) at(t float32) color.NRGBA {
	if !(t > 0) {
		return r[0]
	}
	return r[int(min(t, 1)*float32(len(r)-1)+.5)]
}

// along returns the ramp that passes the stops by straight segments in Oklch. Its steps are equally
// far apart in Oklab, so that equal differences of what is shown look equal.
func along(stops ...lch) *ramp {
	const fine = 64 // samples of a step of the ramp, on average
	var r ramp
	n := fine * (len(r) - 1)
	way := make([]float64, n+1) // the length up to each sample
	for i := 1; i <= n; i++ {
		way[i] = way[i-1] + between(stops, i-1, n).distance(between(stops, i, n))
	}
	for k, i := 0, 0; k < len(r); k++ {
		for want := way[n] * float64(k) / float64(len(r)-1); i < n && way[i] < want; {
			i++
		}
		r[k] = between(stops, i, n).opaque()
	}
	return &r
}

// between returns the colour i/n of the way over the stops, of which each segment has an equal
// share.
func between(stops []lch, i, n int) lch {
	at := float64(i) / float64(n) * float64(len(stops)-1)
	k := min(int(at), len(stops)-2)
	return stops[k].toward(stops[k+1], at-float64(k))
}

// toward returns the colour at share t of the way from o to p, the short way round the hues. A grey
// has no hue that could be turned: from and to one the way is straight in Oklab.
func (o lch) toward(p lch, t float64) lch {
	const grey = .02 // chroma below which a hue is hardly seen
	l := o.l + (p.l-o.l)*t
	if min(o.c, p.c) >= grey {
		return lch{l, o.c + (p.c-o.c)*t, o.h + math.Remainder(p.h-o.h, 360)*t}
	}
	z := o.point()*complex(1-t, 0) + p.point()*complex(t, 0)
	return lch{l, cmplx.Abs(z), cmplx.Phase(z) * 180 / math.Pi}
}

// point returns Oklab's a and b.
func (o lch) point() complex128 { return cmplx.Rect(o.c, o.h*math.Pi/180) }

// distance returns how far apart two colours are in Oklab.
func (o lch) distance(p lch) float64 { return math.Hypot(o.l-p.l, cmplx.Abs(o.point()-p.point())) }
