package finding

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
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
			still, all = still+e.unchanged, all+float64(e.self[pair.A])
		}
	}
	if still >= exact*all {
		return ofExact
	}
	return ofClock
}

// agreeing returns by how many blocks of equal weight a change is carried.
func (e *effort) agreeing() float64 { return equalWeights(e.sum, e.blocks[:]) }

// equalWeights returns how many changes of equal size and sign have this sum and the squares of d:
// (Σd)²/Σd², which Kish calls the effective size of a sample. Four equal changes count as 4, one
// that is ten times as large as the other three together as little more than 1.
func equalWeights(sum float64, d []float64) float64 {
	squares := floats.Dot(d, d)
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// calmed returns Σd and the number of agreeing blocks if the block that changed most in either
// direction had changed like the next: one stall must not hide what all other blocks agree on.
func (e *effort) withoutStall() (sum, agreeing float64) {
	d := e.blocks
	slices.Sort(d[:])
	if d[0] < 0 {
		d[0] = min(d[1], 0)
	}
	if last := blocks - 1; d[last] > 0 {
		d[last] = max(d[last-1], 0)
	}
	sum = floats.Sum(d[:])
	return sum, equalWeights(sum, d[:])
}

// ratio returns how many times as long one side took as the other.
func (e *effort) ratio() float64 {
	a, b := float64(e.self[pair.A]), float64(e.self[pair.B])
	return max(a, b) / max(min(a, b), 1)
}

// mostly reports whether nearly all pairs changed in one direction. A machine that is busy for parts
// of a recording makes most of them do.
func (e *effort) mostlyOneWay(sign int) bool { return most*float64(e.pairs) <= float64(e.count[sign]) }

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
			sign := toInt(e.sum > 0)
			highest[sign] = max(highest[sign], math.Abs(e.sum)/max(e.agreeing(), 1))
		}
	}
	return highest
}

// swing returns the standard deviation, as a share of the time, of what functions take beyond the
// pace: the median of the deviations, each weighted by the root of its time, is hardly moved by the
// few functions that did change. Few functions say little about it, which widens it.
func swing(efforts []*effort, pace float64) float64 {
	var off, weight []float64
	for _, e := range efforts {
		if e != nil && e.likePace[pair.A] > 0 && e.likePace[pair.B] > 0 {
			off = append(off, math.Abs(math.Log(e.likePace[pair.B]/e.likePace[pair.A]/pace)))
			weight = append(weight, math.Sqrt(e.likePace[pair.A]))
		}
	}
	if len(off) < fewest {
		return 0
	}
	stat.SortWeighted(off, weight)
	return toDeviation * stat.Quantile(0.5, stat.Empirical, off, weight) * widening(len(off))
}

// widening returns how much further than with a known deviation the same probability lies at sway
// deviations, if n functions estimate it: by Student's t. It is 1.07 for 100 functions, 2.4 for 10.
func widening(n int) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: efficiency * float64(n)}
	return t.Quantile(distuv.UnitNormal.CDF(sway)) / sway
}

// toDeviation is a normal distribution's standard deviation over its median absolute one.
var toDeviation = 1 / distuv.UnitNormal.Quantile(0.75)

// efficiency of the median absolute deviation: it is as good as the standard deviation of so many of
// the samples.
const efficiency = 0.37

// certain returns how much of a change is more than chance, in ns, given the floor and the swing: all
// of it, what is left without a stall, or 0.
func (e *effort) moreThanChance(want demands, floor [2]float64, swing float64) int64 {
	told := e.self[pair.B] - e.self[pair.A]
	n := e.agreeing()
	if !e.explainedByChance(e.sum, n, want, floor, swing) {
		return told
	}
	calm, m := e.withoutStall()
	if want.blocks == 0 || m <= n || m < want.blocks || e.explainedByChance(calm, m, want, floor, swing) {
		return 0
	}
	return int64(math.Copysign(min(math.Abs(calm), math.Abs(float64(told))), calm))
}

