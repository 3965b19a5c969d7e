package callgrind

// cycles returns for each node the number of its cycle, and the nodes of each cycle: functions that
// call one another, directly or through others, or a single function. Callers have greater numbers
// than callees. This is Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972)
// without recursion, as a chain of calls may be as long as the file.
func (g *graph) cycles() (of []int32, members [][]int32) {
	const unseen, open = -2, -1
	of = make([]int32, len(g.nodes))
	low := make([]int32, len(g.nodes))  // the earliest visit of an open node in reach
	next := make([]int32, len(g.nodes)) // how many of its edges were followed
	for n := range of {
		of[n] = unseen
	}
	order := make([]int32, len(g.nodes))
	all := make([]int32, 0, len(g.nodes)) // of all cycles
	var path, opened []int32
	visits := int32(0)
	visit := func(n int32) {
		of[n], order[n], low[n] = open, visits, visits
		visits++
		path, opened = append(path, n), append(opened, n)
	}
	for root := range g.nodes {
		if of[root] != unseen {
			continue
		}
		for visit(int32(root)); len(path) > 0; {
			n := path[len(path)-1]
			if out := g.nodes[n].out; int(next[n]) < len(out) {
				to := g.edges[out[next[n]]].to
				next[n]++
				switch of[to] {
				case unseen:
					visit(to)
				case open:
					low[n] = min(low[n], order[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[n])
			}
			if low[n] != order[n] {
				continue
			}
			at := len(opened) - 1
			for opened[at] != n {
				at--
			}
			for _, m := range opened[at:] {
				of[m] = int32(len(members))
			}
			all = append(all, opened[at:]...)
			members = append(members, all[len(all)-(len(opened)-at):])
			opened = opened[:at]
		}
	}
	return of, members
}

// widest returns the members of a cycle in the order in which they are reached from one of them,
// and by which other each is reached: by the calls that cost most of those that are reached
// already.
func widest(members []int32, part [][]float64, x []float64, from int) (order []int32, up map[int32]int32) {
	best, by := make([]float64, len(members)), make([]int, len(members))
	up = map[int32]int32{members[from]: -1}
	for next := from; next >= 0; {
		order, best[next] = append(order, members[next]), -1
		for i, p := range part[next] {
			if cost := p * x[next]; best[i] >= 0 && cost > best[i] {
				best[i], by[i] = cost, next
			}
		}
		next = -1
		for i, cost := range best {
			if cost > 0 && (next < 0 || cost > best[next]) {
				next = i
			}
		}
		if next >= 0 {
			up[members[next]] = members[by[next]]
		}
	}
	return order, up
}
