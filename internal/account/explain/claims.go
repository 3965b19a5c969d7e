package explain

import (
	"slices"
	"strings"
	"unicode"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Which part of the balance each finding accounts for.
//
// Findings come from the alignment, which says where and why time changed; how much it is, the
// account says. So a finding claims parts of the account: of a function that is slower its own
// parts, of calls that are new or gone what is spent below them, of threads what is spent on them.
// The claims are made in this order, and none gets what another has:
//
//	1  the pace, which all else is relative to
//	2  findings in their order, each at most what it says itself; none that follow from another.
//	   What is specific comes before the more frequent calls that it happens in (order.go)
//	3  what follows from a finding of self time and is self time too, for its cause
//	4  waiting that changed, with the work that no longer runs beside other work
//	5  the rest of a function's own parts, for a finding about its self time, or if only one side
//	   has the function; the rest must go the same way
//	6  I/O, idle time, time off CPU, and work that overlaps more or less
//	   (I/O that is too small to be told is claimed as by 5)
//	7  functions of which much is left, although no finding is about their own time; then packages
//
// A finding that the totals contradict, as "f is missing in B" where f takes longer in B, gets
// nothing.

// scope is which parts of the account a finding is about.
type scope uint8

const (
	ofNothing scope = iota
	ofItself        // the function's own parts
	ofCallees       // and all that it calls
	ofThreads       // all that runs on threads that one side alone has
)

var scopes = map[string]scope{
	"slower": ofItself, "faster": ofItself, "burst": ofItself, "wait": ofItself,
	"missing": ofCallees, "new": ofCallees, "repeat": ofCallees, "moved": ofCallees,
	"called": ofCallees, "threads": ofThreads,
}

// scopeOf returns what a finding is about. Of calls that are new or gone, or of which there are
// more or fewer, only the self time may be told, since what they call goes on elsewhere: its claims
// say so. Where samples were compared, a function may be slower by its callees.
func scopeOf(p *pair.Pair, f *finding.Finding) scope {
	s := scopes[f.Kind.String()]
	if f.Threads && timesDiffer(f) {
		return ofNothing
	}
	if s != ofItself && s != ofCallees {
		return s
	}
	if slices.ContainsFunc(f.Claims, func(c finding.Claim) bool { return c.Quantity == finding.SelfNs }) {
		return ofItself
	}
	if p.BySamples() {
		return ofCallees
	}
	return s
}

// timesDiffer reports whether calls that other threads make take a time that this does not explain:
// 60 µs instead of 1.5 ms, say. Then something else is the cause of it.
func timesDiffer(f *finding.Finding) bool {
	k := slices.IndexFunc(f.Claims, func(c finding.Claim) bool { return c.Quantity == finding.TotalNs })
	if k < 0 {
		return false
	}
	ns := f.Claims[k].Values
	return max(ns[pair.A], ns[pair.B]) > 2*min(ns[pair.A], ns[pair.B])
}

// Options returns how a balance must be made that findings claim parts of: functions are one that
// findings count as one.
func Options(p *pair.Pair, r *finding.Report) account.Options {
	o := account.Options{Same: map[uint32]uint32{}, Below: map[uint32]bool{}, SampleType: r.SampleType}
	for id := range uint32(len(p.Names)) {
		if to := r.Identity(id); to != id {
			o.Same[id] = to
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Under < 0 && scopeOf(p, f) == ofCallees {
			o.Below[r.Identity(f.ID)] = true
		}
	}
	return o
}

// attribution makes the claims.
type attribution struct {
	p      *pair.Pair
	r      *finding.Report
	b      *account.Balance
	l      *account.Ledger
	found  []finding.Finding
	noise  finding.Noise
	own    []account.Delta // by finding
	offNs  []int64         // by finding: by how much longer its calls, with callees, are off CPU
	causes []Finding       // that the account finds by itself
	waits  []account.WaitChange
	waitOf map[uint32]int  // index in causes, by function that waits
	waitAt []int           // index in causes, by index in waits
	told   map[uint32]bool // functions that findings are about

	firstOf [2][]int32 // by side and identity: a function, or −1; nil until it is asked for
}

// attribute returns all findings with what each accounts for, those first that account for most,
// and what is left.
func attribute(p *pair.Pair, r *finding.Report, b *account.Balance) ([]Finding, account.Unexplained) {
	a := &attribution{p: p, r: r, b: b, l: account.NewLedger(b), found: r.Findings,
		noise: r.Noise, own: make([]account.Delta, len(r.Findings)),
		offNs: make([]int64, len(r.Findings)), waitOf: map[uint32]int{}, told: map[uint32]bool{}}
	for i := range a.found {
		if f := &a.found[i]; f.Kind != finding.Threads {
			a.told[a.id(f)] = true
		}
	}
	pace := a.paceOf()
	paced := a.findPace(pace)
	a.gatherWaits()
	for _, i := range a.claimOrder() {
		a.claim(i, a.found[i].DeltaNs, a.portions(i))
	}
	a.claimFollowers()
	a.findWaits()
	a.claimRests(false)
	a.findIO()
	a.claimRests(true)
	a.findIdle()
	a.findOffCPU()
	a.findOverlap()
	if p.Profile() {
		a.findGroups(a.fewSamples) // else a list of functions by chance
	}
	a.findRests()
	a.findGroups(anyRest)
	list, at := a.list()
	if paced {
		a.putUnder(list, at, pace)
	}
	a.putJoinsUnder(list)
	a.putMovesUnder(list, at)
	a.putStatesUnder(list, at)
	shortenNames(list)
	for i := range list {
		list[i].say()
	}
	return rankFindings(b, r.Noise, list), a.l.Unexplained()
}

// portions returns the parts that a finding is about.
func (a *attribution) portions(i int) []account.Portion {
	f := &a.found[i]
	switch scopeOf(a.p, f) {
	case ofItself:
		return a.l.Of(a.id(f))
	case ofCallees:
		running, off := a.below(a.id(f))
		a.offNs[i] = off
		return running
	case ofThreads:
		return a.b.OfThreads(a.loneThreads(f))
	}
	return nil
}

// below returns the parts of a function's calls, callees included, and by how much longer these are
// off CPU. Being pre-empted is no part of what calls claim: which of them another program's turn
// falls into is chance, even if it is certain that there are more calls.
func (a *attribution) below(id uint32) (running []account.Portion, offCPU int64) {
	for _, p := range a.b.Below(id) {
		if a.b.Cells[p.Cell].Kind == account.OffCPU {
			offCPU += p.Delta.WorkNs
		} else {
			running = append(running, p)
		}
	}
	return running, offCPU
}

// mostlyOff reports whether finding i tells the time of calls with their callees, and most of that
// is off CPU.
func (a *attribution) mostlyOff(i int) bool {
	ns := a.found[i].DeltaNs
	return 2*magnitude(account.Common(a.offNs[i], ns)) > magnitude(ns) && !a.p.BySamples()
}

func (a *attribution) id(f *finding.Finding) uint32 { return a.r.Identity(f.ID) }

// claim claims portions for finding i, at most ns of them.
func (a *attribution) claim(i int, ns int64, list []account.Portion) {
	if len(list) > 0 {
		a.own[i] = a.own[i].Plus(a.l.Take(list, ns))
	}
}

// claimFollowers claims the self time of functions whose findings follow from that of a caller, if
// this one has claimed no more than its own. For example, area is called 20 times instead of 240.
// What it calls is mostly called by others too, so it claims its self time; but that it calls cross
// less often follows from it, so the self time of cross is its doing as well.
func (a *attribution) claimFollowers() {
	for i := range a.found {
		f := &a.found[i]
		if f.Under < 0 || f.Waiting || scopeOf(a.p, f) != ofItself {
			continue
		}
		up := f.Under
		for a.found[up].Under >= 0 {
			up = a.found[up].Under
		}
		cause := &a.found[up]
		if scopeOf(a.p, cause) == ofItself && !a.toldAsWait(up) && (cause.DeltaNs > 0) == (f.DeltaNs > 0) {
			a.claim(up, f.DeltaNs, a.l.Of(a.id(f)))
		}
	}
}

// oneSided reports whether only one side calls the function of a finding.
func (a *attribution) oneSided(i int) bool {
	var calls [2]int64
	for _, p := range a.l.Of(a.id(&a.found[i])) {
		for sd, amount := range a.b.Cells[p.Cell].Amounts {
			calls[sd] += amount.Calls
		}
	}
	return min(calls[pair.A], calls[pair.B]) == 0
}

// claimRests claims what is left of functions' own parts for findings about their self time, or
// about functions that one side alone calls. Input and output that take more of the difference than
// a finding says are claimed only if all is: if they are large, they are told by themselves
// (findIO), since what a call is off CPU, while it reads a file, is no self time. For example, open
// takes 350 µs longer itself, and waits 10 ms for the disk.
func (a *attribution) claimRests(all bool) {
	for i := range a.found {
		s := scopeOf(a.p, &a.found[i])
		if a.found[i].Under >= 0 || a.toldAsWait(i) || s != ofItself && !(s == ofCallees && a.oneSided(i)) {
			continue
		}
		list := asWork(a.b, a.l.Of(a.id(&a.found[i])))
		io := account.Net(a.l.OfFunction(account.IO, a.id(&a.found[i])))
		if !all && !a.oneSided(i) && magnitude(io.WorkNs) > magnitude(a.found[i].DeltaNs) {
			list = slices.DeleteFunc(list, func(p account.Portion) bool {
				return a.b.Cells[p.Cell].Kind == account.IO
			})
		}
		a.claimRest(i, list)
	}
}

// claimRest claims portions for finding i, as far as they go the same way.
func (a *attribution) claimRest(i int, list []account.Portion) {
	net, up := account.Net(list), a.found[i].DeltaNs > 0
	for k := range list {
		if (net.ElapsedNs > 0) != up {
			list[k].Delta.ElapsedNs = 0
		}
		if (net.WorkNs > 0) != up {
			list[k].Delta.WorkNs = 0
		}
	}
	a.claim(i, account.Unbounded, list)
}

// asWork bounds what portions of work have of elapsed time: a function that takes 3 ms longer
// lengthens the run by 3 ms at most. If more of it lies on the critical path, the path goes another
// way.
func asWork(b *account.Balance, list []account.Portion) []account.Portion {
	for k, p := range list {
		if b.Cells[p.Cell].Kind.Works() {
			list[k].Delta.ElapsedNs = account.Common(p.Delta.ElapsedNs, p.Delta.WorkNs)
		}
	}
	return list
}

// loneThreads returns the threads without a counterpart, by side, that a finding tells together:
// those whose names differ only in digits.
func (a *attribution) loneThreads(f *finding.Finding) (of [2][]int) {
	want := ""
	for sd, at := range f.At {
		if at != nil {
			want = threadPattern(a.p.Trace(pair.Side(sd)).Threads[at.Thread])
		}
	}
	for _, t := range a.p.Threads {
		for _, sd := range []pair.Side{pair.A, pair.B} {
			if i := t.On(sd); i >= 0 && t.On(sd.Other()) < 0 &&
				threadPattern(a.p.Trace(sd).Threads[i]) == want {
				of[sd] = append(of[sd], i)
			}
		}
	}
	return of
}

func threadPattern(th *trace.Thread) string {
	name := th.CommonName()
	if th.Role == "" {
		name = th.Title()
	}
	return th.Kind.String() + " " + strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, name)
}

// list returns all findings, those of the account first, and where in it each one of the alignment
// is. What the alignment says of a wait is left out where the account tells it with its object.
func (a *attribution) list() (list []Finding, at []int) {
	list, at = append(list, a.causes...), make([]int, len(a.found))
	for i := range a.found {
		if cause, ok := a.waitOf[a.id(&a.found[i])]; ok && a.toldAsWait(i) {
			at[i] = cause
			continue
		}
		f := &a.found[i]
		at[i] = len(list)
		list = append(list, Finding{Under: -1, Kind: f.Kind.String(), Function: f.Function,
			Calls: f.Calls, DeltaNs: f.DeltaNs, Share: min(f.Share, 1), Own: a.own[i], At: f.At,
			Waiting: f.Waiting, Certainty: f.Certainty, Caller: f.Caller, Claims: f.Claims,
			Slight: f.Slight, Order: f.Order, Lead: f.Lead, machine: a.isOffCPU(a.id(f)), words: f.Text})
		if f.Awaits {
			list[at[i]].words += a.awaitedWords(i)
		}
		if f.Kind == finding.Threads {
			list[at[i]].words += a.waitedForWords(f)
		}
		if a.mostlyOff(i) {
			what := "it"
			if f.Kind == finding.Moved { // whose times are those of both sides
				what = "the change"
			}
			list[at[i]].words += ", most of " + what + " off CPU"
		}
	}
	for i := range a.found {
		if up := a.found[i].Under; up >= 0 && at[i] >= len(a.causes) {
			list[at[i]].Under = at[up]
		}
	}
	return list, at
}

func magnitude(ns int64) int64 { return max(ns, -ns) }
