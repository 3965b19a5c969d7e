package finding

import (
	"cmp"
	"fmt"
	"strings"

	"diptych/internal/pair"
)

// Work that another thread does.
//
// If calls go from one thread to another, each thread pair has strays on one side, and over all
// threads nothing is new or missing (causes.go). So functions of which both sides make about as
// many calls are counted again by thread and caller. Calls have moved if a thread makes none of
// those that it made, and another makes some that it did not make. For example:
//
//	                     main thread      worker
//	load calls decode    A 40 → B 0       –
//	decode as a root     –                A 0 → B 40
//
// In a pool, where any thread does any piece of work, chance decides who does what; but then
// threads do a little more or less of it, and many functions change so. Moves are told only if more
// calls have moved as a whole than have changed a little, and if they are no few.

// workplace is a thread in which one function calls another; threads have their index in A, or
// the complement of that in B if A lacks them.
type workplace struct {
	id, caller uint32
	thread     int
}

// threadMove is the calls of a function that have changed threads.
type threadMove struct {
	id       uint32
	calls    int64     // that have moved
	from, to workplace // the largest of those that are gone, and new
	most     [2]int64  // calls of these
	at       [2]*Place // the first of these
}

const fewMoved = 5 // calls, below which chance may have moved them

// tellThreadMoves tells the functions whose calls are made by another thread.
func (s *study) tellThreadMoves() error {
	wanted := s.mayMove()
	if len(wanted) == 0 {
		return nil
	}
	lots, at, err := s.countLots(wanted)
	if err != nil {
		return err
	}
	byID := map[uint32][]workplace{}
	for _, l := range sortedKeys(lots, workplace.order) {
		byID[l.id] = append(byID[l.id], l)
	}
	moves := map[uint32]*threadMove{}
	for id, list := range byID {
		if m := s.threadMoveOf(id, list, lots); m != nil {
			m.at = [2]*Place{at[0][m.from], at[1][m.to]}
			moves[id] = m
		}
	}
	for _, id := range sortedKeys(moves, cmp.Compare[uint32]) {
		m := moves[id]
		if up := m.from.caller; moves[up] == nil && !s.toldMoved[up] { // else both have moved
			s.tellThreadMove(m)
		}
	}
	return nil
}

func (l workplace) order(m workplace) int {
	return cmp.Or(cmp.Compare(l.id, m.id), cmp.Compare(l.thread, m.thread),
		cmp.Compare(l.caller, m.caller))
}

// mayMove returns the functions that several threads could share: both sides make about as many
// calls, and they take a hundredth of the run.
func (s *study) mayMove() map[uint32]bool {
	wanted := map[uint32]bool{}
	if len(s.results)+len(s.lone) < 2 {
		return wanted
	}
	for id := range s.totals[pair.A].functions {
		t := s.both(anywhere, uint32(id))
		n, _ := change(t)
		if _, renamed := s.newNames[uint32(id)]; renamed {
			continue
		}
		if 20*magnitude(n) <= t[pair.A].calls && s.share(min(t[0].inAll, t[1].inAll)) >= leastChance &&
			!s.toldMoved[uint32(id)] && !s.isState(uint32(id)) {
			wanted[uint32(id)] = true
		}
	}
	return wanted
}

// countLots counts the calls of functions by thread and caller, and notes the first of each.
func (s *study) countLots(wanted map[uint32]bool) (lots map[workplace][2]int64, at [2]map[workplace]*Place, err error) {
	lots = map[workplace][2]int64{}
	for sd := range s.totals {
		at[sd] = map[workplace]*Place{}
		t := s.totals[sd]
		for k, edges := range t.inThread {
			for _, e := range edges {
				key := t.keys[e.edge]
				if id := uint32(key); wanted[id] {
					l := workplace{id, uint32(key >> 32), s.threadKey(pair.Side(sd), k)}
					n := lots[l]
					n[sd] += int64(e.calls)
					lots[l], at[sd][l] = n, &Place{Thread: k, Call: e.first}
				}
			}
			if err := s.ctx.Err(); err != nil {
				return nil, at, err
			}
		}
	}
	return lots, at, nil
}

func (s *study) threadKey(sd pair.Side, k int) int {
	if sd == pair.A {
		return k
	}
	if a := s.p.Partner(pair.B, k); a >= 0 {
		return a
	}
	return ^k
}

