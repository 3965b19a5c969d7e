package align

import (
	"context"
	"sync"
	"sync/atomic"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Whether calls are to be passed through is found without the census of classes.
//
// A wrapper is an edge of the call graph that only one side has, and its caller has lost calls
// (wrappers.go). If there are few calls (Options.mostCounted), their edges are all counted before
// anything is aligned (countAll). Else all is aligned as if there were no wrappers. Which edges
// have more calls on one side, and by how many, then follows from the calls without a partner, and
// those around or beside which functions differ: all others are in equal numbers on both sides
// (countEdges). Suspects are edges that have more calls on one side, some of which call something,
// and whose caller has fewer of another edge. The other side is gone through to see whether it has
// the edge at all; and only if it has not, it is looked up what the suspect calls.

// countAll counts all edges, and finds out whether there are calls to pass through.
func (d *direct) countAll(ctx context.Context) error {
	d.countedAll = true
	c := edgeCounter{edges: &d.edges}
	for t := range d.w.threads {
		ids := d.w.p.IDs(t.side)
		for i, fn := range t.th.Fn {
			if !d.w.off[ids[fn]] {
				c.count(t.side, t.th, ids, i)
			}
		}
	}
	return d.findWrappers(ctx)
}

// edgeCounter counts calls by edge. Most calls of a function are by the same one as the last.
type edgeCounter struct {
	edges *directEdges
	last  [64]struct { // by callee
		edge
		number int // plus one
	}
}

func (c *edgeCounter) count(s pair.Side, th *trace.Thread, ids []uint32, i int) {
	e := edgeOf(th, ids, i)
	l := &c.last[e.callee%64]
	if l.edge != e || l.number == 0 {
		l.edge, l.number = e, c.edges.add(e, 0)+1
	}
	c.edges.calls[l.number-1] += 2*uint64(s) - 1
	c.edges.sides[l.number-1][s].met(th.Size(i) > 1)
}

// edgeOf returns the edge of a call.
func edgeOf(th *trace.Thread, ids []uint32, i int) edge {
	e := edge{virtualFn, ids[th.Fn[i]]}
	if up := th.Parent(i); up != None {
		e.caller = ids[th.Fn[up]]
	}
	return e
}

// countEdges counts the edges of two threads of which one side may have more, once all is placed.
func (d *direct) countEdges(f *placing, c *edgeCounter) {
	count := func(s pair.Side, i int32) {
		if !d.w.off[f.r.ID(s, int(i))] {
			c.count(s, f.r.Threads[s], f.ids[s], int(i))
		}
	}
	for s, partner := range f.r.Partner {
		if int64(len(partner)) == f.equal+f.different {
			continue
		}
		for i, j := range partner {
			if j == None {
				count(pair.Side(s), int32(i))
			}
		}
	}
	for _, two := range f.unlike {
		count(pair.A, two[pair.A])
		count(pair.B, two[pair.B])
		th, last := f.r.Threads[pair.A], int32(f.r.Threads[pair.A].Next(int(two[pair.A])))
		for i := two[pair.A] + 1; i < last; i += int32(th.Size(int(i))) {
			if j := f.r.Partner[pair.A][i]; j != None && f.r.ID(pair.A, int(i)) == f.r.ID(pair.B, int(j)) {
				count(pair.A, i)
				count(pair.B, j)
			}
		}
	}
}

// addEdges adds what a goroutine has counted. There may be thousands of short threads, so each
// goroutine adds up all that it aligns, and only then adds its edges to those of the others.
func (d *direct) addEdges(edges *directEdges) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for k, e := range edges.all {
		at := d.edges.add(e, edges.calls[k])
		for s, of := range edges.sides[k] {
			d.edges.sides[at][s].any = d.edges.sides[at][s].any || of.any
			d.edges.sides[at][s].calling = d.edges.sides[at][s].calling || of.calling
		}
	}
}

// findWrappers fails if there are calls to pass through.
func (d *direct) findWrappers(ctx context.Context) error {
	var lost [2]map[uint32]bool // callers, by the side that has lost calls of an edge
	lost[pair.A], lost[pair.B] = map[uint32]bool{}, map[uint32]bool{}
	for k, e := range d.edges.all {
		if n := int64(d.edges.calls[k]); n > 0 {
			lost[pair.A][e.caller] = true
		} else if n < 0 {
			lost[pair.B][e.caller] = true
		}
	}
	for s := range pair.B + 1 {
		x := suspects{d: d, side: s, callees: make([]bool, len(d.w.off))}
		for k, e := range d.edges.all {
			n := int64(d.edges.calls[k]) * (2*int64(s) - 1)
			if n > 0 && lost[s][e.caller] && d.edges.sides[k][s].calling {
				x.callees[e.callee] = true
				x.edges.add(e, 0)
			}
		}
		if err := x.judge(ctx); err != nil {
			return err
		}
	}
	return nil
}

// directEdges counts calls by edge: by how much more B has, modulo 2⁶⁴.
type directEdges struct {
	edgeCounts
	sides [][2]counted // by number
}

// counted says whether a side has calls of an edge, as far as they are counted, and whether some of
// them have callees. Only then can they be wrappers.
type counted struct{ any, calling bool }

func (c *counted) met(callees bool) { c.any, c.calling = true, c.calling || callees }

func (c *directEdges) add(e edge, calls uint64) int {
	k := c.edgeCounts.add(e, calls)
	if k == len(c.sides) {
		c.sides = append(c.sides, [2]counted{})
	}
	return k
}

