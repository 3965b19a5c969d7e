package explain

import (
	"cmp"
	"fmt"
	"slices"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// What the account finds by itself. A change is told from a hundredth of the longer run on.

const leastCause = 0.01

// large reports whether a change of time summed over threads, or what is owned of the elapsed time,
// is worth telling.
func (a *attribution) large(ns int64) bool { return isLarge(a.b, ns) }

func isLarge(b *account.Balance, ns int64) bool {
	return float64(magnitude(ns)) >= leastCause*float64(longerOf(b))
}

func (a *attribution) addCause(f Finding, own account.Delta) {
	f.Own, f.Under = own, -1
	f.Share = min(float64(max(f.DeltaNs, -f.DeltaNs))/float64(a.longer()), 1)
	a.causes = append(a.causes, f)
}

// paceOf returns the pace on which functions agree by the medians of their calls, which no stall
// moves. Where too few functions have pairs of calls, as in a profile, totals decide.
func (a *attribution) paceOf() account.Pace {
	byTotals := a.b.Pace()
	if len(a.r.Ratios) < account.FewestVoters || byTotals.Unit {
		return byTotals
	}
	var ratios, weights []float64
	for _, r := range a.r.Ratios {
		ratios, weights = append(ratios, r.Factor), append(weights, r.Ns)
	}
	return account.PaceOf(ratios, weights)
}

// findPace tells the pace, and reports whether there is one.
func (a *attribution) findPace(p account.Pace) bool {
	if !p.Found() {
		return false
	}
	own := a.l.TakePace(p)
	f := Finding{Kind: "pace", Factor: p.Factor, DeltaNs: own.WorkNs, Certainty: a.levelOfPace(p),
		Claims: a.claimRun(finding.AlikeNs, finding.WorkNs, finding.ElapsedNs)}
	switch {
	case p.Unit:
		f.words = fmt.Sprintf("All times are %s, by the same factor (a change of unit?)",
			paceWords(p.Factor))
	case a.p.Profile():
		why, more := " (a %s recording?)", [2]string{"shorter", "longer"}[toInt(p.Factor > 1)]
		if a.r.Exact { // counted, however long that took
			why, more = " (%s of the same work?)", [2]string{"less", "more"}[toInt(p.Factor > 1)]
		}
		f.words = fmt.Sprintf("Functions take %s× as much %s throughout%s%s", digits(p.Factor, 3),
			geom.SelfNoun(string(a.p.A.Unit)), fmt.Sprintf(why, more), spreadWords(p))
	default:
		why := "a slower machine?"
		if p.Factor < 1 {
			why = "a faster machine?"
		}
		f.words = fmt.Sprintf("CPU-bound work takes %s× as long throughout (%s)%s", digits(p.Factor, 3), why,
			spreadWords(p))
	}
	a.addCause(f, own)
	return true
}

func paceWords(factor float64) string {
	if factor < 1 {
		return fmt.Sprintf("%.0f× shorter", 1/factor)
	}
	return fmt.Sprintf("%.0f× longer", factor)
}

func spreadWords(p account.Pace) string {
	return fmt.Sprintf(": half of it between %s× and %s×, over %d functions", digits(p.Low, 3),
		digits(p.High, 3), p.Functions)
}

// name returns a function's name as findings tell it: spans that differ in arguments have one name.
func (a *attribution) name(id uint32) string { return cmp.Or(a.r.Name(id), a.p.Names[id]) }

// waitName returns the name of a function in which threads wait, or of a state, which may hold a
// colon: Threads wait longer in the state "blocked: sleep".
func (a *attribution) waitName(id uint32) string {
	if a.isState(id) {
		return fmt.Sprintf("the state \"%s\"", a.name(id))
	}
	return a.name(id)
}

// isState reports whether a function is a state that the system puts a thread into.
func (a *attribution) isState(id uint32) bool {
	return a.hasKind(id, func(f *trace.Function) bool { return f.Kind == trace.State })
}

// isOffCPU reports whether a function is that of a thread that could run but has no processor.
func (a *attribution) isOffCPU(id uint32) bool { return a.hasKind(id, (*trace.Function).OffCPU) }

// hasKind reports whether the function of an identity is of a kind on either side.
func (a *attribution) hasKind(id uint32, is func(f *trace.Function) bool) bool {
	for _, sd := range []pair.Side{pair.A, pair.B} {
		if a.firstOf[sd] == nil {
			a.firstOf[sd] = firstFunctions(a.p, sd)
		}
		if fn := a.firstOf[sd][id]; fn >= 0 && is(&a.p.Trace(sd).Functions[fn]) {
			return true
		}
	}
	return false
}

// firstFunctions returns the first function of each identity of a side, or −1.
func firstFunctions(p *pair.Pair, sd pair.Side) []int32 {
	first := slices.Repeat([]int32{-1}, len(p.Names))
	for fn, id := range slices.Backward(p.IDs(sd)) {
		first[id] = int32(fn)
	}
	return first
}

// findIO tells which functions do more or less I/O, where no finding does. That the same I/O lies
// on the critical path on one side only is no change of it.
func (a *attribution) findIO() {
	for _, io := range a.l.Rests(account.IO) {
		ns, calls, squares := a.b.Sum(account.IO, io.Function)
		left := asWork(a.b, a.l.OfFunction(account.IO, io.Function))
		if !a.largeRest(account.Net(left)) || !agree(ns, left) {
			continue
		}
		own := a.l.Take(left, account.Unbounded)
		name := a.name(io.Function)
		level := a.levelOf(ns, squares)
		before, after := a.lengths(ns)
		a.addCause(Finding{Kind: "io", Function: name, DeltaNs: ns[pair.B] - ns[pair.A], Certainty: level,
			Calls: calls, At: a.r.Longest(io.Function),
			Claims: append(a.claimTime(account.IO, io.Function, ns), a.r.Claims(io.Function, finding.Calls)...),
			words: fmt.Sprintf("%s does I/O for %s instead of %s, in %s", name, after, before,
				callWords(calls))}, own)
	}
}

// callWords says how many calls B and A have: "5 instead of 3 calls".
func callWords(calls [2]int64) string {
	text := geom.FormatThings(int(calls[pair.A]), "call")
	if calls[pair.A] != calls[pair.B] {
		text = geom.FormatWhole(calls[pair.B]) + " instead of " + text
	}
	return text
}

// findIdle tells how much longer threads are in no call.
func (a *attribution) findIdle() {
	ns := [2]int64{a.b.Total[pair.A][account.Idle], a.b.Total[pair.B][account.Idle]}
	list := a.l.OfKind(account.Idle)
	way := account.Net(list).ElapsedNs
	if !a.large(ns[pair.B]-ns[pair.A]) && !a.large(way) {
		return
	}
	own := a.l.Take(list, account.Unbounded)
	level := a.levelOfIdle()
	a.addCause(Finding{Kind: "idle", DeltaNs: ns[pair.B] - ns[pair.A], Waiting: true, Certainty: level,
		Claims: a.claimRun(finding.IdleNs), words: a.idleWords(ns, own)}, own)
}

// idleWords says how long threads are idle, ns in all, and what that makes of the elapsed time.
// These may go different ways: a thread counts from its first call to its last, but the elapsed
// time also has what is before and after that, and threads may be idle beside others that work.
// So both are said by themselves where they differ. For example, a thread that begins 14 ms later
// has as much idle time as before, and 14 ms of the elapsed time are idle.
func (a *attribution) idleWords(ns [2]int64, own account.Delta) string {
	before, after := a.lengths(ns)
	way := a.wayIdle()
	if d := way[pair.B] - way[pair.A]; own.ElapsedNs != 0 && own.ElapsedNs == d && d != ns[pair.B]-ns[pair.A] {
		was, is := a.lengths(way)
		together := fmt.Sprintf("idle for %s instead of %s in all", after, before)
		switch {
		case ns == [2]int64{}:
			together = "never idle"
		case ns[pair.A] == ns[pair.B]:
			together = fmt.Sprintf("idle for %s in all on both sides", after)
		}
		return fmt.Sprintf("Nothing runs on the critical path for %s instead of %s: %s; from their first "+
			"call to their last, threads are %s", is, was, a.signed(own.ElapsedNs), together)
	}
	words := fmt.Sprintf("Threads are idle, in no call, for %s instead of %s", after, before)
	if a.p.BySamples() {
		words = fmt.Sprintf("Threads are in no sampled function, idle or without a processor, for %s "+
			"instead of %s", after, before)
	}
	if own.ElapsedNs != 0 {
		words += fmt.Sprintf("; %s of the elapsed time", a.signed(own.ElapsedNs))
	}
	return words
}

// wayIdle returns by side how much of the elapsed time is idle, ns.
func (a *attribution) wayIdle() (ns [2]int64) {
	for sd := range ns {
		ns[sd] = a.b.Way[sd][account.Idle]
	}
	return ns
}

// findOffCPU tells how much longer threads are ready but do not run.
func (a *attribution) findOffCPU() {
	ns := [2]int64{a.b.Total[pair.A][account.OffCPU], a.b.Total[pair.B][account.OffCPU]}
	list := a.l.OfKind(account.OffCPU)
	if !a.largeRest(account.Net(list)) || !agree(ns, list) {
		return
	}
	own := a.l.Take(list, account.Unbounded)
	level := a.levelOfOffCPU()
	before, after := a.lengths(ns)
	a.addCause(Finding{Kind: "offCpu", machine: true, DeltaNs: ns[pair.B] - ns[pair.A], Certainty: level,
		Claims: a.claimRun(finding.OffCPUNs),
		words: fmt.Sprintf("Threads are off CPU, pre-empted or ready to run, for %s instead of %s", after,
			before)}, own)
}

// findOverlap tells that of the same work more or less lies on the critical path.
func (a *attribution) findOverlap() {
	if !a.large(account.Net(a.l.Serial()).ElapsedNs) {
		return
	}
	own, overlaps := a.l.TakeOverlap()
	threads, more := a.b.Overlap(), own.ElapsedNs > 0
	text := fmt.Sprintf("Of the work that both sides do, %s %s lies on the critical path, which goes "+
		"another way", a.length(max(own.ElapsedNs, -own.ElapsedNs)), [2]string{"less", "more"}[toInt(more)])
	if overlaps {
		text = fmt.Sprintf("Work that both sides do runs %s in parallel: %s instead of %s threads "+
			"work at a time", [2]string{"more", "less"}[toInt(more)], digits(threads[pair.B], 2),
			digits(threads[pair.A], 2))
	}
	level := a.levelOfOverlap(own.ElapsedNs)
	a.addCause(Finding{Kind: "overlap", DeltaNs: own.ElapsedNs, Certainty: level,
		Claims: a.claimRun(finding.WorkNs, finding.ElapsedNs),
		words:  text}, own)
}

func (a *attribution) selfNoun() string { return geom.SelfNoun(string(a.p.A.Unit)) }

func (a *attribution) length(ns int64) string { return finding.Length(ns, a.p.A.Unit) }

// lengths returns both sides' times in words that differ if the times do.
func (a *attribution) lengths(ns [2]int64) (before, after string) {
	return finding.Lengths(ns, a.p.A.Unit)
}

func (a *attribution) signed(ns int64) string { return Signed(ns, a.p.A.Unit) }
