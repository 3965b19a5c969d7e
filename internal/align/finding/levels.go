package finding

import (
	"diptych/internal/align"
	"diptych/internal/pair"
)

// Calls without a partner, level by level.
//
// A level is the callees of two calls that are paired. If alignment passes through a call (package
// align, wrappers.go), the callees of that call belong to the level too, and the call itself is a
// stray of it: only its self time is told. For example, if B has put wrap between main and f:
//
//	A: main(f f)    B: main(wrap(f f))    the level of main is f f in A and wrap f f in B
//
// A stray is a call without a partner, or with one of another function. levels counts the strays
// of each level by function, and adds the counts to their sites (causes.go). Time is linear in the
// calls; only levels with a stray are counted.

// eachCallee calls yield for each call of a side on the level of the given call, or on that of the
// thread's roots if it is None. A call that is passed through comes before its callees.
func eachCallee(r *align.Result, sd pair.Side, call int32, yield func(i int32)) {
	th := r.Threads[sd]
	last := int32(th.Len())
	if call != align.None {
		last = int32(th.Next(int(call)))
	}
	if len(r.Passed[sd]) == 0 {
		for i := call + 1; i < last; i += int32(th.Size(int(i))) {
			yield(i)
		}
		return
	}
	for i := call + 1; i < last; {
		yield(i)
		if passed(r, sd, i) {
			i++
		} else {
			i += int32(th.Size(int(i)))
		}
	}
}

// passed reports whether alignment passes through a call, and it has not got a partner since.
func passed(r *align.Result, sd pair.Side, i int32) bool {
	return r.Passed[sd].Has(i) && r.Partner[sd][i] == align.None
}

// caller returns the call on whose level call i is, None for a root.
func caller(r *align.Result, sd pair.Side, i int32) int32 {
	up := r.Threads[sd].Parent(int(i))
	for up != align.None && passed(r, sd, up) {
		up = r.Threads[sd].Parent(int(up))
	}
	return up
}

// paired reports whether any call on the level of call i of a side has a partner.
func paired(r *align.Result, sd pair.Side, i int32) (any bool) {
	eachCallee(r, sd, i, func(k int32) { any = any || r.Partner[sd][k] != align.None })
	return any
}

// state reports whether call i of a side is a state of the thread rather than something called.
func (s *study) state(r *align.Result, sd pair.Side, i int32) bool {
	return s.rules[sd].states[r.Threads[sd].Fn[i]]
}

// stray reports whether a call is without a partner, or has one of another function.
func (s *study) stray(r *align.Result, sd pair.Side, i int32) bool {
	j := r.Partner[sd][i]
	return j == align.None || s.identity(r, sd, i) != s.identity(r, sd.Other(), j)
}

// levels counts the strays of one thread pair, level by level.
type levels struct {
	s     *study
	r     *align.Result
	waits [2]*waitingCalls // once it is asked for
	moved bool             // something of the result is paired out of order
	plain bool             // nothing is recorded by chance
	ids   *[2][]uint32     // identity by side and function
	*present
	found []strays
	room  *[]strays // whose memory found uses
}

// strays are the strays of one kind on one level.
type strays struct {
	at site
	tally
}

// present is what is counted of the level that is gone through.
type present struct {
	wanted  []bool  // by identity: it has strays on the level
	slots   []int32 // by identity, twice: index into tallies plus 1, apart for calls passed through
	kinds   []calleeKind
	tallies []tally
}

// tallyOf returns the tally of a kind of callees.
func (p *present) tallyOf(of calleeKind) *tally {
	slot := &p.slots[2*int(of.id)+toInt(of.level)]
	if *slot == 0 {
		p.kinds, p.tallies = append(p.kinds, of), append(p.tallies, tally{})
		*slot = int32(len(p.kinds))
	}
	return &p.tallies[*slot-1]
}

func (p *present) clear() {
	for _, of := range p.kinds {
		p.slots[2*int(of.id)+toInt(of.level)] = 0
	}
	p.kinds, p.tallies = p.kinds[:0], p.tallies[:0]
}

// tally counts the calls of one function on a level.
type tally struct {
	all, gaps [2]int64
	ns, waits [2]int64 // of the strays
	at        [2]int32 // the longest stray
	first     [2]int32 // the longest of all
	longest   [2]int64 // ns
	most      [2]int64
	byChance  bool
}

