package aggregate

import "slices"

// Only returns the part of a source that has some leaves: those for which keep returns true. If
// they are all leaves of one node, it returns that node, too, else None; the part is then
// Within(s, node), of which the quality is known if that of s is. Levels that have one child left
// are left out.
func Only(s Source, keep func(leaf int) bool) (part Source, node int) {
	t := s.Tree()
	var list []int
	for leaf := range t.Leaves {
		if keep(leaf) {
			list = append(list, leaf)
		}
	}
	if len(list) > 0 {
		first, last := list[0], list[len(list)-1]
		for i, n := range t.Nodes {
			if int(n.From) == first && int(n.To) == last+1 && len(list) == int(n.To-n.From) {
				return Within(s, i), i
			}
		}
	}
	return &some{s, t.pruned(list), list}, None
}

// some is some leaves of a source.
type some struct {
	Source
	tree *Tree
	leaf []int // of the source, by leaf
}

func (p *some) Tree() *Tree                 { return p.tree }
func (p *some) Row(leaf int, row []float64) { p.Source.Row(p.leaf[leaf], row) }
func (p *some) Add(leaf, from, to int, sum []float64) {
	p.Source.Add(p.leaf[leaf], from, to, sum)
}

// pruned returns the tree of some leaves, which are in order.
func (t *Tree) pruned(list []int) *Tree {
	out := &Tree{Leaves: len(list)}
	before := make([]int32, t.Leaves+1) // by leaf: how many of the list are before it
	for i := range t.Leaves {
		before[i+1] = before[i]
		if n := int(before[i]); n < len(list) && list[n] == i {
			before[i+1]++
		}
	}
	count := func(node int) int32 { return before[t.Nodes[node].To] - before[t.Nodes[node].From] }
	var put func(node int, parent int32, path []string)
	put = func(node int, parent int32, path []string) {
		var some []int
		for _, c := range t.children(node) {
			if count(c) > 0 {
				some = append(some, c)
			}
		}
		if len(some) == 1 {
			put(some[0], parent, path)
			return
		}
		if parent != None {
			old := t.Nodes[node].Path
			path = append(slices.Clip(path), old[len(old)-1])
		}
		at, from := len(out.Nodes), before[t.Nodes[node].From]
		n := Node{Path: path, Parent: parent, Leaf: None, From: from, To: from + count(node)}
		if len(some) == 0 {
			n.Leaf = from
		}
		out.Nodes = append(out.Nodes, n)
		for _, c := range some {
			put(c, int32(at), path)
		}
		out.Nodes[at].Size = int32(len(out.Nodes) - at)
	}
	if len(list) > 0 {
		put(0, None, nil)
	}
	return out
}
