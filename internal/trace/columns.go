package trace

import (
	"slices"
	"sort"
)

// columns are the calls of a thread but for their functions, in pre-order, in 13 bytes a call. That
// is half of what plain columns of starts, ends, callers, sizes and depths take, since almost all
// of these numbers are small:
//
//	spans   8 bytes  start since that of the first of baseLen calls, and duration, each < 2.1 s
//	places  4 bytes  how many calls before it the caller is, and the size of the subtree
//	depth   1 byte
//
// A span or a place that does not fit says where in large its number is instead. For example, with
// two calls, the second of them at 3 s for 5 ns, base is 0, spans are (0, …) and (far+0, 5), and
// large.times is 3000000000. The same calls always have the same columns.
//
// Besides this file, only those that make columns know this (large.go, gather.go, appendnested.go,
// appendbrief.go, preorder.go) and those that read them at once (lod.go, sketch.go, form.go).
type columns struct {
	base   []int64 // start of calls 0, baseLen, 2·baseLen …, ns
	spans  []span
	places []place
	depth  []uint8 // deep if it does not fit
	large  *large  // nil if all fits
}

// span is when a call runs: how long after the base it starts, and its duration, ns. From far on,
// they are the index in large.times of the number, plus far. Both are mostly asked for together.
type span struct{ after, dur uint32 }

// place has, from the lowest bit, how many calls before a call its caller is, 0 for a root (16
// bits), and the size of its subtree (15 bits). From far on, it is an index in large.places, plus
// far.
type place uint32

const (
	baseShift = 6
	baseLen   = 1 << baseShift

	far      = 1 << 31
	upBits   = 16
	sizeBits = 31 - upBits
	mostUp   = 1<<upBits - 1
	mostSize = 1<<sizeBits - 1
	deep     = 1<<8 - 1
)

// basesOf returns how many bases so many calls have.
func basesOf(calls int) int { return (calls + baseLen - 1) >> baseShift }

// Start returns when call i begins, in ns. Starts never fall.
func (t *Thread) Start(i int) int64 {
	v := t.spans[i].after
	if v >= far {
		return t.base[i>>baseShift] + t.large.times[v-far]
	}
	return t.base[i>>baseShift] + int64(v)
}

// Dur returns the duration of call i in ns.
func (t *Thread) Dur(i int) int64 {
	v := t.spans[i].dur
	if v >= far {
		return t.large.times[v-far]
	}
	return int64(v)
}

// End returns when call i ends, in ns.
func (t *Thread) End(i int) int64 { return t.Start(i) + t.Dur(i) }

// Parent returns the caller of call i, −1 for a root.
func (t *Thread) Parent(i int) int32 {
	up := uint32(t.places[i])
	if up >= far {
		up = t.large.places[up-far].up
	} else {
		up &= mostUp
	}
	if up == 0 {
		return -1
	}
	return int32(i) - int32(up)
}

// Size returns the number of calls in the subtree of call i, itself included.
func (t *Thread) Size(i int) uint32 {
	v := t.places[i]
	if v >= far {
		return t.large.places[v-far].size
	}
	return uint32(v >> upBits)
}

// Next returns the pre-order index after the subtree of call i: its next sibling if it has one.
func (t *Thread) Next(i int) int { return i + int(t.Size(i)) }

// Depth returns the stack level of call i, 0 for a root.
func (t *Thread) Depth(i int) uint32 {
	v := t.depth[i]
	if v == deep {
		return t.large.depth[i]
	}
	return uint32(v)
}

// SameCalls reports whether the n calls of t from i on are of the same functions as those of o from
// j on, and have subtrees of the same sizes and callers equally far before them. It may deny that
// of calls whose caller is more than mostUp calls before them, or with more than mostSize below.
func (t *Thread) SameCalls(i int, o *Thread, j, n int) bool {
	return slices.Equal(t.Fn[i:i+n], o.Fn[j:j+n]) && slices.Equal(t.places[i:i+n], o.places[j:j+n])
}

// SameLevels reports whether the n calls of t from i on are on the same stack levels as those of o
// from j on.
func (t *Thread) SameLevels(i int, o *Thread, j, n int) bool {
	a, b := t.large, o.large
	return slices.Equal(t.depth[i:i+n], o.depth[j:j+n]) && (a == nil || b == nil ||
		len(a.depth) == 0 || len(b.depth) == 0 || slices.Equal(a.depth[i:i+n], b.depth[j:j+n]))
}

// FirstFrom returns the first call in [from, to) that begins at ns or later, or to if there is
// none. Cost is logarithmic in how far that is.
func (t *Thread) FirstFrom(ns int64, from, to int) int {
	step := 1
	for ; from+step < to && t.Start(from+step-1) < ns; step *= 2 {
		from += step
	}
	return from + sort.Search(min(step, to-from), func(k int) bool { return t.Start(from+k) >= ns })
}

