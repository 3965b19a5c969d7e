package finding

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// How often functions are called, of profiles whose recorders have counted that: Callgrind's files.
// Their trees have one node for all calls from one stack. With the counts, a finding about what a
// function costs says whether it is called more often, or costs more a call:
//
//	look_up  500 calls, 6.78 k Ir → 1000 calls, 13.6 k Ir    called 1000 times instead of 500
//	check    500 calls,  192 k Ir →  500 calls,  572 k Ir    1.14 k Ir each instead of 384 Ir
//
// Of functions that call one another, the cause is the outermost whose callers call it at another
// rate. For example, B writes each line twice:
//
//	order     500 calls →   500 calls
//	log_line  500 calls → 1,000 calls, twice per call of order: the cause
//	snprintf  500 calls → 1,000 calls, once per call of log_line
//
// A function that no other calls, as far as the recorder saw, may have begun before it did. So that
// nothing is counted of it does not mean that it is never called.

// countedEdge is how often one function calls another, on both sides. They have the identities that
// findings tell them by: a renamed one has that of its name in A.
type countedEdge struct {
	callee, caller uint32
	calls          [2]int64
}

func (c countedEdge) compare(d countedEdge) int {
	return cmp.Or(cmp.Compare(c.callee, d.callee), cmp.Compare(c.caller, d.caller))
}

// countsCalls reports whether the recorders of both sides have counted calls.
func countsCalls(p *pair.Pair) bool { return len(p.A.CallCounts) > 0 && len(p.B.CallCounts) > 0 }

// gatherCounts puts together what both sides have counted.
func (s *study) gatherCounts() {
	if s.counted = nil; !countsCalls(s.p) {
		return
	}
	var all []countedEdge
	for _, sd := range []pair.Side{pair.A, pair.B} {
		ids := s.identities(sd)
		for _, c := range s.p.Trace(sd).CallCounts {
			one := countedEdge{callee: ids[c.Callee], caller: ids[c.Caller]}
			one.calls[sd] = c.Calls
			all = append(all, one)
		}
	}
	slices.SortFunc(all, countedEdge.compare)
	for _, c := range all {
		if k := len(s.counted) - 1; k >= 0 && s.counted[k].compare(c) == 0 {
			s.counted[k].calls[pair.A] += c.calls[pair.A]
			s.counted[k].calls[pair.B] += c.calls[pair.B]
		} else {
			s.counted = append(s.counted, c)
		}
	}
}

// countedOf returns what is counted of a function, by caller.
func (s *sums) countedOf(id uint32) []countedEdge {
	from, _ := slices.BinarySearchFunc(s.counted, countedEdge{callee: id}, countedEdge.compare)
	to := from
	for to < len(s.counted) && s.counted[to].callee == id {
		to++
	}
	return s.counted[from:to]
}

// countedCalls returns how often a function is called on each side, if that is known of both.
func (s *sums) countedCalls(id uint32) (n [2]int64, known bool) {
	for _, c := range s.countedOf(id) {
		n[pair.A], n[pair.B] = n[pair.A]+c.calls[pair.A], n[pair.B]+c.calls[pair.B]
	}
	for sd, t := range s.both(anywhere, id) {
		if n[sd] == 0 && t.calls > 0 {
			return n, false
		}
	}
	return n, n != [2]int64{}
}

const inherited = 0.1 // part of a change of calls, at most, that is not due to the callers' calls

// atOtherRate reports whether the number of a function's calls changed by more than the numbers of
// calls of its callers explain.
func (s *sums) atOtherRate(id uint32) bool {
	own, all := 0.0, 0.0
	for _, c := range s.countedOf(id) {
		more := float64(c.calls[pair.B] - c.calls[pair.A])
		all += math.Abs(more)
		up, known := s.countedCalls(c.caller)
		switch {
		case !known || c.caller == id: // as of the function that the program begins with
			own += math.Abs(more)
		case min(up[pair.A], up[pair.B]) > 0: // else one side lacks the caller
			rate := float64(c.calls[pair.A]) / float64(up[pair.A])
			own += math.Abs(float64(c.calls[pair.B]) - rate*float64(up[pair.B]))
		}
	}
	return own > inherited*all
}

// findCountedUnder finds the findings of functions whose number of calls changed as those of their
// callers did, and that cost about as much a call: they follow from the next caller that a finding
// is about.
func (s *study) findCountedUnder() {
	if len(s.counted) == 0 {
		return
	}
	of := map[uint32]int{} // by function: the finding that tells its callees too, or else itself
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if up, ok := of[f.ID]; !ok || s.report.Findings[up].claimed(TotalNs) == nil {
			of[f.ID] = k
		}
	}
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if n, known := s.countedCalls(f.ID); known && f.Under < 0 && f.byCounts(n) && !s.atOtherRate(f.ID) {
			if up, ok := s.countedCause(f.ID, of); ok && !s.follows(up, k) {
				f.Under = up
			}
		}
	}
}

// byCounts reports whether a finding tells costs that change as numbers of calls do.
func (f *Finding) byCounts(n [2]int64) bool {
	if f.OfOneSide() {
		return true
	}
	for _, q := range []Quantity{SelfNs, TotalNs} {
		if c := f.claimed(q); c != nil {
			return byNumber(n, c.Values)
		}
	}
	return false
}

// claimed returns the first claim of a quantity, nil if there is none.
func (f *Finding) claimed(q Quantity) *Claim {
	k := slices.IndexFunc(f.Claims, func(c Claim) bool { return c.Quantity == q })
	if k < 0 {
		return nil
	}
	return &f.Claims[k]
}

