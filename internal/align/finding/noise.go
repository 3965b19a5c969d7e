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

// Which changes are more than chance.
//
// Two recordings of one program differ in every duration. Now and then a single call takes a
// thousand times as long, because the system had something else to do. So a function's change, Σd
// over its blocks of pairs (efforts.go), is told only if chance does not explain it:
//
//   - Its blocks agree. If each block were slower or faster by chance, the signs of the d would be
//     random and Σd² would be the variance of Σd. n = (Σd)²/Σd² is how many blocks of equal weight
//     carry the change.
//   - The pairs that carry it changed by a factor. The fewer blocks agree, the larger it must be.
//   - It is far above the floor. The floor is what chance did to other functions, and is seen
//     where they changed the other way: the largest of these changes, divided by the blocks that
//     agree on it. Chance made one call take long; it did not make a hundred calls take long.
//   - It exceeds the swing, which is what functions differ by when all follow the pace.
//
// For example, let the floor be 10 µs, because some function was 10 µs faster in one block:
//
//	d = +9, +11, +10, +10 µs   n = 40²/402 = 4.0    n·Σd = 160 µs, 16 floors, is told
//	d = +40 µs                 n = 40²/1600 = 1     n·Σd = 40 µs, 4 floors, may be a stall
//
// If most of the time is in pairs that are equal to a hundredth, the clock is that of a simulator,
// or counts instructions. Then there is hardly any chance, and thresholds are low.
//
// The thresholds were set on generated pairs whose edits are known (truth_test.go), with other
// seeds than those that the test holds them against. Time and memory are linear in the functions.

// threshold is what a change must reach to be more than chance.
type threshold struct {
	// At so many standard deviations of Σd by chance, it is enough if most pairs changed in one
	// direction. Below, the time of the pairs that changed in its direction must be oneSided times
	// that of the others; if oneSided is 0, the change is not told.
	sureSign, oneSided float64
	floors             float64 // n·Σd must be so many floors
	blocks             float64 // so many blocks must agree
	few                float64 // but if there are few pairs, one pair in so many is enough
	factor             float64 // of one pair; n blocks that agree need only its n^½-th root
	ratio              float64 // whole time on the slower side, over that on the other
}

// Thresholds by what durations depend on: the function under an ordinary clock, under an exact
// one, samples, and other threads, whose times vary most from run to run.
var (
	ofClock   = threshold{3.5, 6, 8, 4, 2, shared, 1}
	ofExact   = threshold{1.2, 1.3, 0.3, 0, 2, 1.8, 1}
	ofSamples = threshold{3.5, 0, 8, 4, 1, shared, 1}
	ofOthers  = threshold{3.5, 0, 8, 4, 1, shared, 3}
)

const (
	shared = 2.5 // more than 2: on a processor that is shared, a call takes twice as long
	most   = 0.8 // share of pairs that change in one direction if signs alone decide
	sway   = 3   // standard deviations by which a function may differ from the pace by chance
	exact  = 0.5 // from this share of the time in equal pairs on, a clock is exact
)

// thresholdOf returns what changes must reach, given those of self times.
func thresholdOf(efforts []*effort) threshold {
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

// agreeing returns how many blocks of equal weight carry the change.
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

// withoutStall returns Σd and the number of agreeing blocks as if the block that changed most in
// either direction had changed like the next one. One stall must not hide what all other blocks
// agree on:
//
//	d of the blocks:      −90  +8  +9  +10  +11     Σd = −52, as if the function were faster
//	without the stall:     0   +8  +9  +10  +10     Σd = +37
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

// mostlyOneWay reports whether nearly all pairs changed in one direction (sign 1 for slower).
// A machine that is busy during a part of the recording makes half of them do.
func (e *effort) mostlyOneWay(sign int) bool { return most*float64(e.pairs) <= float64(e.count[sign]) }

// factor returns how many times as long the pairs that carry the change took on the slower side.
// Each pair counts by |d|, so that pairs without a change do not dilute it.
func (e *effort) factor() float64 {
	if e.weighted == 0 {
		return math.Inf(1)
	}
	return 1 + e.squares/e.weighted
}

// floors returns what chance does to a block, for each sign of the change: the largest change of a
// function divided by the blocks that agree on it.
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
// pace: the median of the deviations, each weighted by the root of its time, is hardly moved by
// the few functions that did change. Few functions say little about it, which widens it.
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
// deviations, if n functions estimate it: by Student's t. It is 1.07 for 100 functions, 2.4 for
// 10.
func widening(n int) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: efficiency * float64(n)}
	return t.Quantile(distuv.UnitNormal.CDF(sway)) / sway
}

