package account

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"diptych/internal/pair"
)

// Pace is the factor by which everything takes longer in B. It is a property of the machine, or of
// what the times are counted in, rather than of the program.
type Pace struct {
	Factor    float64 // 1 if there is none
	Low, High float64 // half of the time lies between these factors
	Functions int     // that have a say
	// Unit says that all times differ by the same power of 1000, or about: a change of unit.
	Unit bool
}

// Found reports whether there is a pace.
func (p *Pace) Found() bool { return p.Factor != 1 }

// FewestVoters is how many functions must have a say for there to be a pace.
const FewestVoters = 5

// The pace is a median over functions, weighted by their time on CPU. Only cells that both sides
// call about equally often have a say, for only there times can be compared call by call. One slow
// function is not a slow machine, so no function has more than a quarter of the weight. And
// functions must agree: the quartiles lie on the same side of 1, the nearer one at least half as
// far away as the pace, and no farther from each other than the pace is from 1. As logarithms:
//
//	1.17 1.24 1.35   a pace of 1.24: 1.17 is 0.72 of it, the quartiles differ by 0.67 of it
//	1.34 1.86 1.99   none: 1.34 is 0.47 of 1.86
//	1.02 1.10 1.81   none: they differ by six times the pace
const (
	mostWeight    = 0.25
	leastVoter    = 0.001 // of the time of all voters
	leastPace     = 0.02  // as a change
	sameCalls     = 0.1   // the most by which numbers of calls differ
	comparable    = 0.5   // the least share of each side's time that has a say
	closeTogether = 0.1   // the most by which logarithms of quartiles differ, or the pace's,
	leastQuartile = 0.5   // and the least one, as a share of the pace's
)

// Pace finds the pace of B against A.
func (b *Balance) Pace() Pace {
	if unit, ok := b.unit(); ok {
		return Pace{Factor: unit, Low: unit, High: unit, Functions: 0, Unit: true}
	}
	return PaceOf(b.voters())
}

// PaceOf finds the pace on which functions agree, given by how much each one's time changed and the
// weight of its voice, its time. It may change the order of both.
func PaceOf(ratio, weight []float64) Pace {
	none := Pace{Factor: 1, Low: 1, High: 1}
	if len(ratio) < FewestVoters {
		return none
	}
	weight = capped(weight)
	stat.SortWeighted(ratio, weight)
	at := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, ratio, weight) }
	p := Pace{Factor: at(0.5), Low: at(0.25), High: at(0.75), Functions: len(ratio)}
	if max(p.Factor, 1/p.Factor) < 1+leastPace || !p.agreed() {
		return none
	}
	p.Unit = nearUnit(p.Factor)
	return p
}

// agreed reports whether functions agree on a pace.
func (p *Pace) agreed() bool {
	low, pace, high := math.Log(p.Low), math.Log(p.Factor), math.Log(p.High)
	if pace < 0 {
		low, pace, high = -high, -pace, -low
	}
	return low >= leastQuartile*pace && high-low <= max(closeTogether, pace)
}

// nearUnit reports whether a factor is about a power of 1000: two machines count in different
// units, and one of them is a little faster.
func nearUnit(factor float64) bool {
	powers := math.Abs(math.Log(factor) / math.Log(1000))
	near := math.Round(powers)
	return near >= 1 && math.Abs(powers-near)*math.Log(1000) < aboutUnit
}

// voters returns by how much each function's time on CPU changed, call by call, and its weight: the
// geometric mean of both times, so that the pace from B to A is the reciprocal one.
func (b *Balance) voters() (ratio, weight []float64) {
	var order []uint32
	times := map[uint32][2]float64{}
	sum := 0.0
	for i := range b.Cells {
		c := &b.Cells[i]
		a, scaled, ok := b.perCall(c)
		if !ok {
			continue
		}
		if _, known := times[c.Function]; !known {
			order = append(order, c.Function)
		}
		t := times[c.Function]
		times[c.Function] = [2]float64{t[0] + a, t[1] + scaled}
		sum += math.Sqrt(a * scaled)
	}
	for sd, ns := range b.Alike() {
		if float64(ns) < comparable*float64(b.Total[sd][CPU]) {
			return nil, nil
		}
	}
	for _, fn := range order {
		t := times[fn]
		if both := math.Sqrt(t[0] * t[1]); both >= leastVoter*sum {
			ratio, weight = append(ratio, t[1]/t[0]), append(weight, both)
		}
	}
	return ratio, weight
}

