package explain

import (
	"fmt"
	"slices"
	"strings"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// What threads wait longer or less for, and why, in words.

// gatherWaits finds the changes of waiting that are worth telling. Threads may wait as long as
// before and the run still be shorter, because they now do so at the same time.
func (a *attribution) gatherWaits() {
	a.waits = a.b.WaitChanges(func(ns, elapsedNs int64) bool { return a.large(ns) || a.large(elapsedNs) })
}

// findWaits tells what threads wait longer or less for, with what that does to the elapsed time.
func (a *attribution) findWaits() {
	for i := range a.waits {
		w := &a.waits[i]
		a.l.TakeWait(w)
		f := Finding{Kind: "wait", Function: a.name(w.Function), DeltaNs: w.Delta(),
			Calls: w.Calls, Waiting: true, At: a.longestWaits(w), Claims: a.claimWait(w)}
		e, known := a.b.Example(w, mostLinks)
		if f.words = a.waitWords(w); known {
			f.after = a.exampleWords(&e)
		}
		f.Certainty = a.levelOfWait(w, known && a.starved(&e))
		a.waitAt = append(a.waitAt, len(a.causes))
		if _, known := a.waitOf[w.Function]; !known {
			a.waitOf[w.Function] = len(a.causes)
		}
		a.addCause(f, w.Own)
	}
}

// longestWaits returns the longest wait of a change on each side: the call that waits, or the one
// that an idle gap stands before.
func (a *attribution) longestWaits(w *account.WaitChange) (at [2]*finding.Place) {
	for sd, k := range a.b.Longest(w) {
		if k >= 0 {
			ws := &a.b.Waits[sd].Waits
			at[sd] = &finding.Place{Thread: int(ws.Thread[k]), Call: ws.Call[k]}
		}
	}
	return at
}

// toldAsWait reports whether finding i says of a function that it waits longer, less, more often or
// less often. The account says that too, with the object and what it does to the elapsed time.
func (a *attribution) toldAsWait(i int) bool {
	f := &a.found[i]
	return f.Waiting && (scopeOf(a.p, f) == ofItself || scopeOf(a.p, f) == ofCallees) &&
		slices.ContainsFunc(a.waits, func(w account.WaitChange) bool { return w.Function == a.id(f) })
}

// awaitedWords says in which function calls that finding i is about mostly wait. A reader then
// knows whether to look for who held a lock, or only for why it sleeps.
func (a *attribution) awaitedWords(i int) string {
	f := &a.found[i]
	ns := map[uint32]int64{}
	for _, p := range a.b.Below(a.id(f)) {
		if c := &a.b.Cells[p.Cell]; c.Kind == account.Wait {
			ns[c.Function] += c.Amounts[pair.B].Ns - c.Amounts[pair.A].Ns
		}
	}
	most, mostNs := account.None, magnitude(f.DeltaNs)/2
	for id, sum := range ns {
		common := magnitude(account.Common(sum, f.DeltaNs))
		if common > mostNs || common == mostNs && most != account.None && id < most {
			most, mostNs = id, common
		}
	}
	if most == account.None || most == a.id(f) {
		return finding.Awaiting
	}
	return ", most of it waiting in " + a.waitName(most)
}

// waitedForWords says in which function others mostly wait for services that one side alone has, so
// that a reader knows which one calls them. Of threads, that some function joins them is no news.
func (a *attribution) waitedForWords(f *finding.Finding) string {
	if len(a.p.A.Requests) == 0 || len(a.p.B.Requests) == 0 {
		return ""
	}
	ns, all := map[uint32]int64{}, int64(0)
	for sd, threads := range a.loneThreads(f) {
		if len(threads) == 0 || a.b.Waits[sd] == nil {
			continue
		}
		ws, ids, outer := &a.b.Waits[sd].Waits, a.p.IDs(pair.Side(sd)), map[int32]bool{}
		for k, by := range slices.Backward(ws.By) { // what lies in a wait comes after it
			if ws.Idle[k] || outer[int32(k)] || by.Thread < 0 || !slices.Contains(threads, int(by.Thread)) ||
				slices.Contains(threads, int(ws.Thread[k])) {
				continue
			}
			outer[ws.Outer[k]] = true
			ns[a.r.Identity(ids[ws.Fn[k]])] += ws.Dur(k)
			all += ws.Dur(k)
		}
	}
	for id, sum := range ns {
		if 2*sum > all && !a.isState(id) {
			return ", waited for in " + a.name(id)
		}
	}
	return ""
}

func (a *attribution) waitWords(w *account.WaitChange) string {
	text, atOnce := "Threads wait about as long as in A", ""
	switch d := w.Delta(); {
	case a.large(d) && d > 0:
		text = fmt.Sprintf("Threads wait %s longer", a.length(d))
	case a.large(d):
		text = fmt.Sprintf("Threads wait %s less", a.length(-d))
	default:
		atOnce = fmt.Sprintf(", %s of it at the same time",
			[2]string{"more", "less"}[toInt(w.Own.ElapsedNs > 0)])
	}
	if w.Object >= 0 {
		text += " for " + a.objectName(w.Object)
	}
	text += fmt.Sprintf(" in %s%s%s%s", a.waitName(w.Function), a.whoseWords(w), a.oneWaitWords(w),
		a.howMuchWords(w))
	if w.Releaser >= 0 {
		text += ", mostly released by " + a.threadTitle(w.Releaser)
	}
	if words := a.elapsedWords(w); words != "" {
		text += atOnce + words
	}
	return text
}

// howMuchWords says how long both sides wait, and in how many calls. Where one side does not wait,
// how long the other does is the change, which is told before; and whoseWords may have told which
// of them has such calls.
func (a *attribution) howMuchWords(w *account.WaitChange) string {
	before, after := a.lengths(w.Ns)
	if before != after {
		after += " instead of " + before
	}
	for sd, other := range [2]pair.Side{pair.B, pair.A} {
		if w.Calls[sd] > 0 || w.Ns[sd] > 0 {
			continue
		}
		calls := ", in " + callWords([2]int64{w.Calls[other], w.Calls[other]})
		if a.isState(w.Function) || !a.lacks(pair.Side(sd), w.Function) {
			calls += " of " + other.String() + " alone"
		}
		if a.large(w.Delta()) {
			return calls
		}
		return ": " + a.length(w.Ns[other]) + " over all threads" + calls
	}
	return fmt.Sprintf(": %s over all threads, in %s", after, callWords(w.Calls))
}

// elapsedWords says what a change makes of the elapsed time: the waiting itself, and as much work
// that no longer runs beside other work. If that is more than twice the change, or goes the other
// way, the critical path goes through other waits. For example, a run that takes 1 ms longer in all
// has 13 ms of waits on its critical path, and none where it goes through another thread.
func (a *attribution) elapsedWords(w *account.WaitChange) string {
	ns, d := w.Own.ElapsedNs, w.Delta()
	switch {
	case ns == 0:
		return ""
	case a.large(d) && 2*magnitude(account.Common(ns, d)) < magnitude(ns):
		return fmt.Sprintf("; %s %s of it lies on the critical path", a.length(magnitude(ns)),
			[2]string{"less", "more"}[toInt(ns > 0)])
	}
	return fmt.Sprintf("; %s of the elapsed time", a.signed(ns))
}

// whoseWords says whose calls wait, and whether the other side has no such calls at all. Of a state
// it says in which code threads are then.
func (a *attribution) whoseWords(w *account.WaitChange) (text string) {
	if a.isState(w.Function) {
		return a.codeWords(w)
	}
	switch {
	case a.lacks(pair.A, w.Function):
		text = " (new in B)"
	case a.lacks(pair.B, w.Function):
		text = " (missing in B)"
	}
	caller := a.b.CallerOf(w)
	if caller == account.None {
		return text
	}
	for sd, ns := range a.b.ByCaller(w, caller) {
		if 2*ns < w.Ns[sd] { // how long both sides wait is said of all calls
			return text + ", most of that called by " + a.name(caller)
		}
	}
	return text + " called by " + a.name(caller) + a.usingWords(w, caller)
}

// codeWords says in which function threads mostly are while they are in a state: ", mostly in
// sync.(*Mutex).Lock called by get". Where one wait makes all of a change, that one is told
// instead.
func (a *attribution) codeWords(w *account.WaitChange) string {
	function, caller := a.b.Code(w)
	if function == account.None || a.oneWaitWords(w) != "" {
		return ""
	}
	text := ", mostly in " + a.name(function)
	if caller != account.None {
		text += " called by " + a.name(caller)
	}
	return text
}

// usingWords says that a caller waits for several objects where it had few, or the other way round:
// a lock was split, or made one of several.
func (a *attribution) usingWords(w *account.WaitChange, caller uint32) string {
	if w.Object < 0 {
		return ""
	}
	n := a.b.ObjectsOf(w.Function, caller)
	if min(n[pair.A], n[pair.B]) == 0 || max(n[pair.A], n[pair.B]) < 2*min(n[pair.A], n[pair.B]) {
		return ""
	}
	return fmt.Sprintf(" (on %s of them instead of %s)", geom.FormatWhole(int64(n[pair.B])),
		geom.FormatWhole(int64(n[pair.A])))
}

// oneWaitWords says that one wait of many makes almost all of a change, and where it is, unless
// exampleWords does: that is how a request that takes much longer than all others shows.
func (a *attribution) oneWaitWords(w *account.WaitChange) string {
	sd := pair.Side(toInt(w.Delta() > 0))
	k := a.b.Longest(w)
	if !a.large(w.Delta()) || k[sd] < 0 || max(w.Calls[pair.A], w.Calls[pair.B]) < severalWaits {
		return ""
	}
	most := a.b.Waits[sd].Waits.Dur(k[sd])
	more := most
	if other := k[sd.Other()]; other >= 0 {
		more -= a.b.Waits[sd.Other()].Waits.Dur(other)
	}
	if 5*more < 4*magnitude(w.Delta()) || 4*more > 5*magnitude(w.Delta()) {
		return ""
	}
	if _, told := a.b.Example(w, mostLinks); told {
		return ""
	}
	ws, text := &a.b.Waits[sd].Waits, ""
	if a.isState(w.Function) {
		text = a.inWords(sd, int(ws.Thread[k[sd]]), ws.Call[k[sd]])
	}
	return fmt.Sprintf(", nearly all of it in one wait of %s in %s%s", a.length(most), sd, text)
}

const severalWaits = 10 // of which one stands out

// inWords says which two functions a state is in: ", in time.Sleep called by main.poll".
func (a *attribution) inWords(sd pair.Side, thread int, call int32) string {
	t := a.p.Trace(sd)
	th, text := t.Threads[thread], ""
	for i, n := th.Parent(int(call)), 0; i >= 0 && n < 2; i = th.Parent(int(i)) {
		if f := t.FunctionOf(th, int(i)); f.Kind != trace.State && f.Kind != trace.Event {
			text += [2]string{", in ", " called by "}[n] + a.name(a.r.Identity(a.p.IDs(sd)[th.Fn[i]]))
			n++
		}
	}
	return text
}

// mostLinks is how many threads of a chain a sentence names.
const mostLinks = 4

// exampleWords says why the longest wait of a change takes as long as it does: who waits for whom,
// and what the last one does meanwhile.
func (a *attribution) exampleWords(e *account.Example) string {
	waits, first := &a.b.Waits[e.Side].Waits, e.Chain[0]
	title := func(k int32) string { return a.p.Trace(e.Side).ThreadTitle(int(k)) }
	text := fmt.Sprintf(" The longest on side %s is %s", e.Side, a.length(waits.Dur(first.Wait)))
	for i, l := range e.Chain {
		text += [2]string{", which waits for ", ": " + title(waits.Thread[l.Wait]) +
			" waits for "}[toInt(i == 0)] + title(waits.By[l.Wait].Thread)
	}
	return text + a.meanwhileWords(e) + "."
}

// meanwhile returns what the thread does for half of the last wait or more that all others of a
// chain wait for; nil if that is not known.
func (a *attribution) meanwhile(e *account.Example) *trace.Function {
	if last := e.Chain[len(e.Chain)-1]; e.Fn < 0 || 2*e.Ns < last.To-last.From {
		return nil
	}
	return &a.p.Trace(e.Side).Functions[e.Fn]
}

// starved reports whether that thread could run, but has no processor.
func (a *attribution) starved(e *account.Example) bool {
	f := a.meanwhile(e)
	return f != nil && f.OffCPU()
}

func (a *attribution) meanwhileWords(e *account.Example) string {
	switch f := a.meanwhile(e); {
	case f == nil:
		return ""
	case f.OffCPU():
		return ", which gets no processor"
	case f.Kind == trace.State:
		return ""
	}
	return fmt.Sprintf(", which is in %s for %s", a.name(e.Function), a.length(e.Ns))
}

// objectName returns what an object is and its name, with the one in B where that is another: in
// two runs most objects have different addresses.
func (a *attribution) objectName(o int32) string {
	total, name := a.b.Object(o)
	if x := a.b.Objects[o]; x.A >= 0 && x.B >= 0 {
		if b := a.p.B.Objects[x.B].Name; b != name {
			name += " (" + b + " in B)"
		}
	}
	if kind := total.Kind.String(); !strings.HasPrefix(name, kind) {
		return kind + " " + name
	}
	return name
}

func (a *attribution) threadTitle(k int32) string {
	t := a.p.Threads[k]
	if t.A >= 0 {
		return a.p.A.Threads[t.A].Title()
	}
	return a.p.B.Threads[t.B].Title()
}
