package trace

import (
	"context"
	"slices"
	"sort"
)

// forest is a thread's calls in the order in which they can nest, before their parents are known.
// Where lo and hi are set, nesting goes by those stream positions; otherwise by time.
type forest struct {
	start, end []int64
	fn         []FuncID
	ord        []uint32 // nil if ordinal = index
	lo, hi     []int32
}

// forest gathers the calls of a whole or logged thread in nesting order.
func (t *ThreadBuilder) forest() forest {
	var f forest
	if t.mode == logged {
		pairs := t.pair()
		t.log = nil
		if t.whole.start.n == 0 {
			return fromPairs(pairs)
		}
		for _, v := range pairs {
			t.whole.start.push(v.start)
			t.whole.end.push(v.end)
			t.whole.fn.push(v.fn)
			t.whole.ord.push(v.ord)
		}
	}
	f.ord = t.whole.ord.flatten()
	f.start, f.end = t.whole.start.flatten(), t.whole.end.flatten()
	f.fn = t.whole.fn.flatten()
	f.sort()
	return f
}

func fromPairs(pairs []interval) forest {
	n := len(pairs)
	f := forest{make([]int64, n), make([]int64, n), make([]FuncID, n), make([]uint32, n),
		make([]int32, n), make([]int32, n)}
	for i, v := range pairs {
		f.start[i], f.end[i], f.fn[i], f.ord[i] = v.start, v.end, v.fn, v.ord
		f.lo[i], f.hi[i] = v.lo, v.hi
	}
	return f
}

// sort brings the calls into the order (start, −end, input order).
func (f *forest) sort() {
	before := func(x, y int) int {
		if c := compare(f.start[x], f.start[y]); c != 0 {
			return c
		}
		if c := compare(f.end[y], f.end[x]); c != 0 {
			return c
		}
		return compare(int64(f.ord[x]), int64(f.ord[y]))
	}
	sorted := true
	for i := 1; i < len(f.start) && sorted; i++ {
		sorted = before(i-1, i) < 0
	}
	if sorted {
		return
	}
	order := make([]uint32, len(f.start))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return before(int(x), int(y)) })
	f.start, f.end = permute(f.start, order), permute(f.end, order)
	f.fn, f.ord = permute(f.fn, order), permute(f.ord, order)
}

func permute[T any](s []T, order []uint32) []T {
	out := make([]T, len(s))
	for to, from := range order {
		out[to] = s[from]
	}
	return out
}

// lies reports whether call i can be a child of call p, which comes before it.
func (f *forest) lies(i, p int32) bool {
	if f.lo != nil {
		return f.hi[i] <= f.hi[p]
	}
	return f.end[i] <= f.end[p]
}

// over reports whether call p has ended when call i starts, so that i can follow it.
func (f *forest) over(i, p int32) bool {
	if f.lo != nil {
		return f.hi[p] < f.lo[i]
	}
	return f.end[p] <= f.start[i]
}

// past reports whether call p has ended for good when call i starts. By time, a call of no length
// at the very end of p still nests in it, even if another call that starts there comes first.
func (f *forest) past(i, p int32) bool {
	if f.lo != nil {
		return f.hi[p] < f.lo[i]
	}
	return f.end[p] < f.start[i]
}

// running returns how many calls of a stack, outermost first, call i does not simply follow. Ends
// fall towards the top, so the others are its upper part.
func (f *forest) running(i int32, stack []int32) int {
	follows := func(k int) bool { return f.over(i, stack[k]) && !f.lies(i, stack[k]) }
	k := len(stack)
	if k == 0 || !follows(k-1) {
		return k
	}
	return sort.Search(k, follows)
}

// placement is where each call of a forest went: its lane, its index there and its parent's index
// there.
type placement struct {
	lane   []int32 // nil while there is one lane only
	call   []int32 // nil likewise: the index itself
	parent []int32
	depth  []uint32
	counts []int32 // calls by lane
}

// nest puts each call under the innermost call of the first lane where it nests. With k lanes it
// costs O(n·k) at worst and O(n) where nothing overlaps.
func (f *forest) nest(ctx context.Context) (placement, error) {
	n := len(f.start)
	p := placement{parent: make([]int32, n), depth: make([]uint32, n), counts: []int32{0}}
	stacks := make([][]int32, 1)
	for i := range int32(n) {
		if i&0xfff == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		l := 0
		for ; l < len(stacks); l++ {
			s := stacks[l]
			for len(s) > 0 && f.past(i, s[len(s)-1]) {
				s = s[:len(s)-1]
			}
			stacks[l] = s
			if k := f.running(i, s); k == 0 || f.lies(i, s[k-1]) {
				stacks[l] = s[:k]
				break
			}
		}
		if l == len(stacks) {
			stacks = append(stacks, nil)
			p.counts = append(p.counts, 0)
			p.split(int(i), n)
		}
		p.put(i, int32(l), stacks[l])
		stacks[l] = append(stacks[l], i)
	}
	return p, nil
}

// split starts keeping lanes once a second one is needed.
func (p *placement) split(i, n int) {
	if p.lane != nil {
		return
	}
	p.lane, p.call = make([]int32, n), make([]int32, n)
	for k := range i {
		p.call[k] = int32(k)
	}
}

func (p *placement) put(i, lane int32, stack []int32) {
	p.parent[i] = -1
	if k := len(stack); k > 0 {
		up := stack[k-1]
		p.parent[i] = up
		if p.call != nil {
			p.parent[i] = p.call[up]
		}
		p.depth[i] = p.depth[up] + 1
	}
	if p.lane != nil {
		p.lane[i], p.call[i] = lane, p.counts[lane]
	}
	p.counts[lane]++
}
