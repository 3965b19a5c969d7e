package explain

import (
	"math"
	"slices"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/wait"
)

// How sure it is that what the account finds by itself is more than chance.
//
// How long threads wait, and when they are idle or off CPU, depends on what all others do, and so
// it varies more from run to run than anything else. Nothing of this is ever certain, unless the
// clock is a simulator's. There are two witnesses:
//
//   - Which stretches of waiting a run has may itself be chance. If each comes or stays away by
//     itself, a sum of them varies by the root of the sum of their squares. For example, if 9 waits
//     of 0.4 ms each are there on either side, 1.7 ms more or less are one deviation.
//   - All times vary as those of functions do, by the machine, and grow as the whole run does.
//
// What lies on the critical path says less still: the path may go through other threads if one of
// them takes a little longer, though all work takes as long as before.

const (
	likelyFrom  = 3.5  // deviations from which on a change is likely
	vast        = 0.1  // share of the run by which a change of idle time is likely anyway,
	manyTimes   = 5    // if one side has so many times as much of it
	hardly      = 100  // so many times as little is hardly any,
	oftenCalled = 50   // in so many calls
	byCount     = 4    // deviations from which on a number of calls is the program's
	fewAgree    = 12   // functions, fewer of which are not enough for a pace
	mostOfWay   = 1.25 // of the change of the elapsed time
	crowd       = 1.2  // times as many threads that run at a time meet more often
	leastSteps  = 0.1  // change of how many threads work at a time
	otherPace   = 4    // a pace, either way, that a busy machine does not explain
	slowPace    = 1.1  // nor this one, if functions agree on it as on a simulator's clock:
	exactPace   = 0.005
)

// levelOf returns how sure a change is of time that varies with what other threads do. squares is
// the sum of the squares of its stretches on both sides.
func (a *attribution) levelOf(ns [2]int64, squares float64) finding.Certainty {
	by, deviation := a.beside(ns), a.noise.Deviation(max(ns[pair.A], ns[pair.B]))
	switch {
	case a.noise.Quiet:
		return finding.Certain
	case by >= likelyFrom*math.Hypot(math.Sqrt(squares), deviation):
		return finding.Likely
	}
	return finding.Chance
}

// LevelOfWaits returns how sure it is that waits changed which took ns on either side, and whose
// durations have the given sum of squares, on both sides together, in ns²: as of a finding.
func (d *Difference) LevelOfWaits(ns [2]int64, squares float64) finding.Certainty {
	a := attribution{b: d.Balance}
	if d.Found != nil {
		a.noise = d.Found.Noise
	}
	return a.levelOf(ns, squares)
}

// beside returns by how much such time changed, besides growing as the elapsed time does; 0 if
// these have different signs. The shorter run is scaled to the longer one, so that it says the same
// both ways round. For example, where threads wait 17 ms of 19 ms, and 654 ms of 266 ms:
//
//	654 ms − 17 ms · 266/19 = 416 ms, or that less
func (a *attribution) beside(ns [2]int64) float64 {
	elapsed := func(sd pair.Side) float64 { return float64(max(a.b.Elapsed[sd], 1)) }
	by := float64(ns[pair.B] - ns[pair.A])
	longest := max(elapsed(pair.A), elapsed(pair.B))
	rest := float64(ns[pair.B])*longest/elapsed(pair.B) - float64(ns[pair.A])*longest/elapsed(pair.A)
	return max(min(math.Abs(by), math.Copysign(1, by)*rest), 0)
}

// levelOfIdle returns how sure it is that threads are idle for longer or less. What disturbs a
// machine seldom does so between two calls, so a single gap may do. But there are no samples of a
// thread either while another program has its processor. And a service is idle while others have
// the request.
func (a *attribution) levelOfIdle() finding.Certainty {
	if a.p.BySamples() || len(a.p.A.Requests) > 0 || len(a.p.B.Requests) > 0 {
		return finding.Chance
	}
	ns := [2]int64{a.b.Total[pair.A][account.Idle], a.b.Total[pair.B][account.Idle]}
	by := a.beside(ns)
	if by >= vast*float64(a.longer()) && max(ns[0], ns[1]) >= manyTimes*min(ns[0], ns[1]) &&
		by >= 2*a.noise.StallNs && !a.noise.Quiet {
		return finding.Likely
	}
	return a.levelOfKind(account.Idle)
}

