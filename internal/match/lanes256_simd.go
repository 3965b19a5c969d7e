//go:build goexperiment.simd && amd64

package match

import (
	"encoding/binary"
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

// bitOf are the bits of a byte, in each byte that spread makes of it.
var bitOf = func() (of [32]uint8) {
	for k := range of {
		of[k] = 1 << (k % 8)
	}
	return of
}()

// spread has for each half of a word eight times the index of each of its bytes.
var spread = func() (of [2][32]int8) {
	for half := range of {
		for k := range of[half] {
			of[half][k] = int8(4*half + k/8)
		}
	}
	return of
}()

// bytes writes the numbers of the lanes of a word, which have n digits, a byte each.
func (d *digits) bytes(w, n int, to *[64]uint8) {
	bit := archsimd.LoadUint8x32(&bitOf)
	low, high := archsimd.LoadInt8x32(&spread[0]), archsimd.LoadInt8x32(&spread[1])
	var first, second archsimd.Uint8x32
	for k := n - 1; k >= 0; k-- {
		word := archsimd.BroadcastUint64x4(d[k%mostDigits][w%laneWords]).AsUint8x32()
		// A comparison gives −1 where a bit is set.
		is := word.PermuteOrZeroGrouped(low).And(bit).Equal(bit).ToInt8x32().AsUint8x32()
		first = first.Add(first).Sub(is)
		is = word.PermuteOrZeroGrouped(high).And(bit).Equal(bit).ToInt8x32().AsUint8x32()
		second = second.Add(second).Sub(is)
	}
	first.Store((*[32]uint8)(to[:32]))
	second.Store((*[32]uint8)(to[32:]))
}

// addMatches256 is addMatches, four kinds at once. Which fours have a match is as good as random,
// so there is one loop over those that do, and no other branch.
func addMatches256(p *panels, row int, words uint8) {
	at, s := &p.counter.stack[p.rows[row].depth+1], p.panelSums
	size := archsimd.BroadcastFloat64x4(float64(p.x.Size[row]))
	count := archsimd.BroadcastFloat64x4(float64(p.x.Count[row])).AsUint64x4()
	for ; words != 0; words &= words - 1 {
		w := bits.TrailingZeros8(words) % laneWords
		at.bytes(w, p.digits, &s.common)
		for m := p.counter.above[w]; m != 0; {
			four := bits.TrailingZeros64(m) / 4
			lanes := m >> (4 * four) & 15
			m &^= 15 << (4 * four)
			shared := archsimd.BroadcastUint32x4(binary.LittleEndian.Uint32(s.common[4*four:]))
			calls := count.And(archsimd.LoadUint64x4(&nibbles[lanes])).AsFloat64x4()
			s.addFour(16*w+four, shared.AsUint8x16().ExtendLo4ToUint32().AsInt32x4().ConvertToFloat64(), size, calls)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// addFour adds calls of a row to four kinds. What they share are whole numbers.
func (s *panelSums) addFour(four int, shared, size, calls archsimd.Float64x4) {
	group, from := four/2%len(s.size), four%2*4
	both := size.Add(archsimd.LoadFloat64x4((*[4]float64)(s.size[group][from:])))
	sum, similarity := (*[4]float64)(s.calls[group][from:]), (*[4]float64)(s.similarities[group][from:])
	archsimd.LoadFloat64x4(sum).Add(calls).Store(sum)
	archsimd.LoadFloat64x4(similarity).Add(shared.Mul(calls).Div(both.Sub(shared))).Store(similarity)
}

// countWide256 is countWide, four kinds at once.
func countWide256(c *wideCounter, has []lanes, codes []uint32, by uint64) {
	more := archsimd.BroadcastUint64x4(by)
	for _, code := range codes {
		if code == 0 {
			continue
		}
		for w, word := range &has[code] {
			for word != 0 {
				four := bits.TrailingZeros64(word) / 4
				add := more.And(archsimd.LoadUint64x4(&nibbles[word>>(4*four)&15]))
				word &^= 15 << (4 * four)
				sum := c.common.four(16*w + four)
				archsimd.LoadUint64x4(sum).Add(add).Store(sum)
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

// four returns where the numbers of lanes 4·k and on are.
func (n *laneNumbers) four(k int) *[4]uint64 { return (*[4]uint64)(n[k/2%len(n)][k%2*4:]) }

// exact is 2^52: a whole number below it, in the low bits of this one, is what they differ by.
const exact = 1 << 52

// addWide256 is addWide, four kinds at once. Sizes are less than 2^32, and a numerator or
// denominator of τ is at most 10^9: products of both are exact as signed numbers.
func addWide256(p *panels, row int) (any bool) {
	c, s := &p.wider, p.panelSums
	size := archsimd.BroadcastFloat64x4(float64(p.x.Size[row]))
	count := archsimd.BroadcastFloat64x4(float64(p.x.Count[row])).AsUint64x4()
	two52 := archsimd.BroadcastFloat64x4(exact)
	need := archsimd.BroadcastUint64x4(c.per * uint64(p.x.Size[row]))
	times := archsimd.BroadcastUint64x4(c.times).AsUint32x8()
	for four := range inLanes / 4 {
		common := archsimd.LoadUint64x4(c.common.four(four))
		needed := archsimd.LoadUint64x4(c.needs.four(four)).Add(need).AsInt64x4()
		match := common.AsUint32x8().MulEvenWiden(times).AsInt64x4().Greater(needed)
		if match.ToBits() == 0 {
			continue
		}
		any = true
		shared := common.Or(two52.AsUint64x4()).AsFloat64x4().Sub(two52)
		s.addFour(four, shared, size, count.And(match.ToInt64x4().AsUint64x4()).AsFloat64x4())
	}
	archsimd.ClearAVXUpperBits()
	return any
}
