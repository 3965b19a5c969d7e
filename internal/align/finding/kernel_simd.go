//go:build goexperiment.simd && amd64

package finding

import (
	"math"
	"simd/archsimd"
)

// splitTimes takes the times of pairs out of their words.
func splitTimes(a, b []float64, pairs []uint32) {
	done := 0
	if archsimd.X86.AVX512() {
		done = splitEights(a, b, pairs)
	}
	plainSplitTimes(a[done:], b[done:], pairs[timedWords*done:])
}

// splitEights is splitTimes for eight pairs at a time, and returns how many it has done. Of 24
// words it loads the first 16 and the last 16.
func splitEights(a, b []float64, pairs []uint32) (done int) {
	ofA := archsimd.LoadUint32x16(&[16]uint32{0, 3, 6, 9, 12, 15, 26, 29})
	ofB := archsimd.LoadUint32x16(&[16]uint32{1, 4, 7, 10, 13, 24, 27, 30})
	for b = b[:len(a)]; done+8 <= len(a); done += 8 {
		of := pairs[timedWords*done:][:24]
		first, last := archsimd.LoadUint32x16Slice(of), archsimd.LoadUint32x16Slice(of[8:])
		first.ConcatPermute(last, ofA).GetLo().ConvertToFloat64().StoreSlice(a[done:])
		first.ConcatPermute(last, ofB).GetLo().ConvertToFloat64().StoreSlice(b[done:])
	}
	return done
}

// logRatios takes the logarithms of the ratios of times at a pace.
func logRatios(off, a, b []float64, pace, tick float64) {
	done := 0
	if archsimd.X86.AVX512() {
		done = logEights(off, a, b, pace, tick)
	}
	plainLogRatios(off[done:], a[done:], b[done:], pace, tick)
}

// logEights is logRatios for eight pairs at a time, and returns how many it has done. It takes the
// same steps in the same order as math.Log (FreeBSD's e_log.c), so it gives the same bits. Ratios
// that are not positive and normal are left to that.
func logEights(off, a, b []float64, pace, tick float64) (done int) {
	all := archsimd.BroadcastFloat64x8
	p, t := all(pace), all(tick)
	least, most := all(0x1p-1022), all(math.MaxFloat64)
	for a, b = a[:len(off)], b[:len(off)]; done+8 <= len(off); done += 8 {
		x := archsimd.LoadFloat64x8Slice(a[done:]).Mul(p).Add(t)
		x = archsimd.LoadFloat64x8Slice(b[done:]).Add(t).Div(x)
		if x.GreaterEqual(least).And(x.LessEqual(most)).ToBits() != 0xff {
			plainLogRatios(off[done:done+8], a[done:], b[done:], pace, tick)
			continue
		}
		logOf(x).StoreSlice(off[done:])
	}
	return done
}

// logOf returns the natural logarithms of positive normal numbers.
func logOf(x archsimd.Float64x8) archsimd.Float64x8 {
	all := archsimd.BroadcastFloat64x8
	bits := x.AsInt64x8()
	k := bits.ShiftAllRight(52).Sub(archsimd.BroadcastInt64x8(0x3fe)).ConvertToFloat64()
	m := bits.And(archsimd.BroadcastInt64x8(1<<52 - 1)).Or(archsimd.BroadcastInt64x8(0x3fe << 52)).
		AsFloat64x8()
	one, small := all(1), m.LessEqual(all(math.Sqrt2/2))
	k = k.Sub(one).Merge(k, small)
	f := m.Add(m).Merge(m, small).Sub(one)
	s := f.Div(f.Add(all(2)))
	s2 := s.Mul(s)
	s4 := s2.Mul(s2)
	t1 := s4.Mul(all(1.479819860511658591e-01)).Add(all(1.818357216161805012e-01))
	t1 = t1.Mul(s4).Add(all(2.857142874366239149e-01))
	t1 = t1.Mul(s4).Add(all(6.666666666666735130e-01)).Mul(s2)
	t2 := s4.Mul(all(1.531383769920937332e-01)).Add(all(2.222219843214978396e-01))
	t2 = t2.Mul(s4).Add(all(3.999999999940941908e-01)).Mul(s4)
	half := f.Mul(all(0.5)).Mul(f)
	r := s.Mul(half.Add(t1.Add(t2))).Add(k.Mul(all(1.90821492927058770002e-10)))
	return k.Mul(all(6.93147180369123816490e-01)).Sub(half.Sub(r).Sub(f))
}
