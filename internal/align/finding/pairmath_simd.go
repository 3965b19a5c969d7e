//go:build goexperiment.simd && amd64

package finding

import (
	"math"
	"math/bits"
	"simd/archsimd"
	"slices"
)

var hasAVX512 = archsimd.X86.AVX512()

// eights returns how many of n pairs are done eight at a time.
func eights(n int) int {
	if !hasAVX512 {
		return 0
	}
	return n &^ 7
}

func splitTimesAtOnce(a, b []float64, times []uint64) int {
	n := eights(len(times))
	if n == 0 {
		return 0
	}
	low := archsimd.BroadcastUint64x8(1<<32 - 1)
	for p := 0; p < n; p += 8 {
		both := archsimd.LoadUint64x8((*[8]uint64)(times[p:]))
		both.And(low).ConvertToFloat64().Store((*[8]float64)(a[p:]))
		both.ShiftAllRight(32).ConvertToFloat64().Store((*[8]float64)(b[p:]))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// ratioLogsAtOnce finds a logarithm by the same operations in the same order as math.Log finds it
// on this kind of processor, so that no bit of a result depends on the vectors: with x = f1·2^k,
// √½ < f1 ≤ √2, and f = f1 − 1, it is that of FreeBSD's e_log.c. If one of eight ratios is not a
// positive normal number, all eight are left to math.Log.
func ratioLogsAtOnce(logs, a, b []float64, pace, tick float64) int {
	n := eights(len(logs))
	if n == 0 {
		return 0
	}
	paces, ticks := archsimd.BroadcastFloat64x8(pace), archsimd.BroadcastFloat64x8(tick)
	least := archsimd.BroadcastFloat64x8(0x1p-1022)
	most := archsimd.BroadcastFloat64x8(math.MaxFloat64)
	for p := 0; p < n; p += 8 {
		to := (*[8]float64)(logs[p:])
		x := archsimd.LoadFloat64x8((*[8]float64)(b[p:])).Add(ticks).
			Div(archsimd.LoadFloat64x8((*[8]float64)(a[p:])).Mul(paces).Add(ticks))
		if x.GreaterEqual(least).And(x.LessEqual(most)).ToBits() != 0xff {
			x.Store(to)
			for k, ratio := range to {
				to[k] = math.Log(ratio)
			}
			continue
		}
		logsOf(x).Store(to)
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// logsOf returns the natural logarithms of eight normal numbers above 0.
func logsOf(x archsimd.Float64x8) archsimd.Float64x8 {
	of := &logNumbers
	one := archsimd.LoadFloat64x8(&of.one)
	half := archsimd.LoadFloat64x8(&of.half)
	bits := x.AsUint64x8()
	f1 := bits.And(archsimd.LoadUint64x8(&of.mantissa)).Or(half.AsUint64x8()).AsFloat64x8()
	k := bits.ShiftAllRight(52).ConvertToFloat64().Sub(archsimd.LoadFloat64x8(&of.bias))
	// Where f1 ≤ √½, it is doubled and k is one less.
	less := one.Masked(f1.LessEqual(archsimd.LoadFloat64x8(&of.root)))
	k = k.Sub(less)
	f := f1.Mul(less.Add(one)).Sub(one)
	s := f.Div(f.Add(archsimd.LoadFloat64x8(&of.two)))
	s2 := s.Mul(s)
	s4 := s2.Mul(s2)
	t1 := archsimd.LoadFloat64x8(&of.odd[0])
	t1 = t1.Mul(s4).Add(archsimd.LoadFloat64x8(&of.odd[1]))
	t1 = t1.Mul(s4).Add(archsimd.LoadFloat64x8(&of.odd[2]))
	t1 = s2.Mul(t1.Mul(s4).Add(archsimd.LoadFloat64x8(&of.odd[3])))
	t2 := archsimd.LoadFloat64x8(&of.even[0])
	t2 = t2.Mul(s4).Add(archsimd.LoadFloat64x8(&of.even[1]))
	t2 = s4.Mul(t2.Mul(s4).Add(archsimd.LoadFloat64x8(&of.even[2])))
	squared := half.Mul(f).Mul(f)
	low := k.Mul(archsimd.LoadFloat64x8(&of.low))
	low = s.Mul(t1.Add(t2).Add(squared)).Add(low)
	high := k.Mul(archsimd.LoadFloat64x8(&of.high))
	return high.Sub(squared.Sub(low).Sub(f))
}

// logNumbers are the constants of logsOf, each eight times: a load is one instruction, and to make
// eight of one takes three.
var logNumbers = struct {
	one, half, bias, root, two, low, high [8]float64
	odd                                   [4][8]float64 // of the series' odd terms, highest first
	even                                  [3][8]float64
	mantissa                              [8]uint64
}{
	one: eightOf(1), half: eightOf(0.5), bias: eightOf(1022), root: eightOf(math.Sqrt2 / 2),
	two: eightOf(2), low: eightOf(1.90821492927058770002e-10),
	high: eightOf(6.93147180369123816490e-01),
	odd: [4][8]float64{eightOf(1.479819860511658591e-01), eightOf(1.818357216161805012e-01),
		eightOf(2.857142874366239149e-01), eightOf(6.666666666666735130e-01)},
	even: [3][8]float64{eightOf(1.531383769920937332e-01), eightOf(2.222219843214978396e-01),
		eightOf(3.999999999940941908e-01)},
	mantissa: [8]uint64{1<<52 - 1, 1<<52 - 1, 1<<52 - 1, 1<<52 - 1, 1<<52 - 1, 1<<52 - 1, 1<<52 - 1,
		1<<52 - 1},
}

func eightOf(x float64) [8]float64 { return [8]float64{x, x, x, x, x, x, x, x} }

func geometricMeansAtOnce(means, a, b []float64) int {
	n := eights(len(means))
	if n == 0 {
		return 0
	}
	for p := 0; p < n; p += 8 {
		archsimd.LoadFloat64x8((*[8]float64)(a[p:])).Mul(archsimd.LoadFloat64x8((*[8]float64)(b[p:]))).
			Sqrt().Store((*[8]float64)(means[p:]))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func votesOfAtOnce(ratios, shares, a, b []float64, of float64) int {
	n := eights(len(ratios))
	if n == 0 {
		return 0
	}
	by := archsimd.BroadcastFloat64x8(of)
	for p := 0; p < n; p += 8 {
		x := archsimd.LoadFloat64x8((*[8]float64)(a[p:]))
		y := archsimd.LoadFloat64x8((*[8]float64)(b[p:]))
		y.Div(x).Store((*[8]float64)(ratios[p:]))
		x.Mul(y).Sqrt().Div(by).Store((*[8]float64)(shares[p:]))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func paceSumsAtOnce(sums *paceSums, a, b []float64, borders *[nearPace]float64) int {
	n := eights(len(a))
	if n == 0 {
		return 0
	}
	var all, sum0, sum1, sum2, sum3 archsimd.Float64x8
	at0, at1 := archsimd.BroadcastFloat64x8(borders[0]), archsimd.BroadcastFloat64x8(borders[1])
	at2, at3 := archsimd.BroadcastFloat64x8(borders[2]), archsimd.BroadcastFloat64x8(borders[3])
	for p := 0; p < n; p += 8 {
		x := archsimd.LoadFloat64x8((*[8]float64)(a[p:]))
		y := archsimd.LoadFloat64x8((*[8]float64)(b[p:]))
		ratio, vote := y.Div(x), x.Mul(y).Sqrt()
		all = all.Add(vote)
		sum0 = sum0.Add(vote).Merge(sum0, ratio.Less(at0))
		sum1 = sum1.Add(vote).Merge(sum1, ratio.Less(at1))
		sum2 = sum2.Add(vote).Merge(sum2, ratio.Less(at2))
		sum3 = sum3.Add(vote).Merge(sum3, ratio.Less(at3))
	}
	sums.all += sumOf(all)
	for k, sum := range [nearPace]archsimd.Float64x8{sum0, sum1, sum2, sum3} {
		sums.below[k] += sumOf(sum)
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func distancesAtOnce(list []float64, middle float64) int {
	n := eights(len(list))
	if n == 0 {
		return 0
	}
	middles, magnitude := archsimd.BroadcastFloat64x8(middle), archsimd.BroadcastUint64x8(1<<63-1)
	for k := 0; k < n; k += 8 {
		at := (*[8]float64)(list[k:])
		archsimd.LoadFloat64x8(at).Sub(middles).AsUint64x8().And(magnitude).AsFloat64x8().Store(at)
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func spreadClassesAtOnce(classes []int64, still *stillness, off, a, b []float64, tick float64) int {
	n := eights(len(classes))
	if n == 0 {
		return 0
	}
	steps, long := archsimd.BroadcastFloat64x8(spreadStep), archsimd.BroadcastFloat64x8(longTicks*tick)
	last, none := archsimd.BroadcastInt64x8(spreadBins-1), archsimd.BroadcastInt64x8(noClass)
	var zero, time, stillTimes archsimd.Float64x8
	var first archsimd.Int64x8
	pairs, equal := 0, 0
	for p := 0; p < n; p += 8 {
		x := archsimd.LoadFloat64x8((*[8]float64)(a[p:]))
		timed := x.NotEqual(zero).And(archsimd.LoadFloat64x8((*[8]float64)(b[p:])).NotEqual(zero))
		bin := archsimd.LoadFloat64x8((*[8]float64)(off[p:])).Div(steps).ConvertToInt64().Min(last)
		class := magnitudesOf(x).ShiftAllLeft(spreadBits).Or(bin)
		class.Merge(none, timed).Store((*[8]int64)(classes[p:]))
		says := timed.And(x.GreaterEqual(long))
		same := says.And(bin.Equal(first))
		pairs += bits.OnesCount8(says.ToBits())
		equal += bits.OnesCount8(same.ToBits())
		time, stillTimes = time.Add(x.Masked(says)), stillTimes.Add(x.Masked(same))
	}
	still.add(stillness{float64(pairs), float64(equal), sumOf(time), sumOf(stillTimes)})
	archsimd.ClearAVXUpperBits()
	return n
}

// magnitudesOf returns the octaves of eight times (magnitudeOf).
func magnitudesOf(x archsimd.Float64x8) archsimd.Int64x8 {
	exponent := x.Add(archsimd.BroadcastFloat64x8(1)).AsUint64x8().ShiftAllRight(52).AsInt64x8()
	return exponent.Sub(archsimd.BroadcastInt64x8(1023)).Max(archsimd.BroadcastInt64x8(0)).
		Min(archsimd.BroadcastInt64x8(magnitudes - 1))
}

// sumOf returns the sum of whole numbers, which does not depend on their order.
func sumOf(x archsimd.Float64x8) (sum float64) {
	var of [8]float64
	x.Store(&of)
	for _, x := range of {
		sum += x
	}
	return sum
}

// mostOf returns the largest of eight numbers.
func mostOf(x archsimd.Float64x8) float64 {
	var of [8]float64
	x.Store(&of)
	return slices.Max(of[:])
}

// spreadTable is the squares of the spreads of sixteen octaves.
type spreadTable struct {
	low, high archsimd.Float64x8
	first     archsimd.Uint64x8 // the exponent of a float64 in the lowest octave
}

// tableFor returns the octaves around a time.
func (w *scales) tableFor(ns float64) spreadTable {
	first := min(max(magnitudeOf(ns)-8, 0), magnitudes-16)
	return spreadTable{archsimd.LoadFloat64x8((*[8]float64)(w.spreads[first:])),
		archsimd.LoadFloat64x8((*[8]float64)(w.spreads[first+8:])),
		archsimd.BroadcastUint64x8(uint64(1023 + first))}
}

// at returns where in the table eight times are, given these and 1 ns more.
func (t *spreadTable) at(more archsimd.Float64x8) archsimd.Uint64x8 {
	return more.AsUint64x8().ShiftAllRight(52).Sub(t.first)
}

// squaresAt looks up the squares of the spreads of eight times.
//
//go:noinline
func (w *scales) squaresAt(x archsimd.Float64x8) archsimd.Float64x8 {
	var of [8]float64
	x.Store(&of)
	for k, ns := range of {
		of[k] = w.squareAt(ns)
	}
	return archsimd.LoadFloat64x8(&of)
}

func (w *scales) weighAtOnce(to *pairWeights, sums *pairSums, a, b, logs []float64) int {
	n := eights(len(a))
	if n == 0 {
		return 0
	}
	table, wide := w.tableFor(a[0]), archsimd.BroadcastUint64x8(15)
	pace, tick := archsimd.BroadcastFloat64x8(w.pace), archsimd.BroadcastFloat64x8(w.tick)
	median, far := archsimd.BroadcastFloat64x8(w.median), archsimd.BroadcastFloat64x8(outlying*outlying)
	one, much := archsimd.BroadcastFloat64x8(1), archsimd.BroadcastFloat64x8(loose*loose)
	var zero, self, up, down, longer, shorter archsimd.Float64x8
	for p := 0; p < n; p += 8 {
		x, y := archsimd.LoadFloat64x8((*[8]float64)(a[p:])), archsimd.LoadFloat64x8((*[8]float64)(b[p:]))
		scaled := pace.Mul(x)
		d := y.Sub(scaled)
		d.Store((*[8]float64)(to.change[p:]))
		scaled.Store((*[8]float64)(to.scaled[p:]))
		x.Min(y).Store((*[8]float64)(to.shorter[p:]))
		self, up, down = self.Add(x), up.Max(d), down.Max(zero.Sub(d))
		longer = longer.Add(one).Merge(longer, d.Greater(zero))
		shorter = shorter.Add(one).Merge(shorter, d.Less(zero))

		u := archsimd.LoadFloat64x8((*[8]float64)(logs[p:])).Sub(median)
		u = u.Mul(u)
		q := tick.Div(x.Add(tick))
		at := table.at(x.Add(one))
		square := table.low.ConcatPermute(table.high, at)
		if at.Greater(wide).ToBits() != 0 {
			square = w.squaresAt(x)
		}
		square = square.Add(q.Mul(q))
		u.Div(square).Store((*[8]float64)(to.square[p:]))
		to.strange[p/64] |= uint64(u.Greater(far.Mul(square)).ToBits()) << (p % 64)

		if w.pace != 1 {
			q = tick.Div(scaled.Add(tick))
			at = table.at(scaled.Add(one))
			square = table.low.ConcatPermute(table.high, at)
			if at.Greater(wide).ToBits() != 0 {
				square = w.squaresAt(scaled)
			}
			square = square.Add(q.Mul(q))
		}
		time := scaled.Max(tick)
		own := square.Mul(time).Mul(time)
		d.Mul(d).Max(own).Merge(own, square.Greater(much)).Store((*[8]float64)(to.own[p:]))
	}
	sums.self, sums.alike = sumOf(self), [2]int{int(sumOf(shorter)), int(sumOf(longer))}
	sums.most = [2]float64{mostOf(down), mostOf(up)}
	archsimd.ClearAVXUpperBits()
	return n
}

func countBeforeAtOnce(calls []int32, before int32) (n int) {
	if !hasAVX512 {
		return 0
	}
	for at := archsimd.BroadcastInt32x16(before); n+16 <= len(calls); n += 16 {
		if archsimd.LoadInt32x16((*[16]int32)(calls[n:])).Less(at).ToBits() != 0xffff {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func countAroundAtOnce(list, inner []float64, low, high float64) (n, below, atLow, atHigh, between int) {
	if n = eights(len(list)); n == 0 {
		return 0, 0, 0, 0, 0
	}
	lows, highs := archsimd.BroadcastFloat64x8(low), archsimd.BroadcastFloat64x8(high)
	for k := 0; k < n; k += 8 {
		x := archsimd.LoadFloat64x8((*[8]float64)(list[k:]))
		less, equal := x.Less(lows).ToBits(), x.Equal(lows).ToBits()
		below += bits.OnesCount8(less)
		atLow += bits.OnesCount8(equal)
		atHigh += bits.OnesCount8(x.Equal(highs).ToBits())
		// There is room for eight, since at most k numbers were copied.
		inside := x.Greater(lows).And(x.Less(highs))
		x.Compress(inside).Store((*[8]float64)(inner[between:]))
		between += bits.OnesCount8(inside.ToBits())
	}
	archsimd.ClearAVXUpperBits()
	return n, below, atLow, atHigh, between
}
