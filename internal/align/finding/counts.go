package finding

import (
	"fmt"
	"math"
	"slices"

	"diptych/internal/pair"
)

// Functions that one side calls more often.
//
// causes.go finds the sites where that happens, from calls without a partner. Here each function is
// told once, with its totals over both whole sides: it is new or missing only if the other side
// does not call it at all. The sites say where.
//
// An alignment of an event loop, whose iterations do different things on both sides, leaves whole
// iterations without partners, and not what differs in them. So rates are compared as well: how
// often a caller makes a call for each time that it is called itself. A site counts too if its rate
// changed, by more than numbers of calls vary by chance. For example:
//
//	A: RunTask 9467 times calls Layout 3 times      B: 9231 times calls it 293 times
//	at A's rate, B's RunTask would call it 2.9 times: 290 calls are RunTask's own change
//
// It is looked at from the side that calls the caller more often.

// count is a function whose number of calls changed.
type count struct {
	id     uint32
	places []place
}

const rateLeast = 1.2 // times as often: rates that change by less follow from what calls differ in

// findRates adds the sites whose rate of calls changed.
func (s *study) findRates() {
	for _, e := range s.graph.inFunctions() {
		if e.caller == e.id || !s.rateChanged(&e) || s.isState(e.id) {
			continue
		}
		s.causes.at(site{e.caller, calleeKind{e.id, false}}).rate = true
	}
}

// rateChanged reports whether a caller that both sides have calls a function at another rate.
func (s *study) rateChanged(e *edge) bool {
	up := s.both(anywhere, e.caller)
	a, b := float64(e.of[pair.A].calls), float64(e.of[pair.B].calls)
	if up[pair.A].calls == 0 || up[pair.B].calls == 0 || a == b {
		return false
	}
	scale := float64(up[pair.B].calls) / float64(up[pair.A].calls)
	if scale < 1 { // as seen from A, so that it is the same both ways round
		a, b, scale = b, a, 1/scale
	}
	own := b - a*scale
	if own*(b-a) <= 0 || 2*math.Abs(own) < math.Abs(b-a) {
		return false
	}
	return math.Abs(own) > chance*math.Sqrt(a*scale*scale+b) &&
		max(a*scale, b) > rateLeast*min(a*scale, b)
}

// isState reports whether an identity is that of a state of a thread.
func (s *study) isState(id uint32) bool {
	for sd, t := range s.totals {
		if f := t.functions[id]; f.calls > 0 {
			tr := s.p.Trace(pair.Side(sd))
			return byNature(tr.FunctionOf(tr.Threads[f.at.Thread], int(f.at.Call)).Kind)
		}
	}
	return false
}

// hasStates reports whether an identity is that of a state of a thread, or a function in whose
// calls threads are in one.
func (s *study) hasStates(id uint32) bool {
	return s.isState(id) || slices.ContainsFunc(s.graph.calleesOf(id), func(e edge) bool { return s.isState(e.id) })
}

// counts reports whether a finding is about how often a function is called.
func (f *Finding) counts() bool {
	return f.Kind == New || f.Kind == Missing || f.Kind == Called || f.Kind == Repeat
}

func (f *Finding) grows() bool { return f.Calls[pair.B] > f.Calls[pair.A] }

