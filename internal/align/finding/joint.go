package finding

import (
	"slices"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Two aligned threads are gone through side by side.
//
// A call and its partner are joint if they are of one function and their callers are joint, or both
// are roots. What is around joint calls is the same on both sides, so they are called by the same
// edge, which is found once, and their pair is put where it belongs while both are at hand. Mostly
// nearly all calls are joint, in long rows. All other calls are in subtrees that only one side has
// there, which are gone through by themselves. For example:
//
//	A: main(f g(h) h)    B: main(f x(g(h)) h)    main, f and the last h are joint; g and the first
//	                                             h are not, though they may be partners
//
// The self time of a call is its duration without those of its callees. A pair is put into the
// columns with its durations, and each callee that follows on either side is subtracted: its
// caller's pair is known by level, and lies in the cache. Both times of a pair are subtracted from
// as one number of 64 bits, A's in the low half. Only the result must fit, whatever it passes
// through.

// specialPair is a pair that does not add to its edge as most do: it depends on something else than
// its function, or it is not joint, or it is joint, but no pair.
type specialPair struct {
	slot  int32 // in the columns, or where no pair is
	edge  int32
	on    dependence
	joint bool
}

// walk goes through the calls of both threads. Both are always at calls of the same level, with the
// same joint calls around them, or one is deeper than the other, where it has calls that the other
// has not.
func (w *gathering) walk() {
	a, b := w.r.Threads[pair.A], w.r.Threads[pair.B]
	w.clear(max(a.MaxDepth(), b.MaxDepth()))
	w.slots = resized(w.slots, len(w.above))
	w.slots[0] = w.noPair()
	w.long, w.special = w.long[:0], w.special[:0]
	for on := range w.longer {
		w.longer[on] = w.longer[on][:0]
	}
	i, j, checked := 0, 0, 0
	for i < a.Len() || j < b.Len() {
		if i+j-checked > checkEvery {
			if checked = i + j; w.s.ctx.Err() != nil {
				return
			}
		}
		switch n := w.countJoint(i, j); {
		case n > 0:
			w.addJoint(i, j, n)
			i, j = i+n, j+n
		case w.aloneInA(i, j):
			w.addSubtree(pair.A, i)
			i = a.Next(i)
		default:
			w.addSubtree(pair.B, j)
			j = b.Next(j)
		}
	}
}

// countJoint counts the calls from A's i and B's j on that are joint one by one, up to a stretch.
// Most lie in long rows, of which some are compared at once.
func (w *gathering) countJoint(i, j int) int {
	a, b := &w.on[pair.A], &w.on[pair.B]
	most := min(stretch, a.th.Len()-i, b.th.Len()-j)
	fns, others, partner := a.th.Fn[i:i+most], b.th.Fn[j:j+most], w.r.Partner[pair.A][i:i+most]
	n := 0
	for w.sameNumbers && n+rowStep <= most && inRow(partner[n:n+rowStep], int32(j+n)) &&
		slices.Equal(fns[n:n+rowStep], others[n:n+rowStep]) &&
		a.th.SameLevels(i+n, b.th, j+n, rowStep) {
		n += rowStep
	}
	for n < most && int(partner[n]) == j+n && a.ids[fns[n]] == b.ids[others[n]] &&
		a.th.Depth(i+n) == b.th.Depth(j+n) {
		n++
	}
	if a.any || b.any {
		for k, fn := range fns[:n] {
			if a.states[fn] != b.states[others[k]] {
				return k
			}
		}
	}
	return n
}

// aloneInA reports which of A's i and B's j, which are not joint, is passed by: the one that is
// deeper, or has no partner ahead, or whose partner is farther away.
func (w *gathering) aloneInA(i, j int) bool {
	a, b := w.r.Threads[pair.A], w.r.Threads[pair.B]
	switch {
	case j == b.Len():
		return true
	case i == a.Len():
		return false
	case a.Depth(i) != b.Depth(j):
		return a.Depth(i) > b.Depth(j)
	}
	toB, toA := int(w.r.Partner[pair.A][i])-j, int(w.r.Partner[pair.B][j])-i
	return toB <= 0 || toA > 0 && toB > toA
}

// addJoint adds n joint calls, from A's i and B's j on.
func (w *gathering) addJoint(i, j, n int) {
	w.nameEdges(pair.A, i, i+n)
	w.addTimes(i, j, n)
	w.addMarks(pair.A, i, i+n)
	w.addMarks(pair.B, j, j+n)
	for from := i; from < i+n; {
		to := i + n
		if len(w.alone) > 0 && int(w.alone[0]) < to {
			to = int(w.alone[0])
			w.alone = w.alone[1:]
			w.fill(from, to, i)
			w.passBy(to, to-i)
			from = to + 1
			continue
		}
		w.fill(from, to, i)
		from = to
	}
}

// addTimes adds the durations of n joint calls to their edges.
func (w *gathering) addTimes(i, j, n int) {
	a, b := w.r.Threads[pair.A], w.r.Threads[pair.B]
	joint, ups, times := w.joint, w.up[:n], w.times[:n]
	for k, edge := range w.edge[:n] {
		x, y := a.Dur(i+k), b.Dur(j+k)
		times[k] = uint64(y)<<32 + uint64(x)
		up := &joint[ups[k]]
		up.below[pair.A] += x
		up.below[pair.B] += y
		e := &joint[edge]
		e.calls++
		e.ns[pair.A] += x
		e.ns[pair.B] += y
		if (e.longest[pair.A]-x)|(e.longest[pair.B]-y) < 0 {
			w.addLongest(edge, [2]int32{int32(i + k), int32(j + k)}, [2]int64{x, y})
		}
		if uint64(x|y) >= tooLong {
			w.long = append(w.long, [2]int32{int32(i + k), int32(j + k)})
		}
	}
}

// addLongest notes joint calls of which one is the longest of its edge so far.
func (w *gathering) addLongest(edge int32, calls [2]int32, ns [2]int64) {
	e := &w.joint[edge]
	for sd, call := range calls {
		if ns[sd] > e.longest[sd] {
			e.longest[sd], e.at[sd] = ns[sd], call
			first := &w.on[sd].sums[edge].first
			*first = min(*first, call)
		}
	}
}

// noDependence is what calls depend on in a thread in which all depend on their functions only.
var noDependence [stretch]dependence

// fill puts pairs where they belong: those of A's calls [from, to), which are joint and lie in a
// stretch that begins with call at.
func (w *gathering) fill(from, to, at int) {
	th, ids, depends := w.r.Threads[pair.A], w.sides[pair.A].ids, noDependence[:to-from]
	if w.depends != nil {
		depends = w.depends[from:to]
	}
	counts, times, calls, slots := w.counts, w.c.times, w.c.calls, w.slots
	durations, fns := w.times[from-at:to-at], th.Fn[from:to]
	durations = durations[:len(fns)]
	depends = depends[:len(fns)]
	for k, fn := range fns {
		e, depth := int32(ids[fn]), th.Depth(from+k)
		if on := depends[k]; on != onFunction {
			e = w.effortOf(on, uint32(e))
			w.special = append(w.special, specialPair{counts[e], w.edge[from-at+k], on, true})
		}
		slot := counts[e]
		counts[e] = slot + 1
		times[slot], calls[slot] = durations[k], int32(from+k)
		times[slots[depth]] -= durations[k]
		slots[depth+1] = slot
	}
}

// noPair returns the place in the columns of what is in no pair.
func (w *gathering) noPair() int32 { return int32(len(w.c.times) - 1) }

// passBy passes by A's call i, call k of its stretch, which is joint but in no pair.
func (w *gathering) passBy(i, k int) {
	a, b, j := w.r.Threads[pair.A], w.r.Threads[pair.B], int(w.r.Partner[pair.A][i])
	depth := a.Depth(i)
	w.c.times[w.slots[depth]] -= w.times[k]
	w.slots[depth+1] = w.noPair()
	w.addTo(onFunction, w.edge[k], a.Self(i)-b.Self(j))
}

// addSubtree adds the subtree of call i of a side, which is not joint.
func (w *gathering) addSubtree(sd pair.Side, i int) {
	th := w.r.Threads[sd]
	w.c.times[w.slots[th.Depth(i)]] -= uint64(th.Dur(i)) << (32 * sd)
	w.addAlone(sd, i, th.Next(i))
	ids := w.sides[sd].ids
	for k := i; k < th.Next(i); k++ {
		if w.s.stray(w.r, sd, int32(k)) {
			w.levels.add(w.r, sd, int32(k), ids[th.Fn[k]])
		}
		if sd == pair.A {
			w.addPair(k, k == i)
		}
	}
}

// addPair puts the pair of A's call i where it belongs, if it has one. It is not joint.
func (w *gathering) addPair(i int, top bool) {
	a, b, slot := w.r.Threads[pair.A], w.r.Threads[pair.B], w.noPair()
	depth, ns := a.Depth(i), uint64(a.Dur(i))
	if !top {
		w.c.times[w.slots[depth]] -= ns
	}
	if len(w.alone) > 0 && int(w.alone[0]) == i {
		w.alone = w.alone[1:]
	} else {
		j := int(w.r.Partner[pair.A][i])
		on := w.dependsOn(i)
		e := w.effortOf(on, w.sides[pair.A].ids[a.Fn[i]])
		slot = w.counts[e]
		w.counts[e]++
		w.c.times[slot], w.c.calls[slot] = uint64(b.Self(j))<<32+ns, int32(i)
		w.special = append(w.special, specialPair{slot, w.edgeAt(i), on, false})
		if uint64(a.Dur(i)|b.Dur(j)) >= tooLong {
			w.long = append(w.long, [2]int32{int32(i), int32(j)})
		}
	}
	w.slots[depth+1] = slot
}

// edgeAt returns the edge by which A's call i is called.
func (w *gathering) edgeAt(i int) int32 {
	caller := w.s.callerID(w.r, pair.A, int32(i))
	return w.find(pair.KeyOf(caller, w.sides[pair.A].ids[w.r.Threads[pair.A].Fn[i]]))
}

func (w *gathering) dependsOn(i int) dependence {
	if w.depends == nil {
		return onFunction
	}
	return w.depends[i]
}

// slotOf returns where the pair of A's call i is, or −1 if it has none.
func (w *gathering) slotOf(i int32) int32 {
	effort := w.effortOf(w.dependsOn(int(i)), w.sides[pair.A].ids[w.r.Threads[pair.A].Fn[i]])
	k := sort.Search(len(w.parts), func(k int) bool { return w.parts[k].effort >= effort })
	if k == len(w.parts) || w.parts[k].effort != effort {
		return -1
	}
	from, calls := w.parts[k].from, w.c.calls[w.parts[k].from:w.parts[k].to]
	at := sort.Search(len(calls), func(k int) bool { return calls[k] >= i })
	if at == len(calls) || calls[at] != i {
		return -1
	}
	return from + int32(at)
}

// endPairs finds the self times of long calls, and adds special pairs to what edges come to.
func (w *gathering) endPairs() {
	for _, p := range w.long {
		if slot := w.slotOf(p[pair.A]); slot >= 0 {
			a, b := w.r.Threads[pair.A], w.r.Threads[pair.B]
			w.c.set(slot, [2]int64{a.Self(int(p[pair.A])), b.Self(int(p[pair.B]))})
		}
	}
	for _, p := range w.special {
		ns := w.c.at(p.slot)
		w.addTo(p.on, p.edge, ns[pair.B]-ns[pair.A])
		if p.joint {
			w.addTo(onFunction, p.edge, ns[pair.A]-ns[pair.B])
		}
	}
}

// micros reports whether all times of a thread are whole microseconds.
func micros(th *trace.Thread) bool {
	for i := range th.Len() {
		if th.Dur(i)%1000 != 0 {
			return false
		}
	}
	return true
}
