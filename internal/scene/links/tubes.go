package links

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/scene"
	"diptych/internal/scene/bundle"
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

// placed is when a tube is drawn: the farthest first, as the mean of its ends goes, then by rank,
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
		S:    p.s, Group: int(p.group), Shift: float64(g.start - f.start),
	}
}