// tellCount tells what happened to the calls of a function.
func (s *study) tellCount(c *count) {
	slices.SortFunc(c.places, place.order)
	t := s.both(anywhere, c.id)
	n, ns := change(t)
	f := Finding{Function: s.names[c.id], ID: c.id, DeltaNs: ns, At: s.whereOf(c, t),
		Calls: [2]int64{t[pair.A].calls, t[pair.B].calls}, Waiting: c.mostlyWaits() && (!inAsync(t) || moreAsync(t)), alone: c.alone(),
		Claims: s.claims(anywhere, c.id, Calls, TotalNs, DurationNs)}
	switch {
	case t[pair.A].calls == 0:
		f.Kind = New
	case t[pair.B].calls == 0:
		f.Kind = Missing
	case c.movedThreads(t):
		f.Kind, f.Threads, s.toldMoved[c.id] = Moved, true, true
	case n == 0:
		s.tellMovedPlaces(&f, c)
		return
	default:
		if !s.scopeCount(&f, c, t) {
			s.tellSampled(f, c, t)
			return
		}
	}
	if f.Kind != Moved && f.scope == ofAll && s.owned(c.id) < 0.5 {
		s.ownTime(&f, t)
	}
	if s.share(f.DeltaNs) < s.o.Least && f.scope != ofSelf && !(f.Kind == Moved && s.share(t[pair.A].inAll) >= s.o.Least) {
		return
	}
	s.addPlaces(&f, c)
	f.Certainty = s.countCertainty(&f, c, n, t)
	f.Text = s.countWords(&f, t) + s.writtenWords(f.ID, n)
	s.addFinding(f)
}

// movedThreads reports whether about as many calls are made by another number of threads, a fair
// part of them in threads that the other side does not have.
func (c *count) movedThreads(t [2]*total) bool {
	n, _ := change(t)
	return 10*(t[pair.A].lone+t[pair.B].lone) >= t[pair.A].calls && t[pair.A].threads != t[pair.B].threads &&
		5*magnitude(n) <= max(t[pair.A].calls, t[pair.B].calls) && c.places[0].stray != 0
}

// scopeCount finds how much time the change of a function's count makes, and reports whether there
// is any that has the direction of the function's whole time.
func (s *study) scopeCount(f *Finding, c *count, t [2]*total) bool {
	n, ns := change(t)
	stray, calls, loops := int64(0), int64(0), true
	for _, p := range c.places {
		stray, calls, loops = stray+p.ns, calls+p.stray, loops && (p.loops || p.stray*n <= 0)
	}
	f.Kind = Called
	if loops && calls*n > 0 {
		f.Kind = Repeat
	}
	worth := s.worth(c.id)
	switch {
	case sameWay(stray, n) && near(ns, float64(stray)) || near(ns, worth) || near(ns, f.oneCall(n, t)):
	case worth*float64(ns) <= 0:
		s.ownTime(f, t)
		return sameWay(f.DeltaNs, n) && !beyondCalls(f.DeltaNs, t)
	case math.Abs(worth) < math.Abs(float64(ns)):
		f.DeltaNs = int64(worth)
		f.scope = ofPart
	}
	return true
}

// worth returns how much time the calls take by which the numbers of a function's calls differ, ns,
// caller by caller, since calls by one function are alike. For example, in an interpreter:
//
//	A: main calls run once, 4 ms     resize calls it 76 times, 0.1 ms in all
//	B: main calls run once, 3 ms     resize does not call it
//
// There are 76 calls fewer and run takes 1 ms less, but these calls are worth 0.1 ms.
func (s *study) worth(id uint32) (ns float64) {
	ns = worthOf(s.both(atRoot, id))
	for e := range s.graph.callersOf(id) {
		if e.caller != atRoot {
			ns += worthOf(e.of)
		}
	}
	return ns
}

// worthOf returns how much time the calls take by which the numbers of alike calls differ, ns.
func worthOf(t [2]*total) float64 {
	n, _ := change(t)
	if n == 0 {
		return 0
	}
	more := t[toInt(n > 0)]
	return float64(n) / float64(more.calls) * float64(more.inEach)
}

// oneCall returns the time of the longest call of the side with more calls, negative if that is A,
// if it has no partner and the other side makes none like it; else 0.
func (f *Finding) oneCall(n int64, t [2]*total) float64 {
	sd := toInt(n > 0)
	if f.alone[sd] < t[sd].longest || t[sd].longest <= 2*t[1-sd].longest {
		return 0
	}
	return math.Copysign(float64(t[sd].longest), float64(n))
}

// alone returns by side the time of the longest call without a partner.
func (c *count) alone() (longest [2]int64) {
	for _, p := range c.places {
		for sd := range longest {
			longest[sd] = max(longest[sd], p.t.most[sd])
		}
	}
	return longest
}

