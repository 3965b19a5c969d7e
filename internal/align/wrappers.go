package align

import (
	"context"
	"maps"
	"slices"

	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
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
		n.countEdges()
		found := false
		asked := [2]map[edge]profile{n.edgesOfOneSide(0), n.edgesOfOneSide(1)}
		for s := range asked {
			found = len(asked[s]) > 0 && n.wrappers(s, asked[s]) || found
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

// edgesOfOneSide returns the edges that only side s has, of callers that both sides have. It leaves
// out callers that have lost no calls, which have no wrappers.
func (n *census) edgesOfOneSide(s int) map[edge]profile {
	here, there := &n.edges[s], &n.edges[1-s]
	lost := map[uint32]bool{}
	for k, e := range there.all {
		if there.calls[k] > here.of(e) {
			lost[e.caller] = true
		}
	}
	asked := map[edge]profile{}
	for _, e := range here.all {
		if lost[e.caller] && there.of(e) == 0 && (e.caller == virtualFn || n.called[1-s][e.caller]) {
			asked[e] = profile{}
		}
	}
	return asked
}

// wrappers finds calls of side s to pass through, and reports whether there are any.
func (n *census) wrappers(s int, asked map[edge]profile) bool {
	callers := map[uint32]bool{}
	for e := range asked {
		callers[e.caller] = true
	}
	n.eachCaller(s, func(class uint32, calls uint64) {
		fn := n.t.fn[class]
		if !callers[fn] {
			return
		}
		n.eachCallee(s, fn, class, 0, func(callee uint32) {
			if p := asked[edge{fn, n.t.fn[callee]}]; p != nil {
				n.addCallees(p, s, callee, calls, 0)
			}
		})
	})
	found := false
	for e, p := range asked {
		if p.isLostBy(func(fn uint32) int64 {
			calls := edge{e.caller, fn}
			return int64(n.edges[1-s].of(calls)) - int64(n.edges[s].of(calls))
		}) {
			n.passed[s][e], n.passes[s][e.caller], found = true, true, true
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

// isLostBy reports whether a caller has lost to a possible wrapper what that calls (see above),
// given how many calls of a function the caller has lost.
func (p profile) isLostBy(lost func(fn uint32) int64) bool {
	taken, all := 0.0, 0.0
	for _, fn := range slices.Sorted(maps.Keys(p)) { // in order: a sum of floats depends on it
		c := p[fn]
		taken += float64(c.below) * min(max(float64(lost(fn))/float64(c.calls), 0), 1)
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
	t      *classTable
	count  [2][]uint64 // calls by side and class, up to the side's last
	called [2][]bool   // by side and identity; whether it is called at all
	edges  [2]edgeCounts
	passed [2]map[edge]bool   // by side: are passed through
	passes [2]map[uint32]bool // by side: callers of these edges
}

func newCensus(c *classes, identities int) *census {
	n := &census{t: c.classTable}
	for s := range n.count {
		n.passed[s], n.passes[s] = map[edge]bool{}, map[uint32]bool{}
		n.called[s] = make([]bool, identities)
		last := -1 // no class of the side is higher than its roots
		for _, root := range c.root[s] {
			last = max(last, int(root))
		}
		n.count[s] = huge.Make[uint64](last + 1)
		for _, root := range c.root[s] {
			n.count[s][root]++
		}
	}
	n.bothSides(func(s int) {
		for class := len(n.count[s]) - 1; class >= 0; class-- { // callers first
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
	var sides progress.Group
	for s := range n.count {
		sides.Do(func() { do(s) })
	}
	_ = sides.Wait()
}

// eachCaller yields the classes of a side that have callees, and how many calls they stand for.
func (n *census) eachCaller(s int, yield func(class uint32, calls uint64)) {
	for class, k := range n.count[s] {
		if k > 0 && n.t.list[class].n > 0 {
			yield(uint32(class), k)
		}
	}
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

// countEdges counts the calls of all edges.
func (n *census) countEdges() {
	n.bothSides(func(s int) {
		edges := edgeCounts{}
		n.eachCaller(s, func(class uint32, calls uint64) {
			fn := n.t.fn[class]
			if len(n.passes[s]) > 0 && n.passes[s][fn] {
				n.eachCallee(s, fn, class, 0, func(callee uint32) {
					edges.add(edge{fn, n.t.fn[callee]}, calls)
				})
				return
			}
			edges.addCallees(n.t, class, calls)
		})
		n.edges[s] = edges
	})
}

// edgeCounts are numbers of calls by edge.
type edgeCounts struct {
	numbers pair.Numbers
	all     []edge // by number
	calls   []uint64
}

// addCallees adds the calls that as many calls of a class make. Loops call the same again and
// again, and are looked up once.
func (c *edgeCounts) addCallees(t *classTable, class uint32, calls uint64) {
	callees, fn := t.callees(class), t.fn[class]
	for k := 0; k < len(callees); {
		e, n := edge{fn, t.fn[callees[k]]}, uint64(0)
		for ; k < len(callees) && t.fn[callees[k]] == e.callee; k++ {
			n++
		}
		c.add(e, n*calls)
	}
}

// add adds calls of an edge, and returns its number.
func (c *edgeCounts) add(e edge, calls uint64) int {
	k := int(c.numbers.Of(pair.KeyOf(e.caller, e.callee)))
	if k == len(c.all) {
		c.all, c.calls = append(c.all, e), append(c.calls, 0)
	}
	c.calls[k] += calls
	return k
}

// of returns the calls of an edge.
func (c *edgeCounts) of(e edge) uint64 {
	if k := c.numbers.Find(pair.KeyOf(e.caller, e.callee)); k >= 0 {
		return c.calls[k]
	}
	return 0
}
