package align

import (
	"context"
	"maps"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Between two versions of a program a function often comes to call through another what it called
// itself before: a wrapper was put in, or one was inlined. Aligned by levels, everything below would
// be lost on both sides, although it is all still there. So a call that such a change has put in
// between is passed through: its callees are aligned as its caller's, and it alone is without a
// partner. (Weber et al. compare runs of one program, where this does not arise.)
//
// A wrapper is told from new work by what its caller lost. With n(p, c) the number of calls from
// functions p to functions c on either side, calls of w by p are passed through if the other side
// has p, but never calls w from it, and if p calls less by itself of what w calls: of the callees c
// of w under p, each weighted by the calls below it,
//
//	Σ_c min(n(p, w, c), n'(p, c) − n(p, c))  ≥  ½ · Σ_c n(p, w, c)
//
// where n' counts the other side. Functions that the other side does not have at all are seen
// through when w's callees are counted, and where one level has been found, the next below is looked
// for, so that several put in together are found. All counts come from the classes of subtrees,
// whose number is far below that of calls.

// edge is calls of one function by another, as identities.
type edge struct{ caller, callee uint32 }

// census counts who calls whom, by classes.
type census struct {
	t     *classTable
	ids   int
	count [2][]uint64        // calls by side and class
	has   [2][]bool          // by side and identity: is called at all
	edges [2]map[edge]uint64 // calls by side
	pass  [2]map[edge]bool   // by side: are passed through
}

// mostLevels is how many levels put in one below the other are found.
const mostLevels = 8

// passing returns the edges of either side whose calls are passed through.
func (c *classes) passing(ctx context.Context, identities int) (pass [2]map[edge]bool, err error) {
	n := newCensus(c, identities)
	for range mostLevels {
		for s := range n.edges {
			n.countEdges(s)
		}
		found := false
		for s := range n.edges {
			found = n.wrappers(s) || found
		}
		if err := ctx.Err(); err != nil || !found {
			return n.pass, err
		}
	}
	return n.pass, nil
}

func newCensus(c *classes, identities int) *census {
	n := &census{t: c.classTable, ids: identities}
	for s := range n.count {
		n.pass[s] = map[edge]bool{}
		n.has[s] = make([]bool, identities)
		n.count[s] = make([]uint64, len(c.fn))
		for _, root := range c.root[s] {
			n.count[s][root]++
		}
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
	}
	return n
}

// countEdges counts the calls of a side, callees of calls that are passed through as their callers'.
func (n *census) countEdges(s int) {
	n.edges[s] = map[edge]uint64{}
	for class, k := range n.count[s] {
		if k > 0 {
			fn := n.t.fn[class]
			n.eachCallee(s, fn, uint32(class), 0, func(callee uint32) {
				n.edges[s][edge{fn, n.t.fn[callee]}] += k
			})
		}
	}
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

// profile is, by identity, what a wrapper calls.
type profile map[uint32]*share

type share struct {
	calls uint64
	below uint64 // they and all that is called below them
}

// wrappers finds calls of side s to pass through, and reports whether there are any new.
func (n *census) wrappers(s int) bool {
	other := 1 - s
	asked := map[edge]profile{}
	for e := range n.edges[s] {
		if n.edges[other][e] == 0 && (e.caller == virtualFn || n.has[other][e.caller]) {
			asked[e] = profile{}
		}
	}
	if len(asked) == 0 {
		return false
	}
	for class, k := range n.count[s] {
		if k == 0 {
			continue
		}
		fn := n.t.fn[class]
		n.eachCallee(s, fn, uint32(class), 0, func(callee uint32) {
			if p := asked[edge{fn, n.t.fn[callee]}]; p != nil {
				n.fill(p, s, callee, k, 0)
			}
		})
	}
	found := false
	for e, p := range asked {
		if n.wraps(s, e, p) {
			n.pass[s][e], found = true, true
		}
	}
	return found
}

// fill adds the callees of k calls of a class, seen through functions that the other side lacks.
func (n *census) fill(p profile, s int, class uint32, k uint64, depth int) {
	for _, callee := range n.t.callees(class) {
		fn := n.t.fn[callee]
		if depth < mostLevels && !n.has[1-s][fn] && len(n.t.callees(callee)) > 0 {
			n.fill(p, s, callee, k, depth+1)
			continue
		}
		if p[fn] == nil {
			p[fn] = &share{}
		}
		p[fn].calls += k
		p[fn].below += k * uint64(n.t.size[callee])
	}
}

// wraps reports whether the caller has lost to the callee what that calls.
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

// passedIn returns the calls of a thread that are passed through.
func passedIn(th *trace.Thread, ids []uint32, pass map[edge]bool) (passed Calls) {
	if len(pass) == 0 {
		return nil
	}
	suspect := map[uint32]bool{}
	for e := range pass {
		suspect[e.callee] = true
	}
	for i, fn := range th.Fn {
		if th.Size[i] == 1 || !suspect[ids[fn]] {
			continue
		}
		caller := uint32(virtualFn)
		if up := passed.caller(th.Parent, int32(i)); up != None {
			caller = ids[th.Fn[up]]
		}
		if pass[edge{caller, ids[fn]}] {
			passed.add(int32(i), th.Len())
		}
	}
	return passed
}

// keepPassed leaves of the calls that are passed through those with a callee that has found a
// partner. The others are gaps like any.
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
