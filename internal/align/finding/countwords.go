package finding

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// The sentences about functions that one side calls more often, or alone.

// countWords says which calls one side makes more often.
func (s *study) countWords(f *Finding, t [2]*total) string {
	a, b := t[pair.A].calls, t[pair.B].calls
	head := ""
	switch f.Kind {
	case Missing, New:
		time, sd := s.timeWords(f, t), pair.Side(toInt(f.Kind == New))
		head = fmt.Sprintf("%s is %s in B: %s%s", f.Function, f.Kind, things(t[sd].calls, "call"), after(", ", time))
		if s.isSampled(f.ID) {
			head = fmt.Sprintf("%s is sampled in %s only, in %s%s", f.Function, sd,
				things(t[sd].calls, "call"), after(": ", time))
		}
		return head + s.calledBy(f) + s.tailWords(f, t)
	case Moved:
		was, is := Lengths([2]int64{t[pair.A].inAll, t[pair.B].inAll}, s.unit)
		lane, head := s.lanesOf(f.ID), ""
		if lane == inLanes {
			head = atOnceWords(s.parallelismOf(f.ID))
		}
		if head == "" {
			head = fmt.Sprintf("now runs in %s instead of %s", things(int64(t[pair.B].threads), lane),
				geom.FormatWhole(int64(t[pair.A].threads)))
		}
		return fmt.Sprintf("%s %s: %s, %s → %s including callees", f.Function, head, callsWords(t), was, is)
	case Repeat:
		head = fmt.Sprintf("%s runs %s instead of %s", f.Function, things(b, "time"), geom.FormatWhole(a))
		if min(a, b) > 1 {
			head += " in the same loops"
		}
	default:
		head = fmt.Sprintf("%s is called %s instead of %s", f.Function, things(b, "time"),
			geom.FormatWhole(a))
	}
	if s.isSampled(f.ID) {
		head = fmt.Sprintf("%s is sampled in %s instead of %s", f.Function, things(b, "call"),
			geom.FormatWhole(a))
	}
	return head + s.fromWords(f) + s.oneThreadWords(f, t) + s.eachWords(f, t) + after(": ", s.timeWords(f, t)) +
		s.subjectWords(f, t) + s.tailWords(f, t)
}

const inLanes = "lane"

// lanesOf says what the threads are called in which calls of a function run: those of one service
// that overlap lie in lanes, however many threads it had.
func (s *study) lanesOf(id uint32) string {
	for sd, of := range s.totals {
		for k, lots := range of.inThread {
			if s.p.Trace(pair.Side(sd)).Threads[k].Lane > 0 &&
				slices.ContainsFunc(lots, func(l lot) bool { return uint32(of.keys[l.edge]) == id }) {
				return inLanes
			}
		}
	}
	return "thread"
}

// oneThreadWords says in which of several threads nearly all of a change is, if that has no more
// than half of the calls: where work is shared out, one thread has got more than the others.
func (s *study) oneThreadWords(f *Finding, t [2]*total) string {
	most, n := s.mostIn[f.ID], f.Calls[pair.B]-f.Calls[pair.A]
	part := float64(most.n) / float64(n)
	if min(t[pair.A].threads, t[pair.B].threads) < 2 || s.scheduled || s.isSampled(f.ID) ||
		magnitude(n) < severalCalls || !(part >= mostly && part <= 1/mostly) {
		return ""
	}
	r, c := s.results[most.k], Claim{Quantity: Calls, Function: s.names[f.ID]}
	for sd, k := range r.Indices {
		c.Thread[sd] = &k
		for _, l := range s.totals[sd].inThread[k] {
			if uint32(s.totals[sd].keys[l.edge]) == f.ID {
				c.Values[sd] += int64(l.calls)
			}
		}
	}
	less := toInt(n < 0)
	if 2*c.Values[less] > f.Calls[less] || r.Threads[pair.A].Kind != trace.Ordinary {
		return ""
	}
	f.Claims = append(f.Claims, s.byName(c, f.ID)...)
	return fmt.Sprintf(", of which %s instead of %s in %s", geom.FormatWhole(c.Values[pair.B]),
		geom.FormatWhole(c.Values[pair.A]),
		s.p.A.ThreadTitle(r.Indices[pair.A]))
}

