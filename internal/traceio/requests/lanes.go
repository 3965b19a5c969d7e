package requests

import (
	"cmp"
	"slices"
)

// A thread runs one call at a time, but a service often does several things at once for a request.
// So the spans of a service are laid on lanes, in two steps:
//
//  1. A span stays on the lane of its parent if the parent is of the same service and encloses it,
//     and no sibling that it overlaps stays there already. All others begin a branch: the span with
//     those below it that stay.
//  2. The branches of a service get lanes: each the first on which nothing else runs meanwhile, and
//     that is beyond its parent's lane if the parent is of the service too.
//
// For example, in a service
//
//	a [0, 100] calls b [10, 50], c [20, 60] and d [70, 90]
//
// has a, b and d on its first lane, for d overlaps neither; c begins a branch on the second one.
//
// Two requests of the same shape must get the same lanes, or their threads would not align. What
// runs at the same time begins now in this order, now in that one. So both steps take spans that
// overlap by name (tree.arrange): b stays with a, whichever of b and c came first. The alternative,
// to keep the span that ends last on its parent's lane so that the first lane is the critical path,
// would exchange lanes exactly where a slow request differs from a fast one.

// lane is a thread: a service and a number, from 0.
type lane struct {
	service string // its id
	number  int
}

// layout says where the spans of a request are.
type layout struct {
	*tree
	head     []int32   // the span that begins the branch of each
	below    [][]int32 // the spans that stay with each, in order of time
	services []string  // in the order in which the request reaches them
	branches map[string][]int32
	lane     []int     // by span, if it begins a branch
	lanes    [][]int32 // all lanes, those of a service together: the heads of branches, by time
	of       []lane    // by index into lanes
	moved    map[int32]moved
}

// lay puts all spans on lanes.
func lay(t *tree) *layout {
	n := len(t.spans)
	l := &layout{tree: t, head: make([]int32, n), below: make([][]int32, n), lane: make([]int, n),
		branches: map[string][]int32{}, moved: map[int32]moved{}}
	for _, i := range t.order {
		p := t.parent[i]
		if p != none && t.sameService(i, p) && t.encloses(p, i) && t.insert(&l.below[p], i) {
			l.head[i] = l.head[p]
			continue
		}
		l.head[i] = i
		service := t.spans[i].Resource.id()
		if l.branches[service] == nil {
			l.services = append(l.services, service)
		}
		l.branches[service] = append(l.branches[service], i)
	}
	for _, service := range l.services {
		l.layService(service)
	}
	for _, heads := range l.lanes {
		l.settle(heads)
	}
	return l
}

func (t *tree) sameService(i, j int32) bool {
	x, y := t.spans[i].Resource, t.spans[j].Resource
	return x == y || x.id() == y.id()
}

// encloses reports whether span i encloses span j, of the same service, as far as the clock tells.
func (t *tree) encloses(i, j int32) bool {
	x, y := &t.spans[i], &t.spans[j]
	return (x.Start <= y.Start || t.jitter(j, i, x.Start-y.Start)) &&
		(y.End <= x.End || t.jitter(j, i, y.End-x.End))
}

// overlap reports whether two spans run at the same time, as far as the clock tells. One that takes
// no time overlaps those that it lies within, borders not included.
func (t *tree) overlap(i, j int32) bool {
	x, y := &t.spans[i], &t.spans[j]
	if x.Start >= y.End || y.Start >= x.End {
		return false
	}
	both := min(x.End, y.End) - max(x.Start, y.Start)
	return both == min(x.End-x.Start, y.End-y.Start) || !t.jitter(i, j, both)
}

// insert adds a span to a list in order of time, unless it overlaps one there.
func (t *tree) insert(list *[]int32, i int32) bool {
	k, _ := slices.BinarySearchFunc(*list, i, t.inTime)
	if k > 0 && t.overlap((*list)[k-1], i) || k < len(*list) && t.overlap((*list)[k], i) {
		return false
	}
	*list = slices.Insert(*list, k, i)
	return true
}

// inTime orders spans that do not overlap: what takes no time comes before what begins then.
func (t *tree) inTime(i, j int32) int {
	x, y := &t.spans[i], &t.spans[j]
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End), t.byID(i, j))
}

