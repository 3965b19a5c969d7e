package aligned

// tally counts kinds in any range of nodes: a count before every block of nodes, and the nodes at
// both ends one by one. It takes under half a byte a node.
type tally struct {
	of     []kind // by node
	before []counts
}

// counts are by kind.
type counts [kinds]uint32

const tallyBlock = 64

func newTally(of []kind) tally {
	t := tally{of: of, before: make([]counts, 0, len(of)/tallyBlock+1)}
	var sum counts
	for i, k := range of {
		if i%tallyBlock == 0 {
			t.before = append(t.before, sum)
		}
		sum[k]++
	}
	return t
}

// in counts the nodes in [from, to).
func (t *tally) in(from, to int) counts {
	c := t.upTo(to)
	for k, n := range t.upTo(from) {
		c[k] -= n
	}
	return c
}

// upTo counts the nodes before i.
func (t *tally) upTo(i int) counts {
	if i == 0 || len(t.of) == 0 {
		return counts{}
	}
	block := min(i/tallyBlock, len(t.before)-1)
	c := t.before[block]
	for _, k := range t.of[block*tallyBlock : i] {
		c[k]++
	}
	return c
}
