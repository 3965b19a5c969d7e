package links

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/bundle"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// tubes is what drawing works with.
type tubes struct {
	nodes  [2][]bundle.Node
	groups []bundle.Group
	edges  []bundle.Edge
	tubes  []scene.Tube // by index into Arena.picked
	order  []placed
	brush  [2][]reach
	marks  [2][]reach
}

// placed says when a tube is drawn: the farthest first (by the mean of its ends), then by rank,
// then the widest. The bits of floating point numbers that are not negative order as these do.
type placed struct {
	key  uint64 // nearness, 32 bits; rank, 2 bits; width, 30 bits
	pick int32  // index into Arena.picked
}

func place(near float32, rank uint8, width float32, pick int) placed {
	next := uint32(rank)<<30 | ^math.Float32bits(width)>>2
	return placed{uint64(math.Float32bits(near))<<32 | uint64(next), int32(pick)}
}

func (x placed) compare(y placed) int {
	if x.key != y.key {
		return cmp.Compare(x.key, y.key)
	}
	return cmp.Compare(x.pick, y.pick)
}

// lineWidth is the width of a line in dp.
const lineWidth = 1

// draw routes the picked links and appends their tubes, the farthest first.
func (b *builder) draw(into *scene.Tubes) {
	into.Lambda, into.Morph, into.Spine = b.st.Lambda, b.st.Morph, b.st.Spine
	into.Line = lineWidth * b.pane.Scale
	paths := b.route(into)
	b.shape(paths)
	for _, p := range b.tubes.order {
		into.Tubes = append(into.Tubes, b.tubes.tubes[p.pick])
		b.links.links = append(b.links.links, b.link(&b.picked[p.pick]))
	}
	b.links.Drawn = len(b.links.links)
}

// route lays the links out as bundles.
func (b *builder) route(into *scene.Tubes) []bundle.Path {
	t := &b.tubes
	for k := range b.sides {
		t.nodes[k] = t.nodes[k][:0]
		for i := range b.sides[k].cells {
			c := &b.sides[k].cells[i]
			node := bundle.Node{Rect: c.rect, Parent: c.parent, Minor: c.run}
			t.nodes[k] = append(t.nodes[k], node)
		}
	}
	t.groups, t.edges = t.groups[:0], t.edges[:0]
	for _, r := range b.groups.roots {
		t.groups = append(t.groups, bundle.Group{Roots: r})
	}
	for i := range b.picked {
		t.edges = append(t.edges, bundle.Edge{Ends: b.picked[i].ends, Group: b.picked[i].group})
	}
	o := bundle.Options{
		Top: b.pane.Top, Bottom: b.pane.Bottom, Mid: b.pane.Mid,
		Band:     b.st.Band * (b.pane.Bottom - b.pane.Top),
		Strength: b.st.Strength, Least: b.pane.Scale, Original: b.st.Original,
	}
	knots, paths := bundle.Route(o, t.nodes, t.groups, t.edges, into.Knots, &b.bundle)
	into.Knots = knots
	return paths
}

// shape makes the tubes and puts them in order: back to front, what is brushed or marked last among
// equally near ones, and of the rest the wide before the narrow.
func (b *builder) shape(paths []bundle.Path) {
	t, paint := &b.tubes, b.painter()
	t.order, t.tubes = t.order[:0], t.tubes[:0]
	for i := range b.picked {
		p := &b.picked[i]
		f, g := &b.sides[0].cells[p.ends[0]], &b.sides[1].cells[p.ends[1]]
		w0, w1 := f.rect.W(), g.rect.W()
		z0, z1 := b.sides[0].nearness(f), b.sides[1].nearness(g)
		look := paint.paint(p, w0, w1)
		t.tubes = append(t.tubes, scene.Tube{
			First: paths[i].First, Count: paths[i].Count,
			W0: w0, W1: w1, Z0: z0, Z1: z1, Fill: look.fill, Gloss: look.gloss,
		})
		t.order = append(t.order, place((z0+z1)/2, look.rank, max(w0, w1), i))
	}
	slices.SortFunc(t.order, placed.compare)
}

