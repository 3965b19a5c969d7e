//go:build goexperiment.simd && amd64

package match

import (
	"math/bits"
	"simd/archsimd"
)

// quad returns four of the words.
func (l *lanes) quad(w int) archsimd.Uint64x4 {
	return archsimd.LoadUint64x4((*[4]uint64)(l[w:]))
}

// add4 is add of half of the lanes.
func add4(a, b, c archsimd.Uint64x4) (sum, carry archsimd.Uint64x4) {
	either := a.Xor(b)
	return either.Xor(c), a.And(b).Or(either.And(c))
}

// countLanes256 is the laneKernel for processors with AVX2, which have no more registers than half
// of the lanes need.
func countLanes256(c *laneCounter, depth uint32, added []uint32, spare *digits) (words uint8) {
	below, at, has := &c.stack[depth], &c.stack[depth+1], c.has
	for w := 0; w < laneWords; w += 4 {
		w &= laneWords - 4
		d0, d1, d2, d3 := below[0].quad(w), below[1].quad(w), below[2].quad(w), below[3].quad(w)
		d4, d5, d6, d7 := below[4].quad(w), below[5].quad(w), below[6].quad(w), below[7].quad(w)
		for added := added; len(added) >= padding; added = added[padding:] {
			var two, more, carry archsimd.Uint64x4
			d0, two = add4(has[added[0]].quad(w), has[added[1]].quad(w), d0)
			d0, more = add4(has[added[2]].quad(w), has[added[3]].quad(w), d0)
			d1, carry = add4(two, more, d1)
			d2, carry = d2.Xor(carry), d2.And(carry)
			d3, carry = d3.Xor(carry), d3.And(carry)
			if c.digits > 4 {
				d4, carry = d4.Xor(carry), d4.And(carry)
				d5, carry = d5.Xor(carry), d5.And(carry)
				d6, carry = d6.Xor(carry), d6.And(carry)
				d7 = d7.Xor(carry)
			}
		}
		d := [mostDigits]archsimd.Uint64x4{d0, d1, d2, d3, d4, d5, d6, d7}
		above := archsimd.Uint64x4{}
		for k := range c.digits {
			k %= mostDigits
			d[k].Store((*[4]uint64)(at[k][w:]))
			s := spare[k].quad(w)
			above = d[k].And(s).Or(d[k].Or(s).And(above))
		}
		above.Store((*[4]uint64)(c.above[w:]))
		for k, of := range c.above[w : w+4] {
			if of != 0 {
				words |= 1 << (w + k)
			}
		}
	}
	archsimd.ClearAVXUpperBits()
	return words
}

// nibbles are four words of ones or zeros for each number of four bits.
var nibbles = func() (of [16][4]uint64) {
	for n := range of {
		for k := range of[n] {
			of[n][k] = -uint64(n >> k & 1)
		}
	}
	return of
}()

// addMatches256 is addMatches, four kinds at once.
func addMatches256(p *panels, row int, words uint8) {
	at, s := &p.counter.stack[p.rows[row].depth+1], p.panelSums
	size := archsimd.BroadcastFloat64x4(float64(p.x.Size[row]))
	count := archsimd.BroadcastFloat64x4(float64(p.x.Count[row])).AsUint64x4()
	for ; words != 0; words &= words - 1 {
		w := bits.TrailingZeros8(words) % laneWords
		for m := p.counter.above[w]; m != 0; {
			in := bits.TrailingZeros64(m) / 8
			lanes := uint8(m >> (8 * in))
			m &^= 0xff << (8 * in)
			g := (8*w + in) % len(s.size)
			numbers := archsimd.Uint64x2{}.SetElem(0, at.eight(g, p.digits)).AsUint8x16().
				ExtendLo8ToUint32().AsInt32x8()
			if lanes&15 != 0 {
				calls := count.And(archsimd.LoadUint64x4(&nibbles[lanes&15])).AsFloat64x4()
				s.addFour(g, 0, numbers.GetLo().ConvertToFloat64(), size, calls)
			}
			if lanes > 15 {
				calls := count.And(archsimd.LoadUint64x4(&nibbles[lanes>>4])).AsFloat64x4()
				s.addFour(g, 4, numbers.GetHi().ConvertToFloat64(), size, calls)
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

// addFour adds calls of a row to four kinds of a group. What they share are whole numbers.
func (s *panelSums) addFour(group, from int, shared, size, calls archsimd.Float64x4) {
	both := size.Add(archsimd.LoadFloat64x4((*[4]float64)(s.size[group][from:])))
	sum, similarity := (*[4]float64)(s.calls[group][from:]), (*[4]float64)(s.similarities[group][from:])
	archsimd.LoadFloat64x4(sum).Add(calls).Store(sum)
	archsimd.LoadFloat64x4(similarity).Add(shared.Mul(calls).Div(both.Sub(shared))).Store(similarity)
}
