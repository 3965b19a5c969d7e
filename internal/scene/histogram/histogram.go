// Package histogram draws how long the calls of a function take: a bar for each bin of durations, A
// above the axis and B below it over the same bins, in the colours of the sides. Both have one
// scale of heights, so that bars can be compared across. The axis of durations is logarithmic. The
// package knows neither where durations come from nor what is done with a bin that is pointed at.
package histogram

import (
	"image/color"
	"math"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/stats"
	"diptych/internal/typeface"
)

// State is what the picture shows.
type State struct {
	Histogram *stats.Histogram
	Unit      string // of durations
	Hover     int    // the bin under the pointer, or −1
	Chosen    int    // the bin whose calls are listed, or −1
	Palette   *palette.Palette
	Scale     float32 // px in a dp
}

// View is the picture.
type View struct {
	scene.Scene
	Bins []geom.Rect // where each bin lies, bars or not; by index
}

// At returns the bin at a point, or −1.
func (v *View) At(p geom.Point) int {
	for k, r := range v.Bins {
		if r.Contains(p) {
			return k
		}
	}
	return -1
}

// Measures in dp.
const (
	edge      = 6  // left and right of the plot
	axisHigh  = 18 // between the sides, with the ticks
	labelHigh = 15 // above A and below B, with median and p95
	textSize  = 10
	leastBar  = 2 // a bin with a call is never lost
	labelGap  = 8
)

// plot is a picture that is being built.
type plot struct {
	*State
	*View
	layer *scene.Layer
	axis  geom.Rect // between the sides
	least float64   // log10 of the duration at the left end, behind the bin of calls without time
	perPx float64   // decades
	left  float32   // where least lies
}

// Build draws a histogram, which must have bins.
func Build(st State, size geom.Size) *View {
	v := &View{Scene: scene.Scene{Size: size}}
	p := plot{State: &st, View: v, layer: v.Layer(geom.Rect{})}
	p.layOut()
	p.bars()
	p.ticks()
	for side := range st.Histogram.Sides {
		p.marks(side)
	}
	return v
}

func (p *plot) px(dp float32) float32 { return dp * p.Scale }

// layOut finds where the axis and the bins lie.
func (p *plot) layOut() {
	mid := p.Size.H / 2
	p.axis = geom.Rect{X0: p.px(edge), X1: p.Size.W - p.px(edge), Y0: mid - p.px(axisHigh)/2,
		Y1: mid + p.px(axisHigh)/2}
	bins := p.Histogram.Bins
	first, last := bins[0], bins[len(bins)-1]
	p.left = p.axis.X0
	if first.From == 0 { // calls without time lie left of the logarithmic axis
		p.left += p.axis.W() / float32(len(bins))
	}
	p.least = math.Log10(float64(max(first.From, 1)))
	p.perPx = (math.Log10(float64(max(last.To, 2))) - p.least) / float64(p.axis.X1-p.left)
	for _, b := range bins {
		r := geom.Rect{X0: p.x(b.From), X1: p.x(b.To), Y0: p.px(labelHigh), Y1: p.Size.H - p.px(labelHigh)}
		if b.From == 0 {
			r.X0, r.X1 = p.axis.X0, p.left
			if len(bins) == 1 {
				r.X1 = p.axis.X1
			}
		}
		p.Bins = append(p.Bins, r)
	}
}

// x returns where a duration lies.
func (p *plot) x(ns int64) float32 {
	if ns < 1 {
		return p.axis.X0
	}
	return min(p.left+float32((math.Log10(float64(ns))-p.least)/p.perPx), p.axis.X1)
}

