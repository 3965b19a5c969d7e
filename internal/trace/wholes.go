package trace

import (
	"context"
	"slices"
)

// forest returns complete records in the order (start, −end, input order). Mostly they come in that
// order, or as each call ended: both are recognised in a pass, and only what is in neither takes a
// sort. Each column is freed as soon as it is copied.
func (w *wholeColumns) forest(ctx context.Context, r *room) (forest, error) {
	if w.ord.len() > 0 || w.inOrder() {
		f := forest{room: r, start: w.start.flatten(), end: w.end.flatten(), fn: w.fn.flatten()}
		if w.ord.len() > 0 {
			f.ord = w.ord.flatten()
		}
		return f, f.sort(ctx)
	}
	order := w.unwind(r)
	f := forest{room: r, start: w.start.permuted(order), end: w.end.permuted(order),
		fn: w.fn.permuted(order), ord: order}
	return f, f.sort(ctx)
}

// inOrder reports whether no call belongs before its predecessor.
func (w *wholeColumns) inOrder() bool {
	var last subtree
	ends := slices.Collect(w.end.chunks)
	for k, start := range slices.Collect(w.start.chunks) {
		end := ends[k][:len(start)]
		for i := range start {
			v := subtree{start: start[i], end: end[i]}
			if (k > 0 || i > 0) && v.encloses(&last) {
				return false
			}
			last = v
		}
	}
	return true
}

// subtree is a call with all calls that came before it and lie in it.
type subtree struct {
	start, end int64
	root, size uint32
}

// encloses reports whether v, which came later than o, belongs before it.
func (v *subtree) encloses(o *subtree) bool {
	return v.start < o.start || v.start == o.start && v.end > o.end
}

// unwind returns the pre-order of calls that come in post-order. Recorders that write a call when
// it ends write it after all its callees, which is post-order. Calls in any other order become some
// permutation, which the sort corrects. With s the size of a subtree and d the depth of its root,
// pre = post − (s − 1) + d.
func (w *wholeColumns) unwind(r *room) []uint32 {
	size := made[uint32](r, w.start.len())
	stack := make([]subtree, 0, 64) // those that no call has enclosed yet
	n := uint32(0)
	ends := slices.Collect(w.end.chunks)
	for k, start := range slices.Collect(w.start.chunks) {
		end := ends[k][:len(start)]
		for i := range start {
			v := subtree{start[i], end[i], n, 1}
			for top := len(stack) - 1; top >= 0 && v.encloses(&stack[top]); top-- {
				v.size += stack[top].size
				stack = stack[:top]
			}
			stack = append(stack, v)
			size[n] = v.size
			n++
		}
	}
	order := made[uint32](r, int(n))
	around := make([]uint32, 0, 64) // where the subtrees around call i begin
	for i := int(n) - 1; i >= 0; i-- {
		for k := len(around) - 1; k >= 0 && around[k] > uint32(i); k-- {
			around = around[:k]
		}
		first := uint32(i) + 1 - size[i]
		order[first+uint32(len(around))] = uint32(i)
		around = append(around, first)
	}
	dropped(r, size)
	return order
}
