package align

import (
	"context"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Subtrees are numbered, so that equal ones are recognised by one comparison.
//
// All identical subtrees have one number, their class. A class is the function of the root and the
// classes of its callees in order; a table finds the number of such a list (hash-consing). For
// example, if a call of g that calls nothing is class 0:
//
//	f(g g)  f(g)  f(g g)    are classes 1 = (f; 0 0), 2 = (f; 0), and 1 again
//
// Calls that are set aside (aside.go) have no class, and do not belong to that of their caller.
//
// Programs repeat themselves, so there are far fewer classes than calls. Everything after this
// stage works on classes where it can: a pair of identical subtrees is paired without looking into
// it, and a costly level is aligned once, however often it occurs. No class is kept of a call: from
// the root's, the classes of callees lead to it.
//
// Time is linear in the calls; both sides are numbered at once (numbering.go). Memory is 20 bytes a
// class, 4 bytes for each callee of a class, and while numbers are given, another 27 to 38 bytes a
// class.

// classes are the subtrees of some threads of both sides under one numbering.
type classes struct {
	*classTable
	root   [2]map[int]uint32 // class of the virtual call over a thread's roots, by side and thread
	passed [2]map[int]Calls  // calls that are passed through: their callees stand in their place
	aside  [2]map[int]bool   // by side and thread: some calls are set aside
}

// checkEvery is the number of calls between two looks at the context.
const checkEvery = 1 << 18

// classify numbers the subtrees of the given threads. Both sides are numbered at once, each with a
// table of its own; then B's classes get numbers in A's table (join.go).
func classify(ctx context.Context, p *pair.Pair, threads [2][]int, passed [2]map[int]Calls,
	off []bool, m *progress.Meter) (*classes, error) {
	c := &classes{passed: passed}
	var sides [2]*numbering
	var ended [2]chan bool
	work, within := progress.NewGroup(ctx)
	work.SetLimit(progress.Processors())
	for s := range sides {
		c.root[s], c.aside[s] = map[int]uint32{}, map[int]bool{}
		side := pair.Side(s)
		sides[s], ended[s] = newNumbering(p.IDs(side), off), make(chan bool, 1)
		work.Go(func() (err error) {
			whole := false
			defer func() { ended[s] <- whole }()
			sides[s].expectCalls(p.Trace(side), threads[s])
			for _, k := range threads[s] {
				th := p.Trace(side).Threads[k]
				c.root[s][k], c.aside[s][k], err = sides[s].numberThread(within, th, passed[s][k], m)
				if err != nil {
					return err
				}
			}
			whole = true
			return nil
		})
	}
	twins := followLater(sides, ended)
	if err := work.Wait(); err != nil {
		return nil, err
	}
	to, err := twins.join(ctx, sides[pair.A].classTable, sides[pair.B].classTable)
	if err != nil {
		return nil, err
	}
	c.classTable = sides[pair.A].classTable
	for k, root := range c.root[pair.B] {
		c.root[pair.B][k] = to[root]
	}
	return c, nil
}