// bars draws the bars of both sides, behind them the ground of the bins that stand out.
func (p *plot) bars() {
	most := 1
	for _, b := range p.Histogram.Bins {
		most = max(most, b.Calls[0], b.Calls[1])
	}
	high := p.axis.Y0 - p.px(labelHigh)
	for k, b := range p.Histogram.Bins {
		r := p.Bins[k]
		if k == p.Chosen || k == p.Hover {
			p.layer.Fill(r, p.Palette.Raised)
		}
		for side, n := range b.Calls {
			if n == 0 {
				continue
			}
			bar := geom.Rect{X0: r.X0 + p.Scale/2, X1: max(r.X1-p.Scale/2, r.X0+p.Scale)}
			tall := max(high*float32(n)/float32(most), p.px(leastBar))
			if bar.Y0, bar.Y1 = p.axis.Y0-tall, p.axis.Y0; side == 1 {
				bar.Y0, bar.Y1 = p.axis.Y1, p.axis.Y1+tall
			}
			p.layer.Fill(bar, p.Palette.Side(side))
		}
	}
	for _, y := range []float32{p.axis.Y0, p.axis.Y1 - p.Scale} {
		p.layer.Fill(geom.Rect{X0: p.axis.X0, X1: p.axis.X1, Y0: y, Y1: y + p.Scale}, p.Palette.Line)
	}
}

// ticks labels powers of ten, or if there are less than two of them all borders of bins, as far as
// there is room.
func (p *plot) ticks() {
	bins := p.Histogram.Bins
	borders := []int64{bins[0].From}
	var decades []int64
	for _, b := range bins {
		borders = append(borders, b.To)
	}
	for _, ns := range borders {
		if l := math.Log10(float64(ns)); ns == 0 || l == math.Trunc(l) {
			decades = append(decades, ns)
		}
	}
	if len(decades) > 1 {
		borders = decades
	}
	free := p.axis.X0
	for _, ns := range borders {
		text := geom.FormatValue(float64(ns), p.Unit)
		x, w := p.x(ns), p.width(text, false)
		left := min(max(x-w/2, p.axis.X0), p.axis.X1-w)
		if left < free {
			continue
		}
		free = left + w + p.px(labelGap)
		p.layer.Fill(geom.Rect{X0: x, X1: x + p.Scale, Y0: p.axis.Y0, Y1: p.axis.Y0 + p.px(3)}, p.Palette.Secondary)
		p.write(text, left, p.axis.Y0, p.axis.H(), p.Palette.Secondary, false)
	}
}

// marks draws median and p95 of a side, with their labels at the outer edge: side by side where
// they would lie over each other.
func (p *plot) marks(side int) {
	d := p.Histogram.Sides[side]
	if d.Calls == 0 {
		return
	}
	y, y0, y1 := float32(0), p.px(labelHigh), p.axis.Y0
	if side == 1 {
		y, y0, y1 = p.Size.H-p.px(labelHigh), p.axis.Y1, p.Size.H-p.px(labelHigh)
	}
	texts := [2]string{"median " + geom.FormatValue(float64(d.Median), p.Unit),
		"p95 " + geom.FormatValue(float64(d.P95), p.Unit)}
	var lefts, widths [2]float32
	for k, ns := range [2]int64{d.Median, d.P95} {
		x := p.x(ns)
		p.layer.Quads = append(p.layer.Quads, scene.Quad{U1: 1, Fill: p.Palette.Text,
			Rect: geom.Rect{X0: x, X1: x + p.Scale*float32(2-k), Y0: y0, Y1: y1}})
		widths[k] = p.width(texts[k], k == 0)
		lefts[k] = min(max(x-widths[k]/2, p.axis.X0), p.axis.X1-widths[k])
	}
	if over := lefts[0] + widths[0] + p.px(labelGap) - lefts[1]; over > 0 {
		lefts[1] = min(lefts[1]+over, p.axis.X1-widths[1])
		lefts[0] = min(lefts[0], lefts[1]-p.px(labelGap)-widths[0])
	}
	for k, text := range texts {
		if lefts[k] >= p.axis.X0 {
			p.write(text, lefts[k], y, p.px(labelHigh), p.Palette.SideText(side), k == 0)
		}
	}
}

func (p *plot) width(text string, bold bool) float32 {
	return typeface.Width(text, p.px(textSize), bold) + p.Scale
}

// write writes a text that begins at left.
func (p *plot) write(text string, left, y, high float32, ink color.NRGBA, bold bool) {
	p.layer.Write(scene.Text{Text: text, Size: p.px(textSize), Fill: ink, Bold: bold,
		Rect: geom.Rect{X0: left, X1: left + p.width(text, bold), Y0: y, Y1: y + high}})
}
