package aggregate

import (
	"cmp"
	"slices"
)

// This file finds what is drawn of a partition: the data aggregates that are high enough to see,
// and the visual ones that stand for the others.

// areasOf lists the areas of a picture, ordered by their first leaf, then by their first slice.
func areasOf(p *Picture, r *rows) (list []Area) {
	t := p.Source.Tree()
	f := newFolder(p)
	bands := r.bands
	const many = 1 << 12 // more than there is room for, mostly
	list = make([]Area, 0, min(len(p.Partition.Aggregates), many))
	var parts []int // the aggregates that are hidden in the first of bands
	fold := func() {
		list = f.fold(list, bands[0], parts)
		bands, parts = bands[1:], parts[:0]
	}
	for i, a := range p.Partition.Aggregates { // ordered by their first leaf, as bands are
		at := leaves(t, a.Node)
		for len(bands) > 0 && bands[0].leaves[1] <= at[0] {
			fold()
		}
		if len(bands) > 0 && bands[0].hides(at) {
			parts = append(parts, i)
			continue
		}
		list = append(list, Area{Place: Place{Leaves: at, From: a.From, To: a.To, OK: true},
			Node: a.Node, Mode: int(p.Modes[i]), Share: float64(p.Shares[i]), Parts: 1})
	}
	for len(bands) > 0 {
		fold()
	}
	slices.SortFunc(list, func(x, y Area) int {
		return cmp.Or(cmp.Compare(x.Leaves[0], y.Leaves[0]), cmp.Compare(x.From, y.From))
	})
	return list
}

// hides reports whether the leaves of a data aggregate are some of a band's, but not all.
func (b *band) hides(leaves [2]int) bool {
	return leaves[0] >= b.leaves[0] && leaves[1] <= b.leaves[1] && leaves != b.leaves
}

// folder makes visual aggregates of data aggregates. Its columns are counts of the parts of one
// band, by timeslice; one more slice stands for the end of all.
type folder struct {
	p      *Picture
	begun  []int // parts that begin in this slice or an earlier one
	ended  []int // parts that end before this slice
	cut    []int // leaves that have a cut at the beginning of this slice
	shares []float64
}

func newFolder(p *Picture) *folder {
	n := p.Source.Slices() + 1
	return &folder{p: p, begun: make([]int, n), ended: make([]int, n), cut: make([]int, n),
		shares: make([]float64, len(p.Source.States()))}
}

// fold appends the visual aggregates that stand for the parts of a band: over the time that they
// have, the best cuts in time of the band's node.
func (f *folder) fold(list []Area, b band, parts []int) []Area {
	f.count(parts)
	all, t := f.p.Partition.Aggregates, f.p.Source.Tree()
	n := 0
	for n < len(parts) && leaves(t, all[parts[n]].Node)[0] == b.leaves[0] {
		n++
	}
	// In each slice either all leaves of a band are hidden or none. So the parts of its first leaf,
	// which come first and in order of time, tell when all are hidden.
	for parts = parts[:n]; len(parts) > 0; {
		from, to := all[parts[0]].From, all[parts[0]].To
		for parts = parts[1:]; len(parts) > 0 && all[parts[0]].From == to+1; parts = parts[1:] {
			to = all[parts[0]].To
		}
		for _, cut := range f.p.cutsOf(b.node, from, to) {
			list = append(list, f.area(b, cut.From, cut.To))
		}
	}
	return list
}

// count counts the parts of a band.
func (f *folder) count(parts []int) {
	clear(f.begun)
	clear(f.ended)
	clear(f.cut)
	nodes := f.p.Source.Tree().Nodes
	for _, i := range parts {
		a := &f.p.Partition.Aggregates[i]
		f.begun[a.From]++
		f.ended[a.To+1]++
		f.cut[a.From] += int(nodes[a.Node].To - nodes[a.Node].From)
	}
	for i := 1; i < len(f.begun); i++ {
		f.begun[i] += f.begun[i-1]
		f.ended[i] += f.ended[i-1]
	}
}

// area returns a visual aggregate of a band. It is Mixed if within it some leaves are cut where
// others are not.
//
//	slices  0 1 2 3 4        slices  0 1 2 3 4
//	leaf 0  [   ][    ]      leaf 0  [   ][    ]
//	leaf 1  [   ][    ]      leaf 1  [ ][      ]
//	Same                     Mixed
func (f *folder) area(b band, from, to int) Area {
	a := Area{Place: Place{Leaves: b.leaves, From: from, To: to, OK: true}, Node: b.node,
		Mark: Same, Parts: f.begun[to] - f.ended[from]}
	for _, n := range f.cut[from+1 : to+1] {
		if n != 0 && n != b.leaves[1]-b.leaves[0] {
			a.Mark = Mixed
		}
	}
	if a.Mode = f.p.sums.shares(b, from, to, f.shares); a.Mode >= 0 {
		a.Share = f.shares[a.Mode]
	}
	return a
}
