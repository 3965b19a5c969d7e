package finding

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/pair"
)

// Findings that follow from others, or tell what others tell.

// dropRepeated drops changes of self time that are due to one call which the other side lacks: that
// is told by the number of calls.
func (s *study) dropRepeated() {
	lacking := map[uint32]int64{}
	for _, f := range s.report.Findings {
		if f.counts() {
			lacking[f.ID] = f.DeltaNs
		}
	}
	s.report.Findings = slices.DeleteFunc(s.report.Findings, func(f Finding) bool {
		ns, ok := lacking[f.ID]
		return ok && f.single && near(f.DeltaNs, float64(ns))
	})
}

// dropParts drops what is told of the samples of a function itself that only one side has, if those
// including its callees are told as well: f is new, +11 ms including callees, 4 ms of them its own.
func (s *study) dropParts() {
	ofSelf := func(f *Finding) bool {
		return slices.ContainsFunc(f.Claims, func(c Claim) bool { return c.Quantity == SelfNs })
	}
	whole := map[uint32]bool{}
	for k := range s.report.Findings {
		if f := &s.report.Findings[k]; f.OfOneSide() && !ofSelf(f) {
			whole[f.ID] = true
		}
	}
	s.report.Findings = slices.DeleteFunc(s.report.Findings, func(f Finding) bool {
		return f.OfOneSide() && whole[f.ID] && ofSelf(&f)
	})
}

const grown = 1.5 // times as many calls and as much self time, or as little

// trustCallees makes likely what few calls alone do not show: that a function takes longer as it
// calls others more often, which is no chance; or less as it calls them less often. For example:
//
//	A: execute is called once, calls precall 311 times    184 µs of self time
//	B: execute is called once, calls precall 1066 times   535 µs of self time
func (s *study) trustCallees() {
	byCaller := map[uint32]int64{} // calls that B makes more, of functions of which that is certain
	for k := range s.report.Findings {
		if f := &s.report.Findings[k]; f.counts() && f.Certainty == Certain && f.Caller != "" {
			n, _ := change(s.both(f.named, f.ID))
			byCaller[f.named] += n
		}
	}
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if sure := byCaller[f.ID]; sure != 0 && (f.Kind == Slower || f.Kind == Faster) &&
			f.Certainty == Chance && !f.Waiting && !s.isSampled(f.ID) && s.goesWithCalls(f.ID, sure) {
			f.Certainty = Likely
		}
	}
}

// goesWithCalls reports whether the self time of a function that is called a few times grows or
// shrinks as the number of calls that it makes, of which sure are no chance.
func (s *study) goesWithCalls(id uint32, sure int64) bool {
	t := s.both(anywhere, id)
	var made [2]int64
	for _, e := range s.graph.calleesOf(id) {
		if e.id != id && !s.isState(e.id) {
			made[pair.A], made[pair.B] = made[pair.A]+e.of[pair.A].calls, made[pair.B]+e.of[pair.B].calls
		}
	}
	if max(t[pair.A].calls, t[pair.B].calls) >= enough || 2*magnitude(sure) < magnitude(made[pair.B]-made[pair.A]) {
		return false
	}
	calls := math.Log(float64(made[pair.B]) / float64(made[pair.A]))
	self := math.Log(float64(t[pair.B].self) / float64(t[pair.A].self) / s.report.Pace)
	if sure < 0 {
		calls, self = -calls, -self
	}
	return min(calls, self) >= math.Log(grown) && self <= 2*calls
}

// perCall is what a call that a function makes takes of its self time at most, if all that changes
// is their number: its part of a loop, and what the recorder takes.
const perCall = 1000 // ns

// tellCallees says of a function that takes longer itself what it calls more often, if that may be
// why; or takes less and calls less often. For example, item calls check in a loop, and uftrace
// takes 50 ns a call:
//
//	A: item is called 400 times, calls check 800 times     133 µs of self time
//	B: item is called 400 times, calls check 2400 times    216 µs of self time
func (s *study) tellCallees() {
	type made struct {
		what string
		more int64 // calls in B
	}
	most := map[uint32]made{} // by caller, of functions of which that is no chance
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if !f.counts() || f.Certainty == Chance || f.Caller == "" || f.named == f.ID {
			continue
		}
		if n, _ := change(s.both(f.named, f.ID)); magnitude(n) > magnitude(most[f.named].more) {
			most[f.named] = made{f.Function, n}
		}
	}
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		m := most[f.ID]
		if f.Kind != Slower && f.Kind != Faster || f.Certainty == Chance || f.Waiting || f.Awaits || s.isSampled(f.ID) ||
			m.more == 0 || f.DeltaNs > 0 != (m.more > 0) || magnitude(f.DeltaNs) > perCall*magnitude(m.more) {
			continue
		}
		often := "more often"
		if m.more < 0 {
			often = "less often"
		}
		f.Text += "; it calls " + m.what + " " + often
	}
}

