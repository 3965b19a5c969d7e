package aligned

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene"
)

// Band is how far the other runs of a side are from the run that is shown: how much longer they had
// taken, from the least to the most, when they had come as far. It has the values at equidistant
// moments of the shown thread, from its first start to its last end. A side that has no other runs
// has none.
type Band struct {
	Low, High [2][]int64 // by side, ns; Low ≤ 0 ≤ High
}

// at returns the least and the most skew that other runs would have, when both sides have reached
// these real times.
func (b *Band) at(p *Prepared, real [2]int64) (low, high int64) {
	for side := range b.Low {
		if len(b.Low[side]) == 0 {
			continue
		}
		share := float64(real[side]-p.from[side]) / float64(max(p.to[side]-p.from[side], 1))
		l, h := interpolated(b.Low[side], share), interpolated(b.High[side], share)
		if pair.Side(side) == pair.B { // B's time counts against A's
			l, h = -h, -l
		}
		low, high = min(low, l), max(high, h)
	}
	return low, high
}

// interpolated returns the value at a share of equidistant samples.
func interpolated(samples []int64, share float64) int64 {
	at := min(max(share, 0), 1) * float64(len(samples)-1)
	k := min(int(at), len(samples)-1)
	next := min(k+1, len(samples)-1)
	return samples[k] + int64((at-float64(k))*float64(samples[next]-samples[k]))
}

// band draws the band behind the skew.
func (b *builder) band(l *scene.Layer) {
	c := &b.a.skew
	fill := b.st.Palette.RunBand()
	for i := 0; i < len(c.low); {
		low, high, n := c.low[i], c.high[i], 1
		for i+n < len(c.low) && c.low[i+n] == low && c.high[i+n] == high {
			n++
		}
		x := b.v.Skew.X0 + float32(c.first+i)
		l.Fill(geom.Rect{X0: x, X1: x + float32(n), Y0: b.skewY(high), Y1: b.skewY(low)}, fill)
		i += n
	}
}