// levelOfWait returns how sure it is that threads wait longer, or less, or at other times. starved
// says that the longest of these waits lasts until another thread gets a processor.
func (a *attribution) levelOfWait(w *account.WaitChange, starved bool) finding.Certainty {
	switch {
	case !a.large(w.Delta()):
		return a.levelOfWay(w.Own.ElapsedNs)
	case !a.noise.Quiet && (a.tests(w) || a.inRounds(w)):
		return finding.Chance
	case !a.noise.Quiet && (a.waitsMoreOften(w) || a.newWait(w)):
		return finding.Likely
	case !a.noise.Quiet && a.crowded(w):
		return finding.Chance
	case !a.noise.Quiet && !starved && a.oneSideWaits(w):
		return finding.Likely
	}
	return a.levelOf(w.Ns, w.Squares)
}

// crowded reports whether threads wait longer on the side that takes no more time, since more of
// them run at a time: those meet more often, but that is not what the runs differ by. On a busy
// machine a program may well run one thread after the other. For example, of two equal runs:
//
//	2.37 ms, 0.69 threads run at a time    they wait 25 µs for a lock
//	2.06 ms, 1.05 threads run at a time    they wait 1.38 ms for it
func (a *attribution) crowded(w *account.WaitChange) bool {
	more := pair.Side(toInt(w.Delta() > 0))
	running := func(sd pair.Side) float64 {
		ns := a.b.Total[sd][account.CPU] + a.b.Total[sd][account.IO]
		return float64(ns) / float64(max(a.b.Elapsed[sd], 1))
	}
	return float64(a.b.Elapsed[more]) < (1+wants)*float64(a.b.Elapsed[more.Other()]) &&
		running(more) >= crowd*running(more.Other())
}

// tests reports whether threads wait only if they have to, in a function that both sides call. A
// program that waits for a condition tests first whether it is met, and afterwards again, so how
// often and how long it waits is up to the schedule: one of five equal runs of a program with a
// queue never waits for it, and the others for 12 to 29 ms.
func (a *attribution) tests(w *account.WaitChange) bool {
	caller := a.b.CallerOf(w)
	return wait.Tests(a.p.Names[w.Function]) &&
		(caller == account.None || !a.lacks(pair.A, caller) && !a.lacks(pair.B, caller))
}

// inRounds reports whether threads wait once in each round of an event loop, of which one side
// makes more for the same work: then how long they wait for it is up to when it comes.
func (a *attribution) inRounds(w *account.WaitChange) bool {
	return a.r.IsRound(w.Function) || a.r.IsRound(a.b.CallerOf(w))
}

// newWait reports whether one side never calls the function in which the other waits: that is up to
// the program, as long as it is no state that the system puts a thread into.
func (a *attribution) newWait(w *account.WaitChange) bool {
	return !a.isState(w.Function) && (a.lacks(pair.A, w.Function) || a.lacks(pair.B, w.Function))
}

// lacks reports whether a side never calls a function.
func (a *attribution) lacks(sd pair.Side, id uint32) bool {
	claims := a.r.Claims(id, finding.Calls)
	calls := func(c finding.Claim) bool { return c.Values[sd] != 0 }
	return len(claims) > 0 && !slices.ContainsFunc(claims, calls)
}

// waitsMoreOften reports whether threads wait longer, or less, because they make more calls that
// wait, or fewer, each of which takes about as long: how often a program calls MPI_Allreduce is
// up to the program, as long as these are calls and no states that the system puts a thread into,
// and as the numbers differ by more than the schedule explains (like finding.countCertainty). For
// example:
//
//	40 calls in 19.8 ms → 120 calls in 60.2 ms   80 calls more of 0.5 ms each: likely
//	40 calls in 47.3 ms → 120 calls in 49.1 ms   most of it something else: chance
func (a *attribution) waitsMoreOften(w *account.WaitChange) bool {
	n, m := float64(w.Calls[pair.A]), float64(w.Calls[pair.B])
	if n == 0 || m == 0 || (m-n)*(m-n) < byCount*byCount*(n+m) || a.isState(w.Function) {
		return false
	}
	each := min(float64(w.Ns[pair.A])/n, float64(w.Ns[pair.B])/m)
	by, d := (m-n)*each, float64(w.Delta())
	return by*d > 0 && max(math.Abs(by), math.Abs(d)) <= 2*min(math.Abs(by), math.Abs(d))
}

// oneSideWaits reports whether many calls on one side hardly ever had to wait, while those of the
// other side waited for a good part of a run that is longer by that: each call could have waited,
// and so few long waits say more than their number. For example, 100 calls of sem_wait take 14 µs
// in all with four permits, and 70 ms with one, of which three have 24 ms each. But one wait that
// makes most of it says nothing: a thread that lost its processor while it held a lock makes
// another one wait. In two equal runs of 398 calls, one waited for 6.46 ms, and all others for
// 30 µs. Nor do several, if the longest is such a one (starved).
func (a *attribution) oneSideWaits(w *account.WaitChange) bool {
	less, more := w.Ns[pair.A], w.Ns[pair.B]
	if less > more {
		less, more = more, less
	}
	whole, d := a.b.Delta().ElapsedNs, float64(w.Delta())
	return 2*w.Squares <= d*d && min(w.Calls[pair.A], w.Calls[pair.B]) >= oftenCalled && less <= more/hardly &&
		d*float64(whole) > 0 && min(magnitude(w.Delta()), magnitude(whole)) >= int64(vast*float64(a.longer()))
}