// perCall returns A's time of a cell, and B's if it had as many calls as A.
func (b *Balance) perCall(c *Cell) (a, scaled float64, ok bool) {
	x, y := c.Amounts[pair.A], c.Amounts[pair.B]
	if c.Kind != CPU || x.Ns <= 0 || y.Ns <= 0 {
		return 0, 0, false
	}
	if b.Pair.Profile() {
		return float64(x.Ns), float64(y.Ns), true // nodes of a tree are no calls
	}
	n, m := float64(x.Calls), float64(y.Calls)
	if min(n, m) == 0 || max(n, m)-min(n, m) > sameCalls*max(n, m) {
		return 0, 0, false
	}
	return float64(x.Ns), float64(y.Ns) * n / m, true
}

// Alike returns how much time on CPU each side has in the cells that have a say.
func (b *Balance) Alike() (ns [2]int64) {
	for i := range b.Cells {
		c := &b.Cells[i]
		if _, _, ok := b.perCall(c); ok {
			ns[pair.A] += c.Amounts[pair.A].Ns
			ns[pair.B] += c.Amounts[pair.B].Ns
		}
	}
	return ns
}

// capped returns weights of which none is more than mostWeight of the sum, as far as there are
// enough of them. The largest are lowered to a common height, which is found by lowering it as long
// as it is too large a share of the sum.
func capped(weight []float64) []float64 {
	height := math.Inf(1)
	for range 64 {
		sum := 0.0
		for _, w := range weight {
			sum += min(w, height)
		}
		height = min(height, mostWeight*sum)
	}
	for i, w := range weight {
		weight[i] = min(w, height)
	}
	return weight
}

const (
	exactUnit = 0.001 // how exactly both accounts must follow a change of unit,
	aboutUnit = 0.1   // and functions, if all agree on it: as a logarithm
)

// unit returns the power of 1000 by which all times differ, if they do.
func (b *Balance) unit() (float64, bool) {
	work := b.Work()
	for _, k := range []float64{1e3, 1e6, 1e9} {
		for _, f := range []float64{k, 1 / k} {
			if follows(b.Elapsed, f) && follows(work, f) {
				return f, true
			}
		}
	}
	return 1, false
}

func follows(ns [2]int64, factor float64) bool {
	ratio := float64(ns[pair.B]) / float64(ns[pair.A])
	return ns[pair.A] > 0 && math.Abs(ratio/factor-1) < exactUnit
}

// TakePace claims what the pace explains: of the work that both sides do, the time that it takes
// longer. A change of unit concerns all kinds of time. What is left is relative to it. For example,
// at a pace of 1.5,
//
//	100 → 150 ns  +50 is the pace's, 0 is left
//	100 → 180 ns  +50 is the pace's, +30 is left
//	100 → 30 ns   both sides do 20 ns of A's time: +10 is the pace's, −80 is left
func (l *Ledger) TakePace(p Pace) Delta {
	var own Delta
	if !p.Found() {
		return own
	}
	for i := range l.b.Cells {
		c := &l.b.Cells[i]
		if c.Kind != CPU && !p.Unit {
			continue
		}
		a, b := c.Amounts[pair.A], c.Amounts[pair.B]
		d := deltaOf(Amount{WayNs: p.of(a.WayNs, b.WayNs), Ns: p.of(a.Ns, b.Ns)}, c.Kind.Works())
		l.leave(i, l.left[i].Minus(d))
		own = own.Plus(d)
	}
	return own
}

// of returns how much longer the pace makes what both sides do.
func (p *Pace) of(a, b int64) int64 {
	return int64(math.Round((p.Factor - 1) * min(float64(a), float64(b)/p.Factor)))
}
