package trace

// Retimed returns t on another time axis: a thread of the same calls with the given starts and
// ends, by pre-order index, which must nest as t's do. Its other columns are t's own; instants,
// which have no place on the new axis, are left out.
func (t *Thread) Retimed(start, end []int64) *Thread {
	q := *t
	q.Start, q.End, q.Instants = start, end, nil
	q.LOD = newPyramid(&q)
	return &q
}

// FromColumns returns a thread of the given columns in pre-order; sizes and the stack's depths
// follow from the parents. The columns become the thread's own.
func FromColumns(name string, start, end []int64, fn []FuncID, parent []int32) *Thread {
	t := &Thread{ID: name, Name: name, Process: -1, Start: start, End: end, Fn: fn, Parent: parent}
	t.Size, t.Depth = sizes(parent), make([]uint32, len(parent))
	for i, p := range parent {
		if p >= 0 {
			t.Depth[i] = t.Depth[p] + 1
		}
	}
	t.measure()
	t.LOD = newPyramid(t)
	return t
}
