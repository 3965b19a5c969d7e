//go:build goexperiment.simd && amd64

package match

import "simd/archsimd"

// quarter returns 32 bytes of a panel's.
func (b *panelBytes) quarter(k int) archsimd.Uint8x32 {
	return archsimd.LoadUint8x32((*[32]uint8)(b[32*k:]))
}

// compare256 is compare for processors with AVX2.
func (p *panel) compare256(matching []bool) {
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
		below, common := &p.stack[row.depth], &p.stack[row.depth+1]
		a, b, c, d := below.quarter(0), below.quarter(1), below.quarter(2), below.quarter(3)
		for _, id := range p.added[row.from:row.to] {
			more := &has[local[id]]
			a, b = a.Add(more.quarter(0)), b.Add(more.quarter(1))
			c, d = c.Add(more.quarter(2)), d.Add(more.quarter(3))
		}
		a.Store((*[32]uint8)(common[:32]))
		b.Store((*[32]uint8)(common[32:64]))
		c.Store((*[32]uint8)(common[64:96]))
		d.Store((*[32]uint8)(common[96:]))
		need := p.need(row.size)
		matched := [2]uint64{
			uint64(exceeds(a, need.quarter(0))) | uint64(exceeds(b, need.quarter(1)))<<32,
			uint64(exceeds(c, need.quarter(2))) | uint64(exceeds(d, need.quarter(3)))<<32}
		if matched[0]|matched[1] != 0 {
			p.addMatches(i, matched)
			matching[i] = true
		}
	}
	archsimd.ClearAVXUpperBits()
}

// exceeds returns a bit for each byte of b that is greater than that of need.
func exceeds(b, need archsimd.Uint8x32) uint32 { return b.Greater(need).ToBits() }
