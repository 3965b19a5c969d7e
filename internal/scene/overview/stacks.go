package overview

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// stacks remembers what of a half does not depend on the focus: it is by far the larger part, and
// the same while the user zooms and pans.
type stacks struct {
	key    key
	tracks []int
	quads  []scene.Quad
	layer  scene.Layer
	arena  icicle.Arena
}

// key is what the drawing depends on besides the tracks.
type key struct {
	trace *trace.Trace
	half  geom.Rect
	end   float64 // of the axis
	dark  bool
	dp    float32
	known bool // what matches is, so the bars are not the cache's
}

// of returns the bars and stacks of half h, drawing them if anything they depend on changed.
func (c *stacks) of(h *Half, sd *Side, k int, pal *palette.Palette, dp float32) []scene.Quad {
	want := key{sd.Trace, h.Bounds, h.Axis.Span.End, pal.Dark, dp, sd.Bars != nil}
	if c.quads != nil && c.key == want && slices.Equal(c.tracks, sd.Tracks) {
		return c.quads
	}
	c.key, c.tracks = want, slices.Clone(sd.Tracks)
	c.layer.Quads = c.layer.Quads[:0]
	if sd.Bars == nil && !sd.Loading {
		h.activity(&c.layer, sd, k, pal, dp)
	}
	p := h.plot(sd, k, pal, dp)
	p.Draw(&c.layer, &c.arena)
	c.quads = c.layer.Quads
	return c.quads
}

// busiest returns the n threads with the most calls, in the order given: more would not fit.
func busiest(t *trace.Trace, tracks []int, n int) []int {
	if len(tracks) <= n {
		return tracks
	}
	order := make([]int, len(tracks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(t.Threads[tracks[j]].Len(), t.Threads[tracks[i]].Len())
	})
	order = order[:n]
	slices.Sort(order)
	for i, k := range order {
		order[i] = tracks[k]
	}
	return order
}

// activity draws a bar for every interval: the calls that start in it, on a scale by square root,
// so that one busy moment does not hide the rest.
func (h *Half) activity(l *scene.Layer, sd *Side, k int, pal *palette.Palette, dp float32) {
	n := max(1, int(h.bars.W()/(barWidth*dp)))
	counts := starts(sd, geom.Span{End: sd.extent()}, n)
	most := max(1, slices.Max(counts))
	width := h.bars.W() / float32(n)
	for i, c := range counts {
		if c == 0 {
			continue
		}
		tall := max(dp, (h.bars.H()-3*dp)*float32(math.Sqrt(float64(c)/float64(most))))
		x := h.bars.X0 + float32(i)*width
		r := geom.Rect{X0: x + .5*dp, X1: x + width - .5*dp, Y0: h.bars.Y1 - tall, Y1: h.bars.Y1}
		if k == B {
			r.Y0, r.Y1 = h.bars.Y0, h.bars.Y0+tall
		}
		l.Fill(r, pal.Bar)
	}
}

// starts returns how many calls start in each of n equal intervals of span.
func starts(sd *Side, span geom.Span, n int) []int {
	counts := make([]int, n)
	for _, t := range sd.Tracks {
		th, from := sd.Trace.Threads[t], 0
		for i := range counts {
			end := int64(span.Start + span.Len()*float64(i+1)/float64(n))
			to := th.Len()
			if i+1 < n {
				to = th.FirstFrom(end, from, to)
			}
			counts[i] += to - from
			if from = to; from == th.Len() {
				break
			}
		}
	}
	return counts
}
