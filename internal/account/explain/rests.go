package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Functions whose own time changed although no finding says so. The alignment is silent about a
// function where chance explains its change call by call, and where its calls have no partners. But
// the account is exact, so a large change is told with its totals, and with what speaks for chance.

const (
	leastRest  = 0.05  // of a difference, or leastCause of the longer run
	leastOfRun = 0.001 // but no less than this of the longer run
)

// findRests tells what is left of functions' own time on CPU, the largest first.
func (a *attribution) findRests() {
	for _, r := range a.l.Rests(account.CPU) {
		left := asWork(a.b, a.l.OfFunction(account.CPU, r.Function))
		ns, calls, _ := a.b.Sum(account.CPU, r.Function)
		if !a.largeRest(account.Net(left)) || !agree(ns, left) || a.toldByItself(r.Function) {
			continue
		}
		own := a.l.Take(left, account.Unbounded)
		f := a.restOf(r.Function, ns, calls)
		f.words = a.restWords(r.Function, &f, ns, own)
		a.told[r.Function] = true
		a.addCause(f, own)
	}
}

// largeRest reports whether what is left of a function is worth telling.
func (a *attribution) largeRest(d account.Delta) bool { return worthTelling(a.b, d) }

// worthTelling reports whether a part of the accounts is a part of the run that is worth telling,
// or of the difference that is to be explained.
func worthTelling(b *account.Balance, d account.Delta) bool { return ownsAtLeast(b, d, leastRest) }

// ownsAtLeast reports whether a part of the accounts is worth telling as a part of the run, or is
// at least such a share of the difference.
func ownsAtLeast(b *account.Balance, d account.Delta, share float64) bool {
	if isLarge(b, d.WorkNs) || isLarge(b, d.ElapsedNs) {
		return true
	}
	part := func(ns, of int64, runs [2]int64) bool {
		longer := float64(max(runs[pair.A], runs[pair.B]))
		return math.Abs(float64(ns)) >= max(share*math.Abs(float64(of)), leastOfRun*longer, 1)
	}
	whole := b.Delta()
	return part(d.ElapsedNs, whole.ElapsedNs, b.Elapsed) || part(d.WorkNs, whole.WorkNs, b.Work())
}

// agree reports whether what is left goes the way that the totals do. If it does not, findings of
// other functions claim more than there is, and the totals would contradict what is owned.
func agree(ns [2]int64, left []account.Portion) bool {
	return account.Common(ns[pair.B]-ns[pair.A], account.Net(left).WorkNs) != 0
}

// toldByItself reports whether a finding says of a function how its own time changed.
func (a *attribution) toldByItself(id uint32) bool {
	for i := range a.found {
		if f := &a.found[i]; a.id(f) == id && f.Under < 0 && scopeOf(a.p, f) == ofItself {
			return true
		}
	}
	return false
}

// restOf describes how a function's own time changed, ns in so many calls. It tells of all calls of
// the function, also of those that take no such time: of two calls of a service, one may wait for
// the answer all the time.
func (a *attribution) restOf(id uint32, ns, calls [2]int64) Finding {
	all := calls
	if c := a.r.Claims(id, finding.Calls); len(c) == 1 {
		all = c[0].Values
	}
	f := Finding{Function: a.name(id), DeltaNs: ns[pair.B] - ns[pair.A], Calls: all,
		At: a.r.Longest(id), Claims: a.confirmed(id, ns, all)}
	if all[pair.A] == all[pair.B] {
		calls = all // some take no such time
	}
	f.Kind, f.Certainty = a.judgeRest(id, ns, calls)
	return f
}

// judgeRest returns the kind of a change of a function's own time and how sure it is. If calls take
// about as long as in A and there are more of them, that is the change: it is the program's. Else
// the calls take longer, and the alignment has not found that to be more than chance. For example:
//
//	10 calls of 1.0 ms → 15 calls of 1.1 ms   called, likely
//	10 calls of 1.0 ms → 11 calls of 1.5 ms   slower, chance
//	no call            → 15 calls of 1.1 ms   new, likely
//
// Where recorders leave out short calls, the numbers may only say how many were held up.
func (a *attribution) judgeRest(id uint32, ns, calls [2]int64) (kind string, c finding.Certainty) {
	n, m, d := float64(calls[pair.A]), float64(calls[pair.B]), float64(ns[pair.B]-ns[pair.A])
	switch {
	case a.r.Exact:
		return slowerOrFaster(ns[pair.B] - ns[pair.A]), finding.Certain
	case a.guessed(id), a.r.LeavesOut(id):
		return slowerOrFaster(ns[pair.B] - ns[pair.A]), finding.Chance
	}
	for sd, kind := range [2]finding.Kind{finding.New, finding.Missing} {
		if calls[sd] == 0 && !slices.Contains(a.p.IDs(pair.Side(sd)), id) {
			return kind.String(), finding.Likely
		}
	}
	if n != m {
		each := math.Inf(1) // ns a call, where they are faster
		for sd, k := range calls {
			if k > 0 {
				each = min(each, float64(ns[sd])/float64(k))
			}
		}
		byCalls := (m - n) * each
		if d*byCalls > 0 && 2*math.Abs(byCalls) >= math.Abs(d) {
			return finding.Called.String(), finding.Likely
		}
	}
	return slowerOrFaster(ns[pair.B] - ns[pair.A]), finding.Chance
}

