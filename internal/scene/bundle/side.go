package bundle

// side is one hierarchy in the terms of the layout. Both sides are alike when heights are measured
// from the mid-line towards their own outer edge, so that is how they are measured.
type side struct {
	cells []cell
	mid   float32 // y of the mid-line, px
	out   float32 // direction of y towards the outer edge: −1 for A, 1 for B
	band  float32 // height of this side's half of the band, px
}

// cell is a node that edges may end at and control points stand for.
type cell struct {
	x      float32 // centre, px
	height float32 // of the centre above the mid-line, px; negative on the other side's ground
	level  float32 // of the centre between the band, 0, and the outer edge, 1; below 0 in the band
	up     int32   // nearest key node above, −1 for none
	parent int32
	key    bool
}

// set computes the cells of side i. A key node is wider than o.Least and lies outside the band
// (TraceDiff, IV-B).
func (s *side) set(nodes []Node, o Options, i int) {
	s.cells = resize(s.cells, len(nodes))
	s.mid, s.band = o.Mid, max(o.Band/2, 0)
	s.out = -1
	edge := o.Mid - o.Top
	if i == 1 {
		s.out, edge = 1, o.Bottom-o.Mid
	}
	perPx := float32(0) // levels
	if edge > s.band {
		perPx = 1 / (edge - s.band)
	}
	for k, n := range nodes {
		r := n.Rect
		c := cell{x: (r.X0 + r.X1) / 2, height: s.out * ((r.Y0+r.Y1)/2 - o.Mid), up: -1, parent: -1}
		c.level = min((c.height-s.band)*perPx, 1)
		inner := c.height - r.H()/2
		c.key = !n.Minor && r.W() > o.Least && inner >= s.band
		if p := n.Parent; p >= 0 && p < int32(k) {
			c.parent, c.up = p, p
			if !s.cells[p].key {
				c.up = s.cells[p].up
			}
		}
		s.cells[k] = c
	}
}

func (s *side) has(node int32) bool { return node >= 0 && int(node) < len(s.cells) }

// converge is how far towards the mid-line the outer edge is mirrored. The rest is a gap in which
// bundles cross from the one root to the other; without it they would do so on the spot.
const converge = .9

// mirrored is the height of a control point at the given level. The hierarchy is mirrored at the
// border of the band into the band, as Holten and van Wijk do to compare hierarchies: what is deep
// lies at the border and roots near the mid-line, so edges run downhill all the way.
func mirrored(level, band float32) float32 { return band * (1 - converge*level) }
