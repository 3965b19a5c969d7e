package finding

import (
	"cmp"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// Calls without a partner: missing, new, repeated or moved.
//
// A subtree without a partner is told as a whole, by its topmost call. levels.go counts such calls
// level by level; here they are summed up by site, the pair of caller and callee, over all
// threads. Only the difference between the sides is told, for two reasons: which of several equal
// calls an alignment leaves without a partner is arbitrary, and work that another thread or
// iteration has taken over is not gone. For example, in two runs of two threads:
//
//	main calls step without a partner   thread 1: 5 in A, 0 in B    thread 2: 0 in A, 7 in B
//	the site (main, step)               5 in A, 7 in B: 2 more in B, 5 moved
//
// What is left is a loop that runs more or fewer times, if most of it lies on levels where both
// sides call the function, and missing or new otherwise. Each function is told at most once for
// each kind. Calls that the system makes, or that samples found, have one site for all callers.

// site is where calls happen: a function, and the function that calls it.
type site struct {
	caller uint32
	calleeKind
}

// calleeKind is the function of a callee, and whether alignment passes through the call
// (levels.go). Calls that are passed through are kept apart, because only their self time is told.
type calleeKind struct {
	id    uint32
	level bool
}

const (
	atRoot   = 1<<32 - 1 // the caller of a thread's roots; identities are smaller
	anywhere = atRoot - 2
)

// chance is the number of standard deviations from which on a difference is not put down to
// chance. Numbers of calls and of samples are taken to vary by their root, as a Poisson
// distribution does.
const chance = 4

// unmatched sums up the calls without a partner at a site.
type unmatched struct {
	calls     [2]int64 // by side; topmost calls of subtrees only
	ns        [2]int64 // their time, including callees
	waits     [2]int64 // the part of it in calls that wait
	inLoops   [2]int64 // those on levels where both sides call the function
	loopCalls [2]int64 // all calls of the function on these levels
	at        [2]*Place
	most      [2]int64 // ns; at holds the longest call of each side

	byChance bool
}

// findCauses counts the calls without a partner, one thread pair after the other.
func (s *study) findCauses() error {
	for k, r := range s.results {
		if s.equal[r] {
			continue
		}
		l := newLevels(s, k)
		l.countLevel(align.None, align.None)
		for i, j := range r.Partner[pair.A] {
			if err := s.tick(1); err != nil {
				return err
			}
			if j != align.None && (r.Threads[pair.A].Size[i] > 1 || r.Threads[pair.B].Size[j] > 1) {
				l.countLevel(int32(i), j)
			}
		}
	}
	return nil
}

// tellCauses tells what is missing, new, repeated or moved.
func (s *study) tellCauses() {
	told := map[tellKey]*unmatched{}
	for at, t := range s.causes {
		kind, n := t.verdict()
		if n == 0 {
			continue
		}
		key := tellKey{kind, at.calleeKind, t.mostlyWaits()}
		if told[key] == nil {
			told[key] = &unmatched{}
		}
		told[key].merge(t, kind, n)
	}
	for _, key := range sortedKeys(told, tellKey.order) {
		s.tellCause(key, told[key])
	}
	s.tellMoves()
}

// tellKey identifies what is told once: sites with the same key are told together.
type tellKey struct {
	kind Kind
	calleeKind
	waits bool
}

func (c tellKey) order(d tellKey) int {
	return cmp.Or(cmp.Compare(c.kind, d.kind), cmp.Compare(c.id, d.id),
		cmp.Compare(toInt(c.waits), toInt(d.waits)), cmp.Compare(toInt(c.level), toInt(d.level)))
}

// verdict returns what happened at a site, and how many more calls B has. If that is 0, there is
// nothing to tell.
func (t *unmatched) verdict() (Kind, int64) {
	n := t.calls[pair.B] - t.calls[pair.A]
	sd := pair.Side(toInt(n > 0))
	switch {
	case t.byChance && n*n < chance*chance*(t.calls[pair.A]+t.calls[pair.B]):
		return New, 0
	case 2*t.inLoops[sd] >= t.calls[sd]:
		return Repeat, n
	case n < 0:
		return Missing, n
	}
	return New, n
}

// excess returns the time of the n calls that B has more, or that A has more if n is negative. In
// the latter case it is negative too. All calls of a site count as equally long.
func (t *unmatched) excess(n int64) int64 {
	if n < 0 {
		return -mulDiv(t.ns[pair.A], -n, t.calls[pair.A])
	}
	return mulDiv(t.ns[pair.B], n, t.calls[pair.B])
}

// mulDiv returns x·num/den for 0 ≤ num ≤ den.
func mulDiv(x, num, den int64) int64 {
	if num == den {
		return x
	}
	return int64(float64(x) * (float64(num) / float64(den)))
}

func (t *unmatched) mostlyWaits() bool {
	return 2*(t.waits[pair.A]+t.waits[pair.B]) > t.ns[pair.A]+t.ns[pair.B]
}

// merge adds a site, at which B has n more calls, to what is told of its function.
func (t *unmatched) merge(o *unmatched, kind Kind, n int64) {
	sd := pair.Side(toInt(n > 0))
	t.calls[sd] += magnitude(n)
	t.ns[sd] += magnitude(o.excess(n))
	if kind == Repeat {
		a := max(o.loopCalls[pair.A], -n) // some of the n calls may lie on other levels
		t.loopCalls[pair.A] += a
		t.loopCalls[pair.B] += a + n
	}
	if o.most[sd] > t.most[sd] || t.at[sd] == nil {
		t.most[sd], t.at[sd] = o.most[sd], o.at[sd]
	} else if o.most[sd] == t.most[sd] && o.at[sd].before(t.at[sd]) {
		t.at[sd] = o.at[sd]
	}
}

func (p *Place) before(q *Place) bool {
	return cmp.Or(cmp.Compare(p.Thread, q.Thread), cmp.Compare(p.Call, q.Call)) < 0
}

// tellCause tells what was summed up under a key, unless it is too short to be told.
func (s *study) tellCause(c tellKey, t *unmatched) {
	f := Finding{Kind: c.kind, Function: s.names[c.id], ID: c.id, Calls: t.calls,
		DeltaNs: t.ns[pair.B] - t.ns[pair.A], At: t.at, Waiting: c.waits}
	if c.kind == Repeat {
		f.Calls = t.loopCalls
	}
	if c.kind == Repeat && t.loopCalls[pair.A] == t.loopCalls[pair.B] {
		return // one loop has gained the iterations that another has lost
	}
	if s.share(f.DeltaNs) >= s.o.Least {
		f.Text = s.causeWords(&f, t)
		if c.level {
			f.Text = s.levelWords(&f)
		}
		s.addFinding(f)
	}
}

// sortedKeys returns the keys of m in order, since findings must not depend on the order of a map.
func sortedKeys[K comparable, V any](m map[K]V, order func(x, y K) int) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, order)
	return keys
}

