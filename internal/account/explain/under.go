package explain

import (
	"slices"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Findings that follow from others by what the account knows. A finding that follows from another
// gives it what it owns.

// putUnder puts findings that the pace explains under it, which is the first of the list. They
// speak of functions that are slower or faster by nearly the pace, so they are no surer than it is.
func (a *attribution) putUnder(list []Finding, at []int, pace account.Pace) {
	for i := range a.found {
		f := &a.found[i]
		if f.Under >= 0 || scopeOf(a.p, f) != ofItself || f.Waiting || f.OfOneSide() ||
			f.DeltaNs > 0 != (pace.Factor > 1) {
			continue
		}
		work := max(a.own[i].WorkNs, -a.own[i].WorkNs)
		if said := max(f.DeltaNs, -f.DeltaNs); 5*work <= said && a.own[i].Rank() <= said/5 {
			a.returnTo(list, 0, &list[at[i]])
			list[at[i]].Certainty = max(list[at[i]].Certainty, list[0].Certainty)
		}
	}
}

// putJoinsUnder puts waits for the end of a thread under what made that thread take more time or
// less: the finding that owns most elapsed time and is not itself a wait, if that is at least half
// of the wait.
func (a *attribution) putJoinsUnder(list []Finding) {
	cause := -1
	for i := range list {
		f := &list[i]
		if !f.Waiting && f.Under < 0 && (cause < 0 ||
			magnitude(f.Own.ElapsedNs) > magnitude(list[cause].Own.ElapsedNs)) {
			cause = i
		}
	}
	for k := range a.waits {
		w, f := &a.waits[k], &list[a.waitAt[k]]
		if cause < 0 || !a.b.Joins(w) {
			continue
		}
		shared := magnitude(account.Common(list[cause].Own.ElapsedNs, w.Delta()))
		if 2*shared >= magnitude(w.Delta()) && 20*magnitude(f.Own.ElapsedNs) <= shared {
			a.returnTo(list, cause, f)
		}
	}
}

// putMovesUnder puts functions that more or fewer threads run, and that own hardly anything, under
// the threads that only one side has, if these run them and are as sure: lanes are not.
func (a *attribution) putMovesUnder(list []Finding, at []int) {
	for i := range a.found {
		f := &a.found[i]
		if !f.Threads || f.Under >= 0 || worthTelling(a.b, a.own[i]) {
			continue
		}
		for k := range a.found {
			t := &a.found[k]
			if t.Kind == finding.Threads && t.Under < 0 && t.Certainty <= f.Certainty && a.inLone(t, a.id(f)) {
				a.returnTo(list, at[k], &list[at[i]])
				break
			}
		}
	}
}

// inLone reports whether one of the threads that a finding is about calls a function.
func (a *attribution) inLone(f *finding.Finding, id uint32) bool {
	for sd, threads := range a.loneThreads(f) {
		ids := a.p.IDs(pair.Side(sd))
		for _, k := range threads {
			calls := func(fn trace.FuncID) bool { return a.r.Identity(ids[fn]) == id }
			if slices.ContainsFunc(a.p.Trace(pair.Side(sd)).Threads[k].Fn, calls) {
				return true
			}
		}
	}
	return false
}

// returnTo puts a finding under its cause, which gets what it owns.
func (a *attribution) returnTo(list []Finding, cause int, f *Finding) {
	list[cause].Own = list[cause].Own.Plus(f.Own)
	f.Own, f.Under = account.Delta{}, cause
}

// putStatesUnder puts states of threads under the wait that contains them: below a call that waits,
// being blocked is part of that wait, so both tell the same, and one is as sure as the other. For
// example, four calls of usleep contain four stays in the state linux:schedule.
func (a *attribution) putStatesUnder(list []Finding, at []int) {
	for i := range a.found {
		f, id := &list[at[i]], a.id(&a.found[i])
		if at[i] < len(a.causes) || f.Under >= 0 || !f.Waiting || f.Own != (account.Delta{}) {
			continue
		}
		for k := range a.waits {
			w := &a.waits[k]
			shared := magnitude(account.Common(w.Delta(), f.DeltaNs))
			if w.Function != id && 2*shared >= magnitude(f.DeltaNs) && a.isBelow(f, w.Function) {
				f.Under = a.waitAt[k]
				f.Certainty = min(f.Certainty, list[f.Under].Certainty)
				break
			}
		}
	}
}

// isBelow reports whether the example of a finding, on the side that has more of it, is a state of
// a thread in a call of a function.
func (a *attribution) isBelow(f *Finding, function uint32) bool {
	sd := pair.Side(toInt(f.DeltaNs > 0))
	if f.At[sd] == nil {
		return false
	}
	t, ids := a.p.Trace(sd), a.p.IDs(sd)
	th, i := t.Threads[f.At[sd].Thread], f.At[sd].Call
	if kind := t.FunctionOf(th, int(i)).Kind; kind != trace.State && kind != trace.Event {
		return false
	}
	for i = th.Parent(int(i)); i >= 0; i = th.Parent(int(i)) {
		if a.r.Identity(ids[th.Fn[i]]) == function {
			return true
		}
	}
	return false
}