// tellSampled tells the time of a function whose calls were inferred from samples: their number
// says little.
func (s *study) tellSampled(f Finding, c *count, t [2]*total) {
	_, f.DeltaNs = change(t)
	if !c.places[0].t.byChance || s.share(f.DeltaNs) < leastChance {
		return
	}
	f.Kind = [2]Kind{Faster, Slower}[toInt(f.DeltaNs > 0)]
	f.Claims, f.Certainty = s.claims(anywhere, f.ID, Calls, TotalNs), Chance
	if a, b := t[pair.A].inAll, t[pair.B].inAll; max(a, b) > ofOthers*min(a, b) &&
		min(t[pair.A].calls, t[pair.B].calls) >= entered && !s.ofRuntime(f.ID) {
		f.Certainty = Likely
	}
	a, b := Lengths([2]int64{t[pair.A].inAll, t[pair.B].inAll}, s.unit)
	f.Text = fmt.Sprintf("%s takes %s instead of %s including callees: %s, sampled in %s", f.Function,
		b, a, s.signed(f.DeltaNs), callsWords(t))
	s.addFinding(f)
}

// beyondCalls reports whether self time changed by many times what the calls take by which the
// numbers differ: that is no matter of their number. For example, of two equal runs, read waits for
// the disk for 10.4 ms longer in 2,398 calls instead of 2,395.
func beyondCalls(ns int64, t [2]*total) bool {
	n, _ := change(t)
	more := t[toInt(n > 0)]
	return float64(magnitude(ns)) > beyond*float64(magnitude(n))*float64(more.self)/float64(max(more.calls, 1))
}

// ownTime has only the self time of a function told.
func (s *study) ownTime(f *Finding, t [2]*total) {
	f.scope, f.DeltaNs = ofSelf, t[pair.B].self-t[pair.A].self
	f.Claims = append(f.Claims, s.claims(anywhere, f.ID, SelfNs)...)
}

// What DeltaNs of a finding about counts measures.
type extent uint8

const (
	ofAll  extent = iota // the whole time of the function
	ofPart               // a part of it, by the number of calls
	ofSelf               // its self time: what it calls goes on elsewhere
)

// owned returns which part of a function's change of time, from 0 to 1, is its own: what it calls
// may be called by others instead. For example, if B calls work directly rather than through wrap,
// all of wrap's time is gone, but only its self time is its own. That is so because work is called
// as often as before: if it is not, but takes longer elsewhere, what wrap made it take is gone,
// unless that was time off CPU, which may fall into any call.
func (s *study) owned(id uint32) float64 {
	if part, known := s.ownParts[id]; known {
		return part
	}
	s.ownParts[id] = 1 // in a cycle of callers
	t := s.both(anywhere, id)
	_, all := change(t)
	own := float64(t[pair.B].self - t[pair.A].self)
	for _, e := range s.graph.calleesOf(id) {
		_, here := change(e.of)
		_, whole := change(s.both(anywhere, e.id))
		if worth := int64(s.worth(e.id)); !s.isSampled(e.id) && !s.hasStates(e.id) && sameWay(worth, here) &&
			(!sameWay(whole, here) || magnitude(worth) > magnitude(whole)) {
			whole = worth
		}
		if e.id != id && (here > 0) == (whole > 0) {
			own += math.Copysign(float64(min(magnitude(here), magnitude(whole))), float64(here)) *
				s.owned(e.id)
		}
	}
	s.ownParts[id] = 0
	if all != 0 {
		s.ownParts[id] = min(max(own/float64(all), 0), 1)
	}
	return s.ownParts[id]
}

