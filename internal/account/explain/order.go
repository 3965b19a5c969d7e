package explain

import (
	"cmp"
	"slices"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
)

// claimOrder returns the findings that claim parts of the account by themselves, in the order in
// which they do: their own, but specific ones before what they happen in. Nearly everything runs
// below the dispatcher of an event loop. If B calls it more often it would own all of the
// difference, also what its calls do not explain. For example,
//
//	A: RunTask 7657 times    Layout below it   15 times
//	B: RunTask 10783 times   Layout below it  415 times, 232 ms more
//
// By the higher of both rates, 415 of 10783, the 3126 more tasks explain 120 of the 400 more calls
// of Layout. So its 232 ms are its own. What could be chance claims last.
//
// The same holds of functions of profiles that mostly go on as before: those that run the whole
// program differ by all that they call. For example, 2.7 s of these 4.9 s are the checker's:
//
//	run                  takes 3.9 s instead of 8.8 s including callees
//	check, called by it  is sampled in A only: 2.7 s including callees
func (a *attribution) claimOrder() (order []int) {
	done := make([]bool, len(a.found))
	add := func(i int) {
		if !done[i] {
			done[i], order = true, append(order, i)
		}
	}
	for i := range a.found {
		if dispatches := a.dispatches(i); a.claims(i) && (dispatches || a.p.BySamples()) {
			for k := i + 1; k < len(a.found); k++ {
				if !done[k] && a.claims(k) && (dispatches && a.specific(k, i) || a.isMostOf(k, i)) {
					add(k)
				}
			}
		}
		if a.claims(i) {
			add(i)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int {
		f, g := &a.found[i], &a.found[k]
		order := cmp.Or(cmp.Compare(toInt(f.Certainty == finding.Chance), toInt(g.Certainty == finding.Chance)),
			cmp.Compare(toInt(a.goesOn(f)), toInt(a.goesOn(g))))
		if order == 0 && a.goesOn(f) {
			return cmp.Compare(magnitude(f.DeltaNs), magnitude(g.DeltaNs)) // the innermost
		}
		return order
	})
	return order
}

// isMostOf reports whether finding k is about samples of a function that one side alone has, with
// its callees, which are most of those of finding i: that is where the programs part.
func (a *attribution) isMostOf(k, i int) bool {
	f, in := &a.found[k], &a.found[i]
	if !a.p.BySamples() || !f.OfOneSide() || in.OfOneSide() ||
		scopeOf(a.p, f) != ofCallees || scopeOf(a.p, in) != ofCallees ||
		f.Certainty > in.Certainty || 2*magnitude(account.Common(f.DeltaNs, in.DeltaNs)) < magnitude(in.DeltaNs) {
		return false
	}
	shared := account.Common(a.b.Shared(a.id(f), a.id(in)), f.DeltaNs)
	return 2*magnitude(shared) >= magnitude(f.DeltaNs)
}

// goesOn reports whether a finding is about the samples of a function with its callees, more than a
// quarter of which both sides have; but not if it is called more often, or less, for as much each.
func (a *attribution) goesOn(f *finding.Finding) bool {
	if !a.p.BySamples() || scopeOf(a.p, f) != ofCallees || f.ByCalls() {
		return false
	}
	k := slices.IndexFunc(f.Claims, func(c finding.Claim) bool { return c.Quantity == finding.TotalNs })
	if k < 0 {
		return false
	}
	ns := f.Claims[k].Values
	return 4*min(ns[pair.A], ns[pair.B]) > max(ns[pair.A], ns[pair.B])
}

// claims reports whether finding i claims by itself.
func (a *attribution) claims(i int) bool { return a.found[i].Under < 0 && !a.toldAsWait(i) }

// dispatches reports whether finding i tells that a function of both sides is called more often, or
// less, with the time of its callees.
func (a *attribution) dispatches(i int) bool {
	f := &a.found[i]
	counts := f.Kind == finding.Called || f.Kind == finding.Repeat
	return counts && min(f.Calls[0], f.Calls[1]) > 0 && scopeOf(a.p, f) == ofCallees
}

// specific reports whether finding k is about calls whose number changed by other than what the
// more frequent calls of finding i explain, and half or more of whose time lies below these.
func (a *attribution) specific(k, i int) bool {
	f, in := &a.found[k], &a.found[i]
	if f.Waiting || f.Certainty > in.Certainty || (f.DeltaNs > 0) != (in.DeltaNs > 0) ||
		!worthTelling(a.b, account.Delta{WorkNs: f.DeltaNs}) || scopeOf(a.p, f) != ofCallees {
		return false
	}
	rate := func(sd pair.Side) float64 { return float64(f.Calls[sd]) / float64(in.Calls[sd]) }
	all, more := f.Calls[pair.B]-f.Calls[pair.A], in.Calls[pair.B]-in.Calls[pair.A]
	explained := float64(magnitude(more)) * max(rate(pair.A), rate(pair.B))
	if (all > 0) == (more > 0) && 2*explained > float64(magnitude(all)) {
		return false
	}
	shared := account.Common(a.b.Shared(a.id(f), a.id(in)), f.DeltaNs)
	return 2*magnitude(shared) >= magnitude(f.DeltaNs)
}
