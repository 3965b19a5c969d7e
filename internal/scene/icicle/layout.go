package icicle

import (
	"math"
	"slices"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// Tracks lie one after the other from the root edge on; a track is its header line and then its
// stack levels. Positions along that direction are offsets in px from the root edge before
// scrolling, the same for both directions; only band turns them into y.

// tracks is where the tracks of a plot lie. There may be 10,000 of them, of which few are visible:
// while all that it follows from stays the same, frames have the same one.
type tracks struct {
	of      trackKey
	threads []int
	offsets []float32 // of each track from the root edge, and the end of the last
}

// trackKey is what the offsets of tracks follow from, besides the threads.
type trackKey struct {
	trace                     *trace.Trace
	row, header, gap, foldRow float32
	fold, levels              int
	deeper                    *Deeper
}

// layout returns the offset of each track and the end of the last.
func (t *tracks) layout(p *Plot) []float32 {
	key := trackKey{p.Trace, p.Row, p.Header, p.Gap, p.FoldRow, p.Fold, p.Levels, p.Deeper}
	if len(t.offsets) > 0 && t.of == key && slices.Equal(t.threads, p.Threads) {
		return t.offsets
	}
	t.of, t.threads, t.offsets = key, append(t.threads[:0], p.Threads...), t.offsets[:0]
	at := float32(0)
	for _, thread := range p.Threads {
		t.offsets = append(t.offsets, at)
		at += p.Header + p.levelOffset(p.levels(thread)) + p.Gap
	}
	t.offsets = append(t.offsets, at)
	return t.offsets
}

// levelOffset returns how far below a track's first level the given one begins, px.
func (p *Plot) levelOffset(level int) float32 {
	folded := min(level, p.Fold)
	return float32(folded)*p.FoldRow + float32(level-folded)*p.Row
}

// strip returns the levels [from, to) that are drawn as one, of which level is the first, and
// whether level is drawn: where strips are thinner than a pixel, one stands for as many as make up
// a pixel. Of strips .3 px high, levels 0, 4, 8, … are drawn, each 1.2 px high.
func (p *Plot) strip(level int) (to int, drawn bool) {
	if level >= p.Fold || p.FoldRow >= 1 || p.FoldRow <= 0 {
		return level + 1, true
	}
	n := int(math.Ceil(1 / float64(p.FoldRow)))
	return min(level+n, p.Fold), level%n == 0
}

// levelAt returns the level at an offset from a track's first, with the share of it that is above.
func (p *Plot) levelAt(offset float32) float64 {
	folded := float32(p.Fold) * p.FoldRow
	if offset < folded {
		return float64(offset / p.FoldRow)
	}
	return float64(p.Fold) + float64((offset-folded)/p.Row)
}

// levels returns how many stack levels of a thread are shown.
func (p *Plot) levels(thread int) int {
	n := p.Trace.Threads[thread].MaxDepth()
	if p.Levels > 0 {
		n = min(n, max(p.Levels, p.Deeper.Levels(p.Trace, thread)))
	}
	return n
}

// Height returns the px that all tracks of p take, visible or not: what Scroll moves through. A is
// the arena that p is drawn with.
func (p *Plot) Height(a *Arena) float32 {
	if p.Trace == nil {
		return 0
	}
	offsets := a.tracks.layout(p)
	return offsets[len(offsets)-1] + p.tail()
}

// tail returns the height of the line after the last track.
func (p *Plot) tail() float32 {
	if p.Tail == "" {
		return 0
	}
	return p.Header
}

// TailRect returns where the line after the last track is drawn; empty where it is out of sight.
func (d *Drawing) TailRect() geom.Rect {
	if d.tail() <= 0 || len(d.offsets) == 0 {
		return geom.Rect{}
	}
	end := d.offsets[len(d.offsets)-1]
	y0, y1 := d.band(end, end+d.tail())
	r := geom.Rect{X0: d.View.X0, Y0: y0, X1: d.View.X1, Y1: y1}
	if y0 < d.View.Y0-.01 || y1 > d.View.Y1+.01 {
		return geom.Rect{}
	}
	return r
}

// band returns the y range of offsets [from, to).
func (p *Plot) band(from, to float32) (y0, y1 float32) {
	if p.Dir == Up {
		return p.View.Y1 - (to - p.Scroll), p.View.Y1 - (from - p.Scroll)
	}
	return p.View.Y0 + from - p.Scroll, p.View.Y0 + to - p.Scroll
}

// offset returns the offset at height y.
func (p *Plot) offset(y float32) float32 {
	if p.Dir == Up {
		return p.View.Y1 - y + p.Scroll
	}
	return y - p.View.Y0 + p.Scroll
}

// visibleTracks returns the range of tracks that the viewport shows.
func (d *Drawing) visibleTracks() (first, last int) {
	n := len(d.Threads)
	first = sort.Search(n, func(k int) bool { return d.offsets[k+1] > d.Scroll })
	end := d.Scroll + d.View.H()
	last = first + sort.Search(n-first, func(k int) bool { return d.offsets[first+k] >= end })
	return first, last
}

// visibleLevels returns the range of stack levels of track k that the viewport shows.
func (d *Drawing) visibleLevels(k int) (first, last int) {
	root := d.offsets[k] + d.Header
	level := func(at float32) float64 { return d.levelAt(at - root) }
	first = max(0, int(math.Floor(level(d.Scroll))))
	last = int(math.Ceil(level(d.Scroll + d.View.H())))
	return first, min(last, d.levels(d.Threads[k]))
}

// rows returns the y range of levels [from, to) of track k.
func (d *Drawing) rows(k, from, to int) (y0, y1 float32) {
	root := d.offsets[k] + d.Header
	return d.band(root+d.levelOffset(from), root+d.levelOffset(to))
}

// RowOf returns where the stack level of a call lies, as offsets from the root edge before
// scrolling, px. For a call deeper than its track shows it is the last level. It is not ok if the
// call's thread has no track.
func (d *Drawing) RowOf(ref trace.CallRef) (from, to float32, ok bool) {
	k := slices.Index(d.Threads, int(ref.Thread))
	if k < 0 {
		return 0, 0, false
	}
	depth := int(d.Trace.Threads[ref.Thread].Depth(int(ref.Call)))
	root, level := d.offsets[k]+d.Header, min(depth, d.levels(d.Threads[k])-1)
	return root + d.levelOffset(level), root + d.levelOffset(level+1), true
}

// header draws the line that names track k.
func (d *Drawing) header(k int, l *scene.Layer, a *Arena) {
	if d.Header <= 0 || d.offsets[k]+d.Header <= d.Scroll {
		return
	}
	y0, y1 := d.band(d.offsets[k], d.offsets[k]+d.Header)
	r := geom.Rect{X0: d.View.X0, Y0: y0, X1: d.View.X1, Y1: y1}
	l.Fill(r, d.Palette.Raised)
	a.items = append(a.items, item{track: int32(k), from: -1, to: -1})
}

// stemShare is how much of what the thread has of the focus each call of a stem covers; it must be
// above a half.
const stemShare = .9

// Stem returns how many stack levels of a thread, from the roots on, are one call that fills the
// focus. For example, while the focus lies in the middle of main → run → loop, and loop calls many
// short functions, it is 3. Cost is logarithmic in the calls plus the stack's depth.
func Stem(th *trace.Thread, focus geom.Span) int {
	if th.Len() == 0 {
		return 0
	}
	last := th.Len() - 1
	for th.Parent(last) >= 0 {
		last = int(th.Parent(last))
	}
	from, to := max(toNs(focus.Start), th.Start(0)), min(toNs(focus.End), th.End(last))
	if to <= from {
		return 0
	}
	least := int64(stemShare * float64(to-from))
	for i := th.Enclosing(from + (to-from)/2); i >= 0; i = int(th.Parent(i)) {
		if min(th.End(i), to)-max(th.Start(i), from) >= least { // and so does each of its callers
			return int(th.Depth(i)) + 1
		}
	}
	return 0
}

// CallRect returns where a call lies, at least a pixel wide and cut to the viewport's width, and
// whether its thread is a track of the drawing. It may lie above or below the viewport.
func (d *Drawing) CallRect(ref trace.CallRef) (geom.Rect, bool) {
	for k, t := range d.Threads {
		if t != int(ref.Thread) {
			continue
		}
		th := d.Trace.Threads[t]
		r := d.spanRect(float64(th.Start(int(ref.Call))), float64(th.End(int(ref.Call))))
		r.X1 = max(r.X1, r.X0+1)
		depth := int(th.Depth(int(ref.Call)))
		r.Y0, r.Y1 = d.rows(k, depth, depth+1)
		return r, depth < d.levels(t)
	}
	return geom.Rect{}, false
}

// TrackRect returns the rectangle of track k, header included, which may lie outside the viewport.
func (d *Drawing) TrackRect(k int) geom.Rect {
	y0, y1 := d.band(d.offsets[k], d.offsets[k+1])
	return geom.Rect{X0: d.View.X0, Y0: y0, X1: d.View.X1, Y1: y1}
}

// spanRect returns the x range of [start, end], cut a pixel beyond the viewport.
func (d *Drawing) spanRect(start, end float64) geom.Rect {
	x0, x1 := d.Axis.X(start), d.Axis.X(end)
	lo, hi := d.View.X0-1, d.View.X1+1
	return geom.Rect{X0: min(max(x0, lo), hi), X1: max(min(x1, hi), lo)}
}