func newLevels(s *study, k int, ids *[2][]uint32) *levels {
	r := s.results[k]
	return &levels{s: s, r: r, moved: len(s.moved[k]) > 0, plain: s.plain(r), ids: ids}
}

// count counts all levels with strays. What is asked of each level is looked up for some of them at
// once: they are far apart, and memory then answers several questions at a time.
func (l *levels) count(u uneven, p *present) {
	l.present = p
	var some [atOnce]unevenLevel
	for len(u) > 0 && l.s.ctx.Err() == nil {
		n := 0
		for ; n < len(some) && len(u) > 0; n++ {
			to := 1
			for to < len(u) && u[to]>>32 == u[0]>>32 {
				to++
			}
			some[n] = unevenLevel{a: int32(u[0]>>32) - 1, b: align.None, caller: atRoot, among: u[:to]}
			u = u[to:]
		}
		l.lookUp(some[:n])
		for k := range some[:n] {
			l.countLevel(&some[k])
		}
	}
	l.present, l.waits = nil, [2]*waitingCalls{}
}

// unevenLevel is the level of the pair of a and b, or of the roots if both are None, with strays of
// some functions.
type unevenLevel struct {
	a, b   int32
	caller uint32   // the function of a
	other  uint32   // the function of b
	among  []uint64 // keys
	calls  uint32   // of both subtrees
}

// lookUp looks up the callers of levels that are not those of the roots.
func (l *levels) lookUp(some []unevenLevel) {
	partner, a, b := l.r.Partner[pair.A], l.r.Threads[pair.A], l.r.Threads[pair.B]
	for k := range some {
		if at := &some[k]; at.a != align.None {
			at.b = partner[at.a]
		}
	}
	for k := range some {
		if at := &some[k]; at.b != align.None {
			at.caller, at.other = l.ids[pair.A][a.Fn[at.a]], l.ids[pair.B][b.Fn[at.b]]
			at.calls = a.Size(int(at.a)) + b.Size(int(at.b))
		}
	}
}

// addToSites adds what was counted to sites and moves, in the order of levels.
func (l *levels) addToSites(moved [][2]int32) {
	for _, m := range moved {
		l.s.moveOf(l.r.ID(pair.A, int(m[pair.A]))).addSubtree(l.r, m)
	}
	for k := range l.found {
		l.addToSite(l.found[k].at, &l.found[k].tally)
	}
}

// countLevel counts a level, unless nothing is on it. Subtrees of two functions of which no callees
// are paired are told as a whole, on their callers' level.
func (l *levels) countLevel(at *unevenLevel) {
	if at.a != align.None && (at.b == align.None || at.calls == 2 ||
		at.caller != at.other && !paired(l.r, pair.A, at.a)) {
		return
	}
	for _, key := range at.among {
		l.wanted[uint32(key)] = true
	}
	l.countCallees(pair.A, at.a)
	l.countCallees(pair.B, at.b)
	for _, key := range at.among {
		l.wanted[uint32(key)] = false
	}
	for n, of := range l.kinds {
		t := &l.tallies[n]
		if t.gaps[pair.A]+t.gaps[pair.B] > 0 {
			place := site{at.caller, of}
			if t.byChance {
				place.caller = anywhere
			}
			l.found = append(l.found, strays{place, *t})
		}
	}
	l.clear()
}

// countCallees counts the calls of a side on a level, given the call above, of those functions that
// have strays there.
func (l *levels) countCallees(sd pair.Side, call int32) {
	th, ids, wanted := l.r.Threads[sd], l.ids[sd], l.wanted
	if len(l.r.Passed[sd]) > 0 {
		eachCallee(l.r, sd, call, func(i int32) {
			if id := ids[th.Fn[i]]; wanted[id] {
				l.countCallee(sd, i, id)
			}
		})
		return
	}
	last := int32(th.Len())
	if call != align.None {
		last = int32(th.Next(int(call)))
	}
	for i := call + 1; i < last; i += int32(th.Size(int(i))) {
		if id := ids[th.Fn[i]]; wanted[id] {
			l.countCallee(sd, i, id)
		}
	}
}

