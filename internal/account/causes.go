package account

import (
	"cmp"
	"iter"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/wait"
)

// WaitChange is how much longer B waits in one function for one object.
type WaitChange struct {
	Function uint32
	Object   int32     // index into Balance.Objects, or −1
	Releaser int32     // the pair of threads that ended most of it, or −1
	Ns       [2]int64  // by side, summed over threads
	Calls    [2]int64  // by side
	Squares  float64   // of the stretches of both sides, ns²
	Own      Delta     // what it accounts for
	portions []Portion // its cells

	most int64 // ns, of Releaser
}

// Delta returns how much longer B waits, ns.
func (w *WaitChange) Delta() int64 { return w.Ns[pair.B] - w.Ns[pair.A] }

// WaitChanges returns how waiting changed by function and object, the largest change first, as far
// as that is worth it: by how much longer threads wait in B, and how much of that is part of
// elapsed time, ns. Joins come last: a thread waits for another to end as long as that one takes,
// whatever the cause. Where there are thousands of threads there can be tens of thousands of
// changes, of which hardly any is worth it.
func (b *Balance) WaitChanges(worth func(ns, elapsedNs int64) bool) []WaitChange {
	var keys pair.Numbers
	var sums []Delta // in WorkNs there is waiting
	for c := range b.cellsOf(Wait) {
		k := keys.Of(pair.KeyOf(c.Function, uint32(c.Object)))
		if int(k) == len(sums) {
			sums = append(sums, Delta{})
		}
		sums[k].ElapsedNs += c.Delta().ElapsedNs
		sums[k].WorkNs += c.Amounts[pair.B].Ns - c.Amounts[pair.A].Ns
	}
	var list []WaitChange
	at := slices.Repeat([]int32{-1}, len(sums)) // in the list
	for c, i := range b.cellsOf(Wait) {
		k := keys.Find(pair.KeyOf(c.Function, uint32(c.Object)))
		if !worth(sums[k].WorkNs, sums[k].ElapsedNs) {
			continue
		}
		if at[k] < 0 {
			at[k] = int32(len(list))
			list = append(list, WaitChange{Function: c.Function, Object: c.Object, Releaser: -1})
		}
		list[at[k]].add(i, c)
	}
	slices.SortStableFunc(list, func(x, y WaitChange) int {
		return cmp.Or(cmp.Compare(toInt(b.Joins(&x)), toInt(b.Joins(&y))),
			cmp.Compare(max(y.Delta(), -y.Delta()), max(x.Delta(), -x.Delta())))
	})
	return list
}

// cellsOf returns the cells of a kind, with their indices.
func (b *Balance) cellsOf(k Kind) iter.Seq2[*Cell, int] {
	return func(yield func(*Cell, int) bool) {
		for i := range b.Cells {
			if c := &b.Cells[i]; c.Kind == k && !yield(c, i) {
				return
			}
		}
	}
}

const mostByCaller = 0.8 // of a change

// CallerOf returns the function whose calls make most of a change, or None.
func (b *Balance) CallerOf(w *WaitChange) uint32 {
	by, most := map[uint32]int64{}, None
	for _, p := range w.portions {
		c := &b.Cells[p.Cell]
		by[c.Caller] += c.Amounts[pair.B].Ns - c.Amounts[pair.A].Ns
	}
	for _, p := range w.portions { // in order, as that of the map is none
		caller := b.Cells[p.Cell].Caller
		if d := w.Delta(); d != 0 && float64(by[caller])/float64(d) >= mostByCaller &&
			(most == None || max(by[caller], -by[caller]) > max(by[most], -by[most])) {
			most = caller
		}
	}
	return most
}

// ByCaller returns by side how long calls wait that a function makes, of those of a change, ns.
func (b *Balance) ByCaller(w *WaitChange, caller uint32) (ns [2]int64) {
	for _, p := range w.portions {
		if c := &b.Cells[p.Cell]; c.Caller == caller {
			for sd := range ns {
				ns[sd] += c.Amounts[sd].Ns
			}
		}
	}
	return ns
}

// ObjectsOf returns by side for how many objects calls of a function wait that a caller makes.
func (b *Balance) ObjectsOf(function, caller uint32) [2]int {
	return b.objectsOf()[pair.KeyOf(function, caller)]
}

// countObjects counts the objects of each function and caller. In the order of cells, those of one
// function, caller and object follow one another.
func (b *Balance) countObjects() map[uint64][2]int {
	counts := map[uint64][2]int{}
	var last *Cell
	var seen [2]bool
	for c := range b.cellsOf(Wait) {
		if last == nil || c.Function != last.Function || c.Caller != last.Caller ||
			c.Object != last.Object {
			seen = [2]bool{}
		}
		last = c
		for sd, amount := range c.Amounts {
			if c.Object >= 0 && amount.Calls > 0 && !seen[sd] {
				seen[sd] = true
				key := pair.KeyOf(c.Function, c.Caller)
				n := counts[key]
				n[sd]++
				counts[key] = n
			}
		}
	}
	return counts
}

// Object returns an object and its name as A knows it, or B if A does not.
func (b *Balance) Object(o int32) (wait.ObjectTotal, string) {
	sd, at := pair.A, b.Objects[o].A
	if at < 0 {
		sd, at = pair.B, b.Objects[o].B
	}
	return b.Waits[sd].Objects[at], b.Pair.Trace(sd).Objects[at].Name
}

// Joins reports whether a wait is for the end of a thread.
func (b *Balance) Joins(w *WaitChange) bool {
	if w.Object < 0 {
		return wait.Joins(b.Pair.Names[w.Function])
	}
	total, _ := b.Object(w.Object)
	return total.Kind == wait.Joinable
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (w *WaitChange) add(i int, c *Cell) {
	for sd, a := range c.Amounts {
		w.Ns[sd] += a.Ns
		w.Calls[sd] += a.Calls
	}
	w.Squares += c.Squares()
	w.portions = append(w.portions, Portion{i, c.Delta()})
	d := c.Amounts[pair.B].Ns - c.Amounts[pair.A].Ns
	if d = max(d, -d); c.Releaser >= 0 && d > w.most {
		w.most, w.Releaser = d, c.Releaser
	}
}

// TakeWait claims what follows from a change of waiting: the waiting that is part of elapsed time
// itself, and work that both sides do but that no longer runs beside other work (Serial), because
// its thread waits for its turn; and the same of waiting for something else, if threads take turns.
// The latter two are at most the waiting, each, and nothing for joins.
func (l *Ledger) TakeWait(w *WaitChange) {
	w.Own = l.Take(w.portions, Unbounded)
	if !l.b.Joins(w) {
		w.Own = w.Own.Plus(l.Take(l.Serial(), w.Delta())).Plus(l.takeTurns(w))
	}
}

// Overlap returns how many threads work at a time on each side: work by elapsed time.
func (b *Balance) Overlap() (threads [2]float64) {
	for sd, ns := range b.Work() {
		threads[sd] = float64(ns) / float64(max(b.Elapsed[sd], 1))
	}
	return threads
}

// TakeOverlap claims work that both sides do, but that runs beside other work on one side only. It
// reports whether that is because threads overlap more or less: if fewer threads work at a time
// where it takes longer. Else the way just goes along other threads.
func (l *Ledger) TakeOverlap() (own Delta, overlaps bool) {
	list, threads := l.Serial(), l.b.Overlap()
	longer := Net(list).ElapsedNs > 0
	return l.Take(list, Unbounded), longer == (threads[pair.B] < threads[pair.A])
}
