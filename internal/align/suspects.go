package align

import (
	"context"
	"sync/atomic"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Whether calls may have to be passed through is found from an alignment that passes through none.
//
// A wrapper is an edge of the call graph that only one side has, and its caller has lost calls
// (wrappers.go). Which edges have more calls on one side follows from the calls without a partner,
// and those around or beside which functions differ: all others are in equal numbers on both sides.
// So few calls are counted, where the census goes through all classes. Only if an edge has more
// calls on one side, and its caller has fewer of another, the other side is gone through, to see
// whether that has the edge at all.

// countEdges counts the edges of two threads of which one side may have more, once all is placed.
func (d *direct) countEdges(f *placing) {
	var edges edgeCounts
	count := func(s pair.Side, i int32) {
		e := edge{virtualFn, f.r.ID(s, int(i))}
		if up := f.r.Threads[s].Parent(int(i)); up != None {
			e.caller = f.r.ID(s, int(up))
		}
		edges.add(e, 2*uint64(s)-1)
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
	for _, c := range f.unlike {
		count(pair.A, c[pair.A])
		count(pair.B, c[pair.B])
		th, last := f.r.Threads[pair.A], int32(f.r.Threads[pair.A].Next(int(c[pair.A])))
		for i := c[pair.A] + 1; i < last; i += int32(th.Size(int(i))) {
			if j := f.r.Partner[pair.A][i]; j != None && f.r.ID(pair.A, int(i)) == f.r.ID(pair.B, int(j)) {
				count(pair.A, i)
				count(pair.B, j)
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for k, e := range edges.all {
		d.edges.add(e, edges.calls[k])
	}
}

// findSuspects fails if an edge may be that of calls to pass through.
func (d *direct) findSuspects(ctx context.Context) error {
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
		suspects := suspects{ids: d.w.p.IDs(s.Other()), callees: make([]bool, len(d.w.off))}
		for k, e := range d.edges.all {
			if n := int64(d.edges.calls[k]) * (2*int64(s) - 1); n > 0 && lost[s][e.caller] {
				suspects.callees[e.callee] = true
				suspects.edges.Of(pair.KeyOf(e.caller, e.callee))
			}
		}
		if err := suspects.lookFor(ctx, d.w, s.Other()); err != nil {
			return err
		}
	}
	return nil
}

// suspects are edges that one side has, and for which the other is searched.
type suspects struct {
	ids     []uint32 // of the other side
	callees []bool   // by identity
	edges   pair.Numbers
	found   []atomic.Bool // by number of edge
	left    atomic.Int64
}

// lookFor fails unless a side has all of the edges.
func (x *suspects) lookFor(ctx context.Context, w *work, s pair.Side) error {
	x.found = make([]atomic.Bool, x.edges.Len())
	x.left.Store(int64(x.edges.Len()))
	var all []onSide
	for th := range w.threads {
		if th.side == s {
			all = append(all, th)
		}
	}
	err := progress.Spread(ctx, len(all), func(k int) error {
		x.lookIn(all[k])
		return ctx.Err()
	})
	if err == nil && x.left.Load() > 0 {
		err = errIndirect
	}
	return err
}

// lookIn looks for the edges in a thread.
func (x *suspects) lookIn(t onSide) {
	if x.left.Load() == 0 {
		return
	}
	for i, fn := range t.th.Fn {
		id := x.ids[fn]
		if !x.callees[id] {
			continue
		}
		caller := uint32(virtualFn)
		if up := t.th.Parent(i); up != None {
			caller = x.ids[t.th.Fn[up]]
		}
		e := x.edges.Find(pair.KeyOf(caller, id))
		if e >= 0 && !x.found[e].Load() && x.found[e].CompareAndSwap(false, true) && x.left.Add(-1) == 0 {
			return
		}
	}
}
