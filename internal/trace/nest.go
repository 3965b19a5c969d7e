package trace

import "context"

// placement is where each call of a forest went: its lane, its index there and its parent's index
// there.
type placement struct {
	lane   []int32 // nil while there is one lane only
	call   []int32 // nil likewise: the index itself
	parent []int32
	depth  []uint32
	counts []int32 // calls by lane
}

// nesting puts calls on lanes, in order.
type nesting struct {
	*forest
	placement
	lanes  lanes
	stacks [][]int32 // by lane: calls in one another, outermost first
}

// nest puts each call under the innermost call of the first lane where it nests, in O(n log k) for
// n calls on k lanes.
func (f *forest) nest(ctx context.Context) (placement, error) {
	n := len(f.start)
	g := nesting{forest: f, lanes: newLanes(1), stacks: make([][]int32, 1),
		placement: placement{parent: make([]int32, n), depth: make([]uint32, n), counts: []int32{0}}}
	for i := range int32(n) {
		if i&0xfff == 0 && ctx.Err() != nil {
			return g.placement, ctx.Err()
		}
		g.put(i, g.fit(i))
	}
	return g.placement, nil
}

// fit returns the first lane where call i nests.
func (g *nesting) fit(i int32) int {
	from, to := g.from(i), g.to(i)
	for {
		l := g.lanes.first(from, to)
		if l == len(g.stacks) {
			g.split(int(i))
		}
		if g.lanes.end(l) > from {
			return l
		}
		g.lanes.set(l, g.nextEnd(l, from))
	}
}

// nextEnd returns the earliest end on lane l after time from and forgets the calls that ended
// before. One that ended right then stays: a call of no length still nests in it.
func (g *nesting) nextEnd(l int, from int64) int64 {
	s := g.stacks[l]
	for len(s) > 0 && g.to(s[len(s)-1]) < from {
		s = s[:len(s)-1]
	}
	g.stacks[l] = s
	for k := len(s) - 1; k >= 0; k-- {
		if to := g.to(s[k]); to > from {
			return to
		}
	}
	return idle
}

// split adds a lane, and starts keeping lanes with the second one, at call i.
func (g *nesting) split(i int) {
	g.stacks, g.counts = append(g.stacks, nil), append(g.counts, 0)
	if g.lane != nil {
		return
	}
	g.lane, g.call = make([]int32, len(g.parent)), make([]int32, len(g.parent))
	for k := range i {
		g.call[k] = int32(k)
	}
}

// put adds call i to a lane that it fits, under the innermost call it lies in.
func (g *nesting) put(i int32, lane int) {
	s, to := g.stacks[lane], g.to(i)
	for len(s) > 0 && g.to(s[len(s)-1]) < to {
		s = s[:len(s)-1]
	}
	g.parent[i] = -1
	if k := len(s); k > 0 {
		up := s[k-1]
		g.parent[i] = up
		if g.call != nil {
			g.parent[i] = g.call[up]
		}
		g.depth[i] = g.depth[up] + 1
	}
	if g.lane != nil {
		g.lane[i], g.call[i] = int32(lane), g.counts[lane]
	}
	g.counts[lane]++
	g.stacks[lane] = append(s, i)
	if to > g.from(i) {
		g.lanes.set(lane, to)
	}
}
