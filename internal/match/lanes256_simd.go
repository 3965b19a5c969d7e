//go:build goexperiment.simd && amd64

package match

import "simd/archsimd"

// quad returns four of the words.
func (l *lanes) quad(w int) archsimd.Uint64x4 {
	return archsimd.LoadUint64x4((*[4]uint64)(l[w:]))
}

// countLanes256 is the laneKernel for processors with AVX2, which have no more registers than half
// of the lanes need.
func countLanes256(c *laneCounter, depth uint32, added []uint32, spare *digits) (words uint8) {
	below, at, has := &c.stack[depth], &c.stack[depth+1], c.has
	for w := 0; w < laneWords; w += 4 {
		w &= laneWords - 4
		d0, d1, d2, d3 := below[0].quad(w), below[1].quad(w), below[2].quad(w), below[3].quad(w)
		d4, d5, d6, d7 := below[4].quad(w), below[5].quad(w), below[6].quad(w), below[7].quad(w)
		for _, code := range added {
			carry := has[code].quad(w)
			d0, carry = d0.Xor(carry), d0.And(carry)
			d1, carry = d1.Xor(carry), d1.And(carry)
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
