//go:build goexperiment.simd && amd64

package aggregate

import (
	"math/bits"
	"simd/archsimd"
)

// useAVX512 may be set to false by tests.
var useAVX512 = archsimd.X86.AVX512()

// few is how many numbers are done one at a time, since vectors have to be set up first.
const few = 4

func (s *solver) wholesAtOnce(values, gains, row, mass, logs []float64, before,
	logLeaves float64) bool {
	n := len(values)
	if !useAVX512 || n < few {
		return false
	}
	start, leaves := archsimd.BroadcastFloat64x8(before), archsimd.BroadcastFloat64x8(logLeaves)
	perGain, perLoss := archsimd.BroadcastFloat64x8(s.perGain), archsimd.BroadcastFloat64x8(s.perLoss)
	scale := archsimd.BroadcastFloat64x8(s.q.scale.gain)
	for k := 0; k < n; k += lanes {
		end := k + lanes
		gain := archsimd.LoadFloat64x8((*[8]float64)(row[k:end]))
		loss := archsimd.LoadFloat64x8((*[8]float64)(mass[k:end])).Sub(start).
			Mul(archsimd.LoadFloat64x8((*[8]float64)(logs[k:end])).Add(leaves)).Sub(gain).Mul(perLoss)
		value, scaled := gain.Mul(perGain).Sub(loss), gain.Mul(scale)
		if end <= n {
			value.Store((*[8]float64)(values[k:end]))
			scaled.Store((*[8]float64)(gains[k:end]))
			continue
		}
		left := archsimd.Mask64x8FromBits(0xff >> (end - n))
		value.StoreMasked((*[8]float64)(values[k:end]), left)
		scaled.StoreMasked((*[8]float64)(gains[k:end]), left)
	}
	archsimd.ClearAVXUpperBits()
	return true
}

// putAtOnce is solver.put for eight at a time.
func putAtOnce(x pick, choice int16, rest *pairs, values, gains []float64, counts []int32,
	choices []int16) (done, fell bool) {
	n := len(values)
	if !useAVX512 || n < few {
		return false, false
	}
	ties, value := archsimd.BroadcastFloat64x8(tie), archsimd.BroadcastFloat64x8(x.value)
	least := value.Add(ties)
	for k := 0; k < n; k += lanes {
		end := k + lanes
		left := uint8(0xff)
		if end > n {
			left >>= end - n
		}
		to := (*[8]float64)(values[k:end])
		now := archsimd.LoadFloat64x8(to)
		r := archsimd.LoadFloat64x8((*[8]float64)(rest.value[k:end]))
		if left &^= least.Add(r).Less(now).ToBits(); left == 0 {
			continue
		}
		toGain, toCount := (*[8]float64)(gains[k:end]), (*[8]int32)(counts[k:end])
		nowGain, nowCount := archsimd.LoadFloat64x8(toGain), archsimd.LoadInt32x8(toCount)
		sum := value.Add(r)
		gain := archsimd.BroadcastFloat64x8(x.gain).
			Add(archsimd.LoadFloat64x8((*[8]float64)(rest.gain[k:end])))
		count := archsimd.BroadcastInt32x8(x.count).
			Add(archsimd.LoadInt32x8((*[8]int32)(rest.count[k:end])))
		notMore := count.Greater(nowCount).ToBits() |
			count.Equal(nowCount).ToBits()&gain.LessEqual(nowGain.Add(ties)).ToBits()
		if left &^= sum.LessEqual(now.Add(ties)).ToBits() & notMore; left == 0 {
			continue
		}
		fell = fell || left&sum.Less(now).ToBits() != 0
		wide := archsimd.Mask64x8FromBits(left)
		sum.StoreMasked(to, wide)
		gain.StoreMasked(toGain, wide)
		count.StoreMasked(toCount, archsimd.Mask32x8FromBits(left))
		for ; left != 0; left &= left - 1 {
			choices[k+bits.TrailingZeros8(left)] = choice
		}
	}
	archsimd.ClearAVXUpperBits()
	return true, fell
}

func addFloatsAtOnce(sum, more []float64) (done int) {
	if !useAVX512 || len(sum) < lanes {
		return 0
	}
	for ; done+lanes <= len(sum); done += lanes {
		to := (*[8]float64)(sum[done:])
		archsimd.LoadFloat64x8(to).Add(archsimd.LoadFloat64x8((*[8]float64)(more[done:]))).Store(to)
	}
	archsimd.ClearAVXUpperBits()
	return done
}

func addCountsAtOnce(sum, more []int32) (done int) {
	if !useAVX512 || len(sum) < lanes {
		return 0
	}
	for ; done+lanes <= len(sum); done += lanes {
		to := (*[8]int32)(sum[done:])
		archsimd.LoadInt32x8(to).Add(archsimd.LoadInt32x8((*[8]int32)(more[done:]))).Store(to)
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// nextNear returns the first k from some on for which the sum of value and rest is not less than
// some least value, or that many if there is none.
func nextNear(values, rest []float64, k int, least float64) int {
	n := len(values)
	rest = rest[:n]
	if useAVX512 {
		limit := archsimd.BroadcastFloat64x8(least)
		for ; k < n; k += lanes {
			x := archsimd.LoadFloat64x8((*[8]float64)(values[k : k+lanes]))
			x = x.Add(archsimd.LoadFloat64x8((*[8]float64)(rest[k : k+lanes])))
			if near := ^x.Less(limit).ToBits(); near != 0 {
				k += bits.TrailingZeros8(near)
				break
			}
		}
		archsimd.ClearAVXUpperBits()
		return min(k, n)
	}
	return plainNextNear(values, rest, k, least)
}

func addFloatAtOnce(sum []float64, more float64) (done int) {
	if !useAVX512 || len(sum) < lanes {
		return 0
	}
	each := archsimd.BroadcastFloat64x8(more)
	for ; done+lanes <= len(sum); done += lanes {
		to := (*[8]float64)(sum[done:])
		archsimd.LoadFloat64x8(to).Add(each).Store(to)
	}
	archsimd.ClearAVXUpperBits()
	return done
}

func addCountAtOnce(sum []int32, more int32) (done int) {
	if !useAVX512 || len(sum) < lanes {
		return 0
	}
	each := archsimd.BroadcastInt32x8(more)
	for ; done+lanes <= len(sum); done += lanes {
		to := (*[8]int32)(sum[done:])
		archsimd.LoadInt32x8(to).Add(each).Store(to)
	}
	archsimd.ClearAVXUpperBits()
	return done
}
