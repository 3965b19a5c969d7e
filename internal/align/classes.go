package align

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// classes are the subtrees of some threads of both sides under one numbering. Memory is 4 bytes a
// call and what the classes themselves need.
type classes struct {
	*classTable
	of     [2]map[int][]uint32 // class by side, thread and call
	root   [2]map[int]uint32   // class of the virtual call over a thread's roots
	passed [2]map[int]Calls    // calls left out of their callers' classes, their callees in their place
}

// checkEvery is how many calls pass between two looks at the context.
const checkEvery = 1 << 18

// classify numbers the subtrees of the given threads. The sides go in parallel under numbers of
// their own; B's, of which there are few, then get A's.
func classify(ctx context.Context, p *pair.Pair, threads [2][]int, passed [2]map[int]Calls,
	m *progress.Meter) (*classes, error) {
	c := &classes{passed: passed}
	var tables [2]*classTable
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for s := range tables {
		c.of[s], c.root[s] = map[int][]uint32{}, map[int]uint32{}
		tables[s] = newClassTable(len(p.Names))
		work.Go(func() error {
			side := pair.Side(s)
			for _, k := range threads[s] {
				th := p.Trace(side).Threads[k]
				of, root, err := tables[s].number(ctx, th, p.IDs(side), passed[s][k], m)
				if err != nil {
					return err
				}
				c.of[s][k], c.root[s][k] = of, root
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	c.classTable = tables[pair.A]
	to := c.absorb(tables[pair.B])
	for k, of := range c.of[pair.B] {
		for i, class := range of {
			of[i] = to[class]
		}
		c.root[pair.B][k] = to[c.root[pair.B][k]]
	}
	return c, nil
}

// number returns the classes of a thread's calls and of the virtual call over its roots. Scanning
// pre-order backwards, the callees of a call are known when it is reached, so there is no stack.
func (t *classTable) number(ctx context.Context, th *trace.Thread, ids []uint32, passed Calls,
	m *progress.Meter) (of []uint32, root uint32, err error) {
	of = make([]uint32, th.Len())
	sizes, fns := th.Size[:len(of)], th.Fn[:len(of)]
	var kids []uint32
	for i := len(of) - 1; i >= 0; i-- {
		fn, size := ids[fns[i]], int(sizes[i])
		if size == 1 && t.leaf[fn] != noClass {
			of[i] = t.leaf[fn]
		} else {
			kids = appendCallees(kids[:0], of, sizes, passed, i+1, i+size)
			of[i] = t.intern(fn, kids)
		}
		if i%checkEvery == 0 {
			if err := m.Add(ctx, int64(min(checkEvery, len(of)-i))); err != nil {
				return nil, 0, err
			}
		}
	}
	kids = appendCallees(kids[:0], of, sizes, passed, 0, len(of))
	return of, t.intern(virtualFn, kids), nil
}

// appendCallees appends the classes of the outermost calls in [from, to).
func appendCallees(kids, of, sizes []uint32, passed Calls, from, to int) []uint32 {
	if len(passed) == 0 {
		for k := from; k < to; k += int(sizes[k]) {
			kids = append(kids, of[k])
		}
		return kids
	}
	for k := from; k < to; k += int(sizes[k]) {
		k = int(passed.First(int32(k)))
		kids = append(kids, of[k])
	}
	return kids
}
