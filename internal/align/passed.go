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

// mostLevels is how many levels put in one below the other are found.
const mostLevels = 8

// passing returns the edges of either side whose calls are passed through.
func (c *classes) passing(ctx context.Context, identities int) (pass [2]map[edge]bool, err error) {
	n := newCensus(c, identities)
	for range mostLevels {
		n.meet()
		asked := [2]map[edge]profile{n.alone(0), n.alone(1)}
		found := false
		if len(asked[0])+len(asked[1]) > 0 {
			n.countEdges(asked)
			for s := range asked {
				found = n.wrappers(s, asked[s]) || found
			}
		}
		if err := ctx.Err(); err != nil || !found {
			return n.pass, err
		}
	}
	return n.pass, nil
}

// profile is, by identity, what a wrapper calls.
type profile map[uint32]*share

type share struct {
	calls uint64
	below uint64 // they and all that is called below them
}

// alone returns the edges that side s alone has, of callers that both have.
func (n *census) alone(s int) map[edge]profile {
	asked := map[edge]profile{}
	for e := range n.met[s].all {
		if !n.met[1-s].has(e) && (e.caller == virtualFn || n.has[1-s][e.caller]) {
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
				n.fill(p, s, callee, k, 0)
			}
		})
	})
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
