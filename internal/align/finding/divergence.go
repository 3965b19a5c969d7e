package finding

import (
	"math"
	"strings"
	"unicode"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Where the runs first differ, and threads that only one side has.
//
// The divergence is the first call in virtual order that only one side has, or that has a partner
// of another function; of several thread pairs, the earliest. Some differences do not count: what
// the system did to a thread, and calls that samples have missed. Calls that wait count only if
// nothing else differs, because a thread waits for what other threads do.
//
// The walk over a thread pair ends at its divergence, or after that of another pair. So the cost is
// linear in the calls before it.

// divergence is the first difference of a thread pair.
type divergence struct {
	in   *align.Result
	node align.Node
	at   int64 // ns
}

// tellDivergence tells the earliest divergence of all thread pairs.
func (s *study) tellDivergence() error {
	var first [2]divergence // of ordinary calls, and of calls that wait
	for k, r := range s.aligned {
		if s.equal[r] {
			continue
		}
		before := int64(math.MaxInt64)
		if first[0].in != nil {
			before = first[0].at
		}
		found, err := s.divergencesOf(k, before)
		if err != nil {
			return err
		}
		for w, p := range found {
			if p.in != nil && (first[w].in == nil || p.at < first[w].at) {
				first[w] = p
			}
		}
	}
	for _, p := range first {
		if p.in != nil {
			s.tellFirstDivergence(p)
			break
		}
	}
	return nil
}

// divergencesOf returns the first difference of thread pair k in ordinary calls, and the first in
// calls that wait if it comes before. What does not begin before a time, ns, is not wanted.
func (s *study) divergencesOf(k int, before int64) (found [2]divergence, err error) {
	r := s.aligned[k]
	at := [2]int64{} // when the call begins that a side is at: all that follow begin later
	for n := range r.Walk {
		for sd, i := range [2]int32{n.A, n.B} {
			if i != align.None {
				at[sd] = r.Threads[sd].Start(int(i))
			}
		}
		if min(at[pair.A], at[pair.B]) >= before {
			break
		}
		if err = s.calls.Add(s.ctx, 1); err != nil {
			break
		}
		if n.State == align.Equal ||
			n.State == align.Different && s.identity(r, pair.A, n.A) == s.identity(r, pair.B, n.B) {
			continue
		}
		waits := true
		for sd, i := range [2]*int32{&n.A, &n.B} {
			if *i == align.None {
				continue
			}
			if s.beyondProgram(k, pair.Side(sd), *i) {
				*i = align.None
			} else if !s.rules[sd].waits(r.Indices[sd], *i) {
				waits = false
			}
		}
		w := toInt(waits)
		if n.A == align.None && n.B == align.None || found[w].in != nil {
			continue
		}
		if found[w] = (divergence{r, n, when(r, n)}); !waits {
			break
		}
	}
	return found, err
}

// beyondProgram reports whether a call without a partner is due to the system, or to chance.
func (s *study) beyondProgram(k int, sd pair.Side, i int32) bool {
	r := s.aligned[k]
	switch th := r.Threads[sd]; {
	case byNature(s.p.Trace(sd).Functions[th.Fn[i]].Kind):
		return true
	case !s.recordedByChance(r, sd, i):
		return false
	}
	t := s.causes.find(site{anywhere, calleeKind{s.identity(r, sd, i), passed(r, sd, i)}})
	return t == nil || t.net() == 0
}

func (s *study) tellFirstDivergence(p divergence) {
	f := Finding{Kind: Divergence}
	for sd, i := range [2]int32{p.node.B, p.node.A} { // A last: its function is told
		if sd := pair.Side(sd).Other(); i != align.None {
			f.At[sd], f.Calls[sd] = placeOf(p.in, sd, i), 1
			f.ID = s.identity(p.in, sd, i)
		}
	}
	f.Function = s.names[f.ID]
	f.Claims = s.claims(anywhere, f.ID, Calls)
	f.Text = s.divergenceWords(p)
	s.addFinding(f)
}

// when returns the start of a node, ns: of a pair, the earlier one.
func when(r *align.Result, n align.Node) int64 {
	switch {
	case n.A == align.None:
		return r.Threads[pair.B].Start(int(n.B))
	case n.B == align.None:
		return r.Threads[pair.A].Start(int(n.A))
	}
	return min(r.Threads[pair.A].Start(int(n.A)), r.Threads[pair.B].Start(int(n.B)))
}

// threadGroup is threads without a partner whose names differ only in numbers.
type threadGroup struct {
	name    string   // of the first thread
	threads [2]int64 // by side
	all     [2]int64 // by side: threads of such a name, also those with a partner
	calls   [2]int64
	ns      [2]int64
	at      [2]*Place
	async   bool
	lanes   bool // all of them are further lanes, for what runs at the same time
	runtime bool // all of them are the language's runtime's own
	alien   bool // something of the program is called there that the other side never calls
	silent  bool // none of them does anything
	claims  []Claim
}

// tellThreads tells the threads that only one side has, those of one group together.
func (s *study) tellThreads() {
	found := map[threadLikeness]*threadGroup{}
	for _, r := range s.lone {
		sd := pair.Side(toInt(r.Indices[pair.A] < 0))
		th := r.Threads[sd]
		if !tellable(th) {
			continue
		}
		key := likenessOf(th)
		if found[key] == nil {
			found[key] = &threadGroup{name: commonName(th), async: key.async, lanes: true, runtime: true, silent: true}
		}
		found[key].silent = found[key].silent && s.silent(r, sd)
		found[key].runtime = found[key].runtime && th.Kind == trace.Runtime
		found[key].lanes = found[key].lanes && th.Lane > 0
		found[key].addThread(sd, th, placeOf(r, sd, 0))
		for _, l := range s.totals[sd].inThread[r.Indices[sd]] {
			id := uint32(s.totals[sd].keys[l.edge])
			if s.totals[sd.Other()].functions[id].calls == 0 && !s.isState(id) &&
				!s.ofRuntime(id) && !s.isSampled(id) {
				found[key].alien = true
			}
		}
	}
	s.countAlike(found)
	for _, c := range found {
		f := Finding{Kind: Threads, Function: c.name, Calls: c.calls, At: c.at, Waiting: c.async,
			DeltaNs: c.ns[pair.B] - c.ns[pair.A], Claims: c.claims}
		unlike := c.all[pair.A] == c.all[pair.B] && min(c.threads[pair.A], c.threads[pair.B]) > 0
		byItself := c.async || c.lanes || unlike || grownLittle(c.all[pair.A], c.all[pair.B])
		if byItself && (!c.alien || c.calls[pair.A]+c.calls[pair.B] < few) || c.runtime || c.silent {
			// The schedule decides how many spans overlap, and so need tracks, whether a timer runs
			// out before the end, how many of as many threads block, whether a pool of many makes
			// one more, and which threads the language's runtime makes. Of a thread that does
			// nothing nobody knows what it is.
			f.Certainty = Chance
		}
		f.Text = s.threadWords(c)
		s.addFinding(f)
	}
}

// grownLittle reports whether a pool has so few threads more or less on one side that it may have
// made them as it went: three equal runs of a browser had 12, 13 and 14 of one name.
func grownLittle(a, b int64) bool { return 5*magnitude(b-a) <= max(a, b) && a != b }

// silent reports whether a thread waits from the beginning of the run to its end, so that the
// recording does not say what it is for. For example, Go's goroutine for finalizers is known by its
// function in a run in which one is called, and else is nothing but "goroutine".
func (s *study) silent(r *align.Result, sd pair.Side) bool {
	th, all := r.Threads[sd], s.p.Trace(sd).Duration
	if from, to := th.Span(); float64(from) > 0.01*float64(all) || float64(to) < 0.99*float64(all) {
		return false
	}
	for i := range th.Fn {
		if th.Depth(i) > 0 && !s.rules[sd].waits(r.Indices[sd], int32(i)) {
			return false
		}
	}
	return th.Len() > 1 && th.Self(0) == 0
}

// threadLikeness is what the threads of a group have in common.
type threadLikeness struct {
	pattern string
	async   bool
}

func likenessOf(th *trace.Thread) threadLikeness {
	return threadLikeness{pattern(commonName(th)), th.Kind == trace.AsyncTrack}
}

// tellable reports whether a thread without a partner says that the sides differ.
func tellable(th *trace.Thread) bool { return th.Len() > 0 && th.Kind != trace.Sums }

// countAlike counts by side the threads that are named as those of a group are: if both sides have
// such threads, one of them has more.
func (s *study) countAlike(found map[threadLikeness]*threadGroup) {
	if len(found) == 0 {
		return
	}
	for _, sd := range []pair.Side{pair.A, pair.B} {
		for _, th := range s.p.Trace(sd).Threads {
			if !tellable(th) {
				continue
			}
			if c := found[likenessOf(th)]; c != nil {
				c.all[sd]++
			}
		}
	}
}

func (c *threadGroup) addThread(sd pair.Side, th *trace.Thread, at *Place) {
	from, to := th.Span()
	c.threads[sd]++
	c.calls[sd] += int64(th.Len())
	c.ns[sd] += to - from
	if c.at[sd] == nil {
		c.at[sd] = at
	}
	count, span := Claim{Quantity: Calls}, Claim{Quantity: DurationNs}
	count.Thread[sd], count.Values[sd] = &at.Thread, int64(th.Len())
	span.Thread[sd], span.Values[sd] = &at.Thread, to-from
	c.claims = append(c.claims, count, span)
}

// pattern returns a name without its digits: "worker 3" and "worker 12" have the same.
func pattern(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, name)
}

// commonName returns the name that a thread has in every run, or its title if that is only a
// number.
func commonName(th *trace.Thread) string {
	if th.Role == "" {
		return th.Title()
	}
	return th.CommonName()
}
