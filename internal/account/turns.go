package account

import "diptych/internal/pair"

// Threads that take turns, as at a lock, of which each waits for the others.
//
// What they do in turn may be waiting itself: for a disk, or for a moment. The way goes through
// it, and not through the waits for the turn, since those end when another thread is done. So these
// own what they keep the threads from doing at the same time. For example, if calls that sleep for
// 300 µs each do so under a lock in B:
//
//	            A: 6 threads sleep at a time   B: one after the other
//	lock         68 ms                         2.57 s waited, none of it on the way
//	sleep       426 ms,  61 ms on the way       455 ms, 455 ms on the way
//
// Of these 394 ms more, 29 are longer sleeps, and 365 are the lock's.

// lined is waiting in one function for one object that takes as long on both sides, but of which
// one has more on the way.
type lined struct {
	function uint32
	object   int32
	changeNs int64   // of the waiting
	cells    []int32 // its cells
}

// leastLined is the share of the longer run from which on such waiting is looked at.
const leastLined = 0.01

// findLined finds such waiting, that of the first cell first.
func (l *Ledger) findLined() (list []lined) {
	least := leastLined * float64(max(l.b.Elapsed[pair.A], l.b.Elapsed[pair.B]))
	var keys pair.Numbers
	var sums []int64 // Σ of what cells have more on the way, either way
	for c := range l.b.cellsOf(Wait) {
		k := keys.Of(pair.KeyOf(c.Function, uint32(c.Object)))
		if int(k) == len(sums) {
			sums = append(sums, 0)
		}
		sums[k] += magnitude(c.Delta().ElapsedNs)
	}
	at := map[int32]int{} // in the list, by number
	for c, i := range l.b.cellsOf(Wait) {
		k := keys.Find(pair.KeyOf(c.Function, uint32(c.Object)))
		if float64(sums[k]) < least {
			continue
		}
		n, known := at[k]
		if !known {
			n, at[k] = len(list), len(list)
			list = append(list, lined{function: c.Function, object: c.Object})
		}
		list[n].changeNs += c.Amounts[pair.B].Ns - c.Amounts[pair.A].Ns
		list[n].cells = append(list[n].cells, int32(i))
	}
	return list
}

// left returns what is left of such waiting, and the part of it by which it takes no longer.
func (x *lined) left(l *Ledger) (list []Portion, serial int64) {
	for _, i := range x.cells {
		list = append(list, Portion{int(i), Delta{ElapsedNs: l.left[i].ElapsedNs}})
	}
	ns := Net(list).ElapsedNs
	return list, ns - Common(ns, x.changeNs)
}

// takeTurns claims what threads wait for one after the other because they take turns in w, at most
// as much as w changed.
func (l *Ledger) takeTurns(w *WaitChange) (own Delta) {
	if l.lined == nil {
		l.lined = append(l.findLined(), lined{function: None}) // so that it is found once
	}
	if len(l.lined) == 1 || !l.b.takesTurns(w) {
		return own
	}
	rest := w.Delta()
	for i := range l.lined {
		x := &l.lined[i]
		if x.function == w.Function && x.object == w.Object {
			continue
		}
		list, serial := x.left(l)
		taken := l.Take(list, Common(serial, rest))
		own, rest = own.Plus(taken), rest-taken.ElapsedNs
	}
	return own
}

// takesTurns reports whether most of a wait, on the side that waits longer, is of threads for
// others that wait in the same function for the same object, and each about as long as others wait
// for it. A thread that waits for the results of others takes no turns with them.
func (b *Balance) takesTurns(w *WaitChange) bool {
	sd := toInt(w.Delta() > 0)
	t := b.sides[sd].turns()
	k := t.keys.Find(pair.KeyOf(w.Function, uint32(w.Object)))
	return k >= 0 && 2*t.mutual[k] >= w.Ns[sd]
}

// turns say how long threads wait for each other, by function and object.
type turns struct {
	keys   pair.Numbers
	mutual []int64 // ns, by number: what threads wait and are waited for, summed over threads
}

// findTurns sums up the outermost waits that other threads ended. Cost is linear in the waits.
func (d *side) findTurns() *turns {
	type turn struct {
		key            int32
		waits, awaited int64
	}
	var threads pair.Numbers // number of function and object, and thread
	var list []turn
	ws, t := &d.waits.Waits, &turns{}
	at := func(key, thread int32) *turn {
		n := threads.Of(pair.KeyOf(uint32(key), uint32(thread)))
		if int(n) == len(list) {
			list = append(list, turn{key: key})
		}
		return &list[n]
	}
	for k := range ws.Len() {
		by := ws.By[k].Thread
		if by < 0 || by == ws.Thread[k] || !ws.Outermost(k) || !d.waits.Counts(int(ws.Thread[k])) {
			continue
		}
		key := t.keys.Of(pair.KeyOf(d.ids[ws.Fn[k]], uint32(d.objectOf(k))))
		if int(key) == len(t.mutual) {
			t.mutual = append(t.mutual, 0)
		}
		at(key, ws.Thread[k]).waits += ws.Dur(k)
		at(key, by).awaited += ws.Dur(k)
	}
	for _, x := range list {
		t.mutual[x.key] += min(x.waits, x.awaited)
	}
	return t
}

func magnitude(ns int64) int64 { return max(ns, -ns) }