// levelOfKind returns how sure it is that all time of a kind changed.
func (a *attribution) levelOfKind(k account.Kind) finding.Certainty {
	squares := 0.0
	for i := range a.b.Cells {
		if c := &a.b.Cells[i]; c.Kind == k {
			squares += c.Squares()
		}
	}
	return a.levelOf([2]int64{a.b.Total[pair.A][k], a.b.Total[pair.B][k]}, squares)
}

// levelOfWay returns how sure it is that the elapsed time changed by so much because the critical
// path changed. The whole run must differ by more than chance, and by about as much: else the path
// only goes through other threads, and something else makes up for it.
func (a *attribution) levelOfWay(own int64) finding.Certainty {
	whole := a.b.Elapsed[pair.B] - a.b.Elapsed[pair.A]
	common := float64(max(account.Common(own, whole), -account.Common(own, whole)))
	switch {
	case common == 0 || common < likelyFrom*a.noise.Deviation(a.longer()),
		math.Abs(float64(own)) > mostOfWay*math.Abs(float64(whole)):
		return finding.Chance
	case a.noise.Quiet:
		return finding.Certain
	}
	return finding.Likely
}

// levelOfOffCPU returns how sure it is that threads lack a processor for longer or less. One pair
// of runs cannot say whether the program is the reason: that a machine is busy with something else
// makes threads wait for their turn. Two equal runs had 68 µs and 2.4 ms of it.
func (a *attribution) levelOfOffCPU() finding.Certainty {
	if !a.noise.Quiet {
		return finding.Chance
	}
	return a.levelOfKind(account.OffCPU)
}

// levelOfOverlap returns how sure it is that work runs beside other work, or no longer does: the
// number of threads that work at a time must differ, too. If it is less than one on both sides, the
// machine did not run threads that could, or they waited for something else.
func (a *attribution) levelOfOverlap(own int64) finding.Certainty {
	threads := a.b.Overlap()
	if max(threads[pair.A], threads[pair.B]) < 1 && !a.noise.Quiet {
		return finding.Chance
	}
	if !(math.Abs(math.Log(threads[pair.B]/threads[pair.A])) >= leastSteps) {
		return finding.Chance
	}
	return a.levelOfWay(own)
}

// levelOfPace returns how sure it is that the pace is more than chance. One pair of runs cannot
// say whether the machine, or the program throughout, was slower: that a machine is busy with
// something else slows all functions alike. Of 216 pairs of equal runs on two processors,
// recorded of eight programs that ran for 10 ms to 1 s, 11 had a pace. They were execution traces
// of Go, whose time on a processor includes what the system takes away; the pace was up to 3.4,
// and functions agreed well: half of the time of one pair at 0.71 lay between 0.70 and 0.73. So
// only a larger pace is likely to be more, or an exact one; several runs a side tell of any
// (Judge).
func (a *attribution) levelOfPace(p account.Pace) finding.Certainty {
	by := math.Abs(math.Log(p.Factor))
	spread := math.Log(p.High/p.Low) / 2
	deviation := math.Hypot(a.noise.Drift, spread/math.Sqrt(float64(max(p.Functions, 1))))
	switch {
	case a.timedProfile() && !p.Unit && by < math.Log(otherPace):
		return finding.Chance
	case p.Unit || a.noise.Quiet:
		return finding.Certain
	case by >= math.Log(slowPace) && p.Functions >= fewAgree && 2*spread <= exactPace:
		return finding.Likely
	case by < math.Log(otherPace) || p.Functions < fewAgree || by < likelyFrom*deviation:
		return finding.Chance
	}
	return finding.Likely
}

// timedProfile reports whether profiles hold time, or samples taken by a timer, in which all
// functions of equal runs may differ alike: of two runs of a program of Python, each function took
// 1.21 times as long, and of two of one of Ruby, each had 1.35 times as many samples.
func (a *attribution) timedProfile() bool {
	return a.p != nil && a.p.Profile() && !a.r.Exact && a.p.A.Timed()
}

// longer returns the longer elapsed time, ns.
func (a *attribution) longer() int64 { return longerOf(a.b) }

func longerOf(b *account.Balance) int64 { return max(b.Elapsed[pair.A], b.Elapsed[pair.B], 1) }
