package finding

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
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

// weighed is what the pairs of a function come to, in ns.
type weighed struct {
	sum, whole float64 // Σ d and Σ pace·a over all pairs
	bulk, base float64 // Σ d and Σ pace·a without outliers
	deviation  float64 // of bulk, by chance of its calls
	drift      float64 // of the logarithm of its ratio, by the drift of the run
	ordinary   int     // pairs without outliers
	strange    [2]strange
	alike      [2]int // pairs by the sign of d
	largest    [2]twin
	most       [2]float64
}

// strange is the outliers of a function in one direction.
type strange struct {
	count   int64
	ns      float64 // Σ |d|
	self    [2]float64
	largest float64
}

const (
	sure        = 5    // deviations from which on a change is certain
	probable    = 3.5  // and likely
	few         = 3    // so many outliers may be a burst
	unstalled   = 5000 // a single outlier counts if there is no other among so many pairs
	leastChance = 0.01
	vast        = 0.2 // share of the run by which a single call changes that is no mere stall,
	beyond      = 10  // if it is so many times what any other call changes the other way
	loose       = 0.3 // a spread from which on a pair's change itself says how much pairs vary
	oneWay      = 0.8 // of many pairs change in one direction if a large change is no chance
)

// weigh sums up the pairs of a function.
func (n *noise) weigh(e *effort) weighed {
	var v weighed
	var inBlock [blocks]float64
	squares := 0.0
	for _, w := range e.twins {
		a, b := n.s.timesOf(w)
		d := n.excessOf(w)
		v.sum += d
		v.whole += n.s.report.Pace * a
		v.count(w, d)
		if sign, _ := n.outlier(e, w); sign != 0 {
			v.strange[toInt(sign > 0)].addPair(a, b, math.Abs(d))
			continue
		}
		a *= n.s.report.Pace
		v.bulk += d
		v.base += a
		v.ordinary++
		own := n.spreadIn(e, a) * max(a, n.s.tickNs)
		if squares += own * own; n.spreadIn(e, a) > loose && math.Abs(d) > own {
			squares += d*d - own*own
		}
		inBlock[n.s.blockOf(w)] += a
	}
	drifts := 0.0
	for _, a := range inBlock {
		drifts += a * a
	}
	v.deviation = math.Sqrt(n.excess * squares)
	v.drift = n.drift * math.Sqrt(drifts) / max(v.base, 1)
	return v
}

func (v *weighed) count(w twin, d float64) {
	if d == 0 {
		return
	}
	sign := toInt(d > 0)
	v.alike[sign]++
	if math.Abs(d) > v.most[sign] {
		v.most[sign], v.largest[sign] = math.Abs(d), w
	}
}

func (o *strange) addPair(a, b, d float64) {
	o.count++
	o.ns += d
	o.self[pair.A] += a
	o.self[pair.B] += b
	o.largest = max(o.largest, d)
}

// deviations returns by how many standard deviations the bulk of a function changed.
func (n *noise) deviations(v *weighed) float64 {
	byCalls := math.Abs(v.bulk) / max(v.deviation, 1e-9)
	ratio := math.Abs(math.Log1p(max(v.bulk/max(v.base, 1), -0.9999)))
	byRun := ratio / max(math.Hypot(n.sway, v.drift), 1e-9)
	return 1 / math.Hypot(1/max(byCalls, 1e-9), 1/max(byRun, 1e-9)) / n.widen
}

// certainty returns how sure it is that the change of a function is more than chance.
func (n *noise) certainty(e *effort, v *weighed) Certainty {
	level := Chance
	if v.bulk*v.sum > 0 {
		switch z := n.deviations(v); {
		case z >= sure:
			level = Certain
		case z >= probable:
			level = Likely
		}
	}
	to := toInt(v.sum > 0)
	if ratio := math.Log1p(max(v.sum/max(v.whole, 1), -0.9999)); float64(v.alike[to]) >=
		max(oneWay*float64(len(e.twins)), entered) && math.Abs(ratio) >= math.Log(ofOthers) {
		level = min(level, Likely)
	}
	if o := v.strange[to]; o.ns > v.strange[1-to].ns {
		level = min(level, n.certaintyOfOutliers(e, o, to))
	}
	return level
}

