package finding

import "diptych/internal/pair"

// Rounds of event loops.
//
// A loop that waits for whatever comes next does one round or several for the same work: if two
// requests arrive while it waits, it serves both in one round. So how many rounds it makes is left
// to the schedule. It shows in this: each round waits, and what is done in some rounds only is done
// as often as before, though there are more rounds. For example, of two equal runs:
//
//	processEvents 572 times: epoll_wait 572, beforeSleep 572, handle 1200
//	processEvents 773 times: epoll_wait 773, beforeSleep 773, handle 1200
//
// If handle were called more often as well, the rounds would be more because there is more to do.
// What each round calls once follows from the number of rounds.

const (
	eachRound  = 0.9  // times as often as there are rounds, or more, and no more than its inverse
	sameOften  = 0.25 // of the change of the rounds, or less
	roundDepth = 4    // calls between a round and its wait, or between what follows and the round
)

// isRound reports whether a function's number of calls follows from how many rounds an event loop
// makes, and these are left to the schedule.
func (s *study) isRound(id uint32) bool { return s.isRoundWithin(id, roundDepth) }

func (s *study) isRoundWithin(id uint32, depth int) bool {
	if id >= uint32(len(s.p.Names)) || depth == 0 {
		return false
	}
	t := s.both(anywhere, id)
	if t[pair.A].calls == t[pair.B].calls || min(t[pair.A].calls, t[pair.B].calls) == 0 {
		return false
	}
	if s.servesAsMuch(id, t) && s.waitsEachTime(id, roundDepth) {
		return true
	}
	for e := range s.graph.callersOf(id) {
		if asOften(e.of, t) && e.caller != id && e.caller < uint32(len(s.p.Names)) &&
			asOften(e.of, s.both(anywhere, e.caller)) && s.isRoundWithin(e.caller, depth-1) {
			return true
		}
	}
	return false
}

// asOften reports whether there are about as many calls of one sort as of another, on either side.
func asOften(of, all [2]*total) bool {
	for sd := range of {
		n, m := float64(of[sd].calls), float64(all[sd].calls)
		if min(n, m) < eachRound*max(n, m) || max(n, m) == 0 {
			return false
		}
	}
	return true
}

// waitsEachTime reports whether a function, or what it calls each time, waits.
func (s *study) waitsEachTime(id uint32, depth int) bool {
	t := s.both(anywhere, id)
	if s.everWaits(id) {
		return true
	}
	for _, e := range s.graph.calleesOf(id) {
		if depth > 0 && e.id != id && asOften(e.of, t) && s.waitsEachTime(e.id, depth-1) {
			return true
		}
	}
	return false
}

// servesAsMuch reports whether what a function does in some of its calls only, or several times in
// some, is done about as often on both sides, though these are more on one. At least one such thing
// is done in half of its calls or more: that a loop saves its state twice says nothing of its
// rounds.
func (s *study) servesAsMuch(id uint32, t [2]*total) bool {
	rounds := relative(t)
	some := false
	for _, e := range s.graph.calleesOf(id) {
		if e.id == id || s.isState(e.id) || asOften(e.of, t) {
			continue
		}
		by := relative(e.of)
		if by*rounds > 0 && by/rounds > sameOften {
			return false
		}
		some = some || 2*e.of[pair.A].calls >= t[pair.A].calls && 2*e.of[pair.B].calls >= t[pair.B].calls
	}
	return some
}

// relative returns by which share of the larger number the numbers of calls differ.
func relative(t [2]*total) float64 {
	n, m := float64(t[pair.A].calls), float64(t[pair.B].calls)
	return (m - n) / max(n, m, 1)
}

// noteRounds notes in the report which functions are called once in each round of an event loop.
func (s *study) noteRounds() {
	s.report.rounds = map[uint32]bool{}
	for id := range uint32(len(s.p.Names)) {
		if s.isRound(id) {
			s.report.rounds[id] = true
		}
	}
}

// IsRound reports whether how often a function is called is left to the schedule, since it is
// called in each round of an event loop.
func (r *Report) IsRound(id uint32) bool { return r.rounds[id] }
