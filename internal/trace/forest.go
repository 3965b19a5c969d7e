package trace

import "context"

// forest is a thread's calls in the order in which they can nest, before their parents are known.
// Where lo and hi are set, nesting goes by those stream positions; otherwise by time.
type forest struct {
	start, end []int64
	fn         []FuncID
	ord        []uint32
	lo, hi     []int32
}

// forest gathers the calls of a whole or logged thread in nesting order.
func (t *ThreadBuilder) forest(ctx context.Context) (forest, error) {
	if t.mode == logged {
		pairs, err := t.pair(ctx)
		if err != nil {
			return forest{}, err
		}
		t.log = nil
		if t.whole.start.n == 0 {
			return fromPairs(pairs), nil
		}
		for _, v := range pairs {
			t.whole.start.push(v.start)
			t.whole.end.push(v.end)
			t.whole.fn.push(v.fn)
			t.whole.ord.push(v.ord)
		}
	}
	w := &t.whole
	f := forest{start: w.start.flatten(), end: w.end.flatten(), fn: w.fn.flatten(),
		ord: w.ord.flatten()}
	return f, f.sort(ctx)
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

// from and to are the borders that nesting goes by: call p has ended when call i begins if
// to(p) ≤ from(i), and i lies in p, which comes before it, if to(i) ≤ to(p). No begin and end share
// a stream position, so there the first reads to(p) < from(i).
func (f *forest) from(i int32) int64 {
	if f.lo != nil {
		return int64(f.lo[i])
	}
	return f.start[i]
}

func (f *forest) to(i int32) int64 {
	if f.lo != nil {
		return int64(f.hi[i])
	}
	return f.end[i]
}

// sort brings the calls into the order (start, −end, input order).
func (f *forest) sort(ctx context.Context) error {
	n := uint32(len(f.start))
	sorted := true
	for i := uint32(1); i < n && sorted; i++ {
		sorted = f.before(i-1, i)
	}
	if sorted {
		return nil
	}
	order := f.unwind()
	if err := mergeSort(ctx, order, f.before); err != nil {
		return err
	}
	f.start = permute(f.start, order)
	f.end = permute(f.end, order)
	f.fn, f.ord = permute(f.fn, order), permute(f.ord, order)
	return nil
}

func (f *forest) before(x, y uint32) bool {
	switch {
	case f.start[x] != f.start[y]:
		return f.start[x] < f.start[y]
	case f.end[x] != f.end[y]:
		return f.end[x] > f.end[y]
	}
	return f.ord[x] < f.ord[y]
}

// unwind returns the pre-order of calls that come in post-order, as recorders write them that learn
// a call's length when it ends, after everything it called. From calls in any other order it
// makes some permutation, which sorting puts right. With s the size of a subtree and d the depth
// of its root, pre = post − (s − 1) + d.
func (f *forest) unwind() []uint32 {
	n := len(f.start)
	size := make([]uint32, n)
	stack := make([]uint32, 0, 64) // the subtrees that no call has enclosed yet
	for i := range size {
		size[i] = 1
		for k := len(stack) - 1; k >= 0 && f.before(uint32(i), stack[k]); k-- {
			size[i] += size[stack[k]]
			stack = stack[:k]
		}
		stack = append(stack, uint32(i))
	}
	order := make([]uint32, n)
	stack = stack[:0] // where the subtrees around call i begin
	for i := n - 1; i >= 0; i-- {
		for k := len(stack) - 1; k >= 0 && stack[k] > uint32(i); k-- {
			stack = stack[:k]
		}
		first := uint32(i) + 1 - size[i]
		order[first+uint32(len(stack))] = uint32(i)
		stack = append(stack, first)
	}
	return order
}

func permute[T any](s []T, order []uint32) []T {
	out := make([]T, len(s))
	for to, from := range order {
		out[to] = s[from]
	}
	return out
}