// guessed reports whether times of a function are not those that the recording states: its calls
// were inferred from samples, so that one that was not sampled may still have been made, or its
// longest call has no recorded end.
func (a *attribution) guessed(id uint32) bool {
	return a.p.BySamples() || a.longestIs(id, trace.Sampled|trace.Unclosed)
}

// longestIs reports whether the longest call of a function on either side has one of these marks.
func (a *attribution) longestIs(id uint32, marks trace.Flags) bool {
	for sd, at := range a.r.Longest(id) {
		if at != nil && a.p.Trace(pair.Side(sd)).Threads[at.Thread].Flags(int(at.Call))&marks != 0 {
			return true
		}
	}
	return false
}

func slowerOrFaster(ns int64) string {
	return [2]finding.Kind{finding.Faster, finding.Slower}[toInt(ns > 0)].String()
}

// toldByCount reports whether a finding says of a function that it is called more or less often.
func (a *attribution) toldByCount(id uint32) bool {
	return slices.ContainsFunc(a.found, func(f finding.Finding) bool {
		return a.id(&f) == id && (f.Kind == finding.Called || f.Kind == finding.Repeat)
	})
}

// restWords returns the sentence of a function whose own time changed. Where the change follows
// from how often it is called, which another finding says, this one is about what is left of it.
func (a *attribution) restWords(id uint32, f *Finding, ns [2]int64, own account.Delta) string {
	before, after := a.lengths(ns)
	if part := own.WorkNs; f.Kind == finding.Called.String() && part != f.DeltaNs && a.toldByCount(id) {
		text := fmt.Sprintf("%s takes %s %s of %s beyond what other findings account for: %s instead of %s "+
			"in all, in %s", f.Function, a.length(magnitude(part)), [2]string{"less", "more"}[toInt(part > 0)],
			a.selfNoun(), after, before, callWords(f.Calls))
		if own.ElapsedNs != 0 && own.ElapsedNs != part {
			text += fmt.Sprintf("; %s of the elapsed time", a.signed(own.ElapsedNs))
		}
		return text
	}
	text := f.Function + " " + finding.TakesWords(ns, before, after, "of "+a.selfNoun())
	if min(ns[pair.A], ns[pair.B]) > 0 {
		text += " (" + a.signed(f.DeltaNs) + ")"
	}
	calls := f.Calls
	if f.Kind == finding.New.String() || f.Kind == finding.Missing.String() {
		calls = [2]int64{max(calls[pair.A], calls[pair.B]), max(calls[pair.A], calls[pair.B])}
		text = fmt.Sprintf("%s is %s: %s of %s", f.Function,
			finding.OnlyWords(a.p, f.Kind == finding.New.String()), a.signed(f.DeltaNs), a.selfNoun())
	}
	switch {
	case a.longestIs(id, trace.Sampled) && !a.p.BySamples():
		text += ", sampled in " + callWords(calls)
	case !a.p.BySamples():
		text += ", in " + callWords(calls)
	}
	if !a.p.Profile() {
		if own.ElapsedNs != 0 && own.ElapsedNs != f.DeltaNs {
			text += fmt.Sprintf("; %s of the elapsed time", a.signed(own.ElapsedNs))
		}
	}
	if a.longestIs(id, trace.Unclosed) {
		text += "; the end of the longest call is not in the recording"
	}
	return text
}

// group is what is left of the functions of one package that no finding names.
type group struct {
	name      string
	functions []uint32
	left      []account.Portion
}

// findGroups tells packages of which much is left in functions that want does not exclude, because
// each is too small to be told. In a profile most functions have few samples, but a package has
// many.
func (a *attribution) findGroups(want func(id uint32) bool) {
	of := a.packages()
	for _, g := range a.groups(want, of) {
		var ns, beside [2]int64 // all, and what interrupts do not take
		var claims []finding.Claim
		for _, id := range g.functions {
			of, calls, _ := a.b.Sum(account.CPU, id)
			ns[pair.A], ns[pair.B] = ns[pair.A]+of[pair.A], ns[pair.B]+of[pair.B]
			for sd, taken := range a.r.Interrupted(id) {
				beside[sd] += of[sd] - taken
			}
			claims = append(claims, a.confirmed(id, of, calls)...)
		}
		if len(g.functions) < 2 || g.name != others && !a.largeRest(account.Net(g.left)) || !agree(ns, g.left) {
			continue
		}
		f := Finding{DeltaNs: ns[pair.B] - ns[pair.A], Certainty: finding.Chance, Claims: claims}
		f.Kind = slowerOrFaster(f.DeltaNs)
		if a.r.Exact || a.r.Sample > 0 && !finding.SamplesByChance(beside, a.r.Sample, a.r.Pace) {
			f.Certainty = finding.Certain
		}
		own := a.l.Take(g.left, account.Unbounded)
		before, after := a.lengths(ns)
		more := ""
		if a.tellsOf(g, of) {
			more = "more "
		}
		f.words = fmt.Sprintf("%s %sfunctions of %s take %s of %s in all instead of %s (%s), above all %s",
			geom.FormatWhole(int64(len(g.functions))), more, g.name, after, a.selfNoun(), before, a.signed(f.DeltaNs),
			a.largestOf(g, f.DeltaNs))
		a.addCause(f, own)
	}
}