// move sums up the calls of a function that have moved. There are two sorts: subtrees that are
// paired out of order (reorder.go); and calls that have no partner on either side of one level, of
// which the smaller number counts: if 3 are left in A and 5 in B, 3 have moved.
type move struct {
	calls int64
	ns    [2]int64 // with all below, by side
	at    [2]*Place
	most  int64
}

func (s *study) moveOf(id uint32) *move {
	id = s.same[id]
	if s.moves[id] == nil {
		s.moves[id] = &move{}
	}
	return s.moves[id]
}

// addSubtree adds a subtree that is paired out of order. Both sides get the longer time, because a
// change of its time is told by its functions (efforts.go).
func (m *move) addSubtree(r *align.Result, roots [2]int32) {
	var ns [2]int64
	var at [2]*Place
	for sd, i := range roots {
		ns[sd], at[sd] = r.Threads[sd].Dur(int(i)), placeOf(r, pair.Side(sd), i)
	}
	longer := max(ns[pair.A], ns[pair.B])
	m.addCalls(1, [2]int64{longer, longer}, at)
}

// addReordered adds n calls that are without a partner on both sides of a level. t counts the
// calls of the function on that level, and c those of its site.
func (m *move) addReordered(n int64, t *tally, c *unmatched) {
	var ns [2]int64
	for sd := range ns {
		ns[sd] = mulDiv(t.ns[sd], n, t.gaps[sd])
	}
	m.addCalls(n, ns, c.at)
}

func (m *move) addCalls(n int64, ns [2]int64, at [2]*Place) {
	m.calls += n
	m.ns[pair.A] += ns[pair.A]
	m.ns[pair.B] += ns[pair.B]
	if m.at[pair.A] == nil || ns[pair.A] > m.most {
		m.most, m.at = ns[pair.A], at
	}
}

// tellMoves tells each function whose calls have moved once.
func (s *study) tellMoves() {
	for _, id := range sortedKeys(s.moves, cmp.Compare[uint32]) {
		m := s.moves[id]
		if s.share(max(m.ns[pair.A], m.ns[pair.B])) < s.o.Least {
			continue
		}
		s.addFinding(Finding{Kind: Moved, Function: s.names[id], ID: id,
			Calls: [2]int64{m.calls, m.calls}, DeltaNs: m.ns[pair.B] - m.ns[pair.A], At: m.at,
			Text: s.movedWords(s.names[id], m)})
	}
}
