package finding

import (
	"math"

	"diptych/internal/pair"
)

// Outliers: pairs of calls of which one side takes many times as long.
//
// Some are stalls: the system had something else to do, a page was not in memory. Stalls hit all
// functions alike, on either side, and often several calls at once. Others are the program: a tenth
// of a function's calls takes ten times as long. So a function's outliers are compared with those
// of other functions in the same blocks of the run, and with its own in the other direction. They
// are the program's if
//
//   - there are many more of them than expected, by `sure` deviations, and
//   - they are not all at one moment, or they are together much larger than any other outlier.
//
// Or all of its few calls, at several moments, take longer by about as much while nothing else
// stalls. Or several of its calls, at several moments, take many times as long, by many times what
// any other outlier makes: however much of the run the function has, so that it would get most of
// the stalls. For example, of 941 actions of a build 81 take 6.6 s less, 65 times less, since their
// results were kept, while nothing else changes by more than 33 ms.
//
// A single one of many calls says nothing, however large it is: of 186 pairs of equal runs, 24 had
// one that changed by a twentieth of the run and by 7 times what any other call changed by, up to
// 87 % of the run. It does if the function is hardly ever called, the call takes a good part of the
// run and nothing else is nearly as large, or if nothing else stalls. For example, let 17 of 170
// calls take ten times as long, while 20 of 20,000 other calls are outliers: 0.2 were to be
// expected, so 17 are 15 deviations more.

// outliers sums up the outliers of all functions in one direction.
type outliers struct {
	count  int64
	ns     float64 // Σ |d|
	by     map[uint32]int64
	top    [2]float64 // the largest |d| of two functions, ns
	holder uint32     // the function of the first

	inBlock [blocks]int64
}

// strange is the outliers of a function in one direction.
type strange struct {
	count   int64
	ns      float64 // Σ |d|
	squares float64 // Σ d²
	self    [2]float64
	largest float64
}

func (o *strange) addPair(a, b, d float64) {
	o.count++
	o.ns += d
	o.squares += d * d
	o.self[0] += a
	o.self[1] += b
	o.largest = max(o.largest, d)
}

// moments returns in how many blocks of the run a function has outliers in one direction.
func (v *weighed) moments(to int) (blocks int) {
	for _, n := range v.where.strange[to] {
		blocks += toInt(n > 0)
	}
	return blocks
}

// findOutliers counts the outliers of all functions, and by how much the other pairs vary.
func (n *noise) findOutliers(efforts []*effort, of []*batchSums) {
	squares, ordinary := 0.0, 0
	n.strange = [2]outliers{{by: map[uint32]int64{}}, {by: map[uint32]int64{}}}
	for _, q := range of {
		squares, ordinary, n.stalls = squares+q.squares, ordinary+q.ordinary, n.stalls+q.stalls
		for k := range n.inBlock {
			n.inBlock[k].add(q.where.all[k])
			n.strange[0].inBlock[k] += q.where.strange[0][k]
			n.strange[1].inBlock[k] += q.where.strange[1][k]
		}
	}
	for e := range n.s.untilDone(efforts) {
		for to := range e.v.strange {
			o := &e.v.strange[to]
			n.strange[to].count += o.count
			n.strange[to].ns += o.ns
			if o.count > 0 {
				n.strange[to].by[e.id] += o.count
			}
			n.strange[to].rank(e.id, o.largest)
		}
	}
	if ordinary > 0 && !n.quiet {
		n.excess = max(squares/float64(ordinary), 1)
	}
}

func (o *outliers) rank(id uint32, ns float64) {
	switch {
	case ns > o.top[0]:
		o.top[1], o.top[0], o.holder = o.top[0], ns, id
	case ns > o.top[1]:
		o.top[1] = ns
	}
}

// without returns what other functions have: the number of outliers and the largest.
func (o *outliers) without(id uint32) (count int64, largest float64) {
	if largest = o.top[0]; o.holder == id {
		largest = o.top[1]
	}
	return o.count - o.by[id], largest
}

// certaintyOfOutliers returns how sure it is that a function's outliers in one direction are due to
// the program.
func (n *noise) certaintyOfOutliers(e *effort, v *weighed, to int) Certainty {
	o := &v.strange[to]
	_, largest := n.strange[1-to].without(e.id)
	_, beside := n.strange[to].without(e.id)
	stalls := n.strange[1].count + n.strange[0].count - n.strange[0].by[e.id] - n.strange[1].by[e.id]
	calm := float64(stalls) <= float64(n.pairs)/1000
	surplus := n.surplus(v, to)
	switch {
	case n.quiet:
		return Certain
	case n.waits || n.s.everWaits(e.id):
		return Chance // how long it takes is left to others
	case 2*o.largest > o.ns-v.strange[1-to].ns: // one call
		d := n.besideRun(v.largest[to])
		if e.pairs <= few && d > vast*float64(n.s.run) && d > beyond*max(largest, beside) {
			return Likely // one of many calls would be the one that stalls
		}
		return Chance
	case o.uneven(), o.ns < onePage*float64(o.count) && !n.ofOneCaller(e, o, to):
		return Chance
	case n.areStalls(e, v, to):
		return Chance
	case o.count >= few && surplus >= sure && calm:
		return Certain
	case o.count >= few && surplus >= sure && (v.moments(to) >= few || o.ns > few*largest):
		return Likely
	case v.dwarfs(to, max(largest, beside)):
		return Likely
	case n.pairs >= unstalled && stalls == 0, calm && o.isAll(e.pairs) && v.moments(to) >= few:
		return Likely
	}
	return Chance
}