// certaintyOfOutliers compares a function's outliers in one direction with those that others have
// in the other one, which are due to chance alone if the program got slower, or faster, as a whole.
func (n *noise) certaintyOfOutliers(e *effort, o strange, to int) Certainty {
	count, largest := n.strange[1-to].without(e.id)
	own := int64(len(e.twins))
	expected := float64(count) * float64(own) / float64(max(n.pairs-own, 1))
	surplus := (float64(o.count) - expected) / math.Sqrt(expected+1)
	stalls := n.strange[1].count + n.strange[0].count - n.strange[0].by[e.id] - n.strange[1].by[e.id]
	calm := float64(stalls) <= float64(n.pairs)/1000
	switch {
	case n.quiet:
		return Certain
	case 2*o.largest > o.ns && (n.pairs < unstalled || stalls > 0): // a single call
		if o.largest > vast*float64(n.s.run) && o.largest > beyond*largest {
			return Likely
		}
		return Chance
	case o.count >= few && surplus >= sure && calm:
		return Certain
	case o.count >= few && surplus >= sure && o.ns > few*largest:
		return Likely
	case n.pairs >= unstalled && stalls == 0:
		return Likely
	}
	return Chance
}

// judged is a function's change that is to be told.
type judged struct {
	e         *effort
	v         weighed
	certainty Certainty
	caller    uint32 // whose calls are told, or anywhere
	ns        int64  // by how much totals differ
	thread    string // the one of several in which most of it happens, or ""
	means     bool   // ns is the change of the mean, over the calls that both sides have
}

// tellEfforts tells which functions have more or less self time, and which wait longer or less.
// What the system does to a thread is told by tellStates.
func (s *study) tellEfforts() {
	like := slices.Concat(s.efforts[onFunction], s.efforts[onSamples])
	ordinary := s.measureNoise(like)
	s.noise = ordinary
	for t := onFunction; t <= onThreads; t++ {
		n := ordinary
		if t > onSamples {
			n = s.measureNoise(s.efforts[t])
			n.sway, n.drift = max(n.sway, ordinary.sway), max(n.drift, ordinary.drift)
		}
		for _, e := range s.efforts[t] {
			if e == nil || s.isState(e.id) {
				continue
			}
			if j := s.judge(n, e); j != nil {
				if t > onSamples && !n.quiet && j.certainty == Certain {
					j.certainty = Likely // devices and other threads vary most from run to run
				}
				s.tellEffort(n, j, t == onThreads)
			}
		}
	}
	s.times, s.efforts = nil, [dependences][]*effort{}
}

// judge returns what is to be told of a function, or nil.
func (s *study) judge(n *noise, e *effort) *judged {
	v := n.weigh(e)
	j := &judged{e: e, v: v}
	if j.certainty = n.certainty(e, &v); j.certainty == Chance && s.share(int64(v.sum)) < leastChance {
		return nil
	}
	if !s.scopeTotals(j) || s.share(j.ns) < s.o.Least {
		return nil
	}
	j.thread = s.threadOf(n, j)
	return j
}

// threadOf returns the thread in which most of a change happens, if half of the time or more is in
// others; "" if there is none.
func (s *study) threadOf(n *noise, j *judged) string {
	changes, times, all := map[int32]float64{}, map[int32]float64{}, 0.0
	for _, w := range j.e.twins {
		a, _ := s.timesOf(w)
		changes[w.k] += n.excessOf(w)
		times[w.k] += a
		all += a
	}
	for _, k := range sortedKeys(changes, cmp.Compare[int32]) {
		if changes[k]/j.v.sum > mostly && 2*times[k] < all {
			return title(s.results[k])
		}
	}
	return ""
}

const mostly = 0.8 // of a change

// scopeTotals finds the totals that differ by what the pairs do.
func (s *study) scopeTotals(j *judged) bool {
	want := j.v.sum + (s.report.Pace-1)*s.selfOf(j.e)
	if want*j.v.sum < 0 {
		return false // slower than others are, but less time than before
	}
	t := s.both(anywhere, j.e.id)
	net := t[pair.B].self - t[pair.A].self
	j.caller, j.ns = anywhere, net
	if near(net, want) {
		return true
	}
	byCaller := s.byCaller(j.e)
	for _, caller := range sortedKeys(byCaller, cmp.Compare[uint32]) {
		sum, c := byCaller[caller], s.both(caller, j.e.id)
		d := c[pair.B].self - c[pair.A].self
		if near(int64(sum), want) && near(d, want) && s.nameable(caller) && net*d > 0 {
			j.caller, j.ns = caller, d
			return true
		}
	}
	mean := func(t total) float64 { return float64(t.self) / float64(max(t.calls, 1)) }
	j.ns = int64((mean(t[pair.B]) - mean(t[pair.A])) * float64(min(t[pair.A].calls, t[pair.B].calls)))
	j.means = true
	return near(j.ns, want) && (net > 0) == (j.ns > 0)
}

