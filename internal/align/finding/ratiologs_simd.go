//go:build goexperiment.simd && amd64

package finding

import (
	"math"
	"simd/archsimd"
)

var hasAVX512 = archsimd.X86.AVX512()

// ratioLogsAtOnce does what ratioLogs does for as many eights of pairs as there are, and returns
// how many pairs that is.
//
// A logarithm is found by the same operations in the same order as math.Log finds it on this kind
// of processor, so that no bit of a result depends on the vectors: with x = f1·2^k, √½ < f1 ≤ √2,
// and f = f1 − 1, it is that of FreeBSD's e_log.c. If one of eight ratios is not a positive normal
// number, all eight are left to math.Log.
func ratioLogsAtOnce(logs, a, b []float64, pace, tick float64) (done int) {
	if !hasAVX512 || len(logs) < 8 {
		return 0
	}
	paces, ticks := archsimd.BroadcastFloat64x8(pace), archsimd.BroadcastFloat64x8(tick)
	least := archsimd.BroadcastFloat64x8(0x1p-1022)
	most := archsimd.BroadcastFloat64x8(math.MaxFloat64)
	for ; done+8 <= len(logs); done += 8 {
		to := (*[8]float64)(logs[done:])
		x := archsimd.LoadFloat64x8((*[8]float64)(b[done:])).Add(ticks).
			Div(archsimd.LoadFloat64x8((*[8]float64)(a[done:])).Mul(paces).Add(ticks))
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
	return done
}

// logsOf returns the natural logarithms of eight normal numbers above 0.
func logsOf(x archsimd.Float64x8) archsimd.Float64x8 {
	one := archsimd.BroadcastFloat64x8(1)
	half := archsimd.BroadcastFloat64x8(0.5)
	bits := x.AsUint64x8()
	f1 := bits.And(archsimd.BroadcastUint64x8(1<<52 - 1)).Or(half.AsUint64x8()).AsFloat64x8()
	k := bits.ShiftAllRight(52).ConvertToFloat64().Sub(archsimd.BroadcastFloat64x8(1022))
	// Where f1 ≤ √½, it is doubled and k is one less.
	less := one.Masked(f1.LessEqual(archsimd.BroadcastFloat64x8(math.Sqrt2 / 2)))
	k = k.Sub(less)
	f := f1.Mul(less.Add(one)).Sub(one)
	s := f.Div(f.Add(archsimd.BroadcastFloat64x8(2)))
	s2 := s.Mul(s)
	s4 := s2.Mul(s2)
	t1 := s2.Mul(series(s4, 1.479819860511658591e-01, 1.818357216161805012e-01,
		2.857142874366239149e-01, 6.666666666666735130e-01))
	t2 := s4.Mul(series(s4, 1.531383769920937332e-01, 2.222219843214978396e-01,
		3.999999999940941908e-01))
	squared := half.Mul(f).Mul(f)
	low := k.Mul(archsimd.BroadcastFloat64x8(1.90821492927058770002e-10))
	low = s.Mul(t1.Add(t2).Add(squared)).Add(low)
	high := k.Mul(archsimd.BroadcastFloat64x8(6.93147180369123816490e-01))
	return high.Sub(squared.Sub(low).Sub(f))
}

// series returns a polynomial of x by Horner's rule, its highest coefficient first.
func series(x archsimd.Float64x8, of ...float64) archsimd.Float64x8 {
	sum := archsimd.BroadcastFloat64x8(of[0])
	for _, c := range of[1:] {
		sum = sum.Mul(x).Add(archsimd.BroadcastFloat64x8(c))
	}
	return sum
}
