package wait

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Comparison is who waited on whom on two sides.
type Comparison struct {
	Pair    *pair.Pair
	Sides   [2]*Analysis // by pair.Side
	Objects []ObjectPair // by A's object, those without one last by B's

	Rows  []Row    // by pairs of threads and object, what changed most first
	Pairs []Row    // by pairs of threads alone, without waits that nothing ended
	Roles []Row    // by roles and object
	Names []string // of roles
}

// Row is a line of the table of waits: the outermost waits of one thread for one object that one
// other thread ended. Waiter and Releaser are indices into Pair.Threads, in Comparison.Roles into
// Names. Releaser is −1 if nothing ended the waits. Object is an index into Objects, or −1.
type Row struct {
	Waiter, Releaser, Object int32
	Count                    [2]uint64 // by pair.Side
	WaitNs                   [2]int64
}

// Delta returns how much longer B waited, in ns.
func (r *Row) Delta() int64 { return r.WaitNs[pair.B] - r.WaitNs[pair.A] }

// Only returns the side that alone has such waits, if there is one.
func (r *Row) Only() (side pair.Side, only bool) {
	switch {
	case r.Count[pair.B] == 0:
		return pair.A, true
	case r.Count[pair.A] == 0:
		return pair.B, true
	}
	return 0, false
}

// Changed reports whether such waits exist on one side only, or the totals differ by more than the
// given share of the longer one.
func (r *Row) Changed(share float64) bool {
	_, only := r.Only()
	a, b := float64(r.WaitNs[pair.A]), float64(r.WaitNs[pair.B])
	return only || max(a, b)-min(a, b) > share*max(a, b)
}

// Compare lays the waits of two sides next to each other. a and b are analyses of p.A and p.B.
func Compare(ctx context.Context, a, b *Analysis, p *pair.Pair) (*Comparison, error) {
	c := &Comparison{Pair: p, Sides: [2]*Analysis{a, b}}
	var err error
	if c.Objects, err = PairObjects(ctx, a, b, p); err != nil {
		return nil, err
	}
	objects := [2][]int32{make([]int32, len(a.Objects)), make([]int32, len(b.Objects))}
	for i, o := range c.Objects {
		for s, k := range []int32{o.A, o.B} {
			if k >= 0 {
				objects[s][k] = int32(i)
			}
		}
	}
	paired := func(s pair.Side, thread int32) int32 { return int32(p.Of(s, int(thread))) }
	object := func(s pair.Side, o trace.ObjectID) int32 { return objects[s][o] }
	c.Rows = c.rows(paired, object)
	c.Roles = c.rows(c.role(map[string]int32{}), object)
	c.Pairs = c.rows(paired, func(pair.Side, trace.ObjectID) int32 { return -1 })
	c.Pairs = slices.DeleteFunc(c.Pairs, func(r Row) bool { return r.Releaser < 0 })
	return c, ctx.Err()
}

// rows adds up the edges of both sides. thread and object say which numbers a thread and an object
// of a side have in the rows.
func (c *Comparison) rows(thread func(pair.Side, int32) int32,
	object func(pair.Side, trace.ObjectID) int32) []Row {
	sums := map[[3]int32]*Row{}
	for s, a := range c.Sides {
		side := pair.Side(s)
		for _, e := range a.Edges {
			k := [3]int32{thread(side, e.Waiter), -1, -1}
			if e.Releaser >= 0 {
				k[1] = thread(side, e.Releaser)
			}
			if e.Object != trace.NoObject {
				k[2] = object(side, e.Object)
			}
			r := sums[k]
			if r == nil {
				r = &Row{Waiter: k[0], Releaser: k[1], Object: k[2]}
				sums[k] = r
			}
			r.Count[s] += e.Count
			r.WaitNs[s] += e.WaitNs
		}
	}
	out := make([]Row, 0, len(sums))
	for _, r := range sums {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(x, y Row) int {
		return cmp.Or(cmp.Compare(abs(y.Delta()), abs(x.Delta())),
			cmp.Compare(max(y.WaitNs[0], y.WaitNs[1]), max(x.WaitNs[0], x.WaitNs[1])),
			cmp.Compare(x.Waiter, y.Waiter), cmp.Compare(x.Releaser, y.Releaser),
			cmp.Compare(x.Object, y.Object))
	})
	return out
}

func abs(n int64) int64 { return max(n, -n) }

// renamed are the roles of B that A has under another name, as the main thread of a program does
// whose name differs: roles that only one side has, of threads that are paired.
func (c *Comparison) renamed() map[string]string {
	has := [2]map[string]bool{{}, {}}
	for s := range has {
		for _, th := range c.Pair.Trace(pair.Side(s)).Threads {
			has[s][th.Role] = true
		}
	}
	to := map[string]string{}
	for _, t := range c.Pair.Threads {
		if t.A < 0 || t.B < 0 {
			continue
		}
		a, b := c.Pair.A.Threads[t.A].Role, c.Pair.B.Threads[t.B].Role
		if a != "" && b != "" && to[b] == "" && !has[pair.B][a] && !has[pair.A][b] {
			to[b] = a
			has[pair.B][a] = true // no other role of B is this one
		}
	}
	return to
}

// role returns a function that tells a thread's role as an index into Names. A thread without a
// name of its own has the role of the thread it is paired with.
func (c *Comparison) role(at map[string]int32) func(pair.Side, int32) int32 {
	renamed := c.renamed()
	return func(s pair.Side, thread int32) int32 {
		th := c.Pair.Trace(s).Threads[thread]
		if partner := c.Pair.Partner(s, int(thread)); th.Role == "" && partner >= 0 &&
			(s == pair.B || c.Pair.B.Threads[partner].Role != "") {
			th = c.Pair.Trace(s.Other()).Threads[partner]
		}
		name := Role(th)
		if s == pair.B {
			name = cmp.Or(renamed[name], name)
		}
		n, ok := at[name]
		if !ok {
			n = int32(len(c.Names))
			at[name] = n
			c.Names = append(c.Names, name)
		}
		return n
	}
}

// Role is what a thread is to its program, or its title if it has no name but a number.
func Role(th *trace.Thread) string { return cmp.Or(th.Role, th.Title()) }