// nearness grows with the stack level: what is deeper is finer and lies before what is coarser.
func (s *side) nearness(c *cell) float32 {
	return float32(c.depth-s.shallow+1) / float32(s.deepest-s.shallow+2)
}

func (b *builder) link(p *candidate) Link {
	f, g := &b.sides[0].cells[p.ends[0]], &b.sides[1].cells[p.ends[1]]
	return Link{
		Ends: [2]End{b.end(0, p.ends[0]), b.end(1, p.ends[1])},
		S:    p.s, Shift: float64(g.start - f.start),
	}
}

const (
	// farShare is the share of the longer focus at which a shift has the full colour, farPlace the
	// share of a group at which one within it has.
	farShare = 1. / 3
	farPlace = 1. / 4
	// thick is the width in dp from which on s shows as a highlight rather than as opacity.
	thick = 16
	// faintest is the opacity of a match that hardly exceeds τ.
	faintest = .2
	// The thinner the thin end of a tube, the more translucent the tube: many thin ones look like a
	// texture, and a thick one stands out. thinnest is the opacity at 1 dp, opaque is the width in
	// dp at which it is full.
	thinnest = .35
	opaque   = 8
	// A wide tube is paler, by up to calm, so that narrow ones stay visible beside it: from
	// calmFrom dp on, in full at calmTo.
	calm             = .35
	calmFrom, calmTo = 48, 320
	// pointedInk is how far the match under the pointer moves towards the colour of text.
	pointedInk = .25
	// markedGloss is the highlight of a marked match.
	markedGloss = .7
)

// painter gives links their colours.
type painter struct {
	*builder
	far   float64 // the shift that has the full colour
	brush [2][]reach
	marks [2][]reach
	tau   float64
}

// reach is the calls [from, to) of a thread.
type reach struct{ thread, from, to int32 }

func (b *builder) painter() painter {
	p := painter{builder: b, tau: b.st.Tau.Float()}
	for k, d := range b.drawn {
		p.far = max(p.far, d.Axis.Span.Len()*farShare)
		p.brush[k] = reaches(b.tubes.brush[k][:0], b.st.Brush, k, d, true)
		p.marks[k] = reaches(b.tubes.marks[k][:0], b.st.Marked, k, d, false)
		b.tubes.brush[k], b.tubes.marks[k] = p.brush[k], p.marks[k]
	}
	if b.st.Relative {
		p.far = farPlace
	}
	b.links.Far = p.far
	return p
}

// reaches returns what the brushes of side k cover: each call, with all below it or alone. A call
// of a thread that is not shown covers nothing, so it does not make all that is shown grey.
func reaches(out []reach, brushes []Brush, k int, d *icicle.Drawing, below bool) []reach {
	for _, r := range brushes {
		if r.Side != k || d.TrackOf(int(r.Ref.Thread)) < 0 {
			continue
		}
		to := r.Ref.Call + 1
		if th := d.Trace.Threads[r.Ref.Thread]; below && int(r.Ref.Call) < th.Len() {
			to = int32(th.Next(int(r.Ref.Call)))
		}
		out = append(out, reach{r.Ref.Thread, r.Ref.Call, to})
	}
	return out
}

// holds reports whether any of rs holds the call that c is drawn for.
func holds(rs []reach, c *cell) bool {
	for _, r := range rs {
		if r.thread == c.thread && r.from <= c.call && c.call < r.to {
			return true
		}
	}
	return false
}

func (p *painter) held(by *[2][]reach, f, g *cell) bool {
	return holds(by[0], f) || holds(by[1], g)
}

// look is how a tube looks.
type look struct {
	fill  color.NRGBA
	gloss float32
	rank  uint8 // the higher, the later it is drawn among equally near ones
}

