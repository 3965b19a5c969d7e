package callgrind

// graph is what a thread's functions and calls cost.
type graph struct {
	process, command, thread string

	nodes  []node
	index  map[function]int32
	edges  []edge
	byEnds map[[2]int32]int32
	sum    int64 // of all costs: it is kept below trace.Limit, so that no sum of some can overflow
}

// function is what makes functions different, in texts. Code that has no symbol has the same name
// in several binaries.
type function struct{ object, file, name int32 }

type node struct {
	key  function
	line int32 // where the function begins, 0 if that is not known
	own  int64 // cost without callees
	said int64 // numbers of the file about it and its calls, each of which may be rounded
	out  []int32
}

// edge is all calls of one function by another.
type edge struct {
	from, to int32
	cost     int64 // callees included
	times    int64 // as the file says; code that is inlined is not called
}

func newGraph(process, command, thread string) *graph {
	return &graph{process: process, command: command, thread: thread, index: map[function]int32{},
		byEnds: map[[2]int32]int32{}}
}

func (g *graph) node(key function) int32 {
	n, ok := g.index[key]
	if !ok {
		n = int32(len(g.nodes))
		g.nodes = append(g.nodes, node{key: key})
		g.index[key] = n
	}
	return n
}

func (g *graph) addOwn(n int32, cost int64) {
	g.nodes[n].own += cost
	g.nodes[n].said++
	g.sum += cost
}

// addCall adds so many calls. Those that cost nothing of what is shown only count: no function has
// them among its calls.
func (g *graph) addCall(from, to int32, cost, times int64) {
	if cost == 0 && times == 0 {
		return
	}
	ends := [2]int32{from, to}
	e, ok := g.byEnds[ends]
	if !ok {
		e = int32(len(g.edges))
		g.edges = append(g.edges, edge{from: from, to: to})
		g.byEnds[ends] = e
	}
	g.edges[e].times += times
	if cost == 0 {
		return
	}
	if g.edges[e].cost == 0 {
		g.nodes[from].out = append(g.nodes[from].out, e)
	}
	g.edges[e].cost += cost
	g.nodes[from].said++
	g.nodes[to].said++
	g.sum += cost
}
