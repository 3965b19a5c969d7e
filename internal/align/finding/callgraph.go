package finding

import (
	"slices"

	"diptych/internal/pair"
)

// edge is the calls that a function makes of another, on both sides. The caller of roots is atRoot.
type edge struct {
	caller, id uint32
	of         [2]*total // by side; noCalls where there are none
}

var noCalls total

// callGraph is who calls whom, on either side.
type callGraph struct {
	edges   []edge  // in the order of callers, and of callees; those of roots come last
	from    []int32 // by caller: where its edges begin; and where those of roots do
	callees []int32 // edges in the order of callees, and of callers
	into    []int32 // by callee: where its edges begin among callees; and where they end
}

// newCallGraph joins the edges of both sides.
func newCallGraph(totals [2]*totals, names int) *callGraph {
	keys := slices.Concat(totals[pair.A].keys, totals[pair.B].keys)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	g := &callGraph{edges: make([]edge, len(keys)), callees: make([]int32, len(keys)),
		from: make([]int32, names+1), into: make([]int32, names+1)}
	for k, key := range keys {
		e := &g.edges[k]
		e.caller, e.id = uint32(key>>32), uint32(key)
		for sd, t := range totals {
			e.of[sd] = t.ofEdge(key)
		}
		if e.caller != atRoot {
			g.from[e.caller+1]++
		}
		g.into[e.id+1]++
	}
	for id := range names {
		g.from[id+1] += g.from[id]
		g.into[id+1] += g.into[id]
	}
	next := slices.Clone(g.into)
	for k := range g.edges {
		id := g.edges[k].id
		g.callees[next[id]] = int32(k)
		next[id]++
	}
	return g
}

// ofEdge returns the total of an edge, noCalls if a side has none.
func (t *totals) ofEdge(key uint64) *total {
	if e := t.edges.Find(key); e >= 0 {
		return t.of.at(int(e))
	}
	return &noCalls
}

// calleesOf returns the edges of a caller, in the order of callees; of atRoot, those of roots.
func (g *callGraph) calleesOf(caller uint32) []edge {
	if caller == atRoot {
		return g.edges[g.from[len(g.from)-1]:]
	}
	return g.edges[g.from[caller]:g.from[caller+1]]
}

// callersOf goes through the edges of a callee, in the order of callers; atRoot is the last.
func (g *callGraph) callersOf(id uint32) func(yield func(e *edge) bool) {
	return func(yield func(e *edge) bool) {
		for _, k := range g.callees[g.into[id]:g.into[id+1]] {
			if !yield(&g.edges[k]) {
				return
			}
		}
	}
}

// inFunctions goes through the edges whose caller is a function.
func (g *callGraph) inFunctions() []edge { return g.edges[:g.from[len(g.from)-1]] }
