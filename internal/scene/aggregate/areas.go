package aggregate

import (
	"cmp"
	"slices"

	"diptych/internal/aggregate"
)

// This file finds what is drawn of a partition: the data aggregates that are high enough to see,
// and the visual ones that stand for the others.

// areasOf lists the areas of a picture, ordered by their first leaf, then by their first slice.
func areasOf(p *Picture, r *rows) []Area {
	t := p.Source.Tree()
	within := make([]int, t.Leaves) // by leaf: its band, or None
	for i := range within {
		within[i] = aggregate.None
	}
	for k, b := range r.bands {
		for i := b.leaves[0]; i < b.leaves[1]; i++ {
			within[i] = k
		}
	}
	parts := make([][]int, len(r.bands)) // by band: the aggregates that are hidden in it
	var out []Area
	for i, a := range p.Partition.Aggregates {
		at := leaves(t, a.Node)
		if k := within[at[0]]; k != aggregate.None && at != r.bands[k].leaves &&
			at[1] <= r.bands[k].leaves[1] {
			parts[k] = append(parts[k], i)
			continue
		}
		out = append(out, Area{Place: Place{Leaves: at, From: a.From, To: a.To, OK: true},
			Node: a.Node, Mode: int(p.Modes[i]), Share: float64(p.Shares[i]), Parts: 1})
	}
	shares := make([]float64, len(p.Source.States()))
	for k, list := range parts {
		out = append(out, visual(p, r.bands[k], list, shares)...)
	}
	slices.SortStableFunc(out, func(x, y Area) int {
		return cmp.Or(cmp.Compare(x.Leaves[0], y.Leaves[0]), cmp.Compare(x.From, y.From))
	})
	return out
}

// visual returns the visual aggregates that stand for the parts of a band. Where the band's own
// rows are cut, its node's best cuts in time take their place.
func visual(p *Picture, b band, parts []int, shares []float64) (out []Area) {
	list := p.Partition.Aggregates
	slices.SortFunc(parts, func(x, y int) int { return cmp.Compare(list[x].From, list[y].From) })
	for len(parts) > 0 {
		from, to, n := list[parts[0]].From, list[parts[0]].To, 1
		for n < len(parts) && list[parts[n]].From <= to+1 {
			to = max(to, list[parts[n]].To)
			n++
		}
		first := len(out)
		for _, cut := range p.Quality.Cuts(b.node, from, to, p.Partition.P) {
			a := Area{Place: Place{Leaves: b.leaves, From: cut.From, To: cut.To, OK: true},
				Node: b.node, Mark: Same}
			a.Mode = aggregate.Shares(p.Source, b.leaves[0], b.leaves[1], cut.From, cut.To, shares)
			if a.Mode >= 0 {
				a.Share = shares[a.Mode]
			}
			out = append(out, a)
		}
		mark(p, out[first:], parts[:n])
		parts = parts[n:]
	}
	return out
}

// mark counts the parts that each of some visual aggregates stands for, and marks as Mixed those
// whose leaves have different cuts in time.
//
//	slices  0 1 2 3 4        slices  0 1 2 3 4
//	leaf 0  [   ][    ]      leaf 0  [   ][    ]
//	leaf 1  [   ][    ]      leaf 1  [ ][      ]
//	Same                     Mixed
func mark(p *Picture, areas []Area, parts []int) {
	t := p.Source.Tree()
	type stretch struct{ area, from, to int }
	covered := map[stretch]int{} // leaves whose part has these slices within the area
	for _, i := range parts {
		a := p.Partition.Aggregates[i]
		k, _ := slices.BinarySearchFunc(areas, a.From, func(x Area, from int) int {
			return cmp.Compare(x.To, from)
		})
		for ; k < len(areas) && areas[k].From <= a.To; k++ {
			areas[k].Parts++
			covered[stretch{k, max(a.From, areas[k].From), min(a.To, areas[k].To)}] +=
				int(t.Nodes[a.Node].To - t.Nodes[a.Node].From)
		}
	}
	for s, leaves := range covered {
		if a := &areas[s.area]; leaves != a.Leaves[1]-a.Leaves[0] {
			a.Mark = Mixed
		}
	}
}