// Ranks: what is looked for is drawn over the rest.
const (
	plainRank = iota
	brushedRank
	markedRank
)

// paint returns the look of the link c whose ends have the given widths.
func (p *painter) paint(c *candidate, w0, w1 float32) look {
	f, g := &p.sides[0].cells[c.ends[0]], &p.sides[1].cells[c.ends[1]]
	pal := p.pane.Palette
	out := look{fill: pal.Tube}
	brushing := len(p.brush[0])+len(p.brush[1]) > 0
	if brushing && !p.held(&p.brush, f, g) {
		out.fill = pal.Aside()
	} else {
		out.fill = p.hue(f, g, c)
		if brushing {
			out.rank = brushedRank
		}
	}
	if out.rank != brushedRank {
		out.fill = palette.Mix(out.fill, pal.Pane, p.calmness(max(w0, w1)))
	}
	out.fill.A = p.opacity(min(w0, w1))
	if p.st.Similarity {
		p.shade(&out, float32((c.s-p.tau)/max(1-p.tau, 1e-9)), max(w0, w1))
	}
	if len(p.st.Marked) > 0 && p.held(&p.marks, f, g) {
		out.rank, out.gloss, out.fill.A = markedRank, max(out.gloss, markedGloss), 0xff
	}
	if at := p.st.Pointed; at != nil && *at == [2]trace.CallRef{f.ref(), g.ref()} {
		out.rank, out.fill = markedRank, palette.Mix(out.fill, pal.Text, pointedInk)
		out.fill.A = 0xff
	}
	return out
}

// calmness returns how much paler a tube is that is w px wide where it is widest.
func (p *painter) calmness(w float32) float32 {
	t := (w/p.pane.Scale - calmFrom) / (calmTo - calmFrom)
	return calm * min(max(t, 0), 1)
}

// opacity returns that of a tube whose thin end is w px wide.
func (p *painter) opacity(w float32) uint8 {
	t := (w/p.pane.Scale - 1) / (opaque - 1)
	return uint8(255 * (thinnest + (1-thinnest)*min(max(t, 0), 1)))
}

// shade shows how strong a match is, from 0 to 1.
func (p *painter) shade(out *look, strength, width float32) {
	if width >= thick*p.pane.Scale {
		out.gloss, out.fill.A = strength, 0xff
		return
	}
	out.fill.A = uint8(255 * (faintest + (1-faintest)*strength))
}

// hue returns the colour of the match of f and g.
func (p *painter) hue(f, g *cell, c *candidate) color.NRGBA {
	pal := p.pane.Palette
	switch p.st.Colour {
	case TimeShift:
		return pal.Shift(float32(min(p.shift(f, g, c)/p.far, 1)))
	case TraceCentric:
		across := g
		k := 1
		if p.st.Viewpoint == 1 {
			across, k = f, 0
		}
		return pal.Rainbow(float32(min(max(p.inGroup(k, across, c), 0), 1)))
	}
	return pal.Tube
}

// shift returns how far apart the calls of a link start: in ns or, if relative, in places. The
// place of a root match is that in the traces.
func (p *painter) shift(f, g *cell, c *candidate) float64 {
	switch {
	case !p.st.Relative:
		return math.Abs(float64(f.start - g.start))
	case c.ends == p.groups.roots[c.group]:
		return math.Abs(p.inTrace(0, f) - p.inTrace(1, g))
	}
	return math.Abs(p.inGroup(0, f, c) - p.inGroup(1, g, c))
}

// inTrace returns at which share of the whole time of side k a cell starts.
func (p *painter) inTrace(k int, end *cell) float64 {
	return float64(end.start) / float64(max(p.drawn[k].Trace.Duration, 1))
}

// inGroup returns at which share of the time of its group's root on side k an end of c starts.
func (p *painter) inGroup(k int, end *cell, c *candidate) float64 {
	root := &p.sides[k].cells[p.groups.roots[c.group][k]]
	return float64(end.start-root.start) / float64(max(root.dur, 1))
}