// suspects are edges of which a side has more calls than the other, and whose caller has lost calls
// of other edges.
type suspects struct {
	d       *direct
	side    pair.Side
	callees []bool // by identity
	edges   edgeCounts
	found   []atomic.Bool // by number of edge, whether the other side has it
	left    atomic.Int64  // edges that are not found
	called  []atomic.Bool // by identity, by the other side

	mu     sync.Mutex
	shares profileShares
}

// profileShares are the shares of profiles, by number of edge and callee.
type profileShares struct {
	numbers pair.Numbers
	keys    []edgeCallee
	shares  []share
}

type edgeCallee struct {
	edge int32 // number
	fn   uint32
}

func (p *profileShares) add(e edgeCallee, s share) {
	k := int(p.numbers.Of(pair.KeyOf(uint32(e.edge), e.fn)))
	if k == len(p.keys) {
		p.keys, p.shares = append(p.keys, e), append(p.shares, share{})
	}
	p.shares[k].calls += s.calls
	p.shares[k].below += s.below
}

// judge fails if one of the edges is a wrapper's.
func (x *suspects) judge(ctx context.Context) error {
	n := len(x.edges.all)
	x.found, x.called = make([]atomic.Bool, n), make([]atomic.Bool, len(x.callees))
	x.left.Store(int64(n))
	if x.d.countedAll {
		x.lookUp()
	} else if err := x.eachThread(ctx, x.side.Other(), x.lookIn); err != nil {
		return err
	}
	if x.left.Load() == 0 {
		return nil
	}
	if !x.d.countedAll {
		if err := x.eachThread(ctx, x.side.Other(), x.markCalled); err != nil {
			return err
		}
	}
	if err := x.eachThread(ctx, x.side, x.profileIn); err != nil {
		return err
	}
	profiles := make([]profile, n)
	for k, of := range x.shares.keys {
		if profiles[of.edge] == nil {
			profiles[of.edge] = profile{}
		}
		profiles[of.edge][of.fn] = &x.shares.shares[k]
	}
	for k, e := range x.edges.all {
		if profiles[k].isLostBy(func(fn uint32) int64 {
			return int64(x.d.edges.of(edge{e.caller, fn})) * (1 - 2*int64(x.side))
		}) {
			return errIndirect
		}
	}
	return nil
}

// eachThread calls a function for all threads of a side.
func (x *suspects) eachThread(ctx context.Context, s pair.Side,
	do func(th *trace.Thread, ids []uint32)) error {
	var all []*trace.Thread
	for t := range x.d.w.threads {
		if t.side == s {
			all = append(all, t.th)
		}
	}
	return progress.Spread(ctx, len(all), func(k int) error {
		do(all[k], x.d.w.p.IDs(s))
		return ctx.Err()
	})
}

// lookUp is lookIn and markCalled where all edges were counted.
func (x *suspects) lookUp() {
	for k, e := range x.d.edges.all {
		if !x.d.edges.sides[k][x.side.Other()].any {
			continue
		}
		x.called[e.callee].Store(true)
		if n := x.edges.numbers.Find(pair.KeyOf(e.caller, e.callee)); n >= 0 {
			x.found[n].Store(true)
			x.left.Add(-1)
		}
	}
}

// lookIn looks for the edges in a thread of the other side.
func (x *suspects) lookIn(th *trace.Thread, ids []uint32) {
	for i, fn := range th.Fn {
		if !x.callees[ids[fn]] {
			continue
		}
		e := x.numberOf(th, ids, i)
		if e >= 0 && !x.found[e].Load() && x.found[e].CompareAndSwap(false, true) {
			x.left.Add(-1)
		}
		if x.left.Load() == 0 {
			return
		}
	}
}

// numberOf returns the number of a call's edge, or −1 if it is not among the suspects.
func (x *suspects) numberOf(th *trace.Thread, ids []uint32, i int) int32 {
	e := edgeOf(th, ids, i)
	return x.edges.numbers.Find(pair.KeyOf(e.caller, e.callee))
}

// markCalled notes which functions a thread of the other side calls.
func (x *suspects) markCalled(th *trace.Thread, ids []uint32) {
	for _, fn := range th.Fn {
		if c := &x.called[ids[fn]]; !c.Load() {
			c.Store(true)
		}
	}
}

// profileIn adds what the suspects of a thread call.
func (x *suspects) profileIn(th *trace.Thread, ids []uint32) {
	var found profileShares
	for i, fn := range th.Fn {
		if !x.callees[ids[fn]] {
			continue
		}
		if e := x.numberOf(th, ids, i); e >= 0 && !x.found[e].Load() {
			x.addCallees(&found, e, th, ids, i, 0)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for k, of := range found.keys {
		x.shares.add(of, found.shares[k])
	}
}

// addCallees adds the callees of a call to a profile. It looks through functions that the other
// side does not have, as the census does.
func (x *suspects) addCallees(p *profileShares, e int32, th *trace.Thread, ids []uint32,
	call, depth int) {
	for i := call + 1; i < th.Next(call); i = th.Next(i) {
		fn, size := ids[th.Fn[i]], x.d.sizeOnLevels(th, ids, i)
		switch {
		case x.d.w.off[fn]:
		case depth < mostLevels && size > 1 && !x.called[fn].Load():
			x.addCallees(p, e, th, ids, i, depth+1)
		default:
			p.add(edgeCallee{e, fn}, share{1, uint64(size)})
		}
	}
}
