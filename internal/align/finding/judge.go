package finding

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Which functions take more or less self time, and how sure that is.
//
// A function is judged by its pairs (weigh), in two parts. The bulk of its pairs is compared with
// the deviation that chance.go expects of their sum. Its outliers are compared with those of other
// functions: so many in one direction, or so large a one, that chance did not make them elsewhere.
// A change that neither shows to be more than chance is told too, if it makes a hundredth of the
// run, after all others.
//
// What is told are totals over all calls of both sides (totals.go). The pairs only say whether the
// totals differ because calls take longer: if they differ by something else, such as by the number
// of calls, the calls of one caller are told instead, or the change of the mean over the calls
// that both sides have.

const (
	sure        = 5    // deviations from which on a change is certain
	probable    = 3.5  // and likely
	few         = 3    // so many outliers may be a burst
	unstalled   = 5000 // two outliers count if there is no other among so many pairs
	leastChance = 0.01
	vast        = 0.2 // share of the run by which a single call changes that is no mere stall,
	beyond      = 10  // if it is so many times what any other call changes the other way
	loose       = 0.3 // a spread from which on a pair's change itself says how much pairs vary
	mostPairs   = 0.8 // of many pairs change in one direction if a large change is no chance
)

// deviations returns by how many standard deviations the bulk of a function changed.
func (n *noise) deviations(v *weighed) float64 {
	byCalls := math.Abs(v.ownBulk()) / max(n.deviationOf(v), 1e-9)
	ratio := math.Abs(math.Log1p(max(v.ownBulk()/max(v.base, 1), -0.9999)))
	byRun := ratio / max(math.Hypot(n.sway, n.driftOf(v)), 1e-9)
	return 1 / math.Hypot(1/max(byCalls, 1e-9), 1/max(byRun, 1e-9)) / n.widen
}

// certainty returns how sure it is that the change of a function is more than chance, and whether
// that is due to the bulk of its pairs only: what its outliers do beside could be chance.
func (n *noise) certainty(e *effort, v *weighed) (level Certainty, bulkOnly bool) {
	to, strange := toInt(v.sum > 0), Chance
	if level = n.certaintyOfBulk(e, v); v.inOneCall(e) && !n.quiet {
		level = Chance // a call that stalled, whether or not it is so far out as to be an outlier
	}
	if v.strange[to].ns > v.strange[1-to].ns {
		strange = n.certaintyOfOutliers(e, v, to)
	}
	return min(level, strange), level < Chance && strange == Chance
}

// inOneCall reports whether almost all of a change is that of one call among several.
func (v *weighed) inOneCall(e *effort) bool {
	return e.pairs > 1 && v.most[toInt(v.sum > 0)] > mostly*math.Abs(v.sum)
}

func (n *noise) certaintyOfBulk(e *effort, v *weighed) Certainty {
	if v.bulk*v.sum <= 0 {
		return Chance
	}
	switch z := n.deviations(v); {
	case z >= sure:
		return Certain
	case z >= probable:
		return Likely
	}
	ratio := math.Abs(math.Log1p(max(v.ownBulk()/max(v.base, 1), -0.9999)))
	oneWay := max(mostPairs*float64(e.pairs), entered)
	if ratio < probable*n.driftOf(v) {
		return Chance // calls that are close together share the pace of that stretch of the run
	}
	if float64(v.alike[toInt(v.sum > 0)]) >= oneWay && ratio >= math.Log(ofOthers) || n.eachByFar(e, v.sum > 0) {
		return Likely
	}
	return Chance
}

// eachByFar reports whether a function has several pairs, and each of them takes several times as
// long, or as short: of so few, nothing else says how they vary. For example, six queries take
// 25 ms each instead of 5 ms.
func (n *noise) eachByFar(e *effort, slower bool) bool {
	if e.on != onFunction || e.pairs < several || e.pairs >= entered {
		return false
	}
	for c := range e.times {
		for k, a := range c.a {
			a, b := n.s.report.Pace*a+n.s.tickNs, c.b[k]+n.s.tickNs
			if slower && b < ofOthers*a || !slower && a < ofOthers*b {
				return false
			}
		}
	}
	return true
}