// byChance reports whether chance explains a change Σd that n blocks agree on.
func (e *effort) explainedByChance(sum, n float64, want demands, floor [2]float64, swing float64) bool {
	sign := toInt(sum > 0)
	excess := math.Abs(sum) - sway*swing*float64(min(e.self[pair.A], e.self[pair.B]))
	switch {
	case excess <= 0 || (e.self[pair.B] > e.self[pair.A]) != (sum > 0):
		return true
	case n < min(want.blocks, float64(e.pairs)/want.few):
		return true
	case !e.mostlyOneWay(sign) && n < 2*want.blocks: // a few stalls
		return true
	case !(n >= want.sureSign*want.sureSign && e.mostlyOneWay(sign)) &&
		(want.oneSided == 0 || e.bySign[sign] < want.oneSided*e.bySign[1-sign]):
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
	for t := onFunction; t <= onThreads; t++ {
		efforts := s.efforts[t]
		like := efforts // what is up to the same chance
		if t <= onSamples {
			like = slices.Concat(s.efforts[onFunction], s.efforts[onSamples])
		}
		floor, sw := floors(like), swing(like, s.report.Pace)
		want := demanded(s.efforts[onFunction])
		switch {
		case t == onSamples:
			want = ofSamples
		case t >= onThreads || t > onFunction && want != ofExact:
			want = ofOthers
		}
		for id, e := range efforts {
			if e == nil {
				continue
			}
			ns := e.moreThanChance(want, floor, sw)
			if ns == 0 {
				continue
			}
			f := Finding{Kind: Faster, Function: s.names[id], ID: uint32(id),
				Calls: [2]int64{e.pairs, e.pairs}, DeltaNs: ns, At: e.at[toInt(ns > 0)],
				Waiting: t == onThreads}
			if ns > 0 {
				f.Kind = Slower
			}
			if s.share(f.DeltaNs) >= s.o.Least {
				f.Text = s.effortWords(&f, e)
				s.addFinding(f)
			}
		}
	}
}

// trust is what a call's duration says about the function.
type trust uint8

const (
	onFunction trust = iota // it is what the function takes
	onSamples               // its borders are those of samples
	onDevice                // it is up to a file or a device
	onThreads               // it is up to other threads
	onSystem                // it is up to the system
	trusts
)

// trustIn returns what each call's duration says. What is called while a thread waits, or by the
// system, says no more than what is around it; nor does what samples leave of a call whose callees
// they have found. A span of its own lane lasts until whoever it stands for is done. A wait that was
// over before it began is none.
func trustIn(t *trace.Trace, th *trace.Thread, over map[int32]bool) []trust {
	says := make([]trust, th.Len())
	merged, total := t.Kind == trace.Profile, th.Kind == trace.Sums
	for i, fn := range th.Fn {
		switch {
		case th.Kind == trace.AsyncTrack:
			says[i] = onThreads
		case total || byNature(t.Functions[fn].Kind):
			says[i] = onSystem
		case merged || th.Flags(i)&trace.Sampled != 0:
			says[i] = onSamples
			if up := th.Parent[i]; up >= 0 {
				says[up] = max(says[up], onSamples)
			}
		}
	}
	for _, b := range th.Blocks {
		switch {
		case b.Kind == trace.IO:
			says[b.Call] = max(says[b.Call], onDevice)
		case b.Kind == trace.Wait && !over[b.Call]:
			says[b.Call] = onThreads
		}
	}
	for i, up := range th.Parent {
		if up >= 0 && says[up] >= onDevice {
			says[i] = max(says[i], says[up])
		}
	}
	return says
}

// overAtOnce returns, by thread, the calls that wait for nothing but what was released before they
// began, such as a step of a build that its inputs precede.
func overAtOnce(t *trace.Trace) []map[int32]bool {
	over := make([]map[int32]bool, len(t.Threads))
	for _, c := range t.Correspondences {
		k, i := c.Wait.Thread, c.Wait.Call
		if over[k] == nil {
			over[k] = map[int32]bool{}
		}
		late := c.At > t.Threads[k].Start[i]
		if before, known := over[k][i]; !known || before {
			over[k][i] = !late
		}
	}
	return over
}

// byNature reports whether a tracer shows what the system does to a thread, rather than what that
// calls.
func byNature(k trace.FuncKind) bool { return k == trace.State || k == trace.Event }

// byChance reports whether how often such a call is recorded, and under which caller, is a matter of
// chance: it was inferred from samples, or it is what the system did, such as a pre-emption.
func (s *study) recordedByChance(r *align.Result, sd pair.Side, i int32) bool {
	t, th := s.p.Trace(sd), r.Threads[sd]
	return byNature(t.Functions[th.Fn[i]].Kind) || th.Flags(int(i))&trace.Sampled != 0 ||
		t.Kind == trace.Profile
}