const (
	onePage   = 1000 // ns; what a page or a line that is not in the cache costs a call at most
	hardlyAny = 0.02 // of a function's calls,
	asLong    = 2    // times the outliers of others, on average, may be stalls
	evenly    = 20   // among so many outliers, one makes all the difference
)

// areStalls reports whether hardly any calls of a function are outliers, and these are no longer
// than those of other functions. A stall makes an outlier only of a call that is short and varies
// little, so a function of such calls may have several times as many of them as others. For
// example, of two equal runs whose recorder writes to a new page of memory now and then:
//
//	lua_pushvalue  327 of 30,326 calls take 8.0 µs longer
//	all others     1,765 of 295,955 calls take 6.0 µs longer
func (n *noise) areStalls(e *effort, v *weighed, to int) bool {
	o, all := &v.strange[to], &n.strange[to]
	others := all.count - o.count
	return others >= few && float64(o.count) < hardlyAny*float64(e.pairs) &&
		o.ns/float64(max(o.count, 1)) <= asLong*(all.ns-o.ns)/float64(others)
}

// isAll reports whether all of a function's few pairs are outliers, by about as much: a stall hits
// one call and not the next. For example, a service takes 45 ms instead of 20 ms for each of five
// requests.
func (o *strange) isAll(pairs int) bool {
	return o.count > few && o.count == int64(pairs) && o.ns*o.ns >= mostly*float64(pairs)*o.squares
}

// dwarfs reports whether a function has outliers in one direction at several moments that take many
// times as long as their partners, by many times what other functions' largest outlier makes, or
// its own in the other direction.
func (v *weighed) dwarfs(to int, others float64) bool {
	o := &v.strange[to]
	return o.equal() >= enough && v.moments(to) >= enough &&
		o.self[to] > beyond*o.self[1-to] && o.squares > beyond*o.ns*max(others, v.strange[1-to].largest)
}

// equal returns how many outliers, all of one size, would have the same sums.
func (o *strange) equal() float64 { return o.ns * o.ns / max(o.squares, 1) }

// uneven reports whether a few of many outliers have almost all of the time, so that these are
// stalls, whatever the others are. In equal runs of a program that sorts words, 63,736 of 554,403
// calls took 52.2 ms longer, of which 20 made 50 ms; in others, 60,383 of 246,461 took 22 ns
// instead of 12 ns, since memory lay otherwise.
func (o *strange) uneven() bool {
	return evenly*o.equal() < float64(o.count)
}

// ofOneCaller reports whether the outliers of a function in one direction are nearly all calls that
// one of several callers makes: how memory lies does not follow the callers.
func (n *noise) ofOneCaller(e *effort, o *strange, to int) bool {
	var calls, strange []int64
	w := n.scales(e)
	callers := n.s.eachCaller(e, func(c *chunk, p, k int) {
		if k == len(calls) {
			calls, strange = append(calls, 0), append(strange, 0)
		}
		calls[k]++
		if w.outlier(c.a[p], c.b[p]) == 2*to-1 {
			strange[k]++
		}
	})
	for k, count := range strange {
		if len(callers) > 1 && float64(count) > mostly*float64(max(calls[k], o.count)) {
			return true
		}
	}
	return false
}

// everWaits reports whether calls of a function may wait.
func (s *study) everWaits(id uint32) bool {
	t := s.both(anywhere, id)
	return t[pair.A].waits+t[pair.B].waits > 0
}

// besideRun returns by how much a pair changed besides what the whole runs did, ns: on a machine
// that is busy with something else, the call that lasts longest grows as the run does.
func (n *noise) besideRun(w twin) float64 {
	d := n.s.report.Durations
	scaled := math.Abs(w.b - w.a*float64(d[pair.B])/float64(max(d[pair.A], 1)))
	return min(math.Abs(w.b-n.s.report.Pace*w.a), scaled)
}

// weight is how likely calls are to be disturbed: a page that is not in memory disturbs any call
// alike, an interrupt the longer the more.
type weight struct{ calls, ns float64 }

func (x *weight) add(y weight) { x.calls, x.ns = x.calls+y.calls, x.ns+y.ns }

// against returns how many disturbances a part of all calls has for each one of the others.
func (x weight) against(all weight) float64 {
	return max(x.calls/max(all.calls-x.calls, 1), x.ns/max(all.ns-x.ns, 1))
}

// surplus returns by how many deviations a function has more outliers in one direction than other
// functions have at the same time, in the direction in which they have more, and more than it has
// itself in the other direction. The deviation is that of a Poisson distribution, and of the rate,
// which rests on few outliers.
func (n *noise) surplus(v *weighed, to int) float64 {
	expected, own, all := 0.0, weight{}, weight{}
	for k := range n.inBlock {
		others := n.strange[0].inBlock[k] - v.where.strange[0][k]
		others = max(others, n.strange[1].inBlock[k]-v.where.strange[1][k])
		expected += float64(others) * v.where.all[k].against(n.inBlock[k])
		own.add(v.where.all[k])
		all.add(n.inBlock[k])
	}
	expected += own.against(all) // had there been one more
	expected = max(expected, float64(v.strange[1-to].count))
	known := float64(max(n.strange[0].count, n.strange[1].count))
	return (float64(v.strange[to].count) - expected) /
		math.Sqrt(expected+expected*expected/max(known, 1)+1)
}

// fewStrange reports whether most of a change is due to a few outliers.
func (v *weighed) fewStrange(slower bool) bool {
	o := v.strange[toInt(slower)]
	return o.count > 0 && 2*o.count <= int64(v.ordinary) && 2*o.ns >= math.Abs(v.sum)
}
