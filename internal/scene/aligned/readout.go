package aligned

import (
	"math"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// Readout is what the strips show at one virtual time.
type Readout struct {
	At            int64    // virtual time, ns
	Real          [2]int64 // by side: the real time it has reached, ns of its trace
	Skew          int64    // how much longer A has run than B, ns
	Dissimilarity float64  // in [0,1]
}

// At reads the strips at a virtual time.
func (p *Prepared) At(at int64) Readout {
	r := Readout{At: at, Real: p.reach(at)}
	r.Skew = p.skew(r.Real)
	r.Dissimilarity = dissimilarity(p.Timeline, float64(at)/float64(max(p.Virtual.Length, 1)))
	return r
}

// skew returns how much longer A has run than B when both have reached these real times.
func (p *Prepared) skew(real [2]int64) int64 {
	return (real[pair.A] - p.from[pair.A]) - (real[pair.B] - p.from[pair.B])
}

// dissimilarity reads a timeline at a share of its length, between samples along the straight line.
func dissimilarity(t *align.Timeline, share float64) float64 {
	n := len(t.Dissimilarity)
	if n == 0 {
		return 0
	}
	at := min(max(share*float64(n)-.5, 0), float64(n-1))
	k := min(int(at), max(n-2, 0))
	if n == 1 {
		return t.Dissimilarity[0]
	}
	return t.Dissimilarity[k] + (at-float64(k))*(t.Dissimilarity[k+1]-t.Dissimilarity[k])
}

// skewAt reads a timeline's skew at a share of its length: the nearest sample.
func skewAt(t *align.Timeline, share float64) int64 {
	n := len(t.Skew)
	if n == 0 {
		return 0
	}
	return t.Skew[min(max(int(math.Floor(share*float64(n))), 0), n-1)]
}
