package threads

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// Causal links that ended no wait are thin lines below the correspondences, from the moment that
// something went out from one thread to the moment that it arrived on another, where a dot marks
// it. There may be thousands: those that go out from one thread to the same other one within a few
// pixels are one line, which is a little thicker. All links of the call that is hovered or selected
// are drawn one by one, and stand out.

// lane is the links from one thread to another, in order of time.
type lane struct {
	from, to int32
	links    []int32 // indices into trace.Links
}

// lanes sorts the links between threads that ended no wait, most links first.
func lanes(a *wait.Analysis) (out []lane) {
	tr := a.Trace
	type sent struct {
		by trace.CallRef
		at int64
	}
	ended := map[sent]bool{}
	for k := range tr.Correspondences {
		ended[sent{tr.Correspondences[k].Release, tr.Correspondences[k].At}] = true
	}
	at := map[[2]int32]int{}
	for k := range tr.Links {
		l := &tr.Links[k]
		pair := [2]int32{l.From.Thread, l.To.Thread}
		if pair[0] == pair[1] || ended[sent{l.From, l.At}] {
			continue
		}
		i, known := at[pair]
		if !known {
			i = len(out)
			at[pair] = i
			out = append(out, lane{from: pair[0], to: pair[1]})
		}
		out[i].links = append(out[i].links, int32(k))
	}
	slices.SortStableFunc(out, func(x, y lane) int { return cmp.Compare(len(y.links), len(x.links)) })
	return out
}

const (
	bundled    = 6   // dp within which links are one line, at most twice that
	mostLines  = 240 // that are drawn
	mostLanes  = 2000
	mostOfCall = 200 // links of one call
	calmLines  = 80  // more lines than these become paler
	flowInk    = 0x58
	leastInk   = 0x28
	arrival    = 1.6 // radius of a dot, dp
)

// line is a causal link that is drawn, or several.
type line struct {
	link     int32 // the first one
	count    int
	from, to int // places
}

// bundles returns the lines for what goes out in sight. Cost is the number of lines times the
// logarithm of the links.
func (b *builder) bundles() (out []line) {
	for k := range b.ready.lanes[:min(len(b.ready.lanes), mostLanes)] {
		l := &b.ready.lanes[k]
		from, to := b.placeOf(int(l.from)), b.placeOf(int(l.to))
		if from != Nowhere && to != Nowhere && from != to {
			out = b.bundle(out, l, from, to)
		}
		if len(out) >= mostLines {
			break
		}
	}
	return out
}

// bundle adds the lines of a lane. Stretches of time that are one line have a power of two as their
// length, and do not move with the view: what is one line stays one while the view is panned.
func (b *builder) bundle(out []line, l *lane, from, to int) []line {
	view, all := b.st.view(from), b.v.trace.Links
	stretch := math.Exp2(math.Ceil(math.Log2(bundled * float64(b.dp) * view.Len() / max(b.width(from), 1))))
	first := func(at float64) int {
		return sort.Search(len(l.links), func(k int) bool { return float64(all[l.links[k]].At) >= at })
	}
	for i := first(view.Start); i < len(l.links) && len(out) < mostLines; {
		at := float64(all[l.links[i]].At)
		if at > view.End {
			break
		}
		next := max(first((math.Floor(at/stretch)+1)*stretch), i+1)
		out = append(out, line{l.links[i], next - i, from, to})
		i = next
	}
	return out
}

// flows draws the lines of what goes out in sight into the layer under.
func (b *builder) flows(under int) {
	lines := b.bundles()
	b.v.Lines = len(lines)
	ink := uint8(max(flowInk*min(1, calmLines/float32(max(len(lines), 1))), leastInk))
	for k := range lines {
		b.flow(under, &lines[k], palette.WithAlpha(b.pal.Secondary, ink), 1)
	}
}

// flowsOfSubject draws all links of the call that is hovered, or else selected.
func (b *builder) flowsOfSubject(under int) {
	n := 0
	draw := func(k int) bool {
		l := &b.v.trace.Links[k]
		x := line{int32(k), 1, b.placeOf(int(l.From.Thread)), b.placeOf(int(l.To.Thread))}
		if x.from != Nowhere && x.to != Nowhere {
			b.flow(under, &x, b.pal.Text, 1.3)
			n++
		}
		return n < mostOfCall
	}
	for _, refs := range [2][]trace.CallRef{b.st.Hover, b.st.Selected} {
		for _, ref := range refs {
			if int(ref.Thread) < len(b.v.trace.Threads) && int(ref.Call) < b.v.trace.Threads[ref.Thread].Len() {
				b.v.trace.Causes(ref)(draw)
				b.v.trace.Effects(ref)(draw)
			}
		}
		if n > 0 {
			return
		}
	}
}

// core is how far from its middle the borders of a line run, px: a ribbon whose borders coincide
// has no sides that could be made smooth.
const core = .25

// parallel returns a curve beside another one, px to the left of it.
func parallel(c [4]geom.Point, off float32) [4]geom.Point {
	for _, half := range [2][2]int{{0, 1}, {2, 3}} {
		p, q := c[half[0]], c[half[1]]
		dx, dy := q.X-p.X, q.Y-p.Y
		if far := float32(math.Hypot(float64(dx), float64(dy))); far > 0 {
			dx, dy = off*dy/far, -off*dx/far
			c[half[0]], c[half[1]] = geom.Point{X: p.X + dx, Y: p.Y + dy}, geom.Point{X: q.X + dx, Y: q.Y + dy}
		}
	}
	return c
}

// flow draws a line, with a dot where it arrives.
func (b *builder) flow(under int, x *line, ink color.NRGBA, strength float32) {
	l := &b.v.trace.Links[x.link]
	p, q := b.anchor(x.from, float64(l.At)), b.anchor(x.to, float64(l.Until))
	edge := b.edge(x.from, p, x.to, q)
	width := (1 + min(float32(math.Log2(float64(x.count)))/4, 1)) * strength * b.dp
	layer := b.at(under)
	layer.Ribbons = append(layer.Ribbons, scene.Ribbon{Fill: ink, Ink: ink, Line: width - 2*core,
		Edges: [2][4]geom.Point{parallel(edge, -core), parallel(edge, core)}})
	if b.st.view(x.to).Contains(float64(l.Until)) {
		dot(layer, q, arrival*strength*b.dp, ink)
	}
}