const several = 5 // pairs that are no chance if all of them change much

// judged is a function's change that is to be told.
type judged struct {
	e         *effort
	v         weighed
	certainty Certainty
	caller    uint32 // whose calls are told, or anywhere
	ns        int64  // by how much totals differ
	thread    string // the one of several in which most of it happens, or ""
	by        uint32 // calls it in nearly all of the change, or atRoot
	means     bool   // ns is the change of the mean, over the calls that both sides have
	bulkOnly  bool   // part of it, by outliers, could be chance
}

// findNoiseAndCauses finds how pairs vary, and counts calls without a partner. Neither needs the
// other, so both are done at the same time: the one has work for all processors while the other is
// about to end.
func (s *study) findNoiseAndCauses() error {
	group, _ := progress.NewGroup(s.ctx)
	group.Go(func() error {
		err := s.findPace()
		if err == nil {
			s.noise = s.measureNoise(s.ordinaryEfforts())
		}
		return err
	})
	group.Go(func() error {
		s.graph, s.ownParts = newCallGraph(s.totals, len(s.p.Names)), map[uint32]float64{}
		return s.findCauses()
	})
	return group.Wait()
}

// tellEfforts tells which functions have more or less self time, and which wait longer or less.
// What the system does to a thread is told by tellStates.
func (s *study) tellEfforts() {
	ordinary := s.noise
	s.sayNoise()
	s.sayRatios(s.ordinaryEfforts())
	for _, j := range tellOnce(s.judgeAll(ordinary, s.ordinaryEfforts())) {
		s.tellEffort(ordinary, j, false)
	}
	for _, t := range []dependence{onDevice, onThreads} {
		n := s.measureNoise(s.efforts[t])
		n.waits = true
		n.sway, n.drift = max(n.sway, ordinary.sway), max(n.drift, ordinary.drift)
		for _, j := range s.judgeAll(n, s.efforts[t]) {
			if !n.quiet {
				j.certainty = max(j.certainty, sureOf(t)) // they vary most from run to run
			}
			s.tellEffort(n, j, t == onThreads)
		}
	}
	s.efforts = [dependences][]*effort{}
}

// tellOnce leaves one of two efforts of a function, those of its calls that samples were taken in
// and the others, where the same totals would be told of both: the surer one, or of two the larger.
func tellOnce(list []*judged) []*judged {
	type told struct {
		id, caller uint32
		means      bool
	}
	best := map[told]*judged{}
	of := func(j *judged) told { return told{j.e.id, j.caller, j.means} }
	for _, j := range list {
		if o := best[of(j)]; o == nil || cmp.Or(cmp.Compare(j.certainty, o.certainty),
			cmp.Compare(math.Abs(o.v.sum), math.Abs(j.v.sum))) < 0 {
			best[of(j)] = j
		}
	}
	return slices.DeleteFunc(list, func(j *judged) bool { return best[of(j)] != j })
}

// sureOf returns how sure a change can be at most of time that depends on devices, or on threads.
// How long a span lasts that waits for others says nothing from one pair of runs: in 12 pairs of
// equal runs of a server, 8 had one that differed by several times. What threads wait for, the
// account tells.
func sureOf(t dependence) Certainty {
	if t == onThreads {
		return Chance
	}
	return Likely
}

// judgeAll judges all functions but states of threads, several at a time, and returns those of
// which something is to be told.
func (s *study) judgeAll(n *noise, efforts []*effort) []*judged {
	list, borders := make([]*judged, len(efforts)), batchesOf(efforts)
	_ = s.inBatches(efforts, func(k int, run []*effort) { // a cancelled context shows later
		for i, e := range run {
			if !s.isState(e.id) {
				list[borders[k]+i] = s.judge(n, e)
			}
		}
	})
	return slices.DeleteFunc(list, func(j *judged) bool { return j == nil })
}