func (l *levels) countCallee(sd pair.Side, i int32, id uint32) {
	if !l.plain && l.s.state(l.r, sd, i) {
		return
	}
	t := l.tallyOf(calleeKind{id, passed(l.r, sd, i)})
	t.addToAll(sd, i, l.r.Threads[sd].Dur(int(i)))
	t.byChance = t.byChance || !l.plain && l.s.recordedByChance(l.r, sd, i)
	if j := l.r.Partner[sd][i]; j != align.None && l.ids[1-sd][l.r.Threads[1-sd].Fn[j]] == id {
		return
	}
	ns := l.exclusiveTime(sd, i)
	t.gaps[sd]++
	t.ns[sd] += ns
	t.waits[sd] += l.waitTime(sd, i)
	if t.gaps[sd] == 1 || ns > t.most[sd] {
		t.most[sd], t.at[sd] = ns, i
	}
}

// addToAll adds a call of a level, whether it has a partner or not.
func (t *tally) addToAll(sd pair.Side, i int32, ns int64) {
	if t.all[sd]++; t.all[sd] == 1 || ns > t.longest[sd] {
		t.longest[sd], t.first[sd] = ns, i
	}
}

// outstanding returns the call that one side makes on a level and that nothing on the other side
// is like: of several calls of a function, the one that is twice as long as any on the other side.
// Which of them an alignment leaves without a partner is arbitrary.
func (t *tally) outstanding(sd pair.Side) int32 {
	if t.longest[sd] > 2*t.longest[1-sd] {
		return t.first[sd]
	}
	return t.at[sd]
}

// exclusiveTime returns the time that is told with a stray, ns: its self time if its callees have
// partners, otherwise its duration without the subtrees in it that are paired elsewhere.
func (l *levels) exclusiveTime(sd pair.Side, i int32) int64 {
	th, partner := l.r.Threads[sd], l.r.Partner[sd]
	if l.ownTimeOnly(sd, i) {
		return th.Self(int(i))
	}
	ns := th.Dur(int(i))
	for k := i + 1; l.moved && k < int32(th.Next(int(i))); {
		if partner[k] != align.None {
			ns -= th.Dur(int(k))
			k += int32(th.Size(int(k)))
		} else {
			k++
		}
	}
	return ns
}

// ownTimeOnly reports whether only the self time of a stray is told, because its callees have
// partners.
func (l *levels) ownTimeOnly(sd pair.Side, i int32) bool {
	return l.r.Partner[sd][i] != align.None && paired(l.r, sd, i) || passed(l.r, sd, i)
}

// waitTime returns how much of the time of a stray is in calls that wait, ns.
func (l *levels) waitTime(sd pair.Side, i int32) (ns int64) {
	if l.waits[sd] == nil {
		l.waits[sd] = l.s.rules[sd].waitingCallsOf(l.r.Indices[sd])
	}
	th, list := l.r.Threads[sd], l.waits[sd].from(i)
	if len(list) > 0 && list[0].from <= i {
		if l.ownTimeOnly(sd, i) {
			return th.Self(int(i))
		}
		return th.Dur(int(i))
	}
	if len(list) == 0 || list[0].from >= int32(th.Next(int(i))) || l.ownTimeOnly(sd, i) {
		return 0
	}
	for last := int32(th.Next(int(i))); len(list) > 0 && list[0].from < last; list = list[1:] {
		ns += th.Dur(int(list[0].from))
	}
	return ns
}

// addToSite adds the strays of one function on a level to its site, and those that both sides have
// to the calls that have moved.
func (l *levels) addToSite(at site, t *tally) {
	c := l.s.causes.at(at)
	c.byChance = t.byChance
	beside := t.all[pair.A] > 0 && t.all[pair.B] > 0 && !t.byChance && !at.level
	for sd := range c.calls {
		c.calls[sd] += t.gaps[sd]
		c.ns[sd] += t.ns[sd]
		c.waits[sd] += t.waits[sd]
		if beside {
			c.inLoops[sd] += t.gaps[sd]
			c.loopCalls[sd] += t.all[sd]
		}
		if t.gaps[sd] > 0 && (c.at[sd] == nil || t.most[sd] > c.most[sd]) {
			c.most[sd], c.at[sd] = t.most[sd], placeOf(l.r, pair.Side(sd), t.outstanding(pair.Side(sd)))
		}
	}
	told := l.s.taken[at.id] || l.s.family[at.id] || t.byChance || at.level
	if n := min(t.gaps[pair.A], t.gaps[pair.B]); n > 0 && !told {
		l.s.moveOf(at.id).addReordered(n, t, c)
	}
}
