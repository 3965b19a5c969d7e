package finding

import (
	"cmp"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// A subtree without a partner is told as a whole, by its topmost call. Which of several equal calls
// an alignment leaves without a partner is arbitrary, and work that another iteration or thread has
// taken over is not gone, so calls are set off against each other by site: the function under the
// function that calls it, in all places together; what the system does, anywhere. What is left is
// missing or new; or, where most of it lies beside calls of the same function, a loop that runs more
// or fewer times.

// site is where calls happen: a function, under another or at a thread's root.
type site struct {
	caller uint32
	strand
}

// strand is the callees of one function on a level: those that are passed through apart from the
// others, since of these nothing but their own time is told.
type strand struct {
	id    uint32
	level bool
}

const (
	atRoot   = 1<<32 - 1 // the caller of a thread's roots
	anywhere = atRoot - 2
)

// chance is how many standard deviations a number of calls by chance must differ by.
const chance = 4

// tale is what is without a partner at a site.
type unmatched struct {
	calls     [2]int64 // topmost calls, by side
	ns        [2]int64 // theirs with all below
	waits     [2]int64 // of which in calls that wait
	inLoops   [2]int64 // calls that have others of the function beside them on both sides
	loopCalls [2]int64 // all calls of the function in those places
	at        [2]*Place
	most      [2]int64 // ns, of the call at at

	byChance bool
}

// findCauses gathers the calls without a partner, thread pair by thread pair.
func (s *study) findCauses() error {
	for k, r := range s.results {
		if s.whole[r] {
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

// tellCauses tells what is missing, new, repeated or moved: each function once a kind.
func (s *study) tellCauses() {
	told := map[claim]*unmatched{}
	for at, t := range s.causes {
		kind, n := t.verdict()
		if n == 0 {
			continue
		}
		key := claim{kind, at.strand, t.mostlyWaits()}
		if told[key] == nil {
			told[key] = &unmatched{}
		}
		told[key].merge(t, kind, n)
	}
	for _, key := range sortedKeys(told, claim.order) {
		s.tellCause(key, told[key])
	}
	s.tellMoves()
}

// claim is what can be said of a function once.
type claim struct {
	kind Kind
	strand
	waits bool
}

func (c claim) order(d claim) int {
	return cmp.Or(cmp.Compare(c.kind, d.kind), cmp.Compare(c.id, d.id),
		cmp.Compare(toInt(c.waits), toInt(d.waits)), cmp.Compare(toInt(c.level), toInt(d.level)))
}

// verdict returns what happened at a site, and how many calls B has more.
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

// excess returns the time of the calls that one side has more, B's as a gain.
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

// merge adds what is told of a site, of which B has n calls more, to what is told of its function.
func (t *unmatched) merge(o *unmatched, kind Kind, n int64) {
	sd := pair.Side(toInt(n > 0))
	t.calls[sd] += magnitude(n)
	t.ns[sd] += magnitude(o.excess(n))
	if kind == Repeat {
		a := max(o.loopCalls[pair.A], -n) // of the places beside others; some of the n may lie elsewhere
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

// tellCause tells one claim.
func (s *study) tellCause(c claim, t *unmatched) {
	f := Finding{Kind: c.kind, Function: s.names[c.id], ID: c.id, Calls: t.calls,
		DeltaNs: t.ns[pair.B] - t.ns[pair.A], At: t.at, Waiting: c.waits}
	if c.kind == Repeat {
		f.Calls = t.loopCalls
	}
	if c.kind == Repeat && t.loopCalls[pair.A] == t.loopCalls[pair.B] {
		return // one loop has what another has lost
	}
	if s.share(f.DeltaNs) >= s.o.Least {
		f.Text = s.causeWords(&f, t)
		if c.level {
			f.Text = s.levelWords(&f)
		}
		s.addFinding(f)
	}
}

// sortedKeys returns the keys of m in order: findings must not depend on a map's.
func sortedKeys[K comparable, V any](m map[K]V, order func(x, y K) int) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, order)
	return keys
}

// Calls have moved where an alignment links equal subtrees without partners, and where the callees
// of one call come in another order: then as many calls of a function are without a partner on one
// side as on the other.

// move is what has moved of a function.
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

// add counts a subtree that is paired out of order: how its time changed is told of its functions.
func (m *move) addSubtree(r *align.Result, roots [2]int32) {
	var ns [2]int64
	var at [2]*Place
	for sd, i := range roots {
		ns[sd], at[sd] = r.Threads[sd].Dur(int(i)), placeOf(r, pair.Side(sd), i)
	}
	longer := max(ns[pair.A], ns[pair.B])
	m.addCalls(1, [2]int64{longer, longer}, at)
}

// shift counts n calls that one callers' callees have on both sides, in other places; t counts those
// callees, and c is their site's.
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
