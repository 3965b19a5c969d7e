//go:build goexperiment.simd && amd64

package match

import (
	"encoding/binary"
	"math/bits"
	"simd/archsimd"
)

// vector returns all lanes.
func (l *lanes) vector() archsimd.Uint64x8 { return archsimd.LoadUint64x8((*[laneWords]uint64)(l)) }

// put sets all lanes.
func (l *lanes) put(v archsimd.Uint64x8) { v.Store((*[laneWords]uint64)(l)) }

// add returns the two digits of the sum of three bits in each lane.
func add(a, b, c archsimd.Uint64x8) (sum, carry archsimd.Uint64x8) {
	either := a.Xor(b)
	return either.Xor(c), a.And(b).Or(either.And(c))
}

// carried returns the higher of the two digits.
func carried(a, b, c archsimd.Uint64x8) archsimd.Uint64x8 { return a.And(b).Or(a.Or(b).And(c)) }

// countLanes512 is the laneKernel for processors with AVX-512. All vectors are unsigned: of logical
// operations of signed ones Go 1.26.8 makes instructions of three operands, some of which it cannot
// encode.
func countLanes512(c *laneCounter, depth uint32, added []uint32, spare *digits) uint8 {
	below, at := &c.stack[depth], &c.stack[depth+1]
	has, digits := c.has, c.digits
	d0, d1, d2, d3 := below[0].vector(), below[1].vector(), below[2].vector(), below[3].vector()
	var d4, d5, d6, d7 archsimd.Uint64x8
	if digits > 4 {
		d4, d5 = below[4].vector(), below[5].vector()
	}
	if digits > 6 {
		d6, d7 = below[6].vector(), below[7].vector()
	}
	for ; len(added) >= padding; added = added[padding:] {
		w, x := has[added[0]].vector(), has[added[1]].vector()
		y, z := has[added[2]].vector(), has[added[3]].vector()
		var two, more, carry archsimd.Uint64x8
		d0, two = add(w, x, d0)
		d0, more = add(y, z, d0)
		d1, carry = add(two, more, d1)
		d2, carry = d2.Xor(carry), d2.And(carry)
		d3, carry = d3.Xor(carry), d3.And(carry)
		if digits > 4 {
			d4, carry = d4.Xor(carry), d4.And(carry)
			d5, carry = d5.Xor(carry), d5.And(carry)
		}
		if digits > 6 {
			d6, carry = d6.Xor(carry), d6.And(carry)
			d7 = d7.Xor(carry)
		}
	}
	at[0].put(d0)
	at[1].put(d1)
	at[2].put(d2)
	at[3].put(d3)
	above := d0.And(spare[0].vector())
	above = carried(d1, spare[1].vector(), above)
	above = carried(d2, spare[2].vector(), above)
	above = carried(d3, spare[3].vector(), above)
	if digits > 4 {
		at[4].put(d4)
		at[5].put(d5)
		above = carried(d4, spare[4].vector(), above)
		above = carried(d5, spare[5].vector(), above)
	}
	if digits > 6 {
		at[6].put(d6)
		at[7].put(d7)
		above = carried(d6, spare[6].vector(), above)
		above = carried(d7, spare[7].vector(), above)
	}
	c.above.put(above)
	words := above.NotEqual(archsimd.Uint64x8{}).ToBits()
	archsimd.ClearAVXUpperBits()
	return words
}

// digitBytes has 64 times the value of each digit.
var digitBytes = func() (of [mostDigits][64]uint8) {
	for d := range of {
		for k := range of[d] {
			of[d][k] = 1 << d
		}
	}
	return of
}()

// addMatches512 is addMatches, eight kinds at once. A kind's sums grow by one row after the other,
// as they would one by one.
func addMatches512(p *panels, row int, words uint8) {
	at := &p.counter.stack[p.rows[row].depth+1]
	size := archsimd.BroadcastFloat64x8(float64(p.x.Size[row]))
	count := archsimd.BroadcastFloat64x8(float64(p.x.Count[row]))
	s, common := p.panelSums, &p.panelSums.common
	for ; words != 0; words &= words - 1 {
		w := bits.TrailingZeros8(words) % laneWords
		shared := archsimd.Uint8x64{}
		for d := range p.digits {
			d %= mostDigits
			has := archsimd.Mask8x64FromBits(at[d][w])
			shared = shared.Or(archsimd.LoadUint8x64(&digitBytes[d]).Masked(has))
		}
		shared.Store(common)
		for m := p.counter.above[w]; m != 0; {
			g := bits.TrailingZeros64(m) / 8
			calls := count.Masked(archsimd.Mask64x8FromBits(uint8(m >> (8 * g))))
			m &^= 0xff << (8 * g)
			shared := eightBytes(common, g)
			g = (8*w + g) % len(s.size)
			both := size.Add(archsimd.LoadFloat64x8(&s.size[g]))
			addTo(&s.calls[g], calls)
			addTo(&s.similarities[g], shared.Mul(calls).Div(both.Sub(shared)))
		}
	}
	archsimd.ClearAVXUpperBits()
}

// eightBytes returns the eight bytes of group g as numbers.
func eightBytes(b *[64]uint8, g int) archsimd.Float64x8 {
	word := archsimd.BroadcastUint64x2(binary.LittleEndian.Uint64(b[8*g:]))
	return word.AsUint8x16().ExtendLo8ToUint64().ConvertToFloat64()
}

func addTo(sums *[8]float64, more archsimd.Float64x8) {
	archsimd.LoadFloat64x8(sums).Add(more).Store(sums)
}

// countWide512 is countWide, eight kinds at once.
func countWide512(c *wideCounter, has []lanes, codes []uint32, by uint64) {
	more := archsimd.BroadcastUint64x8(by)
	for _, code := range codes {
		if code == 0 {
			continue
		}
		for w, word := range &has[code] {
			if word == 0 {
				continue
			}
			eights := (*[8][8]uint64)(c.common[8*w:])
			for g := range eights {
				sum := archsimd.LoadUint64x8(&eights[g])
				sum.Add(more.Masked(archsimd.Mask64x8FromBits(uint8(word)))).Store(&eights[g])
				word >>= 8
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

// addWide512 is addWide, eight kinds at once.
func addWide512(p *panels, row int) (any bool) {
	c, s := &p.wider, p.panelSums
	size := archsimd.BroadcastFloat64x8(float64(p.x.Size[row]))
	count := archsimd.BroadcastFloat64x8(float64(p.x.Count[row]))
	need := archsimd.BroadcastUint64x8(c.per * uint64(p.x.Size[row]))
	times := archsimd.BroadcastUint64x8(c.times)
	for g := range c.common {
		common := archsimd.LoadUint64x8(&c.common[g])
		match := common.Mul(times).Greater(archsimd.LoadUint64x8(&c.needs[g]).Add(need))
		if match.ToBits() == 0 {
			continue
		}
		any = true
		shared, calls := common.ConvertToFloat64(), count.Masked(match)
		both := size.Add(archsimd.LoadFloat64x8(&s.size[g]))
		addTo(&s.calls[g], calls)
		addTo(&s.similarities[g], shared.Mul(calls).Div(both.Sub(shared)))
	}
	archsimd.ClearAVXUpperBits()
	return any
}
