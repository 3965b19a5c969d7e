package finding

import (
	"math"
	"slices"

	"diptych/internal/pair"
)

// Two recordings of one program differ in every duration, and now and then a single call takes a
// thousand times as long because the system had something else to do. A function's change Σd over
// its pairs is a finding if chance is no explanation for it:
//
//   - Its pairs agree. If slower and faster were a matter of chance, the signs of the d would be
//     too, Σd² would be the variance of Σd, and n = (Σd)²/Σd² is how many pairs of equal weight
//     it is carried by.
//   - The pairs that carry it changed by a factor, the larger the fewer they are.
//   - What chance does to other functions is seen where they changed the other way. Per pair that
//     agrees, the largest of these changes is the floor, and the own change times n must be far
//     above it: chance has made one call take long, it has not made a hundred.
//   - It exceeds what functions differ by as they follow the pace.

// Where most of the time is in pairs that take equally long to a hundredth, the clock is that of a
// simulator, or counts instructions: then there is hardly any chance to guard against.

// demands are what a change must show to be more than chance.
type demands struct {
	sureSign float64 // standard deviations of Σd by chance from which signs alone are enough
	oneSided float64 // else the time on one side must be so many times that on the other; 0 for no else
	floors   float64 // floors that the change of a single block must reach
	blocks   float64 // that agree, of a function with twice as many pairs
	few      float64 // but of fewer pairs, one in so many is enough
	factor   float64 // of a single pair; that of n agreeing pairs is its n^½-th root
	ratio    float64 // of all time on both sides
}

var (
	ofClock   = demands{3.5, 6, 8, 4, 2, shared, 1}
	ofExact   = demands{1.2, 1.3, 0.3, 0, 2, 1.8, 1}
	ofSamples = demands{3.5, 0, 8, 4, 1, shared, 1}
	ofOthers  = demands{3.5, 0, 8, 4, 1, shared, 3} // these differ from run to run
)

const (
	shared = 2.5 // a call takes twice as long on a processor that is shared: it must be more
	most   = 0.8 // of the pairs must agree where signs alone are enough
	sway   = 3   // standard deviations between functions that are put down to the pace
	exact  = 0.5 // share of the time in equal pairs from which a clock is exact
)

// demanded returns what these changes must show.
func demanded(efforts []*effort) demands {
	still, all := 0.0, 0.0
	for _, e := range efforts {
		if e != nil {
			still, all = still+e.still, all+float64(e.self[pair.A])
		}
	}
	if still >= exact*all {
		return ofExact
	}
	return ofClock
}

// agreeing returns by how many blocks of equal weight a change is carried.
func (e *effort) agreeing() float64 {
	squares := 0.0
	for _, d := range e.blocks {
		squares += d * d
	}
	if squares == 0 {
		return 0
	}
	return e.sum * e.sum / squares
}

// calmed returns Σd and the number of agreeing blocks if the block that changed most in either
// direction had changed like the next: one stall must not hide what all other blocks agree on.
func (e *effort) calmed() (sum, agreeing float64) {
	d := e.blocks
	slices.Sort(d[:])
	if d[0] < 0 {
		d[0] = min(d[1], 0)
	}
	if last := blocks - 1; d[last] > 0 {
		d[last] = max(d[last-1], 0)
	}
	squares := 0.0
	for _, v := range d {
		sum, squares = sum+v, squares+v*v
	}
	if squares == 0 {
		return 0, 0
	}
	return sum, sum * sum / squares
}

// ratio returns how many times as long one side took as the other.
func (e *effort) ratio() float64 {
	a, b := float64(e.self[pair.A]), float64(e.self[pair.B])
	return max(a, b) / max(min(a, b), 1)
}

// mostly reports whether nearly all pairs changed in one direction. A machine that is busy for parts
// of a recording makes most of them do.
func (e *effort) mostly(sign int) bool { return most*float64(e.pairs) <= float64(e.count[sign]) }

// factor returns how many times as long as the other those pairs took on the slower side.
func (e *effort) factor() float64 {
	if e.weighted == 0 {
		return math.Inf(1)
	}
	return 1 + e.squares/e.weighted
}

// floors returns what chance does per pair, by the sign of the change: the largest change of a
// function over the pairs that agree on it.
func floors(efforts []*effort) (highest [2]float64) {
	for _, e := range efforts {
		if e != nil {
			sign := bit(e.sum > 0)
			highest[sign] = max(highest[sign], math.Abs(e.sum)/max(e.agreeing(), 1))
		}
	}
	return highest
}