// things writes a number of things, with thin spaces between thousands.
func things[N ~int | ~int64](n N, noun string) string { return geom.FormatThings(int(n), noun) }

// fromTo writes how many calls both sides make, without a noun.
func fromTo(t [2]*total) string {
	return geom.FormatWhole(t[pair.A].calls) + " → " + geom.FormatWhole(t[pair.B].calls)
}

// eachWords says how long a call takes, where more calls make up for shorter ones.
func (s *study) eachWords(f *Finding, t [2]*total) string {
	if f.scope != ofAll || !insteadOfMore(t) || s.isSampled(f.ID) ||
		s.share(max(t[pair.A].inAll, t[pair.B].inAll)) < leastChance {
		return ""
	}
	mean := func(t *total) int64 { return t.inAll / t.calls }
	a, b := Lengths([2]int64{mean(t[pair.A]), mean(t[pair.B])}, s.unit)
	return fmt.Sprintf(", for %s each instead of %s", b, a)
}

// isSampled reports whether calls of a function were inferred from samples, as in an execution
// trace of Go, which has a stack where an event happens: then nobody knows how many calls there
// were. The longest call on each side is looked at.
func (s *study) isSampled(id uint32) bool {
	for sd, t := range s.totals {
		if f := &t.functions[id]; f.calls > 0 {
			th := s.p.Trace(pair.Side(sd)).Threads[f.at.Thread]
			if th.Flagged() && th.Flags(int(f.at.Call))&trace.Sampled != 0 {
				return true
			}
		}
	}
	return false
}

// after returns words after a separator, or nothing if there are none.
func after(separator, words string) string {
	if words == "" {
		return ""
	}
	return separator + words
}

// timeWords says how much time the change of a count makes, "" if it makes none.
func (s *study) timeWords(f *Finding, t [2]*total) string {
	if f.DeltaNs == 0 {
		return ""
	}
	switch _, ns := change(t); f.scope {
	case ofPart:
		return fmt.Sprintf("about %s of %s including callees", s.signed(f.DeltaNs), s.signed(ns))
	case ofSelf:
		return s.signed(f.DeltaNs) + " of self time"
	}
	return s.signed(f.DeltaNs) + " including callees"
}

// fromWords says who makes most of these calls, and how many: "main: 3 → 293".
func (s *study) fromWords(f *Finding) string {
	if f.Caller == "" {
		return ""
	}
	t := s.both(f.named, f.ID)
	if t[pair.A].calls == f.Calls[pair.A] && t[pair.B].calls == f.Calls[pair.B] {
		return " by " + f.Caller + after(" ", s.rateWords(f))
	}
	return fmt.Sprintf(", by %s %s%s%s", f.Caller, fromTo(t),
		after(" ", s.rateWords(f)), f.instead)
}

// rateWords says how often the caller makes such a call, if both sides call it equally often: then
// it is what it does in one call that changed. For example, a buffer is written less often:
//
//	A: store is called 400 times and calls flush 50 times    in one in 8 of its calls
//	B: store is called 400 times and calls flush 12 times    in one in 33
func (s *study) rateWords(f *Finding) string {
	if !s.tellsRate(f) {
		return ""
	}
	t, up := s.both(f.named, f.ID), s.both(anywhere, f.named)
	var often [2]float64
	for sd := range often {
		often[sd] = float64(t[sd].calls) / float64(up[sd].calls)
	}
	a, b := often[pair.A], often[pair.B]
	percent := strings.ContainsRune(rounded(1/a)+rounded(1/b), '.')
	how := func(often float64) string {
		switch {
		case max(a, b) > 1:
			return rounded(often)
		case often == 1:
			return "each"
		case percent:
			return rounded(100*often) + " %"
		}
		return "one in " + rounded(1/often)
	}
	if max(a, b) > 1 {
		return fmt.Sprintf("(%s instead of %s in each of its calls)", how(b), how(a))
	}
	return fmt.Sprintf("(in %s of its calls instead of %s)", how(b), how(a))
}

// tellsRate reports whether the caller that a finding names is called as often by both sides, more
// than a few times, and calls the function on both.
func (s *study) tellsRate(f *Finding) bool {
	if f.Kind != Called && f.Kind != Repeat || f.named == f.ID || s.isSampled(f.ID) || s.isSampled(f.named) {
		return false
	}
	t, up := s.both(f.named, f.ID), s.both(anywhere, f.named)
	few, most := min(t[pair.A].calls, t[pair.B].calls), max(t[pair.A].calls, t[pair.B].calls)
	return up[pair.A].calls == up[pair.B].calls && up[pair.A].calls >= severalCalls &&
		few > 0 && 2*most >= 3*few
}