// selfOf returns the self time of A's calls that have partners.
func (s *study) selfOf(e *effort) (ns float64) {
	for _, w := range e.twins {
		a, _ := s.timesOf(w)
		ns += a
	}
	return ns
}

// byCaller sums up by how much pairs differ, by the function that calls them.
func (s *study) byCaller(e *effort) map[uint32]float64 {
	sums := map[uint32]float64{}
	for _, w := range e.twins {
		a, b := s.timesOf(w)
		sums[s.callerID(s.results[w.k], pair.A, w.i)] += b - a
	}
	return sums
}

// near reports whether two changes have one direction and do not differ by more than half.
func near(ns int64, want float64) bool {
	return math.Abs(float64(ns)-want) <= math.Abs(want)/2
}

// tellEffort tells a function whose calls take longer or less.
func (s *study) tellEffort(n *noise, j *judged, waits bool) {
	t := s.both(j.caller, j.e.id)
	f := Finding{Kind: Faster, Function: s.names[j.e.id], ID: j.e.id, DeltaNs: j.ns, Waiting: waits,
		Calls: [2]int64{t[pair.A].calls, t[pair.B].calls}, Certainty: j.certainty,
		Claims: s.claims(anywhere, j.e.id, SelfNs, Calls)}
	if j.ns > 0 {
		f.Kind = Slower
	}
	if j.caller != anywhere {
		f.Caller = s.callerName(j.caller)
		f.Claims = append(f.Claims, s.claims(j.caller, j.e.id, SelfNs, Calls)...)
	}
	f.At = s.placesOf(j.v.largest[toInt(j.v.sum > 0)])
	o := j.v.strange[toInt(j.v.sum > 0)]
	if j.v.fewStrange(j.v.sum > 0) && o.count >= few {
		f.Kind = Burst
	}
	f.single = j.v.most[toInt(j.v.sum > 0)] > mostly*math.Abs(j.v.sum)
	f.Text = s.effortWords(&f, j)
	s.addFinding(f)
}

// fewStrange reports whether most of a change is due to a few outliers.
func (v *weighed) fewStrange(slower bool) bool {
	o := v.strange[toInt(slower)]
	return o.count > 0 && 2*o.count <= int64(v.ordinary) && 2*o.ns >= math.Abs(v.sum)
}

// tellStates tells the states of threads, such as being blocked, in which they are longer or
// shorter. Threads of the runtime itself are not counted in totals of others.
func (s *study) tellStates() {
	states := map[uint32]bool{}
	for sd := range s.totals {
		t := s.p.Trace(pair.Side(sd))
		for fn := range t.Functions {
			if byNature(t.Functions[fn].Kind) {
				states[s.same[s.p.IDs(pair.Side(sd))[fn]]] = true
			}
		}
	}
	for _, id := range sortedKeys(states, cmp.Compare[uint32]) {
		t := s.both(anywhere, id)
		ns := t[pair.B].self - t[pair.A].self
		if s.share(ns) < leastChance {
			continue
		}
		f := Finding{Kind: Faster, Function: s.names[id], ID: id, DeltaNs: ns, Waiting: true,
			Calls: [2]int64{t[pair.A].calls, t[pair.B].calls}, Certainty: Chance,
			Claims: s.claims(anywhere, id, SelfNs, Calls)}
		if ns > 0 {
			f.Kind = Slower
		}
		a, b := float64(t[pair.A].self), float64(t[pair.B].self)
		if !s.fromOutside(id) && f.Calls[0]+f.Calls[1] >= entered && max(a, b) > ofOthers*min(a, b) {
			f.Certainty = Likely
		}
		for sd := range f.At {
			if t[sd].calls > 0 {
				f.At[sd] = &t[sd].at
			}
		}
		f.Text = s.stateWords(&f, t)
		s.addFinding(f)
	}
}

// fromOutside reports whether an identity is that of an event of the system, such as a switch to
// another program.
func (s *study) fromOutside(id uint32) bool {
	for sd := range s.totals {
		tr := s.p.Trace(pair.Side(sd))
		for fn := range tr.Functions {
			if s.p.IDs(pair.Side(sd))[fn] == id {
				return tr.Functions[fn].Kind == trace.Event
			}
		}
	}
	return false
}

// On a machine that is shared, a state lasts twice as long now and then: it is likely that the
// program is the reason if threads are in it ofOthers times as long, having entered it often.
const (
	ofOthers = 3
	entered  = 50
)
