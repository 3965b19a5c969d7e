package align

import (
	"math/bits"
	"sync"
)

// edge is calls of one function by another, as identities.
type edge struct{ caller, callee uint32 }

// census says who calls whom, by classes: each distinct subtree is looked at once for all the calls
// it stands for. Callees of calls that are passed through count as their callers'.
type census struct {
	t        *classTable
	count    [2][]uint64 // calls by side and class
	has      [2][]bool   // by side and identity: is called at all
	met      [2]edgeSet  // by side
	ask      []bool      // by identity: its calls are counted
	askRoots bool
	edges    [2]map[edge]uint64 // calls by side, of callers that are asked about
	pass     [2]map[edge]bool   // by side: are passed through
}

func newCensus(c *classes, identities int) *census {
	n := &census{t: c.classTable, ask: make([]bool, identities)}
	for s := range n.count {
		n.pass[s] = map[edge]bool{}
		n.has[s] = make([]bool, identities)
		n.count[s] = make([]uint64, len(c.fn))
		for _, root := range c.root[s] {
			n.count[s][root]++
		}
	}
	n.bothSides(func(s int) {
		for class := len(c.fn) - 1; class >= 0; class-- { // callers first
			k := n.count[s][class]
			if k == 0 {
				continue
			}
			if fn := c.fn[class]; fn != virtualFn {
				n.has[s][fn] = true
			}
			for _, callee := range c.callees(uint32(class)) {
				n.count[s][callee] += k
			}
		}
	})
	return n
}

func (n *census) bothSides(do func(s int)) {
	var sides sync.WaitGroup
	for s := range n.count {
		sides.Go(func() { do(s) })
	}
	sides.Wait()
}

// eachCaller yields the classes of a side that have callees, and how many calls they stand for.
func (n *census) eachCaller(s int, yield func(class uint32, calls uint64)) {
	for class, k := range n.count[s] {
		if k > 0 && n.t.from[class] < n.t.from[class+1] {
			yield(uint32(class), k)
		}
	}
}

// eachAsked is eachCaller for callers that are asked about, with their identities.
func (n *census) eachAsked(s int, yield func(fn, class uint32, calls uint64)) {
	n.eachCaller(s, func(class uint32, k uint64) {
		if fn := n.t.fn[class]; fn == virtualFn && n.askRoots || fn != virtualFn && n.ask[fn] {
			yield(fn, class, k)
		}
	})
}

// eachCallee yields the callees of a class, and of what is passed through below it.
func (n *census) eachCallee(s int, caller, class uint32, depth int, yield func(callee uint32)) {
	for _, callee := range n.t.callees(class) {
		if depth < mostLevels && n.pass[s][edge{caller, n.t.fn[callee]}] {
			n.eachCallee(s, caller, callee, depth+1, yield)
		} else {
			yield(callee)
		}
	}
}

// meet notes which edges there are.
func (n *census) meet() {
	n.bothSides(func(s int) {
		set := edgeSet{}
		n.eachCaller(s, func(class uint32, _ uint64) {
			fn, last := n.t.fn[class], uint32(virtualFn)
			n.eachCallee(s, fn, class, 0, func(callee uint32) {
				if f := n.t.fn[callee]; f != last { // loops call the same again and again
					set.add(edge{fn, f})
					last = f
				}
			})
		})
		n.met[s] = set
	})
}

// countEdges counts the calls of callers that are asked about on either side.
func (n *census) countEdges(asked [2]map[edge]profile) {
	clear(n.ask)
	n.askRoots = false
	for s := range asked {
		for e := range asked[s] {
			if e.caller == virtualFn {
				n.askRoots = true
			} else {
				n.ask[e.caller] = true
			}
		}
	}
	n.bothSides(func(s int) {
		edges := map[edge]uint64{}
		n.eachAsked(s, func(fn, class uint32, k uint64) {
			n.eachCallee(s, fn, class, 0, func(callee uint32) {
				edges[edge{fn, n.t.fn[callee]}] += k
			})
		})
		n.edges[s] = edges
	})
}

// edgeSet is a hash table with open addressing, a power of two, at most half full. A slot holds an
// edge plus one, or nothing.
type edgeSet struct {
	slots []uint64
	n     int
}

func (s *edgeSet) add(e edge) {
	if 2*s.n >= len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(1<<8, 2*len(old)))
		for _, x := range old {
			if x != 0 {
				s.slots[s.find(x)] = x
			}
		}
	}
	x := e.pack()
	if k := s.find(x); s.slots[k] == 0 {
		s.slots[k] = x
		s.n++
	}
}

func (s *edgeSet) has(e edge) bool {
	return s.n > 0 && s.slots[s.find(e.pack())] != 0
}

// find returns where x is, or would be.
func (s *edgeSet) find(x uint64) int {
	mask := len(s.slots) - 1
	k := int(x * 0x9E3779B97F4A7C15 >> (64 - bits.Len(uint(mask))))
	for s.slots[k] != 0 && s.slots[k] != x {
		k = (k + 1) & mask
	}
	return k
}

func (s *edgeSet) all(yield func(edge) bool) {
	for _, x := range s.slots {
		if x != 0 && !yield(unpackEdge(x)) {
			return
		}
	}
}

// pack turns an edge into a number other than 0: the roots' caller is the largest identity.
func (e edge) pack() uint64 { return uint64(e.caller+1)<<32 | uint64(e.callee) + 1 }

func unpackEdge(x uint64) edge {
	x--
	return edge{uint32(x>>32) - 1, uint32(x)}
}