// newColumns returns the columns of calls with the given starts, ends and callers. It forgets each
// slice once it is read, so that there are never all of both. They lie in a room that may be nil.
func newColumns(r *room, start, end *[]int64, parent *[]int32) (c columns) {
	c.setTimes(r, *start, *end)
	*start, *end = nil, nil
	c.setPlaces(r, *parent)
	*parent = nil
	c.settle()
	return c
}

func (c *columns) setTimes(r *room, start, end []int64) {
	c.base = made[int64](r, basesOf(len(start)))[:0]
	c.spans = made[span](r, len(start))
	base := int64(0)
	for i, at := range start {
		if i%baseLen == 0 {
			base = at
			c.base = append(c.base, base)
		}
		c.spans[i] = span{fitTime(&c.large, r, at-base), fitTime(&c.large, r, end[i]-at)}
	}
}

// setPlaces goes through the calls with a stack of those around each.
func (c *columns) setPlaces(r *room, parent []int32) {
	c.places, c.depth = made[place](r, len(parent)), made[uint8](r, len(parent))
	var open []int32
	leave := func(next int) {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		c.places[i].setSize(&c.large, r, uint32(next)-uint32(i))
	}
	for i, p := range parent {
		for len(open) > 0 && open[len(open)-1] != p {
			leave(i)
		}
		up := uint32(0)
		if p >= 0 {
			up = uint32(i) - uint32(p)
		}
		c.places[i], c.depth[i] = fitPlace(&c.large, r, up, 1), fitDepth(&c.large, r, i, len(open))
		open = append(open, int32(i))
	}
	for len(open) > 0 {
		leave(len(parent))
	}
}

// drop gives back the columns of a thread that nobody looks at any more.
func (t *Thread) drop(r *room) {
	dropped(r, t.Fn)
	dropped(r, t.base)
	dropped(r, t.spans)
	dropped(r, t.places)
	dropped(r, t.depth)
	if l := t.large; l != nil {
		dropped(r, l.times)
		dropped(r, l.places)
		dropped(r, l.depth)
	}
}

// retimed returns the columns of the same calls at other times.
func (c *columns) retimed(start, end []int64) columns {
	q := columns{places: c.places, depth: c.depth}
	if c.large != nil {
		q.large = &large{places: c.large.places, depth: c.large.depth}
	}
	q.setTimes(nil, start, end)
	return q
}

// Retimed returns t on another time axis: a thread of the same calls with the given starts and
// ends, by pre-order index, which must nest as t's do. All but the times is t's own; instants
// and stalls, which have no place on the new axis, are left out.
func (t *Thread) Retimed(start, end []int64) *Thread {
	q := *t
	q.columns, q.Instants = t.retimed(start, end), nil
	if t.Stalls() != nil {
		q.details = new(*t.details)
		q.details.stalls = nil
	}
	q.LOD = newPyramid(&q, nil)
	return &q
}

// FromColumns returns a thread of calls in pre-order with the given starts, ends, functions and
// callers; the functions become the thread's own.
func FromColumns(name string, start, end []int64, fn []FuncID, parent []int32) *Thread {
	t := &Thread{ID: name, Name: name, Process: -1, Fn: fn, columns: newColumns(nil, &start, &end, &parent)}
	t.Role, t.Numbered = DeriveRole(name, name, 0)
	t.LOD = newPyramid(t, nil)
	t.maxDepth = t.levels()
	return t
}

// move moves all times by dt ns.
func (c *columns) move(dt int64) {
	for k := range c.base {
		c.base[k] += dt
	}
}

// levels returns the number of stack levels.
func (c *columns) levels() int32 {
	if len(c.depth) == 0 {
		return 0
	}
	deepest := uint32(slices.Max(c.depth))
	if deepest == deep {
		deepest = slices.Max(c.large.depth)
	}
	return int32(deepest + 1)
}

// bytes returns how much memory the columns take.
func (c *columns) bytes() int64 {
	n := int64(cap(c.base)+cap(c.spans))*8 + int64(cap(c.places))*4 + int64(cap(c.depth))
	if l := c.large; l != nil {
		n += int64(cap(l.times)+cap(l.places))*8 + int64(cap(l.depth))*4
	}
	return n
}

// complete reports whether the columns are those of n calls and have all the large numbers.
func (c *columns) complete(n int) bool {
	if len(c.base) != basesOf(n) || len(c.spans) != n || len(c.places) != n ||
		len(c.depth) != n {
		return false
	}
	var l large
	if c.large != nil {
		l = *c.large
	}
	lacks := func(v uint32, has int) bool { return v >= far && int(v-far) >= has }
	for i, s := range c.spans {
		if lacks(s.after, len(l.times)) || lacks(s.dur, len(l.times)) ||
			lacks(uint32(c.places[i]), len(l.places)) || c.depth[i] == deep && len(l.depth) != n {
			return false
		}
	}
	return true
}