// tellsOf reports whether a finding names another function of a group's package, given the
// package of each function: then those of the group are more functions of it.
func (a *attribution) tellsOf(g *group, of map[uint32]string) bool {
	for id := range a.told {
		if of[id] == g.name && !slices.Contains(g.functions, id) {
			return true
		}
	}
	return false
}

func anyRest(uint32) bool { return true }

// fewSamples reports whether a function of a profile has so few samples that its change could be
// chance and makes little of the run, or is one sample.
func (a *attribution) fewSamples(id uint32) bool {
	ns, _, _ := a.b.Sum(account.CPU, id)
	d := ns[pair.B] - ns[pair.A]
	return finding.SamplesByChance(ns, a.r.Sample, a.r.Pace) &&
		float64(magnitude(d)) < max(wants*float64(a.longer()), 1.5*a.r.Sample)
}

// largestOf names the two functions of a group that changed most, the way that the group did: by ns
// in all. If they changed by clearly more than that, it says what the others make up for.
func (a *attribution) largestOf(g *group, ns int64) string {
	change := func(id uint32) int64 {
		ns, _, _ := a.b.Sum(account.CPU, id)
		return ns[pair.B] - ns[pair.A]
	}
	largest := slices.DeleteFunc(slices.Clone(g.functions), func(id uint32) bool {
		return account.Common(change(id), ns) == 0
	})
	slices.SortStableFunc(largest, func(x, y uint32) int {
		return cmp.Compare(magnitude(change(y)), magnitude(change(x)))
	})
	var words []string
	rest := ns
	for _, id := range largest[:min(2, len(largest))] {
		name := strings.TrimPrefix(shortName(a.name(id)), g.name+".")
		words = append(words, fmt.Sprintf("%s (%s)", name, a.signed(change(id))))
		rest -= change(id)
	}
	text := strings.Join(words, " and ")
	if 10*magnitude(rest) < magnitude(ns) || account.Common(rest, ns) != 0 {
		return text
	}
	others := "one"
	if n := len(g.functions) - len(words); n > 1 {
		others = fmt.Sprintf("%d together", n)
	}
	return text + "; the other " + others + " " + a.signed(rest)
}

// groups returns what is left of the functions that are wanted by package, or by module where
// packages are not known: of has that of each function.
func (a *attribution) groups(want func(id uint32) bool, of map[uint32]string) (list []*group) {
	byName := map[string]*group{}
	for _, r := range a.l.Rests(account.CPU) {
		name := of[r.Function]
		if name == "" || !want(r.Function) {
			continue
		}
		g := byName[name]
		if g == nil {
			g = &group{name: name}
			byName[name], list = g, append(list, g)
		}
		g.functions = append(g.functions, r.Function)
		g.left = append(g.left, asWork(a.b, a.l.OfFunction(account.CPU, r.Function))...)
	}
	if a.p.Profile() {
		list = a.joinOthers(list)
	}
	return list
}

// others is the name of the group of functions whose packages are not told as a whole.
const others = "other packages"

// joinOthers makes one group of the functions that would be told one by one, since their packages
// have no others or change little in all.
func (a *attribution) joinOthers(list []*group) []*group {
	rest := &group{name: others}
	list = slices.DeleteFunc(list, func(g *group) bool {
		if len(g.functions) > 1 && a.largeRest(account.Net(g.left)) {
			return false
		}
		for _, id := range g.functions {
			if left := asWork(a.b, a.l.OfFunction(account.CPU, id)); a.largeRest(account.Net(left)) {
				rest.functions, rest.left = append(rest.functions, id), append(rest.left, left...)
			}
		}
		return true
	})
	return append(list, rest)
}

// packages returns the package of each function, or its module, by identity. If all are of one, it
// says nothing about them. A program that has another name in B, as the file of a new build has,
// has A's: the functions that both sides have say which it is.
func (a *attribution) packages() map[uint32]string {
	of, names, inA := map[uint32]string{}, map[string]bool{}, map[string]string{}
	for _, sd := range []pair.Side{pair.A, pair.B} {
		functions, ids := a.p.Trace(sd).Functions, a.p.IDs(sd)
		name := func(fn int) string { return cmp.Or(functions[fn].Package, functions[fn].Module) }
		for fn, id := range ids {
			if known := of[id]; known != "" && name(fn) != known && inA[name(fn)] == "" && !names[name(fn)] {
				inA[name(fn)] = known
			}
		}
		for fn, id := range ids {
			if name := cmp.Or(inA[name(fn)], name(fn)); name != "" {
				of[id], names[name] = name, true
			}
		}
	}
	if len(names) < 2 {
		return nil
	}
	return of
}
