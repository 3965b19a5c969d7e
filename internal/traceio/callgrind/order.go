package callgrind

import (
	"cmp"
	"slices"
)

// sort brings the functions of a graph, and the calls between them, into the order of their names,
// once all are known. Equal runs of a program write them in different orders, and on the order
// depends how costs are rounded that are split, and by which of two equal calls a cycle is entered:
// the trees of two equal runs had 980 and 988 nodes.
func (p *parser) sort(g *graph) {
	order, to := make([]int32, len(g.nodes)), make([]int32, len(g.nodes))
	for n := range order {
		order[n] = int32(n)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return p.compare(&g.nodes[x], &g.nodes[y]) })
	nodes := make([]node, len(g.nodes))
	for now, was := range order {
		to[was] = int32(now)
		nodes[now] = g.nodes[was]
		nodes[now].out = nil
	}
	for i := range g.edges {
		e := &g.edges[i]
		e.from, e.to = to[e.from], to[e.to]
	}
	slices.SortFunc(g.edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	})
	for i, e := range g.edges {
		if e.cost > 0 {
			nodes[e.from].out = append(nodes[e.from].out, int32(i))
		}
	}
	g.nodes, g.index, g.byEnds = nodes, nil, nil
}

// compare orders functions by name, what is inlined first, then by file and binary.
func (p *parser) compare(x, y *node) int {
	text := p.texts.all
	return cmp.Or(cmp.Compare(text[x.key.name], text[y.key.name]), cmp.Compare(text[x.key.file], text[y.key.file]),
		cmp.Compare(text[x.key.object], text[y.key.object]))
}
