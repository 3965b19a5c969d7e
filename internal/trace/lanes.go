package trace

import "math"

// lanes finds the first lane of a thread on which a call fits. A call partly overlaps an earlier
// one that ends strictly within it, so it fits a lane if the earliest end there that is still to
// come lies at its own end or beyond. Calls come in the order of their starts: what is past stays
// past.
//
// Those ends are the leaves of a tree whose nodes hold the least and the greatest of them. The
// least tells which are past, so that a lane is brought up to date only when a search meets it.
type lanes struct {
	size  int // leaves, a power of two; those beyond the lanes in use are idle
	nodes []extent
}

type extent struct{ least, most int64 }

// idle is the earliest end on a lane where nothing runs.
const idle = math.MaxInt64

func newLanes(size int) lanes {
	l := lanes{size, make([]extent, 2*size)}
	for k := range l.nodes {
		l.nodes[k] = extent{idle, idle}
	}
	return l
}

// first returns the first lane that a call over (from, to] fits, or whose end is past by now.
func (l *lanes) first(from, to int64) int {
	open := func(k int) bool { return l.nodes[k].least <= from || l.nodes[k].most >= to }
	if !open(1) {
		*l = l.doubled()
	}
	k := 1
	for k < l.size {
		k *= 2
		if !open(k) {
			k++
		}
	}
	return k - l.size
}

func (l *lanes) doubled() lanes {
	d := newLanes(2 * l.size)
	for i := range l.size {
		d.set(i, l.end(i))
	}
	return d
}

// end returns the earliest end of lane i that was still to come when it was set.
func (l *lanes) end(i int) int64 { return l.nodes[l.size+i].least }

func (l *lanes) set(i int, end int64) {
	k := l.size + i
	l.nodes[k] = extent{end, end}
	for k /= 2; k > 0; k /= 2 {
		x, y := l.nodes[2*k], l.nodes[2*k+1]
		l.nodes[k] = extent{min(x.least, y.least), max(x.most, y.most)}
	}
}
