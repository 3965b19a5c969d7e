package account

import (
	"slices"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// Why threads wait longer: the longest wait of a change, followed to what held it up.

// Example is one wait and its cause.
type Example struct {
	Side  pair.Side
	Chain []wait.Link // who waits for whom, the wait itself first
	// Thread is the one that all the others wait for, and Function what it spends most of that time
	// in, Ns: as an identity, or None if it is in no call. A renamed function has the identity of A
	// on both sides, so Fn says which function of its own side it is, or −1.
	Thread   int
	Function uint32
	Fn       int
	Ns       int64
}

// Example returns the longest wait of a change on the side that waits longer, and reports whether
// it is known who held it up. Cost is linear in the calls of the last thread of the chain
// during the wait, and for the first change in that side's waits.
func (b *Balance) Example(w *WaitChange, most int) (Example, bool) {
	e := Example{Side: pair.A}
	if w.Delta() > 0 {
		e.Side = pair.B
	}
	d := b.sides[e.Side]
	longest := d.longestWait(w, true)
	if longest < 0 {
		return e, false
	}
	e.Chain = mostly(d.waits.Chain(longest, most+2)) // of which the last may go
	last := e.Chain[len(e.Chain)-1]
	for d.waits.Waits.By[last.Wait].Thread < 0 { // the first one's is known
		e.Chain = e.Chain[:len(e.Chain)-1]
		last = e.Chain[len(e.Chain)-1]
	}
	by := d.waits.Waits.By[last.Wait]
	if len(e.Chain) > most || !b.Threads[e.Side][by.Thread].Counts {
		return e, false
	}
	e.Thread = int(by.Thread)
	e.Function, e.Ns = d.busiest(d.trace.Threads[by.Thread], last.From, last.To)
	e.Fn = slices.Index(d.ids, e.Function)
	return e, true
}

// mostly cuts a chain before the first wait that takes less than half of the time that it would
// explain. A thread that works for 20.4 s and waits once for 3.7 ms meanwhile is what the others
// wait for, whomever it waited for itself.
func mostly(chain []wait.Link) []wait.Link {
	for i := 1; i < len(chain); i++ {
		if by, of := chain[i], chain[i-1]; 2*(by.To-by.From) < of.To-of.From {
			return chain[:i]
		}
	}
	return chain
}

// Longest returns the longest wait of a change on each side, as an index into its waits, or −1.
func (b *Balance) Longest(w *WaitChange) (waits [2]int) {
	for sd := range waits {
		waits[sd] = b.sides[sd].longestWait(w, false)
	}
	return waits
}

// Code returns in which function threads are while they are in a state, on the side that waits
// longer, and by which one that is called: None if it is not the same for most of the time. Cost is
// linear in that side's waits.
func (b *Balance) Code(w *WaitChange) (function, caller uint32) {
	sd := toInt(w.Delta() > 0)
	d, within := b.sides[sd], map[[2]uint32]int64{}
	ws := &d.waits.Waits
	for k := range ws.Len() {
		if d.ids[ws.Fn[k]] == w.Function && d.objectOf(k) == w.Object && ws.Outermost(k) &&
			d.waits.Counts(int(ws.Thread[k])) {
			within[d.codeAround(int(ws.Thread[k]), ws.Call[k])] += ws.Dur(k)
		}
	}
	inner := map[uint32]int64{}
	for at, ns := range within {
		inner[at[0]] += ns
	}
	mostOf := func(ns int64) bool { return float64(ns) >= mostByCaller*float64(w.Ns[sd]) && ns > 0 }
	function, caller = None, None
	for at, ns := range within {
		if mostOf(inner[at[0]]) {
			function = at[0]
		}
		if mostOf(ns) {
			caller = at[1]
		}
	}
	return function, caller
}

// codeAround returns the two innermost functions around a call that are the program's: no states,
// and nothing that just happens. None where there is none.
func (d *side) codeAround(thread int, call int32) (ids [2]uint32) {
	ids = [2]uint32{None, None}
	th, n := d.trace.Threads[thread], 0
	for i := th.Parent(int(call)); i >= 0 && n < len(ids); i = th.Parent(int(i)) {
		if k := d.trace.FunctionOf(th, int(i)).Kind; k != trace.State && k != trace.Event {
			ids[n] = d.ids[th.Fn[i]]
			n++
		}
	}
	return ids
}

// longestWaits are the longest outermost waits by function and object, which is what WaitChanges
// tells apart.
type longestWaits struct {
	keys pair.Numbers  // function and object
	list []longestWait // by number
}

// longestWait has the longest waits of one function and object, as indices, or −1: of all, and of
// those of which it is known who ended them.
type longestWait struct{ all, ended int }

// longestWait returns the longest outermost wait of a change, if asked for only of those of which
// it is known who ended them, or −1.
func (d *side) longestWait(w *WaitChange, ended bool) int {
	of := d.longest()
	k := of.keys.Find(pair.KeyOf(w.Function, uint32(w.Object)))
	switch {
	case k < 0:
		return -1
	case ended:
		return of.list[k].ended
	}
	return of.list[k].all
}

// findLongest finds the longest waits of each function and object.
func (d *side) findLongest() *longestWaits {
	ws, of := &d.waits.Waits, &longestWaits{}
	for k := range ws.Len() {
		if !ws.Outermost(k) || !d.waits.Counts(int(ws.Thread[k])) {
			continue
		}
		at := of.keys.Of(pair.KeyOf(d.ids[ws.Fn[k]], uint32(d.objectOf(k))))
		if int(at) == len(of.list) {
			of.list = append(of.list, longestWait{-1, -1})
		}
		l := &of.list[at]
		if l.all < 0 || ws.Dur(k) > ws.Dur(l.all) {
			l.all = k
		}
		if ws.By[k].Thread >= 0 && (l.ended < 0 || ws.Dur(k) > ws.Dur(l.ended)) {
			l.ended = k
		}
	}
	return of
}

// busiest returns the function with most self time of a thread in [from, to), and how much. Time in
// which the thread is in no call counts as that of None.
func (d *side) busiest(th *trace.Thread, from, to int64) (function uint32, ns int64) {
	idle := int64(0)
	self := make([]int64, len(d.ids)) // by index into the side's functions
	book := func(call int, until int64) {
		if call < 0 {
			idle += until - from
		} else {
			self[th.Fn[d.doing(th, call)]] += until - from
		}
		from = until
	}
	open := th.Enclosing(from)
	next := sort.Search(th.Len(), func(i int) bool { return th.Start(i) > from })
	for from < to {
		end := to
		if open >= 0 {
			end = min(end, th.End(open))
		}
		if next < th.Len() && th.Start(next) < end {
			book(open, th.Start(next))
			open = next
			next++
			continue
		}
		book(open, end)
		if open >= 0 {
			open = int(th.Parent(open))
		}
	}
	sums := map[uint32]int64{None: idle}
	for fn, ns := range self {
		if ns > 0 {
			sums[d.ids[fn]] += ns
		}
	}
	function = None
	for id, sum := range sums {
		if sum > ns || sum == ns && id < function {
			function, ns = id, sum
		}
	}
	return function, ns
}

// doing returns the call that says what a thread does in call i: the one around it if that waits or
// does input or output, and i is the time off the processor meanwhile. For example, a thread that
// is switched off in usleep sleeps, and nothing keeps the processor from it.
func (d *side) doing(th *trace.Thread, i int) int {
	if d.trace.FunctionOf(th, i).Off != trace.Switched {
		return i
	}
	if up := int(th.Parent(i)); up >= 0 && kindOfMarked(CPU, th.BlocksOf(up)) != CPU {
		return up
	}
	return i
}
