package aggregate

// best is the best partition of a node, or the sum of those of several nodes, from each active
// slice to each other. Slices are active if one of the nodes has a value there. Where a slice is
// not, the best partition is known without being kept:
//
//   - One that begins before the first active slice, or ends behind the last one, has one aggregate
//     more for each node that is active in that slice: the empty cells, which change nothing else.
//   - One without any active slice has one aggregate for each node.
//
// solveLeaf says why. A best for all slices, as inner nodes have, needs neither rule.
type best struct {
	pairs          // by row(first active slice) + last active slice
	on    []uint16 // the active slices
	here  []int32  // by active slice: how many of the nodes are active there
	nodes int32
}

// pairs are the best partitions of some pairs of slices.
type pairs struct {
	value, gain []float64 // the criterion; the gain
	count       []int32   // aggregates
}

// set makes it some of others. It sets field by field: a struct that is returned and stored is read
// again before it has been written, once for each row and each cut.
func (x *pairs) set(of *pairs, from, to int) {
	x.value, x.gain, x.count = of.value[from:to], of.gain[from:to], of.count[from:to]
}

// newBest makes room for the pairs of so many slices. Vectors may reach beyond the end.
func newBest(slices int) *best {
	n := slices * (slices + 1) / 2
	return &best{pairs: pairs{make([]float64, n, n+lanes), make([]float64, n, n+lanes),
		make([]int32, n, n+lanes)}, on: make([]uint16, 0, slices), here: make([]int32, 0, slices)}
}

// reset takes other active slices. The pairs have any values.
func (b *best) reset(on []uint16, here []int32, nodes int32) {
	n := len(on) * (len(on) + 1) / 2
	b.value, b.gain, b.count = b.value[:n], b.gain[:n], b.count[:n]
	b.on, b.here, b.nodes = append(b.on[:0], on...), append(b.here[:0], here...), nodes
}

// row returns where the pairs of a first active slice are.
func (b *best) row(i int) int { return rowOf(i, len(b.on)) }

// merge returns the sum of two, in memory of its own or that of one of them.
func (q *Quality) merge(x, y *best) *best {
	if len(x.on) < len(y.on) {
		x, y = y, x
	}
	if on := union(x.on, y.on); len(on) > len(x.on) {
		x = q.spread(x, on)
	}
	x.add(y)
	q.pool.Put(y)
	return x
}

// union returns the slices that are in one of two lists.
func union(x, y []uint16) []uint16 {
	out := make([]uint16, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		k := min(x[0], y[0])
		if out = append(out, k); x[0] == k {
			x = x[1:]
		}
		if y[0] == k {
			y = y[1:]
		}
	}
	return append(append(out, x...), y...)
}

// spread returns the same with more active slices.
func (q *Quality) spread(b *best, on []uint16) *best {
	if len(on) == len(b.on) {
		return b
	}
	out := q.pool.Get().(*best)
	out.reset(on, q.ones[:len(on)], 0)
	clear(out.here)
	clear(out.value)
	clear(out.gain)
	clear(out.count)
	out.add(b)
	q.pool.Put(b)
	return out
}

// add adds another, all of whose active slices are active here.
func (b *best) add(more *best) {
	b.nodes += more.nodes
	if len(b.on) == len(more.on) {
		for i, n := range more.here {
			b.here[i] += n
		}
		addFloats(b.value, more.value)
		addFloats(b.gain, more.gain)
		addCounts(b.count, more.count)
		return
	}
	runs := more.runsIn(b)
	first := 0 // active slice of more, the first that is not before slice i of b
	for i, slice := range b.on {
		before := int32(0) // aggregates of empty slices that come first
		if first < len(more.on) && more.on[first] < slice {
			first++
		}
		row := b.row(i)
		if first == len(more.on) {
			addCount(b.count[row+i:row+len(b.on)], more.nodes)
			continue
		}
		if more.on[first] == slice {
			b.here[i] += more.here[first]
		} else {
			before = more.here[first]
			to := int(runs.at[first])
			addCount(b.count[row+i:row+to], more.nodes)
		}
		b.addRow(row, more, first, before, runs)
	}
}

// runs are the active slices of one best in another.
type runs struct {
	at  []uint16 // by active slice: its place in the other
	end []uint16 // by active slice: the first one behind it that does not follow it in the other
}

func (b *best) runsIn(of *best) (r runs) {
	n := len(b.on)
	r.at, r.end = make([]uint16, n), make([]uint16, n)
	k := 0
	for i, slice := range b.on {
		for of.on[k] != slice {
			k++
		}
		r.at[i] = uint16(k)
	}
	for i := n - 1; i >= 0; i-- {
		if r.end[i] = uint16(i + 1); i+1 < n && r.at[i+1] == r.at[i]+1 {
			r.end[i] = r.end[i+1]
		}
	}
	return r
}

// addRow adds the pairs of a first active slice of another to a row.
func (b *best) addRow(row int, more *best, first int, before int32, r runs) {
	from := more.row(first)
	for i := first; i < len(more.on); {
		end := int(r.end[i])
		to, n := row+int(r.at[i]), end-i
		addFloats(b.value[to:to+n], more.value[from+i:from+end])
		addFloats(b.gain[to:to+n], more.gain[from+i:from+end])
		addCounts(b.count[to:to+n], more.count[from+i:from+end])
		if before > 0 {
			addCount(b.count[to:to+n], before)
		}
		// Behind are slices in which more has no value.
		last, next := from+end-1, row+len(b.on)
		if end < len(more.on) {
			next = row + int(r.at[end])
		}
		if to += n; to < next {
			addFloat(b.value[to:next], more.value[last])
			addFloat(b.gain[to:next], more.gain[last])
			addCount(b.count[to:next], more.count[last]+before+more.here[end-1])
		}
		i = end
	}
}
