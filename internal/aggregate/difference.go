package aggregate

import (
	"slices"

	"diptych/internal/pair"
)

// Difference is the model of what differs between two runs: for each leaf, timeslice and state
// v = v_A − v_B. Its absolute value is aggregated, its sign is kept. A leaf is two paired threads,
// or a function; one that has no partner is compared with nothing.
type Difference struct {
	tree  *Tree
	sides [2]*Model
	Of    []int    // by leaf: the index into Pair.Threads, or into Code.Places
	leaf  [][2]int // by leaf: the leaves of the sides, or None
}

// Difference returns the difference of the two sides.
func (m *Models) Difference() *Difference {
	d := &Difference{sides: m.Sides}
	on := m.Threads
	if m.options.Code != nil {
		on = m.Places
		all := slices.Concat(on[pair.A], on[pair.B])
		slices.Sort(all)
		d.tree, d.Of = placesTree(m.options.Code, slices.Compact(all))
	} else {
		d.tree, d.Of = PairThreads(m.Pair)
	}
	var at [2]map[int]int
	for s := range on {
		at[s] = map[int]int{}
		for leaf, of := range on[s] {
			at[s][of] = leaf
		}
	}
	for _, of := range d.Of {
		pairOf := [2]int{None, None}
		for s := range pairOf {
			key := of
			if m.options.Code == nil {
				key = m.Pair.Threads[of].On(pair.Side(s))
			}
			if leaf, ok := at[s][key]; ok {
				pairOf[s] = leaf
			}
		}
		d.leaf = append(d.leaf, pairOf)
	}
	return d
}

func (d *Difference) Tree() *Tree      { return d.tree }
func (d *Difference) States() []string { return d.sides[pair.A].states }
func (d *Difference) Slices() int      { return d.sides[pair.A].Slices() }

// Row sets row to v_A − v_B.
func (d *Difference) Row(leaf int, row []float64) {
	clear(row)
	for s, m := range d.sides {
		sign := float64(1 - 2*s)
		if d.leaf[leaf][s] == None {
			continue
		}
		for _, c := range m.Cells[d.leaf[leaf][s]] {
			row[int(c.Slice)*len(m.states)+int(c.State)] += sign * m.value(c)
		}
	}
}

// Add adds v_A − v_B of a leaf in slices from..to, inclusive, to sum, by state. Two values are
// subtracted before they are added to the sum, so that equal runs differ by exactly 0.
func (d *Difference) Add(leaf, from, to int, sum []float64) {
	var cells [2][]Cell
	for s, m := range d.sides {
		if at := d.leaf[leaf][s]; at != None {
			cells[s] = m.within(at, from, to)
		}
	}
	for a, b := cells[pair.A], cells[pair.B]; len(a) > 0 || len(b) > 0; {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = a[0].compare(b[0])
		}
		var state uint32
		var v float64
		if order <= 0 {
			state, v = a[0].State, d.sides[pair.A].value(a[0])
			a = a[1:]
		}
		if order >= 0 {
			state, v = b[0].State, v-d.sides[pair.B].value(b[0])
			b = b[1:]
		}
		sum[state] += v
	}
}

// Leaves returns what the leaves of a side stand for: threads, or indices into Code.Places.
func (m *Models) Leaves(s pair.Side) []int {
	if m.options.Code != nil {
		return m.Places[s]
	}
	return m.Threads[s]
}

// Origin returns what a leaf of the difference stands for, as Leaves does: on A, or on B if A has
// nothing there.
func (m *Models) Origin(d *Difference, leaf int) (s pair.Side, of int) {
	if d.leaf[leaf][pair.A] == None {
		s = pair.B
	}
	return s, m.Leaves(s)[d.leaf[leaf][s]]
}
