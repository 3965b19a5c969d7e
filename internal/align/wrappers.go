package align

import (
	"context"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Wrappers: calls that only one version has between a caller and its callees are passed through.
//
// Between two versions of a program, a function often starts to call through another function what
// it called itself before: somebody put in a wrapper, or the compiler stopped inlining one. If
// levels were compared as they are, everything below would be lost, though it is all still there:
//
//	A: main(read parse)    B: main(load(read parse))    main's levels are "read parse" and "load"
//
// So load is passed through: its callees are aligned as main's, and only load itself has no
// partner. (Weber et al. compare runs of one program, where this does not happen.)
//
// What distinguishes a wrapper from new work is that its caller has lost calls. Calls of w by p
// are passed through if three things hold. The other side has p. There p never calls w. And at
// least half of what w calls is missing among the calls that p makes itself: let n(p, c) be the
// number of calls of c by p on this side, n'(p, c) on the other, and n(p, w, c) the number of
// calls of c by w under p; then, with each callee c weighted by the calls below it,
//
//	Σ_c min(n(p, w, c), n'(p, c) − n(p, c))  ≥  ½ · Σ_c n(p, w, c)
//
// A callee of w that the other side does not have at all is looked through, and counts by its own
// callees. After one level was found, the search is repeated with it passed through, so that
// several wrappers inside one another are found, up to mostLevels.
//
// All counts are taken on classes, of which there are far fewer than calls (census). Memory is 8
// bytes a class and what the edges of the call graph need.

// mostLevels is the largest number of wrappers inside one another that are found.
const mostLevels = 8

// passing returns, by side, the edges of the call graph whose calls are passed through.
func (c *classes) passing(ctx context.Context, identities int) (pass [2]map[edge]bool, err error) {
	n := newCensus(c, identities)
	for range mostLevels {
		n.noteEdges()
		asked := [2]map[edge]profile{n.edgesOfOneSide(0), n.edgesOfOneSide(1)}
		found := false
		if len(asked[0])+len(asked[1]) > 0 {
			n.countEdges(asked)
			for s := range asked {
				found = n.wrappers(s, asked[s]) || found
			}
		}
		if err := ctx.Err(); err != nil || !found {
			return n.passed, err
		}
	}
	return n.passed, nil
}

// profile says what a possible wrapper calls, by identity.
type profile map[uint32]*share

type share struct {
	calls uint64
	below uint64 // these calls and all calls below them
}

// edgesOfOneSide returns the edges that only side s has, of callers that both sides have.
func (n *census) edgesOfOneSide(s int) map[edge]profile {
	asked := map[edge]profile{}
	for e := range n.edgesMet[s].all {
		if !n.edgesMet[1-s].has(e) && (e.caller == virtualFn || n.called[1-s][e.caller]) {
			asked[e] = profile{}
		}
	}
	return asked
}

// wrappers finds calls of side s to pass through, and reports whether there are any.
func (n *census) wrappers(s int, asked map[edge]profile) bool {
	n.eachAsked(s, func(fn, class uint32, k uint64) {
		n.eachCallee(s, fn, class, 0, func(callee uint32) {
			if p := asked[edge{fn, n.t.fn[callee]}]; p != nil {
				n.addCallees(p, s, callee, k, 0)
			}
		})
	})
	found := false
	for e, p := range asked {
		if n.wraps(s, e, p) {
			n.passed[s][e], found = true, true
		}
	}
	return found
}

// addCallees adds the callees of k calls of a class to a profile. It looks through functions that
// the other side does not have.
func (n *census) addCallees(p profile, s int, class uint32, k uint64, depth int) {
	for _, callee := range n.t.callees(class) {
		fn := n.t.fn[callee]
		if depth < mostLevels && !n.called[1-s][fn] && len(n.t.callees(callee)) > 0 {
			n.addCallees(p, s, callee, k, depth+1)
			continue
		}
		if p[fn] == nil {
			p[fn] = &share{}
		}
		p[fn].calls += k
		p[fn].below += k * uint64(n.t.size[callee])
	}
}

// wraps reports whether the caller has lost to the callee what the callee calls (see above).
func (n *census) wraps(s int, e edge, p profile) bool {
	taken, all := 0.0, 0.0
	for _, fn := range slices.Sorted(maps.Keys(p)) { // in order: a sum of floats depends on it
		c := p[fn]
		lost := float64(n.edges[1-s][edge{e.caller, fn}]) - float64(n.edges[s][edge{e.caller, fn}])
		taken += float64(c.below) * min(max(lost/float64(c.calls), 0), 1)
		all += float64(c.below)
	}
	return taken > 0 && 2*taken >= all
}

// passedInThread returns the calls of a thread that are passed through, with those that already
// were.
func passedInThread(th *trace.Thread, ids []uint32, pass map[edge]bool, passed Calls) Calls {
	if len(pass) == 0 {
		return passed
	}
	suspect := map[uint32]bool{}
	for e := range pass {
		suspect[e.callee] = true
	}
	for i, fn := range th.Fn {
		if th.Size(i) == 1 || !suspect[ids[fn]] {
			continue
		}
		caller := uint32(virtualFn)
		if up := passed.caller(th, int32(i)); up != None {
			caller = ids[th.Fn[up]]
		}
		if pass[edge{caller, ids[fn]}] {
			passed.add(int32(i), th.Len())
		}
	}
	return passed
}

// keepPassed removes from the calls that are passed through those whose callees have all found no
// partner. They are ordinary gaps.
func (r *Result) keepPassed() {
	for s := range r.Passed {
		th, passed := r.Threads[s], r.Passed[pair.Side(s)]
		passed.backwards(func(i int32) bool {
			kept := false
			for k := int(i) + 1; k < th.Next(int(i)) && !kept; k = th.Next(k) {
				kept = r.Partner[s][k] != None || passed.Has(int32(k))
			}
			if !kept {
				passed.remove(i)
			}
			return true
		})
		if passed.empty() {
			r.Passed[s] = nil
		}
	}
}

// edge is an edge of the call graph: calls of one function by another, as identities.
type edge struct{ caller, callee uint32 }

// census counts who calls whom. It goes through classes, not calls: each distinct subtree is
// looked at once for all the calls that it stands for. Callees of calls that are passed through
// count as their callers'.
type census struct {
	t        *classTable
	count    [2][]uint64 // calls by side and class
	called   [2][]bool   // by side and identity; whether it is called at all
	edgesMet [2]edgeSet  // by side
	asked    []bool      // by identity: its calls are counted
	askRoots bool
	edges    [2]map[edge]uint64 // calls by side, of callers that are asked about
	passed   [2]map[edge]bool   // by side: are passed through
}

func newCensus(c *classes, identities int) *census {
	n := &census{t: c.classTable, asked: make([]bool, identities)}
	for s := range n.count {
		n.passed[s] = map[edge]bool{}
		n.called[s] = make([]bool, identities)
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
				n.called[s][fn] = true
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
		if fn := n.t.fn[class]; fn == virtualFn && n.askRoots || fn != virtualFn && n.asked[fn] {
			yield(fn, class, k)
		}
	})
}

// eachCallee yields the callees of a class, and of what is passed through below it.
func (n *census) eachCallee(s int, caller, class uint32, depth int, yield func(callee uint32)) {
	for _, callee := range n.t.callees(class) {
		if depth < mostLevels && n.passed[s][edge{caller, n.t.fn[callee]}] {
			n.eachCallee(s, caller, callee, depth+1, yield)
		} else {
			yield(callee)
		}
	}
}

// noteEdges notes which edges there are.
func (n *census) noteEdges() {
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
		n.edgesMet[s] = set
	})
}

// countEdges counts the calls of callers that are asked about on either side.
func (n *census) countEdges(asked [2]map[edge]profile) {
	clear(n.asked)
	n.askRoots = false
	for s := range asked {
		for e := range asked[s] {
			if e.caller == virtualFn {
				n.askRoots = true
			} else {
				n.asked[e.caller] = true
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
