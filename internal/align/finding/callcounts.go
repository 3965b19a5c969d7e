package finding

import (
	"cmp"
	"fmt"
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