// swing returns the standard deviation, as a share of the time, of what functions take beyond the
// pace: robustly, from the median of the deviations, each by the root of its time. What few functions
// say of it is widened as Student's t is.
func swing(efforts []*effort, pace float64) float64 {
	type vote struct{ off, weight float64 }
	var votes []vote
	all := 0.0
	for _, e := range efforts {
		if e != nil && e.near[pair.A] > 0 && e.near[pair.B] > 0 {
			off := math.Abs(math.Log(e.near[pair.B] / e.near[pair.A] / pace))
			votes = append(votes, vote{off, math.Sqrt(e.near[pair.A])})
			all += votes[len(votes)-1].weight
		}
	}
	if len(votes) < fewest {
		return 0
	}
	slices.SortFunc(votes, func(x, y vote) int {
		if x.off < y.off {
			return -1
		}
		return bit(x.off > y.off)
	})
	for _, v := range votes {
		if all -= 2 * v.weight; all <= 0 {
			return toDeviation * v.off * (1 + tails/(efficiency*float64(len(votes))))
		}
	}
	return 0
}

const (
	toDeviation = 1.4826 // a normal distribution's standard over its median absolute deviation
	efficiency  = 0.37   // of the median absolute deviation: as good as so many of the samples
	tails       = 3      // Student's t at 3 standard deviations is about 3 + 3·tails/n
)

// certain returns how much of a change is more than chance, in ns, given the floor and the swing: all
// of it, what is left without a stall, or 0.
func (e *effort) certain(want demands, floor [2]float64, swing float64) int64 {
	told := e.self[pair.B] - e.self[pair.A]
	n := e.agreeing()
	if !e.byChance(e.sum, n, want, floor, swing) {
		return told
	}
	calm, m := e.calmed()
	if want.blocks == 0 || m <= n || m < want.blocks || e.byChance(calm, m, want, floor, swing) {
		return 0
	}
	return int64(math.Copysign(min(math.Abs(calm), math.Abs(float64(told))), calm))
}

// byChance reports whether chance explains a change Σd that n blocks agree on.
func (e *effort) byChance(sum, n float64, want demands, floor [2]float64, swing float64) bool {
	sign := bit(sum > 0)
	excess := math.Abs(sum) - sway*swing*float64(min(e.self[pair.A], e.self[pair.B]))
	switch {
	case excess <= 0 || (e.self[pair.B] > e.self[pair.A]) != (sum > 0):
		return true
	case n < min(want.blocks, float64(e.pairs)/want.few):
		return true
	case !e.mostly(sign) && n < 2*want.blocks: // a few stalls
		return true
	case !(n >= want.sureSign*want.sureSign && e.mostly(sign)) &&
		(want.oneSided == 0 || e.grown[sign] < want.oneSided*e.grown[1-sign]):
		return true
	case e.ratio() < want.ratio:
		return true
	case math.Log(e.factor())*math.Sqrt(n) < math.Log(want.factor):
		return true
	}
	return n*excess < want.floors*floor[1-sign]
}

// tellEfforts tells which functions got slower or faster by themselves, and which wait longer or
// less. What the system does is not told: it is not the program's.
func (s *study) tellEfforts() {
	for t := own; t <= others; t++ {
		efforts := s.efforts[t]
		like := efforts // what is up to the same chance
		if t <= sampled {
			like = slices.Concat(s.efforts[own], s.efforts[sampled])
		}
		floor, sw := floors(like), swing(like, s.report.Pace)
		want := demanded(s.efforts[own])
		switch {
		case t == sampled:
			want = ofSamples
		case t >= others || t > own && want != ofExact:
			want = ofOthers
		}
		for id, e := range efforts {
			if e == nil {
				continue
			}
			ns := e.certain(want, floor, sw)
			if ns == 0 {
				continue
			}
			f := Finding{Kind: Faster, Function: s.names[id], ID: uint32(id),
				Calls: [2]int64{e.pairs, e.pairs}, DeltaNs: ns, At: e.at[bit(ns > 0)],
				Waiting: t == others}
			if ns > 0 {
				f.Kind = Slower
			}
			if s.share(f.DeltaNs) >= s.o.Least {
				f.Text = s.effortWords(&f, e)
				s.add(f)
			}
		}
	}
}