// judge returns what is to be told of a function, or nil.
func (s *study) judge(n *noise, e *effort) *judged {
	v := e.v
	j := &judged{e: e, v: v}
	if j.certainty, j.bulkOnly = n.certainty(e, &v); j.certainty == Chance {
		if s.share(int64(v.sum)) < leastChance {
			return nil
		}
		j.certainty = n.certaintyOfOneCaller(e, &v)
	}
	if !s.scopeTotals(j) || s.share(j.sureNs()) < s.o.Least || (j.sureNs() > 0) != (j.ns > 0) {
		return nil
	}
	j.thread = s.threadOf(j)
	return j
}

// sureNs returns by how much totals differ without outliers that could be chance.
func (j *judged) sureNs() int64 {
	if !j.bulkOnly {
		return j.ns
	}
	return j.ns - int64(j.v.strange[pair.B].ns-j.v.strange[pair.A].ns)
}

// threadOf returns the thread in which most of a change happens, if half of the time or more is in
// others; "" if there is none.
func (s *study) threadOf(j *judged) string {
	for _, p := range j.e.parts {
		if p.change/j.v.sum > mostly && 2*p.self < j.v.self {
			return title(s.results[p.k])
		}
	}
	return ""
}

const mostly = 0.8 // of a change

// scopeTotals finds the totals that differ by what the pairs do.
func (s *study) scopeTotals(j *judged) bool {
	want := j.v.sum + (s.report.Pace-1)*j.v.self
	if want*j.v.sum < 0 {
		return false // slower than others are, but less time than before
	}
	t := s.both(anywhere, j.e.id)
	net := t[pair.B].self - t[pair.A].self
	j.caller, j.ns = anywhere, net
	if near(net, want) || near(net, want*s.unpairedToo(j.e, t)) {
		return true
	}
	for _, caller := range s.callersThat(j.e.id, net, want) {
		if near(s.longerBy(j.e, caller), want) {
			c := s.both(caller, j.e.id)
			j.caller, j.ns = caller, c[pair.B].self-c[pair.A].self
			return true
		}
	}
	mean := func(t *total) float64 { return float64(t.self) / float64(max(t.calls, 1)) }
	j.ns = int64((mean(t[pair.B]) - mean(t[pair.A])) * float64(min(t[pair.A].calls, t[pair.B].calls)))
	j.means = true
	return near(j.ns, want) && sameWay(net, j.ns)
}

// unpairedToo returns by how much the pairs of a function stand for more calls than they have: if
// both sides call it about equally often, those without a partner are like the others. For example,
// threads of a pool share work otherwise in B, so that 472 of 784 calls have a partner. Each takes
// 4 µs longer: the pairs 2.0 ms in all, and the totals differ by 3.1 ms.
func (s *study) unpairedToo(e *effort, t [2]*total) float64 {
	few, most := min(t[pair.A].calls, t[pair.B].calls), max(t[pair.A].calls, t[pair.B].calls)
	if 20*(most-few) > most || e.pairs < enough {
		return 1
	}
	return max(float64(few)/float64(e.pairs), 1)
}

// callersThat returns the callers of a function, in order, whose calls of it differ in their totals
// by about what is wanted, in the direction in which all differ.
func (s *study) callersThat(id uint32, net int64, want float64) (list []uint32) {
	for e := range s.graph.callersOf(id) {
		d := e.of[pair.B].self - e.of[pair.A].self
		if near(d, want) && s.nameable(e.caller) && sameWay(net, d) {
			list = append(list, e.caller)
		}
	}
	return list
}

// longerBy returns how much longer the pairs of a function that a caller makes take in B, ns.
func (s *study) longerBy(e *effort, caller uint32) int64 {
	edge := s.totals[pair.A].edges.Find(pair.KeyOf(caller, e.id))
	if edge < 0 || int(edge) >= len(s.longer[e.on]) {
		return 0
	}
	return s.longer[e.on][edge]
}

