package finding

import (
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// Which calls of a level may get other partners (reorder.go): those without a partner, and those
// whose subtree is not identical to their partner's. Only those that have a twin among the open
// calls of the other side are of interest, and on most levels there are none.

// anyTwins reports whether two calls on the level of the pair of a and b that may get other
// partners are identical. On most levels none are of one function and equally large, so nothing
// need be hashed, nor sorted by function.
func (o *reorder) anyTwins(a, b int32) bool {
	for sd, call := range [2]int32{a, b} {
		if o.findOpen(pair.Side(sd), call); len(o.open[sd]) == 0 {
			return false
		}
	}
	return o.keepCommon() && o.keepTwins()
}

// findOpen lists the calls of a level that may get other partners, given the call above, and their
// shapes. Most calls have a partner with an identical subtree, and are skipped with all in it.
func (o *reorder) findOpen(sd pair.Side, call int32) {
	o.open[sd], o.keys[sd] = o.open[sd][:0], o.keys[sd][:0]
	add := func(i int32) {
		if o.isOpen(sd, i) {
			o.open[sd], o.keys[sd] = append(o.open[sd], i), append(o.keys[sd], o.shape(sd, i))
		}
	}
	if len(o.r.Passed[sd]) > 0 {
		eachCallee(o.r, sd, call, add)
		return
	}
	th, differs := o.r.Threads[sd], o.differs[sd]
	last, depth := int32(th.Len()), uint32(0)
	if call != align.None {
		last, depth = int32(th.Next(int(call))), th.Depth(int(call))+1
	}
	for i := differs.next(call + 1); i < last; i = differs.next(i) {
		if th.Depth(int(i)) == depth {
			add(i)
			i += int32(th.Size(int(i)))
		} else {
			i++ // within a call that is identical by its hash
		}
	}
}

// keepCommon keeps the open calls of a level that have a key in common with one of the other side,
// and reports whether there are any.
func (o *reorder) keepCommon() bool {
	for sd, calls := range o.open {
		o.spare = append(o.spare[:0], o.keys[1-sd]...)
		has := o.spare.sorted()
		n := 0
		for k, i := range calls {
			if has(o.keys[sd][k]) {
				calls[n] = i
				n++
			}
		}
		if o.open[sd] = calls[:n]; n == 0 {
			return false
		}
	}
	return true
}

// keepTwins keeps the open calls of a level whose subtree has a twin on the other side, and reports
// whether there are any.
func (o *reorder) keepTwins() bool {
	for sd, calls := range o.open {
		o.keys[sd] = o.keys[sd][:0]
		for _, i := range calls {
			o.keys[sd] = append(o.keys[sd], o.hash(pair.Side(sd), i))
		}
	}
	return o.keepCommon()
}

// keyList is keys that are looked up: few of them one after the other, many once they are sorted.
type keyList []uint64

const fewKeys = 16

func (l keyList) sorted() (has func(key uint64) bool) {
	if len(l) <= fewKeys {
		return func(key uint64) bool { return slices.Contains(l, key) }
	}
	slices.Sort(l)
	return func(key uint64) bool {
		_, found := slices.BinarySearch(l, key)
		return found
	}
}

// hasTwin reports whether a call of the level may still get another partner, and has a twin.
func (o *reorder) hasTwin(sd pair.Side, i int32) bool {
	_, found := slices.BinarySearch(o.open[sd], i)
	return found && o.isOpen(sd, i)
}

// isOpen reports whether a call may get another partner: it has none, or one of its function whose
// subtree differs.
func (o *reorder) isOpen(sd pair.Side, i int32) bool {
	return o.differs[sd].has(i) && !o.isUnlike(sd, i) && !passed(o.r, sd, i) &&
		(o.plain || !o.s.recordedByChance(o.r, sd, i))
}