// findUnder finds the findings that follow from others: calls that a function makes more often, or
// less, follow from a function that is itself called more often, or less. But if it is no chance
// that one side alone makes them, or makes more of them as was counted, they do not follow from
// what could be chance. For example, only B joins strings in summary, so samples meet summary more
// often.
func (s *study) findUnder() {
	counted := map[uint32]int{}
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if f.Under = -1; f.counts() {
			counted[f.ID] = k
		}
	}
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if up, ok := counted[f.caller]; ok && f.counts() && f.Caller != "" &&
			f.grows() == s.report.Findings[up].grows() && !s.follows(up, k) &&
			!(f.Certainty != Chance && s.report.Findings[up].Certainty == Chance && s.standsAlone(f)) {
			f.Under = up
		}
	}
	s.findCountedUnder()
	s.findStatesUnder(counted)
	s.findMovedUnder()
}

// standsAlone reports whether a finding tells calls that one side alone makes, or more of by what
// the recorder has counted, whatever could be chance.
func (s *study) standsAlone(f *Finding) bool {
	more, known := s.asWritten(f.ID)
	return f.OfOneSide() || known && sameWay(more, f.Calls[pair.B]-f.Calls[pair.A])
}

// findStatesUnder finds the states that threads are in more often, or less, because a function is
// called more often, or less, for sure: most of the change is in stays below its calls, in callees
// that wait or do input or output. For example, B saves 10 times instead of 40:
//
//	fsync, called by save    sleeps 133 times, 159 ms → 40 times, 60 ms
//	usleep, called by nap    sleeps 10 times, 31 ms → 10 times, 35 ms
func (s *study) findStatesUnder(counted map[uint32]int) {
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if f.Kind != Slower && f.Kind != Faster || !f.Waiting || !s.isState(f.ID) {
			continue
		}
		below := map[int]int64{} // by finding, ns
		for e := range s.graph.callersOf(f.ID) {
			if up := s.countedAbove(e.caller, counted); up >= 0 && s.blocks(e.caller) {
				below[up] += e.of[pair.B].self - e.of[pair.A].self
			}
		}
		for _, up := range sortedKeys(below, cmp.Compare[int]) {
			cause := &s.report.Findings[up]
			if ns := below[up]; sameWay(ns, f.DeltaNs) && 2*magnitude(ns) >= magnitude(f.DeltaNs) &&
				cause.grows() == (f.DeltaNs > 0) && cause.grows() == f.grows() {
				f.Under, f.Certainty = up, min(f.Certainty, Likely)
				break
			}
		}
	}
}

// countedAbove returns the finding that a function is called more often, or less, if that is no
// chance, or the one of the function that makes nearly all of the calls by which its number
// changed, and so on; −1 if there is none.
func (s *study) countedAbove(id uint32, counted map[uint32]int) int {
	for seen := map[uint32]bool{}; id < uint32(len(s.p.Names)) && !seen[id]; {
		if up, ok := counted[id]; ok {
			if s.report.Findings[up].Certainty == Chance {
				return -1
			}
			return up
		}
		seen[id] = true
		whole, _ := change(s.both(anywhere, id))
		next := id
		for e := range s.graph.callersOf(id) {
			if n, _ := change(e.of); n != 0 && sameWay(n, whole) && float64(magnitude(n)) >= mostly*float64(magnitude(whole)) {
				next = e.caller
			}
		}
		id = next
	}
	return -1
}

// blocks reports whether the longest call of a function on either side waits or does input or
// output: then stays in a state below it are its own, and not another program's turn.
func (s *study) blocks(id uint32) bool {
	if id >= uint32(len(s.p.Names)) {
		return false
	}
	for sd, t := range s.totals {
		f := &t.functions[id]
		if th := s.p.Trace(pair.Side(sd)).Threads[f.at.Thread]; f.calls > 0 && len(th.BlocksOf(int(f.at.Call))) > 0 {
			return true
		}
	}
	return false
}

// OfOneSide reports whether one side lacks the function.
func (f *Finding) OfOneSide() bool { return f.Kind == New || f.Kind == Missing }

// follows reports whether finding k is another one or follows from it: functions that call one
// another are no causes of themselves.
func (s *study) follows(k, other int) bool {
	for ; k >= 0; k = s.report.Findings[k].Under {
		if k == other {
			return true
		}
	}
	return false
}
