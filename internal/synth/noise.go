package synth

import (
	"fmt"
	"math"
)

// Noise says how a machine disturbs the times of a run. Two runs of one program never take equally
// long, for reasons of different kinds:
//
//   - Each call varies by itself: caches, branch prediction. Most calls vary by Calls; one in 64
//     varies four times as much, so that the tails are heavier than a normal distribution's.
//   - The machine's pace drifts over the run: the clock's frequency, other programs. Drift is the
//     standard deviation of the logarithm of the pace at a moment, which is the same for all
//     threads. Moments a tenth of the run apart have nothing to do with each other.
//   - Now and then a call stalls, for an interrupt or a page fault: so many calls of all take 10
//     to 100 times as long as a usual call of the program in addition.
//
// No noise is an edit: the truth of a pair is the same with it and without.
type Noise struct {
	Calls  float64 `json:"calls,omitzero"`  // 0.05 for a standard deviation of 5 %
	Drift  float64 `json:"drift,omitzero"`  // likewise
	Stalls float64 `json:"stalls,omitzero"` // share of calls, 0 to 1
}

const (
	mostNoise   = 1   // a standard deviation of calls or drift
	tailed      = 4   // of 256 calls vary
	tails       = 4   // times as much
	driftSteps  = 32  // of a run
	driftLength = 3   // steps that the pace takes to be another
	driftKept   = 256 // steps after which the pace repeats
	leastStall  = 10
	mostStall   = 100
	paceUnit    = 1 << 16 // a pace of 1
)

func (n Noise) check() error {
	for _, v := range []struct {
		name       string
		is, atMost float64
	}{{"noise", n.Calls, mostNoise}, {"drift", n.Drift, mostNoise}, {"stalls", n.Stalls, 1}} {
		if !(v.is >= 0 && v.is <= v.atMost) {
			return fmt.Errorf("%s %v: the number lies between 0 and %v", v.name, v.is, v.atMost)
		}
	}
	return nil
}

// Machine is a machine with noise, on which a run of several threads takes place.
type Machine struct {
	seed     uint64
	jitter   int      // standard deviation of log2 of a call's time, in 1/4096
	pace     uint64   // of the whole run, in 1/paceUnit
	drift    []uint64 // by step, likewise
	step     int64    // ns
	stalls   uint64   // threshold
	usual    int64    // ns, of a call
	disturbs bool
}

// NewMachine returns a machine whose noise is drawn with a seed. Everything takes pace times as
// long on it; runNs is about how long the run takes, and callNs what a usual call takes by itself.
func NewMachine(n Noise, seed uint64, pace float64, runNs, callNs int64) *Machine {
	m := &Machine{seed: seed, jitter: octaves(n.Calls, 4096), pace: uint64(pace * paceUnit),
		step: max(runNs/driftSteps, 1), stalls: share(n.Stalls), usual: callNs}
	m.disturbs = n != Noise{} || m.pace != paceUnit
	if drift := octaves(n.Drift, 4096); drift > 0 {
		d := newDice(seed, streamNoise)
		var last [driftLength]int
		for i := range driftKept {
			last[i%driftLength] = d.bell()
			sum := 0
			for _, x := range last {
				sum += x
			}
			// The mean of three varies by 1/√3 of what one does: 443/256 makes up for it.
			m.drift = append(m.drift, scaled(sum*443/256/driftLength, drift))
		}
	}
	return m
}

// octaves returns a standard deviation of natural logarithms as one of binary logarithms, in parts.
func octaves(deviation float64, parts int) int {
	return int(deviation * math.Log2E * float64(parts))
}

// bell is a bell-shaped number with a standard deviation of 4096 around 0.
func (d dice) bell() int {
	u := d.Uint64()
	const mean, deviation = 2 * 65535, 37837
	return (int(u&0xffff+u>>16&0xffff+u>>32&0xffff+u>>48) - mean) * 4096 / deviation
}

// scaled returns 2^(x·sigma) as a multiple of 1/paceUnit, for x in 1/4096 and sigma in 1/4096.
func scaled(x, sigma int) uint64 {
	return uint64(exp2(16*256 + x*sigma/4096/16))
}

// Thread returns the clock of a thread. Each has its own randomness.
func (m *Machine) Thread(t int) *Clock {
	return &Clock{machine: m, dice: newDice(m.seed, streamNoise+1+uint64(t))}
}

// Clock gives the calls of one thread the times that they take on a machine.
type Clock struct {
	machine *Machine
	dice    dice
}

// Stretch returns what a call that begins at now takes, given what it takes without noise; ns.
func (c *Clock) Stretch(self, now int64) int64 {
	m := c.machine
	if !m.disturbs {
		return self
	}
	pace := m.pace
	if m.jitter > 0 {
		sigma := m.jitter
		if c.dice.chance(tailed) {
			sigma *= tails
		}
		pace = pace * scaled(c.dice.bell(), sigma) / paceUnit
	}
	if len(m.drift) > 0 {
		pace = pace * m.drift[int(now/m.step)%len(m.drift)] / paceUnit
	}
	out := int64(uint64(self) / paceUnit * pace)
	out += int64(uint64(self) % paceUnit * pace / paceUnit)
	if m.stalls > 0 && c.dice.hits(m.stalls) {
		out += m.usual * int64(leastStall+c.dice.below(mostStall-leastStall+1))
	}
	return max(out, min(self, 1))
}
