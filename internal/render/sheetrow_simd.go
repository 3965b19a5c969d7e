//go:build goexperiment.simd && amd64

package render

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// eights is whether rows are drawn eight pixels at a time. Tests change it.
var eights = archsimd.X86.AVX2()

// eightsOf returns how many of n pixels are drawn eight at a time.
func eightsOf(n int) int {
	if !eights {
		return 0
	}
	return n &^ (lanes - 1)
}

func blendEights(s *sheet, i, n int, keep float32, ink *[4]float32) int {
	n = eightsOf(n)
	if n == 0 {
		return 0
	}
	share := archsimd.BroadcastFloat32x8(keep)
	for c := range s.light {
		row, add := s.light[c][i:i+n], archsimd.BroadcastFloat32x8(ink[c])
		for k := 0; k < n; k += lanes {
			at := eightOf(row, k)
			archsimd.LoadFloat32x8(at).Mul(share).Add(add).Store(at)
		}
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func shadeEights(s *sheet, i int, column []float32, c *[4]float32, p, q float32) int {
	n := eightsOf(len(column))
	if n == 0 {
		return 0
	}
	one, ps, qs := archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(p), archsimd.BroadcastFloat32x8(q)
	alpha, keep := archsimd.BroadcastFloat32x8(c[3]), archsimd.BroadcastFloat32x8(1-c[3])
	for k := 0; k < n; k += lanes {
		f := ps.Add(qs.Mul(archsimd.LoadFloat32x8(eightOf(column, k))))
		for m := range s.light {
			v := archsimd.BroadcastFloat32x8(c[m]).Mul(f).Min(one)
			if s.linear {
				v = decodedEight(v)
			}
			at := eightOf(s.light[m], i+k)
			archsimd.LoadFloat32x8(at).Mul(keep).Add(v.Mul(alpha)).Store(at)
		}
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func dimEights(s *sheet, i int, column []float32, q, least float32) int {
	n := eightsOf(len(column))
	if n == 0 {
		return 0
	}
	qs, leasts := archsimd.BroadcastFloat32x8(q), archsimd.BroadcastFloat32x8(least)
	for k := 0; k < n; k += lanes {
		f := archsimd.LoadFloat32x8(eightOf(column, k)).Mul(qs).Max(leasts)
		for c := range s.light {
			at := eightOf(s.light[c], i+k)
			archsimd.LoadFloat32x8(at).Mul(f).Store(at)
		}
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func overEights(s *sheet, i, n int, b *band, k int) int {
	n = eightsOf(n)
	if n == 0 {
		return 0
	}
	for j := 0; j < n; j += lanes {
		through := archsimd.LoadFloat32x8(eightOf(b.through, k+j))
		for c, from := range [3][]float32{b.red, b.green, b.blue} {
			at := eightOf(s.light[c], i+j)
			archsimd.LoadFloat32x8(at).Mul(through).Add(archsimd.LoadFloat32x8(eightOf(from, k+j))).Store(at)
		}
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// ribbonEights does for eight pixels at once what triangleRow does for one.
func ribbonEights(s *sheet, t *triangle, left, right, at int, form *[4]float32) int {
	if !eights {
		return 0
	}
	w, stroked := t.sweep, int32(math.Float32bits(t.sweep.half)) > 0
	none, one, half := archsimd.Float32x8{}, archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(.5)
	px := archsimd.LoadFloat32x8(&eightColumns).Add(wholeEight(left).Add(half))
	origin, end := archsimd.BroadcastFloat32x8(t.corners[0].x), wholeEight(right)
	stamp := archsimd.BroadcastInt32x8(t.stamp)
	for x := left; x < right; x, px = x+lanes, px.Add(archsimd.BroadcastFloat32x8(lanes)) {
		along, within, covered := px.Sub(origin), one, one
		if !t.flat {
			line := archsimd.BroadcastFloat32x8(w.half)
			off := archsimd.BroadcastFloat32x8(form[0]).Add(along.Mul(archsimd.BroadcastFloat32x8(t.right[0])))
			other := archsimd.BroadcastFloat32x8(form[1]).Add(along.Mul(archsimd.BroadcastFloat32x8(t.right[1])))
			beyond := other.Sub(off)
			off = none.Sub(off).Merge(off, other.Greater(none))
			within = half.Sub(line).Sub(off).Max(none).Min(one)
			covered = half.Add(line).Sub(off).Max(none).Min(one)
			if stroked {
				beyond = beyond.Max(none.Sub(beyond)).Mul(archsimd.BroadcastFloat32x8(t.upright))
				line = half.Add(line).Sub(beyond).Max(none).Min(one)
				covered, within = covered.Max(line), within.Min(one.Sub(line))
			}
		}
		if t.ends {
			ends := archsimd.BroadcastFloat32x8(form[2]).Add(along.Mul(archsimd.BroadcastFloat32x8(t.right[2]))).
				Min(archsimd.BroadcastFloat32x8(form[3]).Add(along.Mul(archsimd.BroadcastFloat32x8(t.right[3]))))
			covered = covered.Mul(half.Add(ends).Max(none).Min(one))
		}
		i := at + x
		last := (*[lanes]int32)(s.seen[i:])
		now := stamp.Add(covered.Mul(archsimd.BroadcastFloat32x8(256)).Add(half).ConvertToInt32())
		before := archsimd.LoadInt32x8(last)
		drawn := now.Greater(before).And(px.Less(end)).
			And(covered.GreaterEqual(archsimd.BroadcastFloat32x8(leastCovered)))
		if drawn.ToBits() == 0 {
			continue
		}
		now.Merge(before, drawn).Store(last)
		within = within.Min(covered).Masked(drawn)
		line := covered.Masked(drawn).Sub(within)
		keep := one.Sub(archsimd.BroadcastFloat32x8(w.fill[3]).Mul(within)).
			Sub(archsimd.BroadcastFloat32x8(w.ink[3]).Mul(line))
		for c := range s.light {
			to := eightOf(s.light[c], i)
			archsimd.LoadFloat32x8(to).Mul(keep).Add(archsimd.BroadcastFloat32x8(w.fill[c]).Mul(within)).
				Add(archsimd.BroadcastFloat32x8(w.ink[c]).Mul(line)).Store(to)
		}
	}
	archsimd.ClearAVXUpperBits()
	return right - left
}

// wholeEight is float32(n) eight times.
func wholeEight(n int) archsimd.Float32x8 {
	return archsimd.BroadcastInt32x8(int32(n)).ConvertToFloat32()
}

func encodeEights(s *sheet, i int, out []uint8) int {
	n := eightsOf(len(out) / 4)
	if n == 0 {
		return 0
	}
	for k := 0; k < n; k += lanes {
		red := s.encodedEight(archsimd.LoadFloat32x8(eightOf(s.light[0], i+k)))
		green := s.encodedEight(archsimd.LoadFloat32x8(eightOf(s.light[1], i+k)))
		blue := s.encodedEight(archsimd.LoadFloat32x8(eightOf(s.light[2], i+k)))
		pix := red.Or(green.ShiftAllLeft(8)).Or(blue.ShiftAllLeft(16)).Or(archsimd.BroadcastInt32x8(-1 << 24))
		pix.Store((*[lanes]int32)(unsafe.Pointer((*[4 * lanes]uint8)(out[4*k:]))))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// encodedEight is encoded for eight channels.
func (s *sheet) encodedEight(v archsimd.Float32x8) archsimd.Int32x8 {
	v = v.Max(archsimd.Float32x8{}).Min(archsimd.BroadcastFloat32x8(1))
	if s.linear {
		u := v.Sqrt().Sqrt()
		e := archsimd.BroadcastFloat32x8(curve[4])
		for i := 3; i >= 0; i-- {
			e = archsimd.BroadcastFloat32x8(curve[i]).Add(u.Mul(e))
		}
		v = e.Merge(v.Mul(archsimd.BroadcastFloat32x8(12.92)), v.Greater(archsimd.BroadcastFloat32x8(.0031308)))
	}
	return v.Mul(archsimd.BroadcastFloat32x8(255)).Add(archsimd.BroadcastFloat32x8(.5)).ConvertToInt32()
}
