package overview

import (
	"image/color"
	"math"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// Measures of a bar that shows matches, in dp.
const (
	barGap   = 1 // between neighbours
	barHead  = 5 // above the tallest: room for its step and the focus frame
	leastBar = 3 // of one that is not empty: enough to see its hue
	flag     = 2 // height of the step that says earlier or later
)

// The opacity of a bar that may grow still, and of the stripes that say so: what is known for now
// must not be louder than what is final.
const (
	paleness = 0x40
	striping = 0x80
)

// A bar whose mean shift is fullTurn of the longer trace has full colour; one whose shift is less
// than aligned of that counts as aligned and has no step.
const (
	fullTurn = .25
	aligned  = .15
)

// Intervals returns how many intervals of 10 dp a pane of width px has, at scale px a dp.
func Intervals(width, scale float32) int {
	if scale <= 0 {
		scale = 1
	}
	return max(1, int((width/scale-gutter-margin)/barWidth))
}

// yardstick is what the bars of both sides are measured by, so that the halves can be compared.
type yardstick struct {
	weight float64 // of the tallest bar
	shift  float64 // from which bars have full colour, ns
	still  bool    // a side is a profile, so that no match lies earlier or later
}

func (st *State) yardstick() yardstick {
	var y yardstick
	for k := range st.Sides {
		sd := &st.Sides[k]
		for i := range sd.Bars {
			y.weight = max(y.weight, sd.Bars[i].Weight)
		}
		if sd.Trace != nil {
			y.still = y.still || sd.Trace.Kind == trace.Profile
			y.shift = max(y.shift, fullTurn*float64(sd.Trace.Duration))
		}
	}
	return y
}

// matched draws the bars of matches of half h: side k's.
func (h *Half) matched(l *scene.Layer, st *State, k int, y yardstick, dp float32) {
	sd := &st.Sides[k]
	h.lit(l, sd.Lit, st.Palette.Lit)
	for i := range sd.Bars {
		b, open := &sd.Bars[i], i < len(sd.Open) && sd.Open[i]
		if !(b.Weight > 0) && !open {
			continue
		}
		area, turn := h.column(i), y.turn(b)
		if gap := whole(barGap * dp); area.W() >= 4*gap {
			area.X1 -= gap // unless the pane has shrunk since the bars were computed
		}
		room := max(0, area.H()-barHead*dp)
		bar := outward(area, k, 0, min(max(leastBar*dp, room*y.height(b)), room))
		parts := []geom.Rect{bar}
		if turn <= -aligned || turn >= aligned {
			parts = append(parts, lean(outward(area, k, bar.H(), flag*dp), turn))
		}
		for _, r := range parts {
			paint(l, r, st.Palette.Turn(turn), open)
		}
	}
}

// paint fills a part of a bar; one that may grow still is striped.
func paint(l *scene.Layer, r geom.Rect, ink color.NRGBA, open bool) {
	if !open {
		l.Fill(r, ink)
		return
	}
	l.Fill(r, palette.WithAlpha(ink, paleness))
	ink = palette.WithAlpha(ink, striping)
	l.Quads = append(l.Quads, scene.Quad{Rect: r, Fill: ink, Shade: scene.Hatch, U1: 1})
}

// outward returns the part of a column that begins from px beyond the stacks and is tall px high.
func outward(column geom.Rect, k int, from, tall float32) geom.Rect {
	r := column
	if k == A {
		r.Y1 -= from
		r.Y0 = r.Y1 - tall
	} else {
		r.Y0 += from
		r.Y1 = r.Y0 + tall
	}
	return r
}

// lean returns the half of r on the side to which matches lie: the left for earlier ones.
func lean(r geom.Rect, turn float32) geom.Rect {
	mid := whole((r.X0 + r.X1) / 2)
	if turn < 0 {
		r.X1 = mid
	} else {
		r.X0 = mid
	}
	return r
}

// whole rounds a place or a length to whole pixels, which makes borders sharp.
func whole(px float32) float32 { return float32(math.Round(float64(px))) }

// lit fills the columns of the intervals that are marked, each run of them as one rectangle.
func (h *Half) lit(l *scene.Layer, marked []bool, fill color.NRGBA) {
	n := min(len(marked), h.intervals)
	for i := 0; i < n; i++ {
		if !marked[i] {
			continue
		}
		run := h.column(i)
		for i+1 < n && marked[i+1] {
			i++
		}
		run.X1 = h.column(i).X1
		l.Fill(run, fill)
	}
}

// height returns a bar's height as a share of the tallest bar of both sides. It is the square root
// of the share of weight: the busiest moment of a trace can weigh 100,000 times as much as others,
// and must not hide them. For example, a bar of a hundredth of the weight is a tenth as high.
func (y yardstick) height(b *match.Bar) float32 {
	share := b.Weight / y.weight
	if !(b.Weight > 0) {
		return 0
	}
	if !(share < 1) {
		return 1
	}
	return float32(math.Sqrt(share))
}

// turn returns the mean shift as a share of that from which bars have full colour, within ±1.
func (y yardstick) turn(b *match.Bar) float32 {
	t := b.Shift / y.shift
	if math.IsNaN(t) || y.still {
		return 0
	}
	return float32(min(max(t, -1), 1))
}

// column returns the area of interval i over the whole height of the bars.
func (h *Half) column(i int) geom.Rect {
	r := h.bars
	r.X0, r.X1 = h.edge(i), h.edge(i+1)
	return r
}

// edge returns where interval i begins.
func (h *Half) edge(i int) float32 {
	return whole(h.bars.X0 + h.bars.W()*float32(i)/float32(h.intervals))
}

// Bar returns the interval whose column of bars lies at p, if one does.
func (v *View) Bar(p geom.Point) (side, index int, ok bool) {
	for k := range v.Sides {
		h := &v.Sides[k]
		if h.intervals == 0 || p.Y < h.bars.Y0 || p.Y >= h.bars.Y1 {
			continue
		}
		i := sort.Search(h.intervals, func(i int) bool { return h.edge(i+1) > p.X })
		return k, i, i < h.intervals && p.X >= h.edge(i)
	}
	return 0, 0, false
}

// BarRect returns the column of interval i over the whole height of the side's bars; it is empty
// if there is none.
func (v *View) BarRect(side, i int) geom.Rect {
	h := &v.Sides[side]
	if i < 0 || i >= h.intervals {
		return geom.Rect{}
	}
	return h.column(i)
}
