// Package bycode joins the structure tree to the spatiotemporal overview: it makes the functions of
// the code what is aggregated, instead of the threads. It stands between structure and aggregate so
// that neither of the two needs to know the other.
package bycode

import (
	"strconv"

	"diptych/internal/aggregate"
	"diptych/internal/pair"
	"diptych/internal/structure"
	"diptych/internal/trace"
)

// Places returns the places of the functions in the tree of the code, for Options.Code. Nodes[i] is
// the node of the tree at place i.
func Places(t *structure.Tree) (code *aggregate.Code, nodes []int) {
	at := make([]int32, len(t.Nodes)) // the place of each node
	code = &aggregate.Code{}
	for i, n := range t.Nodes {
		if at[i] = aggregate.None; n.Kind == structure.Function {
			at[i] = int32(len(nodes))
			nodes = append(nodes, i)
			code.Places = append(code.Places, place(t, i))
		}
	}
	code.Cells = func(s pair.Side, thread int) []int32 {
		return cells(t.Cells(s, thread), len(t.Pair.Trace(s).Functions), at)
	}
	return code, nodes
}

// place returns where a node is. Siblings may have the same name, so their indices are the keys.
func place(t *structure.Tree, node int) aggregate.Place {
	names := t.Path(node)
	keys := make([]string, len(names))
	for k := len(names) - 1; k >= 0; k-- {
		keys[k] = strconv.Itoa(node)
		node = int(t.Nodes[node].Parent)
	}
	return aggregate.Place{Keys: keys, Names: names}
}

// cells returns the places of a thread's functions, given their nodes.
func cells(nodes structure.Cells, functions int, at []int32) []int32 {
	if nodes == nil {
		return nil
	}
	places := make([]int32, functions)
	for fn := range places {
		if places[fn] = aggregate.None; nodes.Of(trace.FuncID(fn)) >= 0 {
			places[fn] = at[nodes.Of(trace.FuncID(fn))]
		}
	}
	return places
}
