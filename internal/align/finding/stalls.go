package finding

import (
	"math"
	"math/bits"

	"diptych/internal/pair"
)

// What chance explains of profiles and recordings of samples, whose samples may hold for longer
// where the machine was busy.

// stalled is samples that hold many times as long as most, see trace.Stall.
type stalled struct {
	samples int64
	ns      int64
	longest int64   // of these, those that hold longestStall times as long as the shortest
	squares float64 // of these
}

const longestStall = 4

func (s *stalled) add(x stalled) {
	s.samples, s.ns, s.longest, s.squares = s.samples+x.samples, s.ns+x.ns, s.longest+x.longest, s.squares+x.squares
}

// findStalls finds in which nodes the longest samples lie, if both recordings know them.
func (p *profiles) findStalls() {
	a, b := p.s.p.A, p.s.p.B
	if a.SteadyWeight == 0 || b.SteadyWeight == 0 {
		return
	}
	p.steady = max(p.usual, float64(max(a.SteadyWeight, b.SteadyWeight)))
	p.stalls = map[node][2]stalled{}
	longest := [2]int64{p.longestFrom(pair.A), p.longestFrom(pair.B)}
	var ns, squares [2]float64 // by side; of all but the longest
	for _, t := range p.trees {
		for sd, th := range t.r.Threads {
			if th == nil {
				continue
			}
			for _, self := range t.self[sd] {
				ns[sd] += float64(self)
				squares[sd] += float64(self) * p.steady
			}
			for _, x := range th.Stalls() {
				// Where it begins, a callee may end.
				long, in := float64(x.Dur), node{t, int32(th.Enclosing(x.At + x.Dur/2))}
				found := stalled{samples: 1, ns: x.Dur}
				squares[sd] -= long * p.steady
				if x.Dur >= longest[sd] {
					found.longest, found.squares = x.Dur, long*long
					ns[sd] -= long
				} else {
					squares[sd] += long * long
				}
				if in.i >= 0 {
					s := p.stalls[in]
					s[sd].add(found)
					p.stalls[in] = s
				}
			}
		}
	}
	p.uneven = max(p.steady, squares[pair.A]/max(ns[pair.A], 1), squares[pair.B]/max(ns[pair.B], 1))
}

// longestFrom returns how long the longest stalls of a side hold at least. Stalls hold for a power
// of two or more (stacks.Weights).
func (p *profiles) longestFrom(sd pair.Side) int64 {
	least := int64(longestStall * p.steady) // where the only stalls are long ones
	for _, th := range p.s.p.Trace(sd).Threads {
		for _, x := range th.Stalls() {
			least = min(least, x.Dur)
		}
	}
	return longestStall << (bits.Len64(uint64(max(least, 1))) - 1)
}

// byChance reports whether chance explains by how much the untold samples of a function differ.
// What both sides call varies by more than its samples, since stalls tell that the machine is busy;
// and the number of its samples must differ, too: on a machine that has become busy 600 samples
// take 2.6 s that took 1.4 s, and none of it is the function's doing.
func (p *profiles) byChance(v *sampling, what scope) bool {
	if p.steady > 0 && min(len(v.nodes[pair.A]), len(v.nodes[pair.B])) == 0 {
		return p.loneByChance(v, what)
	}
	return SamplesByChance(v.untold, p.weightOf(v), p.s.report.Pace) || p.steady > 0 && p.onlyLonger(v, what)
}

// loneByChance is byChance for a function that one side lacks. The longest samples count only if
// they lie in it: a stall of 270 ms elsewhere says nothing of 400 samples of 1 ms that the other
// run has none of.
func (p *profiles) loneByChance(v *sampling, what scope) bool {
	if !SamplesByChance(v.untold, p.weightOf(v), 1) {
		return false
	}
	var in stalled
	p.eachNode(v, what, func(t *tree, sd pair.Side, _, i int32) {
		if !t.told[sd][i] {
			in.add(p.stalls[node{t, i}][sd])
		}
	})
	only := float64(max(v.untold[pair.A], v.untold[pair.B]))
	return only < chance*math.Sqrt(p.uneven*(only-float64(in.longest))+in.squares)
}

// onlyLonger reports whether a function has about as many samples on both sides, or more on the
// side where they take less time: then they only hold for longer. A stall is one sample, however
// long it is. For example, on a machine that has become so busy that half of the samples stall:
//
//	handle   345 samples, 606 ms → 340 samples, 2.16 s    no change of the function
//	clone      1 sample, 1.11 ms → 124 samples, 1.36 s    a change
func (p *profiles) onlyLonger(v *sampling, what scope) bool {
	var steady, samples [2]float64 // those that do not stall, ns; and all
	p.eachNode(v, what, func(t *tree, sd pair.Side, _, i int32) {
		if t.told[sd][i] {
			return
		}
		x := p.stalls[node{t, i}][sd]
		steady[sd] += float64(t.self[sd][i] - x.ns)
		samples[sd] += float64(x.samples)
	})
	for sd, weight := range [2]int64{p.s.p.A.SteadyWeight, p.s.p.B.SteadyWeight} {
		samples[sd] += steady[sd] / float64(weight)
	}
	const thousand = 1000 // of a sample, as they are summed up
	n := [2]int64{int64(thousand * samples[pair.A]), int64(thousand * samples[pair.B])}
	return SamplesByChance(n, thousand, 1) || !sameWay(n[pair.B]-n[pair.A], v.untold[pair.B]-v.untold[pair.A])
}

// weightOf returns what a sample of a function weighs. That samples differ says little of one that
// was never met on one side, and on the other many times, or by samples that hardly differ: random
// ones weigh up to twice as much.
func (p *profiles) weightOf(v *sampling) float64 {
	a, b := len(v.nodes[pair.A]), len(v.nodes[pair.B])
	if min(a, b) == 0 && (max(a, b) >= fewSamples || p.sample <= 2*p.usual) {
		return p.usual
	}
	return p.sample
}

// SamplesByChance reports whether totals of two profiles, whose samples have the given weight,
// differ by less than four standard deviations, as they are or beside the pace (samplepace.go).
func SamplesByChance(totals [2]int64, sample, pace float64) bool {
	a, b := float64(totals[pair.A]), float64(totals[pair.B])
	within := func(a, b, pace float64) bool { return math.Abs(b-a) < chance*math.Sqrt(sample*(pace*a+b)) }
	return a == b || within(a, b, 1) || (pace*a > b) != (a > b) || within(pace*a, b, pace)
}