// ByCalls reports whether a finding tells the cost of a function with its callees, which changes
// as the number of its calls does, as that was counted.
func (f *Finding) ByCalls() bool {
	n, cost := f.claimed(CountedCalls), f.claimed(TotalNs)
	return n != nil && cost != nil && n.Caller == nil && byNumber(n.Values, cost.Values)
}

// countedCause returns the finding of the caller that makes most of the calls by which the number
// of a function's calls changed; or, if no finding is about that one, of the caller that makes most
// of its calls, and so on.
func (s *study) countedCause(id uint32, of map[uint32]int) (up int, ok bool) {
	for seen := map[uint32]bool{}; !seen[id]; {
		seen[id] = true
		n, _ := s.countedCalls(id)
		next, most := id, int64(0)
		for _, c := range s.countedOf(id) {
			more := c.calls[pair.B] - c.calls[pair.A]
			if sameWay(more, n[pair.B]-n[pair.A]) && magnitude(more) > most && c.caller != id {
				next, most = c.caller, magnitude(more)
			}
		}
		if id = next; seen[id] {
			break
		}
		calls, _ := s.countedCalls(id)
		if !sameWay(calls[pair.B]-calls[pair.A], n[pair.B]-n[pair.A]) {
			break
		}
		if up, ok := of[id]; ok {
			return up, true
		}
	}
	return 0, false
}

// claimCounted states how often a function is called, by one caller or by any.
func (s *sums) claimCounted(id uint32, n [2]int64, caller *string) []Claim {
	return s.byName(Claim{Quantity: CountedCalls, Function: s.names[id], Caller: caller, Values: n}, id)
}

// partByCalls returns which part of a change of costs is due to the number of calls, if each costs
// as much as on the side where they cost less.
func partByCalls(n, cost [2]int64) float64 {
	if min(n[pair.A], n[pair.B]) == 0 || cost[pair.A] == cost[pair.B] {
		return 0
	}
	each := min(float64(cost[pair.A])/float64(n[pair.A]), float64(cost[pair.B])/float64(n[pair.B]))
	return float64(n[pair.B]-n[pair.A]) * each / float64(cost[pair.B]-cost[pair.A])
}

// calledMore reports whether a function is called more often, or less, by what its callers do, and
// its calls cost about as much each, callees included.
func (p *profiles) calledMore(id uint32) bool {
	n, known := p.s.countedCalls(id)
	if !known || !p.s.atOtherRate(id) {
		return false
	}
	t := p.s.both(anywhere, id)
	return byNumber(n, [2]int64{t[pair.A].of(TotalNs), t[pair.B].of(TotalNs)})
}

// byNumber reports whether a change of costs is mostly due to the number of calls.
func byNumber(n, cost [2]int64) bool {
	part := partByCalls(n, cost)
	return part >= mostly && part <= 1/mostly
}

// countedWords say how often a function is called; they are empty where that is not known.
type countedWords struct {
	n         [2]int64
	who, each string // by which function, and what a call costs
}

// tellCounted adds to a finding how often its function is called, which costs that much in all.
func (s *study) tellCounted(f *Finding, cost [2]int64) (w countedWords) {
	n, known := s.countedCalls(f.ID)
	if !known {
		return countedWords{}
	}
	f.Calls = n
	f.Claims = append(f.Claims, s.claimCounted(f.ID, n, nil)...)
	return countedWords{n, s.whoCalls(f, n), s.eachCosts(n, cost)}
}

// instead says that a function is called more often, or less.
func (w countedWords) instead() string {
	return fmt.Sprintf("is called %s instead of %s%s", things(w.n[pair.B], "time"), geom.FormatWhole(w.n[pair.A]), w.who)
}

// over says over how many calls a cost is summed up, if it is more than one.
func (w countedWords) over() string {
	a, b := w.n[pair.A], w.n[pair.B]
	switch {
	case max(a, b) < 2:
		return ""
	case a != b && min(a, b) > 0:
		return fmt.Sprintf(" over %s → %s%s%s", geom.FormatWhole(a), things(b, "call"), w.who, w.each)
	}
	return " over " + things(max(a, b), "call") + w.who + w.each
}

// whoCalls names the function that makes all calls of another, or most of those by which their
// numbers differ.
func (s *study) whoCalls(f *Finding, n [2]int64) string {
	more := n[pair.B] - n[pair.A]
	for _, c := range s.countedOf(f.ID) {
		all := c.calls == n
		if !all && (more == 0 || 2*float64(c.calls[pair.B]-c.calls[pair.A])/float64(more) <= 1) || !s.nameable(c.caller) {
			continue
		}
		name := s.names[c.caller]
		f.Claims = append(f.Claims, s.claimCounted(f.ID, c.calls, &name)...)
		by := " by " + name
		if c.caller == f.ID {
			by = " by itself"
		}
		if all {
			return by
		}
		return fmt.Sprintf(",%s %s → %s", by, geom.FormatWhole(c.calls[pair.A]), geom.FormatWhole(c.calls[pair.B]))
	}
	return ""
}

const eachTold = 1.02 // times as much a call is worth a word: less may be a longer argument

// eachCosts says what a call costs on the average.
func (s *study) eachCosts(n, cost [2]int64) string {
	var mean [2]float64
	var each [2]string
	for sd := range n {
		if n[sd] > 0 {
			mean[sd] = float64(cost[sd]) / float64(n[sd])
			each[sd] = geom.FormatValue(mean[sd], string(s.unit))
		}
	}
	a, b := each[pair.A], each[pair.B]
	alike := max(mean[pair.A], mean[pair.B]) < eachTold*min(mean[pair.A], mean[pair.B])
	switch {
	case a == "" || a == b || alike:
		return ", " + b + " each"
	case b == "":
		return ", " + a + " each"
	}
	return ", " + b + " each instead of " + a
}
