package finding

import (
	"cmp"
	"fmt"
	"strings"

	"diptych/internal/geom"
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

// threadMove is the calls of a function that have changed threads, as far as they are counted.
type threadMove struct {
	id       uint32
	whole    [2]int64  // calls of workplaces that only A has, and only B
	little   int64     // by how much the others' numbers of calls differ, summed up
	from, to workplace // the largest of those that only A has, and only B
	most     [2]int64  // calls of these
	at       [2]*Place // the first of these
}

const (
	fewMoved   = 5     // calls, below which chance may have moved them
	leastMoved = 0.001 // of the run, if all of a function's calls have moved; else leastChance
)

// tellThreadMoves tells the functions whose calls are made by another thread.
func (s *study) tellThreadMoves() error {
	wanted := s.mayMove()
	if len(wanted) == 0 {
		return nil
	}
	counted, err := s.countMoves(wanted)
	if err != nil {
		return err
	}
	moves := map[uint32]*threadMove{}
	for k := range counted {
		if m := &counted[k]; s.hasMoved(m) {
			moves[m.id] = m
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
// calls, and they take a thousandth of the run.
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
		if 20*magnitude(n) <= t[pair.A].calls && s.share(min(t[0].inAll, t[1].inAll)) >= leastMoved &&
			!s.toldMoved[uint32(id)] && !s.isState(uint32(id)) {
			wanted[uint32(id)] = true
		}
	}
	return wanted
}

// countMoves counts the calls of functions by thread and caller, one pair of threads after the
// other. There are as many workplaces as calls if there are thousands of short threads, so it keeps
// no more than what it returns.
func (s *study) countMoves(wanted map[uint32]bool) ([]threadMove, error) {
	c := moveCounter{s: s, number: make([]int32, len(s.p.Names))}
	for _, id := range sortedKeys(wanted, cmp.Compare[uint32]) {
		c.moves = append(c.moves, threadMove{id: id})
		c.number[id] = int32(len(c.moves))
	}
	a, b := s.totals[pair.A], s.totals[pair.B]
	c.across, c.here = make([]int32, len(b.keys)), make([]lot, len(a.keys))
	for k, key := range b.keys {
		c.across[k] = a.edges.Find(key)
	}
	for _, threads := range s.p.Threads {
		c.addThreads(threads)
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
	}
	return c.moves, nil
}

// moveCounter counts which calls of functions have changed threads.
type moveCounter struct {
	s      *study
	moves  []threadMove
	number []int32 // by identity: in moves, plus 1; 0 for functions that are not looked at
	across []int32 // by B's edge: A's of the same functions, or −1
	here   []lot   // by A's edge: what A's present thread has of it and B's not; else no calls
}

// addThreads counts the calls of a pair of threads.
func (c *moveCounter) addThreads(threads pair.ThreadPair) {
	var lots [2][]lot
	for sd := range lots {
		if k := threads.On(pair.Side(sd)); k >= 0 {
			lots[sd] = c.s.totals[sd].inThread[k]
		}
	}
	for _, l := range lots[pair.A] {
		if c.move(pair.A, l) != nil {
			c.here[l.edge] = l
		}
	}
	for _, l := range lots[pair.B] {
		m := c.move(pair.B, l)
		if m == nil {
			continue
		}
		if e := c.across[l.edge]; e >= 0 && c.here[e].calls > 0 {
			m.little += magnitude(int64(l.calls) - int64(c.here[e].calls))
			c.here[e].calls = 0
			continue
		}
		c.addWhole(m, pair.B, threads, l)
	}
	for _, l := range lots[pair.A] {
		if c.here[l.edge].calls > 0 {
			c.addWhole(c.move(pair.A, l), pair.A, threads, l)
			c.here[l.edge].calls = 0
		}
	}
}

// move returns what is counted of the function that a side's calls are of, nil if nothing is.
func (c *moveCounter) move(sd pair.Side, l lot) *threadMove {
	if n := c.number[uint32(c.s.totals[sd].keys[l.edge])]; n > 0 {
		return &c.moves[n-1]
	}
	return nil
}

// addWhole adds calls of which the other side has none in the same place. Of several places with
// the most calls, the first in order stays.
func (c *moveCounter) addWhole(m *threadMove, sd pair.Side, threads pair.ThreadPair, l lot) {
	of, calls := [2]*workplace{&m.from, &m.to}[sd], int64(l.calls)
	m.whole[sd] += calls
	w := workplace{m.id, uint32(c.s.totals[sd].keys[l.edge] >> 32), threads.A}
	if threads.A < 0 {
		w.thread = ^threads.B
	}
	if calls > m.most[sd] || calls == m.most[sd] && w.order(*of) < 0 {
		m.most[sd], *of = calls, w
		m.at[sd] = &Place{Thread: threads.On(sd), Call: l.first}
	}
}

// hasMoved reports whether calls of a function have moved to other threads.
func (s *study) hasMoved(m *threadMove) bool {
	calls := min(m.whole[pair.A], m.whole[pair.B])
	t := s.both(anywhere, m.id)
	share := float64(calls) / float64(max(t[pair.A].calls, 1))
	least := leastChance
	if calls >= max(t[pair.A].calls, t[pair.B].calls, fewMoved) {
		least = leastMoved // whatever it does, a thread no longer does any of it
	}
	switch {
	case calls == 0 || m.from.thread == m.to.thread || m.little >= calls,
		(s.scheduled || s.isSampled(m.id)) && min(m.most[pair.A], m.most[pair.B]) < fewMoved,
		s.inPool(m) && s.withoutPartners(m),
		share*float64(t[pair.A].inAll) < least*float64(s.run):
		return false
	}
	return true
}

// tellThreadMove tells calls that another thread makes.
func (s *study) tellThreadMove(m *threadMove) {
	t := s.both(anywhere, m.id)
	f := Finding{Kind: Moved, Function: s.names[m.id], ID: m.id, At: m.at,
		Calls:  [2]int64{t[pair.A].calls, t[pair.B].calls},
		Claims: s.claims(anywhere, m.id, Calls, TotalNs)}
	inRuntime := s.ofRuntime(m.id) && s.ofRuntime(m.from.caller)
	f.Slight = s.inPool(m) || inRuntime
	if inRuntime || f.Slight && s.scheduled {
		f.Certainty = Chance // which goroutine starts the collector, which thread does it
	}
	f.Claims = append(f.Claims, s.lotClaims(m.from, [2]int64{m.most[pair.A], 0})...)
	f.Claims = append(f.Claims, s.lotClaims(m.to, [2]int64{0, m.most[pair.B]})...)
	f.Text = fmt.Sprintf("%s now runs in %s (0 → %s) rather than in %s (%s → 0); in all %s, %s → %s "+
		"including callees", f.Function, s.lotWords(m, pair.B), things(m.most[pair.B], "call"),
		s.lotWords(m, pair.A), geom.FormatWhole(m.most[pair.A]), callsWords(t), s.length(t[pair.A].inAll),
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

// withoutPartners reports whether neither thread of a move has a partner. Two such threads of one
// pool do what they did: that they are no pair is told of the threads (divergence.go).
func (s *study) withoutPartners(m *threadMove) bool {
	return s.p.Partner(pair.A, m.at[pair.A].Thread) < 0 && s.p.Partner(pair.B, m.at[pair.B].Thread) < 0
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
