package aligned

import (
	"image/color"

	"diptych/internal/align"
	"diptych/internal/geom"
)

// Row is a thread pair's line among those of all pairs.
type Row struct {
	Title    string
	Current  bool // the pair that is shown
	Timeline *align.Timeline
	Start    float64 // the shown pair's virtual time at which this pair's begins, ns
	Length   float64 // of this pair's virtual time, ns
}

// At returns what the row shows at the shown pair's virtual time at, and whether it shows anything.
func (r *Row) At(at float64) (dissimilar float64, skew int64, ok bool) {
	if r.Timeline == nil || at < r.Start || at > r.Start+r.Length {
		return 0, 0, false
	}
	share := (at - r.Start) / max(r.Length, 1)
	return dissimilarity(r.Timeline, share), skewAt(r.Timeline, share), true
}

// rows draws a line for each thread pair: first their dissimilarity, then their skew, which is
// coloured by its share of the largest of all pairs.
func (b *builder) rows() {
	if b.v.pairs == 0 {
		return
	}
	top, n := b.pairsTop, b.v.pairs
	far := int64(0)
	for k := range b.st.Pairs {
		far = max(far, b.a.far.of(b.st.Pairs[k].Timeline))
	}
	for block, name := range [2]string{"all pairs", "their skew"} {
		for k := range n {
			row := &b.st.Pairs[b.v.firstPair+k]
			r := geom.Rect{X0: b.v.Axis.X0, X1: b.v.Axis.X1,
				Y0: top + float32(k)*b.pairRow, Y1: top + float32(k+1)*b.pairRow}
			b.v.Pairs = append(b.v.Pairs, r)
			b.pairLine(row, r, block == 1, far)
		}
		b.name(b.v.Scene.Layer(geom.Rect{}), geom.Rect{Y0: top, Y1: top + float32(n)*b.pairRow}, name)
		top += float32(n)*b.pairRow + between*b.dp
	}
}

// pairLine draws one row.
func (b *builder) pairLine(row *Row, r geom.Rect, skew bool, far int64) {
	l := b.v.Scene.Layer(r)
	inner := r
	if b.pairRow >= 4*b.dp {
		inner.Y1 -= b.dp
	}
	b.line(l, inner, row.Start, row.Start+row.Length, func(at float64) color.NRGBA {
		heat, ran, _ := row.At(at)
		if skew {
			return b.pal.Skew(float32(ran) / float32(max(far, 1)))
		}
		return b.pal.Heat(float32(heat))
	})
	if row.Current {
		mark := geom.Rect{X0: r.X0 - 6*b.dp, X1: r.X0 - 2*b.dp, Y0: inner.Y0, Y1: inner.Y1}
		b.v.Scene.Layer(geom.Rect{}).Fill(mark, b.st.Palette.Selection)
	}
}

// farCache remembers the largest skew, either way, of each timeline.
type farCache map[*align.Timeline]int64

// forgetFar bounds how many timelines are remembered.
const forgetFar = 4096

func (c *farCache) of(t *align.Timeline) int64 {
	if t == nil {
		return 0
	}
	far, ok := (*c)[t]
	if ok {
		return far
	}
	if *c == nil || len(*c) >= forgetFar {
		*c = farCache{}
	}
	for _, skew := range t.Skew {
		far = max(far, skew, -skew)
	}
	(*c)[t] = far
	return far
}
