package finding

import (
	"cmp"

	"diptych/internal/align"
	"diptych/internal/pair"
)

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
func (m *move) add(r *align.Result, roots [2]int32) {
	var ns [2]int64
	var at [2]*Place
	for sd, i := range roots {
		ns[sd], at[sd] = r.Threads[sd].Dur(int(i)), place(r, pair.Side(sd), i)
	}
	longer := max(ns[pair.A], ns[pair.B])
	m.count(1, [2]int64{longer, longer}, at)
}

// shift counts n calls that one callers' callees have on both sides, in other places; t counts those
// callees, and c is their site's.
func (m *move) shift(n int64, t *tally, c *tale) {
	var ns [2]int64
	for sd := range ns {
		ns[sd] = mulDiv(t.ns[sd], n, t.gaps[sd])
	}
	m.count(n, ns, c.at)
}

func (m *move) count(n int64, ns [2]int64, at [2]*Place) {
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
		s.add(Finding{Kind: Moved, Function: s.names[id], ID: id,
			Calls: [2]int64{m.calls, m.calls}, DeltaNs: m.ns[pair.B] - m.ns[pair.A], At: m.at,
			Text: s.movedWords(s.names[id], m)})
	}
}