// mostlyWaits reports whether the calls without a partner mostly wait: those that one side has
// more, or all of them if both sides have about as much. For example, of spans that wait
//
//	A 14 ms, B 26 ms, beside A 6 ms and B 22 ms that work   no: 12 ms of the 28 ms more
//	A 14 ms, B 14 ms, beside A 6 ms and B 6 ms that work    yes: 28 ms of 40 ms
func (c *count) mostlyWaits() bool {
	var sum unmatched
	for _, p := range c.places {
		for sd := range sum.ns {
			sum.ns[sd] += p.t.ns[sd]
			sum.waits[sd] += p.t.waits[sd]
		}
	}
	ns, waits := sum.ns[pair.B]-sum.ns[pair.A], sum.waits[pair.B]-sum.waits[pair.A]
	if 10*magnitude(ns) >= sum.ns[pair.A]+sum.ns[pair.B] && ns != 0 {
		return sameWay(ns, waits) && 2*magnitude(waits) > magnitude(ns)
	}
	return sum.ns != [2]int64{} && sum.mostlyWaits()
}

// countCertainty returns how sure it is that a count changed because the program did. Which thread
// of several does a piece of work, and how often it looks for some, depends on the schedule: so the
// number of calls of functions that several threads call varies by its root where pairs of threads
// differ in both directions, and so does that of calls that wait, but for parts of themselves: how
// often a service is asked, whoever asks decides.
//
// How often the language's runtime calls its own functions, to collect garbage for instance,
// depends on when it does. And a call of many that takes half of the time or more would be one
// that stalls: where it has no partner, it passes for the call that the other side lacks. But if
// the caller that makes more calls makes none at all on the other side, these are no calls that
// both sides make. Of a function whose calls were inferred from samples, the number says little if
// the same caller makes some on both sides: two calls are one if nothing was recorded between them.
// In 40 pairs of equal runs of Go programs, those that made 1 % of the run differed by up to 20
// and 112. A single one says less still: 1 call instead of 17 is seen where fewer threads of other
// programs interrupt it.
//
// Where the recorder has counted the calls, also those that it leaves out, that decides.
func (s *study) countCertainty(f *Finding, c *count, n int64, t [2]*total) Certainty {
	more, written := s.asWritten(f.ID)
	if written && !sameWay(more, n) {
		return Chance
	}
	by := s.both(f.named, f.ID)
	few, most := min(by[pair.A].calls, by[pair.B].calls), max(by[pair.A].calls, by[pair.B].calls)
	both := f.Kind == Called || f.Kind == Repeat
	if both && few > 0 && most < oftenSampled*max(few, 2) && s.isSampled(f.ID) {
		return Chance
	}
	if s.hardlyMet(f) || (both || s.isSampled(f.ID)) && s.ofRuntime(c.id) &&
		(s.ofRuntime(f.caller) || s.ofRuntime(f.named)) {
		return Chance
	}
	for _, p := range c.places {
		if p.t.byChance {
			return Likely
		}
	}
	shared := max(t[pair.A].threads, t[pair.B].threads) > 1 && s.scheduled
	waits := (both && f.Waiting || 2*(t[pair.A].waits+t[pair.B].waits) > t[pair.A].self+t[pair.B].self) &&
		!s.awaitsParts(t)
	stalls := min(t[pair.A].calls, t[pair.B].calls) >= enough && !s.report.Noise.Quiet &&
		(f.Caller == "" || few > 0) &&
		2*math.Abs(f.oneCall(n, t)) >= math.Abs(float64(f.DeltaNs))
	if (shared || waits || stalls) && !s.accompanies(f, n) && n*n < chance*chance*(t[pair.A].calls+t[pair.B].calls) {
		return Chance
	}
	threads := max(t[pair.A].threads, t[pair.B].threads)
	if both && s.isRound(f.ID) || s.looksForWork(f, by) || both && threads > 1 && 2*few >= most && c.bothWays() {
		return Chance
	}
	if !written && (s.byFloor(c.id, n) || s.floor.lost[c.id]) || f.Threads && s.byPool(c.id, t) ||
		f.Threads && grownLittle(int64(t[pair.A].threads), int64(t[pair.B].threads)) ||
		f.Threads && s.lanesOf(c.id) == inLanes && !serialized(s.parallelismOf(c.id), min(f.Calls[pair.A], f.Calls[pair.B])) {
		return Chance
	}
	return Certain
}