// rounded returns a number of calls with two digits, or without a fraction.
func rounded(x float64) string {
	if x < 9.95 {
		return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Round(x), 'f', 0, 64)
}

// insteadOfMore reports whether more calls make up for shorter ones, or fewer for longer ones, so
// that a function's whole time changes by less than half as much as their number: what a program
// does in one go was split, or put together. Calls inside calls of the same function have no such
// mean. For example:
//
//	A: batch is called 50 times, 262 ms    5.24 ms each
//	B: batch is called 100 times, 285 ms   2.85 ms each
func insteadOfMore(t [2]*total) bool {
	a, b := t[pair.A], t[pair.B]
	few, most := min(a.calls, b.calls), max(a.calls, b.calls)
	if few == 0 || min(a.inAll, b.inAll) <= 0 || a.inEach != a.inAll || b.inEach != b.inAll ||
		most < severalCalls || 2*most < 3*few {
		return false
	}
	number := math.Log(float64(b.calls) / float64(a.calls))
	whole := math.Log(float64(b.inAll) / float64(a.inAll))
	return 2*math.Abs(whole) < math.Abs(number)
}

const severalCalls = 10 // so that a mean is not that of a few

// calledBy says who calls a function that only one side has.
func (s *study) calledBy(f *Finding) string {
	if f.Caller == "" {
		return ""
	}
	t := s.both(f.named, f.ID)
	if n := t[pair.A].calls + t[pair.B].calls; n < f.Calls[pair.A]+f.Calls[pair.B] {
		return fmt.Sprintf(", %s of them by %s", geom.FormatWhole(n), f.Caller)
	}
	other := s.placeTaker(f, t)
	switch {
	case other == "":
		return ", called by " + f.Caller
	case f.Kind == New:
		return fmt.Sprintf(", called by %s instead of %s", f.Caller, other)
	}
	return fmt.Sprintf(", called by %s, which calls %s instead", f.Caller, other)
}

const fewestReplaced = 3 // calls

// placeTaker returns the name of a function that its caller calls instead of one that this side
// alone has: the other side alone has it, nobody else calls either, and they are called as often,
// as no other function is. For example:
//
//	A: order is called 500 times, calls find_hash 500 times     B: calls find_scan 500 times
func (s *study) placeTaker(f *Finding, t [2]*total) string {
	sd := pair.Side(toInt(f.Kind == New))
	n, found := t[sd].calls, ""
	if n < fewestReplaced || s.isSampled(f.ID) || int(f.named) >= len(s.p.Names) {
		return ""
	}
	for _, e := range s.graph.calleesOf(f.named) {
		all := s.both(anywhere, e.id)
		mine, theirs := all[sd].calls, all[sd.Other()].calls
		switch {
		case mine == n && theirs == 0 && e.id != f.ID && e.of[sd].calls == n:
			return ""
		case mine == 0 && theirs == n && e.of[sd.Other()].calls == n:
			if found != "" || s.isState(e.id) {
				return ""
			}
			found = s.names[e.id]
		}
	}
	return found
}

// tailWords ends the sentence about a count. Of self time nothing waits: what waits is called.
func (s *study) tailWords(f *Finding, t [2]*total) string {
	text := ""
	if sd := toInt(f.DeltaNs > 0); f.scope != ofSelf && f.gone(t) {
		text = fmt.Sprintf("; one of %s takes %s",
			[2]string{"those that B lacks", "those that A lacks"}[sd], s.length(t[sd].longest))
	}
	if f.Waiting && f.scope != ofSelf {
		if f.Awaits = !moreAsync(t); !f.Awaits {
			text += ", most of it in asynchronous spans"
		}
	}
	return text
}

// gone reports whether one call that the other side has not the like of makes most of a change.
func (f *Finding) gone(t [2]*total) bool {
	ns := int64(f.oneCall(f.DeltaNs, t))
	return f.Calls[0] > 0 && f.Calls[1] > 0 && 2*magnitude(ns) > magnitude(f.DeltaNs)
}
