// Package table makes the table of waits: who waited on whom for what, by pair of threads or by
// role, on one side or two, and how long each thread waited in all. New is meant for a job: it
// looks at every wait twice and sorts by every column, so that showing the table costs the lines
// that are shown.
//
// It writes names, and how many objects stand behind one: how times and other counts are written is
// the interface's business. It knows no files and no views.
package table

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/wait"
)

// Kind is a way to add up.
type Kind uint8

const (
	ByThread Kind = iota // a row for each pair of threads and object
	ByRole               // a row for each pair of roles
	Totals               // a row for each pair of threads: how long they waited in all
	kinds
)

// Order is a way to sort. Whatever it is, rows that are Last come last.
type Order uint8

const (
	ByChange Order = iota // the largest difference between the sides first
	ByTime                // the longest time first
	ByCount               // the most waits first
	ByName
	orders
)

// Row is a line of the table. Arrays are by pair.Side.
type Row struct {
	Key    string    // tells it from other rows of its kind
	Who    [2]string // the one who waited, and who ended that; "" where there is none
	Roles  string    // what they are to their program
	Object string    // what was waited for, or in which function
	Line   int       // of the thread that waited, an index into Pair.Threads; −1 for several
	Last   bool      // nothing ended the waits, or they are the runtime's own
	Count  [2]uint64
	WaitNs [2]int64
	IONs   [2]int64 // in Totals: input and output
	// Holder held the lock longest while the waits lasted, for HeldNs of them; "" where that is not
	// known (see wait.Analysis.Held).
	Holder [2]string
	HeldNs [2]int64
	// Squares is the sum of the squares of the durations of the waits of both sides: if each wait
	// came or stayed away by chance, its root would be the deviation of their sum.
	Squares float64
	// Longest are the longest such waits, as indices into wait.Waits; −1 for none.
	Longest [2]int

	others [2][]int64 // of WaitNs: in other runs of the side
	lines  [][2]int   // the longest by pair of threads that waited, where these are several
	search string     // what the filter looks in: lower case
}

// Delta returns how much longer B waited, in ns.
func (r *Row) Delta() int64 { return r.WaitNs[pair.B] - r.WaitNs[pair.A] }

// Title says who waited on whom.
func (r *Row) Title() string {
	if r.Who[1] == "" {
		return r.Who[0]
	}
	return r.Who[0] + " ← " + r.Who[1]
}

// Search returns what a filter looks in: the names of threads, roles and objects, in lower case.
func (r *Row) Search() string { return r.search }

// Endless is a wait that never ended and is part of no deadlock.
type Endless struct {
	Side pair.Side
	Wait int // index into wait.Waits
}

// Table is the rows of every kind in every order. It is immutable.
type Table struct {
	Pair    *pair.Pair
	Sides   [2]*wait.Analysis
	Endless []Endless // by side, then wait

	rows    [kinds][]Row
	sorted  [kinds][orders][]*Row
	runs    *Runs
	objects []wait.ObjectPair
	plain   *plain // while the table is made

	names    []string // by line
	numbered []bool   // by line: the name is no more than ids
}

// New makes the table of sides, of which one may be nil; c compares them if none is. others, which
// may be nil, are other runs of the sides. It fails only when ctx is done.
func New(ctx context.Context, p *pair.Pair, sides [2]*wait.Analysis, c *wait.Comparison,
	others *Runs) (*Table, error) {
	t := &Table{Pair: p, Sides: sides, runs: others, plain: newPlain(len(p.Threads))}
	if c != nil {
		t.objects = c.Objects
	}
	for s, a := range sides {
		if a == nil {
			continue
		}
		if c == nil {
			t.addObjects(pair.Side(s), a)
		}
		t.gather(pair.Side(s), a)
		t.findEndless(pair.Side(s), a)
	}
	all := t.plainRows(c)
	t.nameThreads(all)
	for k, add := range [kinds]func([]wait.Row){t.addThreads, t.addRoles, t.addTotals} {
		if add(all); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.sort(Kind(k))
	}
	t.nameHolders(ctx, all)
	t.plain = nil
	return t, ctx.Err()
}

