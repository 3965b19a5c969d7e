//go:build goexperiment.simd && amd64

package match

import (
	"encoding/binary"
	"math/bits"
	"simd/archsimd"
)

// half returns 64 bytes of a panel's.
func (b *panelBytes) half(k int) archsimd.Uint8x64 {
	return archsimd.LoadUint8x64((*[64]uint8)(b[64*k:]))
}

// compare512 is compare for processors with AVX-512.
func (p *panel) compare512(matching []bool) {
	local, has, may, bit := p.local, p.has, p.sieve.may, p.bit
	for i := 0; i < len(p.rows) && i < len(may); i++ {
		row := &p.rows[i]
		if may[i]&bit == 0 {
			i = int(row.end) - 1
			continue
		}
		if p.isWide(row) {
			matching[i] = p.addWide(i) || matching[i]
			continue
		}
		below := &p.stack[row.depth]
		lo, hi := below.half(0), below.half(1)
		for added := p.added[row.from:row.to]; len(added) >= padding; added = added[padding:] {
			w, x := &has[local[added[0]]], &has[local[added[1]]]
			y, z := &has[local[added[2]]], &has[local[added[3]]]
			lo = lo.Add(w.half(0)).Add(x.half(0)).Add(y.half(0)).Add(z.half(0))
			hi = hi.Add(w.half(1)).Add(x.half(1)).Add(y.half(1)).Add(z.half(1))
		}
		common, need := &p.stack[row.depth+1], p.need(row.size)
		lo.Store((*[64]uint8)(common[:64]))
		hi.Store((*[64]uint8)(common[64:]))
		low, high := lo.Greater(need.half(0)).ToBits(), hi.Greater(need.half(1)).ToBits()
		if low|high != 0 {
			p.addMatches512(i, low, high, common)
			matching[i] = true
		}
	}
	archsimd.ClearAVXUpperBits()
}

// addMatches512 is addMatches, eight kinds at once. The bits come in two numbers, since an array
// would be written to memory in halves and read as a whole, which the processor waits for. A kind's
// sums grow by one row after the other, as they would one by one.
func (p *panel) addMatches512(row int, low, high uint64, common *panelBytes) {
	size := archsimd.BroadcastFloat64x8(float64(p.x.Size[row]))
	count := archsimd.BroadcastFloat64x8(float64(p.x.Count[row]))
	for from, m := 0, low; from < len(p.size); from, m = from+8, high {
		for m != 0 {
			g := bits.TrailingZeros64(m) / 8
			calls := count.Masked(archsimd.Mask64x8FromBits(uint8(m >> (8 * g))))
			m &^= mostByte << (8 * g)
			g = (g + from) % len(p.size)
			shared := eightBytes(common, g)
			both := size.Add(archsimd.LoadFloat64x8(&p.size[g]))
			addTo(&p.calls[g], calls)
			addTo(&p.similarities[g], shared.Mul(calls).Div(both.Sub(shared)))
		}
	}
}

// eightBytes returns the eight bytes of group g as numbers.
func eightBytes(b *panelBytes, g int) archsimd.Float64x8 {
	word := archsimd.BroadcastUint64x2(binary.LittleEndian.Uint64(b[8*g:]))
	return word.AsUint8x16().ExtendLo8ToUint64().ConvertToFloat64()
}

func addTo(sums *[8]float64, more archsimd.Float64x8) {
	archsimd.LoadFloat64x8(sums).Add(more).Store(sums)
}