// toDeviation is a normal distribution's standard deviation over its median absolute one.
var toDeviation = 1 / distuv.UnitNormal.Quantile(0.75)

// efficiency of the median absolute deviation: it is as good as the standard deviation of so many
// of the samples.
const efficiency = 0.37

// moreThanChance returns how much of a change is more than chance, in ns, given the floor and the
// swing: all of it, what is left without one stall, or 0.
func (e *effort) moreThanChance(want threshold, floor [2]float64, swing float64) int64 {
	told := e.self[pair.B] - e.self[pair.A]
	n := e.agreeing()
	if !e.explainedByChance(e.sum, n, want, floor, swing) {
		return told
	}
	calm, m := e.withoutStall()
	if want.blocks == 0 || m <= n || m < want.blocks ||
		e.explainedByChance(calm, m, want, floor, swing) {
		return 0
	}
	return int64(math.Copysign(min(math.Abs(calm), math.Abs(float64(told))), calm))
}

// explainedByChance reports whether chance explains a change Σd that n blocks agree on.
func (e *effort) explainedByChance(sum, n float64, want threshold, floor [2]float64,
	swing float64) bool {
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

// tellEfforts tells which functions have more or less self time, and which wait longer or less.
// What the system does to a thread is not told, because the program does not do it.
func (s *study) tellEfforts() {
	for t := onFunction; t <= onThreads; t++ {
		efforts := s.efforts[t]
		like := efforts // those that chance acts on in the same way
		if t <= onSamples {
			like = slices.Concat(s.efforts[onFunction], s.efforts[onSamples])
		}
		floor, sw := floors(like), swing(like, s.report.Pace)
		want := thresholdOf(s.efforts[onFunction])
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

// dependence is what a call's duration depends on.
type dependence uint8

const (
	onFunction dependence = iota // what the function does
	onSamples                    // when samples were taken: they gave the call its borders
	onDevice                     // a file or a device
	onThreads                    // other threads
	onSystem                     // the operating system
	dependences
)

// dependencesIn returns what the duration of each call depends on. Some calls take it from others:
//
//   - whatever is called by a call that waits, or that the system makes, depends on what that
//     does;
//   - a call with sampled callees depends on the samples, for these leave it its self time;
//   - a span of an asynchronous track lasts until the thread that works on it is done;
//   - a wait for something that was released before it began (over) is an ordinary call.
func dependencesIn(t *trace.Trace, th *trace.Thread, over map[int32]bool) []dependence {
	on := make([]dependence, th.Len())
	merged, total := t.Kind == trace.Profile, th.Kind == trace.Sums
	for i, fn := range th.Fn {
		switch {
		case th.Kind == trace.AsyncTrack:
			on[i] = onThreads
		case total || byNature(t.Functions[fn].Kind):
			on[i] = onSystem
		case merged || th.Flags(i)&trace.Sampled != 0:
			on[i] = onSamples
			if up := th.Parent[i]; up >= 0 {
				on[up] = max(on[up], onSamples)
			}
		}
	}
	for _, b := range th.Blocks {
		switch {
		case b.Kind == trace.IO:
			on[b.Call] = max(on[b.Call], onDevice)
		case b.Kind == trace.Wait && !over[b.Call]:
			on[b.Call] = onThreads
		}
	}
	for i, up := range th.Parent {
		if up >= 0 && on[up] >= onDevice {
			on[i] = max(on[i], on[up])
		}
	}
	return on
}

// overAtOnce returns, by thread, the waiting calls that had nothing to wait for: all that they
// waited for was released before they began, as the inputs of a build step are.
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

// byNature reports whether calls of a kind are what the system does to a thread, such as
// pre-emption, rather than what the thread calls.
func byNature(k trace.FuncKind) bool { return k == trace.State || k == trace.Event }

// recordedByChance reports whether chance decides how often such a call is recorded, and under
// which caller: it was inferred from samples, or the system made it.
func (s *study) recordedByChance(r *align.Result, sd pair.Side, i int32) bool {
	t, th := s.p.Trace(sd), r.Threads[sd]
	return byNature(t.Functions[th.Fn[i]].Kind) || th.Flags(int(i))&trace.Sampled != 0 ||
		t.Kind == trace.Profile
}