// layService gives the branches of a service lanes, those that overlap together: what comes before
// them is over on all lanes.
func (l *layout) layService(service string) {
	list := l.branches[service]
	slices.SortFunc(list, l.byTime)
	var lanes [][]int32
	for from := 0; from < len(list); {
		to := from + l.overlapping(list[from:])
		var more [][]int32
		if group := list[from:to]; len(group) <= mostByName {
			more = l.layByName(group)
		} else {
			more = l.layByTime(group)
		}
		for k, heads := range more {
			if k == len(lanes) {
				lanes = append(lanes, nil)
			}
			lanes[k] = append(lanes[k], heads...)
		}
		from = to
	}
	for k := range lanes {
		l.of = append(l.of, lane{service, k})
	}
	l.lanes = append(l.lanes, lanes...)
}

// layByName lays branches that overlap, callers first and then by name. It costs the square of
// their number.
func (l *layout) layByName(group []int32) (lanes [][]int32) {
	depth := l.depths(group)
	slices.SortFunc(group, func(i, j int32) int {
		return cmp.Or(cmp.Compare(depth[i], depth[j]), l.byName(i, j))
	})
	for _, i := range group {
		k := 0
		if depth[i] > 0 {
			k = l.lane[l.head[l.parent[i]]] + 1
		}
		for ; ; k++ {
			for k >= len(lanes) {
				lanes = append(lanes, nil)
			}
			if l.insert(&lanes[k], i) {
				break
			}
		}
		l.lane[i] = k
	}
	return lanes
}

// depths returns how many branches of the group are around each: its parent's, that one's parent's
// and so on.
func (l *layout) depths(group []int32) map[int32]int {
	depth := make(map[int32]int, len(group))
	for _, i := range group {
		depth[i] = -1
	}
	for _, i := range group {
		var way []int32
		for i != none && depth[i] < 0 {
			way = append(way, i)
			depth[i] = 0
			i = l.around(i, depth)
		}
		d := -1
		if i != none {
			d = depth[i]
		}
		for _, k := range slices.Backward(way) {
			d++
			depth[k] = d
		}
	}
	return depth
}

// around returns the branch that span i was called from, if it is of the same service and in the
// group.
func (l *layout) around(i int32, group map[int32]int) int32 {
	p := l.parent[i]
	if p == none || !l.sameService(i, p) {
		return none
	}
	if _, ok := group[l.head[p]]; !ok {
		return none
	}
	return l.head[p]
}

// layByTime lays very many branches that overlap, by their starts: each on the lane that has been
// free for longest, so that cost is n log n.
func (l *layout) layByTime(group []int32) (lanes [][]int32) {
	var busy ends
	for _, i := range group {
		x := &l.spans[i]
		k := len(lanes)
		if len(busy) > 0 && busy[0].at <= x.Start {
			k = busy.pop()
			lanes[k] = append(lanes[k], i)
		} else {
			lanes = append(lanes, []int32{i})
		}
		l.lane[i] = k
		busy.push(end{x.End, k})
	}
	return lanes
}

// ends are the lanes that are in use, the first to be free on top of the heap.
type ends []end

type end struct {
	at   int64
	lane int
}

func (e ends) less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), cmp.Compare(e[i].lane, e[j].lane)) < 0
}

func (e *ends) push(x end) {
	*e = append(*e, x)
	for i := len(*e) - 1; i > 0 && e.less(i, (i-1)/2); i = (i - 1) / 2 {
		(*e)[i], (*e)[(i-1)/2] = (*e)[(i-1)/2], (*e)[i]
	}
}

func (e *ends) pop() int {
	top, last := (*e)[0].lane, len(*e)-1
	(*e)[0] = (*e)[last]
	*e = (*e)[:last]
	for i := 0; ; {
		k := 2*i + 1
		if k >= last {
			return top
		}
		if k+1 < last && e.less(k+1, k) {
			k++
		}
		if !e.less(k, i) {
			return top
		}
		(*e)[i], (*e)[k] = (*e)[k], (*e)[i]
		i = k
	}
}