// eachCaller calls yield for each pair of an effort with the number of the function that calls it
// in A, and returns these functions by number.
func (s *study) eachCaller(e *effort, yield func(c *chunk, p, n int)) (callers []uint32) {
	numbers := s.numbers.Get().(*[]int32) // by identity, plus 1; 0 for those not met
	of := func(caller uint32) *int32 { return &(*numbers)[min(caller, uint32(len(*numbers)-1))] }
	for c := range e.chunks {
		r, last, n := s.results[c.k], int32(-2), 0
		for p, call := range c.calls {
			if up := r.Threads[pair.A].Parent(int(call)); up != last {
				caller := s.callerID(r, pair.A, call)
				number := of(caller)
				if *number == 0 {
					callers = append(callers, caller)
					*number = int32(len(callers))
				}
				last, n = up, int(*number)-1
			}
			yield(c, p, n)
		}
	}
	for _, caller := range callers {
		*of(caller) = 0
	}
	s.numbers.Put(numbers)
	return callers
}

// sameWay reports whether two changes have one direction. None has the direction of 0. Their
// product would not tell: changes of a few seconds, in ns, are too large for it.
func sameWay(x, y int64) bool { return x > 0 && y > 0 || x < 0 && y < 0 }

func magnitude(n int64) int64 { return max(n, -n) }

// near reports whether two changes have one direction and do not differ by more than half.
func near(ns int64, want float64) bool {
	return math.Abs(float64(ns)-want) <= math.Abs(want)/2
}

// tellEffort tells a function whose calls take longer or less.
func (s *study) tellEffort(n *noise, j *judged, waits bool) {
	t := s.both(j.caller, j.e.id)
	f := Finding{Kind: Faster, Function: s.names[j.e.id], ID: j.e.id, DeltaNs: j.sureNs(), Waiting: waits,
		Calls: [2]int64{t[pair.A].calls, t[pair.B].calls}, Certainty: j.certainty,
		Claims: s.claims(anywhere, j.e.id, SelfNs, Calls)}
	if j.ns > 0 {
		f.Kind = Slower
	}
	if j.caller != anywhere {
		f.Caller = s.callerName(j.caller)
		f.Claims = append(f.Claims, s.claims(j.caller, j.e.id, SelfNs, Calls)...)
	}
	j.by = atRoot
	if j.caller == anywhere && !j.means && !j.v.inOneCall(j.e) {
		if j.by = s.mostlyBy(j.e.id, j.ns); j.by != atRoot {
			f.Claims = append(f.Claims, s.claims(j.by, j.e.id, SelfNs)...)
		}
	}
	if s.passedOn(j.e.id, j.ns) || !n.quiet && s.wakes(j) {
		f.Certainty = Chance
	}
	f.At = s.placesOf(j.v.largest[toInt(j.v.sum > 0)])
	o := j.v.strange[toInt(j.v.sum > 0)]
	if j.v.fewStrange(j.v.sum > 0) && o.count >= few && !j.bulkOnly && !n.allChange(j) {
		f.Kind = Burst
	}
	f.single = j.v.most[toInt(j.v.sum > 0)] > mostly*math.Abs(j.v.sum)
	f.Text = s.effortWords(&f, j)
	s.addFinding(f)
}

// allChange reports whether nearly all calls of a function take longer, or less, by more than
// chance, so that a few that change by much more are only the largest of them. For example, 471 of
// 472 calls take longer: 402 of them 2.6 times as long, and 70 take 34 times as long.
func (n *noise) allChange(j *judged) bool {
	return float64(j.v.alike[toInt(j.v.sum > 0)]) >= mostPairs*float64(j.e.pairs) &&
		n.certaintyOfBulk(j.e, &j.v) != Chance
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