// Rows returns the rows of a kind in the given order. They must not be changed.
func (t *Table) Rows(k Kind, o Order) []*Row { return t.sorted[k][o] }

// mostByThread is how many rows by thread, of waits that something ended, a table shows at most
// before it is easier to read by role.
const mostByThread = 50

// Usual returns the kind to show at first.
func (t *Table) Usual() Kind {
	if t.Ended(ByThread) > mostByThread {
		return ByRole
	}
	return ByThread
}

// Ended returns how many rows of a kind are of waits that something ended.
func (t *Table) Ended(k Kind) int {
	all := t.sorted[k][ByName]
	n, _ := slices.BinarySearchFunc(all, true, func(r *Row, last bool) int {
		return cmp.Compare(rank(r.Last), rank(last))
	})
	return n
}

// Waits returns the waits of a row to show, by side: the longest of all and, on the other side, the
// longest of the thread that is paired with the one that waited so long, if it has any.
func (t *Table) Waits(r *Row) [2]int {
	lead := pair.A
	if r.Longest[pair.A] < 0 || r.Longest[pair.B] >= 0 &&
		t.dur(pair.B, r.Longest[pair.B]) > t.dur(pair.A, r.Longest[pair.A]) {
		lead = pair.B
	}
	out, best, other := r.Longest, int64(-1), lead.Other()
	for _, waits := range r.lines {
		w := waits[other]
		if w < 0 || t.lineOf(other, w) != t.lineOf(lead, r.Longest[lead]) {
			continue
		}
		if d := t.dur(other, w); d > best {
			out[other], best = w, d
		}
	}
	return out
}

func (t *Table) dur(side pair.Side, w int) int64 { return t.Sides[side].Waits.Dur(w) }

// lineOf returns the pair of threads that a wait is of.
func (t *Table) lineOf(side pair.Side, w int) int {
	return t.Pair.Of(side, int(t.Sides[side].Waits.Thread[w]))
}

// addObjects lists the objects of one trace as if they had a partner.
func (t *Table) addObjects(side pair.Side, a *wait.Analysis) {
	for o := range a.Objects {
		p := [2]int32{-1, -1}
		p[side] = int32(o)
		t.objects = append(t.objects, wait.ObjectPair{A: p[pair.A], B: p[pair.B]})
	}
}

// findEndless lists the waits that never ended, but for those of deadlocks.
func (t *Table) findEndless(side pair.Side, a *wait.Analysis) {
	locked := map[int]bool{}
	for _, d := range a.Deadlocks {
		for _, s := range d {
			locked[s.Wait] = true
		}
	}
	for _, w := range a.Unreleased {
		if !locked[int(w)] {
			t.Endless = append(t.Endless, Endless{side, int(w)})
		}
	}
}

// sort sorts the rows of a kind in every order.
func (t *Table) sort(k Kind) {
	for o, less := range [orders]func(x, y *Row) int{
		ByChange: func(x, y *Row) int { return cmp.Compare(abs(y.Delta()), abs(x.Delta())) },
		ByTime:   func(x, y *Row) int { return cmp.Compare(most(y.WaitNs), most(x.WaitNs)) },
		ByCount:  func(x, y *Row) int { return cmp.Compare(most(y.Count), most(x.Count)) },
		ByName:   func(x, y *Row) int { return cmp.Compare(x.search, y.search) },
	} {
		list := make([]*Row, len(t.rows[k]))
		for i := range list {
			list[i] = &t.rows[k][i]
		}
		slices.SortStableFunc(list, func(x, y *Row) int {
			return cmp.Or(cmp.Compare(rank(x.Last), rank(y.Last)), less(x, y))
		})
		t.sorted[k][o] = list
	}
}

// rank is 1 for what comes last.
func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

func abs(n int64) int64 { return max(n, -n) }

func most[T int64 | uint64](of [2]T) T { return max(of[0], of[1]) }