// threadMoveOf returns which calls of a function have moved to other threads, nil if none have.
func (s *study) threadMoveOf(id uint32, list []workplace, lots map[workplace][2]int64) *threadMove {
	m, little := threadMove{id: id}, int64(0)
	var whole [2]int64 // calls of lots that only A has, and only B
	for _, l := range list {
		n := lots[l]
		switch {
		case n[pair.B] == 0:
			whole[pair.A] += n[pair.A]
			if n[pair.A] > m.most[pair.A] {
				m.most[pair.A], m.from = n[pair.A], l
			}
		case n[pair.A] == 0:
			whole[pair.B] += n[pair.B]
			if n[pair.B] > m.most[pair.B] {
				m.most[pair.B], m.to = n[pair.B], l
			}
		default:
			little += magnitude(n[pair.B] - n[pair.A])
		}
	}
	m.calls = min(whole[pair.A], whole[pair.B])
	t := s.both(anywhere, id)
	share := float64(m.calls) / float64(max(t[pair.A].calls, 1))
	switch {
	case m.calls == 0 || m.from.thread == m.to.thread || little >= m.calls,
		s.scheduled && min(m.most[pair.A], m.most[pair.B]) < fewMoved,
		share*float64(t[pair.A].inAll) < leastChance*float64(s.run):
		return nil
	}
	return &m
}

// tellThreadMove tells calls that another thread makes.
func (s *study) tellThreadMove(m *threadMove) {
	t := s.both(anywhere, m.id)
	f := Finding{Kind: Moved, Function: s.names[m.id], ID: m.id, At: m.at,
		Calls:  [2]int64{t[pair.A].calls, t[pair.B].calls},
		Claims: s.claims(anywhere, m.id, Calls, TotalNs), Slight: s.inPool(m)}
	f.Claims = append(f.Claims, s.lotClaims(m.from, [2]int64{m.most[pair.A], 0})...)
	f.Claims = append(f.Claims, s.lotClaims(m.to, [2]int64{0, m.most[pair.B]})...)
	f.Text = fmt.Sprintf("%s now runs in %s (0 → %s) rather than in %s (%d → 0); in all %s, %s → %s "+
		"including callees.", f.Function, s.lotWords(m, pair.B), plural(m.most[pair.B], "call"),
		s.lotWords(m, pair.A), m.most[pair.A], callsWords(t), s.length(t[pair.A].inAll),
		s.length(t[pair.B].inAll))
	s.toldMoved[m.id] = true
	s.addFinding(f)
}

// inPool reports whether both threads of a move have the same name, but for a number or the lane.
func (s *study) inPool(m *threadMove) bool {
	var names [2]string
	for sd, at := range m.at {
		th := s.p.Trace(pair.Side(sd)).Threads[at.Thread]
		if names[sd] = th.CommonName(); th.Lane > 0 {
			names[sd], _, _ = strings.Cut(names[sd], " · ")
		}
	}
	return names[pair.A] != "" && names[pair.A] == names[pair.B]
}

// lotClaims claims the number of calls of a lot.
func (s *study) lotClaims(l workplace, calls [2]int64) []Claim {
	if l.caller != atRoot && !s.nameable(l.caller) {
		return nil
	}
	caller := s.callerName(l.caller)
	c := Claim{Quantity: Calls, Function: s.names[l.id], Caller: &caller, Values: calls}
	for sd := range c.Thread {
		if k := s.threadOn(pair.Side(sd), l.thread); k >= 0 {
			c.Thread[sd] = &k
		}
	}
	return []Claim{c}
}

// threadOn returns the index on a side of a thread, given its key; negative if there is none.
func (s *study) threadOn(sd pair.Side, key int) int {
	switch {
	case sd == pair.A:
		return key
	case key < 0:
		return ^key
	}
	return s.p.Partner(pair.A, key)
}

// lotWords names the thread of a move on a side, with its id if both are called the same, and the
// caller if the thread is the same.
func (s *study) lotWords(m *threadMove, sd pair.Side) string {
	var titles [2]string
	for sd, at := range m.at {
		titles[sd] = s.p.Trace(pair.Side(sd)).Threads[at.Thread].Title()
	}
	text := titles[sd]
	if titles[pair.A] == titles[pair.B] {
		text += " " + s.p.Trace(sd).Threads[m.at[sd].Thread].ID
	}
	if l := [2]workplace{m.from, m.to}[sd]; l.caller != atRoot {
		text += ", called by " + s.names[l.caller]
	}
	return text
}
