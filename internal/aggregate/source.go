package aggregate

// Source is what can be aggregated: a value for each leaf, timeslice and state. In a difference
// values have a sign, and their absolute values are aggregated.
type Source interface {
	Tree() *Tree
	States() []string
	Slices() int
	// Row sets row[slice*len(States())+state] to the values of a leaf.
	Row(leaf int, row []float64)
	// Add adds the values of a leaf in slices from..to, inclusive, to sum, by state.
	Add(leaf, from, to int, sum []float64)
}

// Shares sets shares to the mean values, by state, of the leaves [leafFrom, leafTo) in slices
// from..to, inclusive. It returns the state whose share is largest by amount, None if all are 0.
func Shares(s Source, leafFrom, leafTo, from, to int, shares []float64) (mode int) {
	clear(shares)
	for leaf := leafFrom; leaf < leafTo; leaf++ {
		s.Add(leaf, from, to, shares)
	}
	mode = None
	most := 0.0
	for k := range shares {
		shares[k] /= float64((leafTo - leafFrom) * (to - from + 1))
		if v := max(shares[k], -shares[k]); v > most {
			mode, most = k, v
		}
	}
	return mode
}

// part is what a source has below a node.
type part struct {
	Source
	tree *Tree
	from int // the first leaf
}

// Within returns the part of a source below a node as a source of its own, whose leaves are
// numbered from 0.
func Within(s Source, node int) Source {
	if node == 0 {
		return s
	}
	return &part{s, s.Tree().Sub(node), int(s.Tree().Nodes[node].From)}
}

func (p *part) Tree() *Tree                 { return p.tree }
func (p *part) Row(leaf int, row []float64) { p.Source.Row(p.from+leaf, row) }
func (p *part) Add(leaf, from, to int, sum []float64) {
	p.Source.Add(p.from+leaf, from, to, sum)
}
