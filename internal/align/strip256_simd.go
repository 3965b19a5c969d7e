//go:build goexperiment.simd && amd64

package align

import "simd/archsimd"

const halfBlocks = stripBlocks / 2

// sweepStrip256 is the kernel of strips for processors with AVX2. It takes the upper four blocks
// through all steps, and then the lower four.
func sweepStrip256(s *stripState, eq []perBlock, symbols []uint32, border []uint8, heads []uint32) {
	n := len(symbols)
	s.staggerHalf(0, eq, symbols)
	s.staggerHalf(halfBlocks, eq, symbols)
	s.sweepHalf(0, border[stripLag:][:n], s.next[1:][:n], heads)
	s.sweepHalf(halfBlocks, s.next[:n], border, heads)
	s.next[0] = s.next[n]
	archsimd.ClearAVXUpperBits()
}

// half returns the words of four blocks.
func half(w *perBlock, from int) archsimd.Uint64x4 {
	return archsimd.LoadUint64x4((*[halfBlocks]uint64)(w[from:]))
}

// staggerHalf is stagger512 for four blocks.
func (s *stripState) staggerHalf(from int, eq []perBlock, symbols []uint32) {
	by1, by2, by4 := half(&lateBy1, from), half(&lateBy2, from), half(&lateBy4, from)
	a1, b1, b2 := half(&s.late[0], from), half(&s.late[1], from), half(&s.late[2], from)
	c1, c2 := half(&s.late[3], from), half(&s.late[4], from)
	c3, c4 := half(&s.late[5], from), half(&s.late[6], from)
	rows := s.rows[:len(symbols)]
	for j, symbol := range symbols {
		a := half(&eq[symbol], from)
		b := a1.And(by1).Or(a.AndNot(by1))
		c := b2.And(by2).Or(b.AndNot(by2))
		e := c4.And(by4).Or(c.AndNot(by4))
		e.Store((*[halfBlocks]uint64)(rows[j][from:]))
		a1 = a
		b2, b1 = b1, b
		c4, c3, c2, c1 = c3, c2, c1, c
	}
	for k, x := range [...]archsimd.Uint64x4{a1, b1, b2, c1, c2, c3, c4} {
		x.Store((*[halfBlocks]uint64)(s.late[k][from:]))
	}
}

// sweepHalf sweeps four blocks, from the given one on. in is w above them, and out receives w below
// them.
func (s *stripState) sweepHalf(from int, in, out []uint8, heads []uint32) {
	rows := s.rows[:len(in)]
	out, heads = out[:len(in)], heads[:len(in)]
	x1, x2, x3, x4 := half(&s.t[0], from), half(&s.t[1], from), half(&s.t[2], from), half(&s.t[3], from)
	w1, w2, w3, w4 := half(&s.w[0], from), half(&s.w[1], from), half(&s.w[2], from), half(&s.w[3], from)
	h1, h2, h3, h4 := highest(w1), highest(w2), highest(w3), highest(w4)
	for j := range rows {
		e, top := half(&rows[j], from), &borderTops[in[j]&7]
		run := x1.AndNot(e)
		s4 := e.And(x1)
		w4 = run.Sub(fromAbove(h4, &top[3])).Add(s4.Add(s4))
		ew := e.Or(w4.AndNot(run))
		s3 := ew.And(x2)
		w3 = run.Sub(fromAbove(h3, &top[2])).Add(s3.Add(s3))
		v3 := w3.AndNot(run)
		s2 := ew.And(x3).Or(v3.And(x2))
		w2 = run.Sub(fromAbove(h2, &top[1])).Add(s2.Add(s2))
		s1 := x1.Or(ew.And(x4)).Or(v3.And(x3)).Or(w2.And(x2))
		w1 = s1.Add(s1).Sub(fromAbove(h1, &top[0]))
		nt := x4.AndNot(e)
		x1 = x2.Or(w2).And(nt.Or(w4).And(w1.And(x3.Or(w3))))
		x2 = x2.Or(w1).And(nt.Or(w3).And(x3.Or(w2)))
		x3 = x3.Or(w1).And(nt.Or(w2))
		x4 = nt.Or(w1)
		h1, h2, h3, h4 = highest(w1), highest(w2), highest(w3), highest(w4)
		head := heads256(h1, h2, h3, h4)
		out[j] = uint8(head >> (halfBlocks - 1) & 0x01010101 * 0x01010101 >> 24)
		if from == 0 {
			heads[j] = head
		} else {
			heads[j] |= head << halfBlocks
		}
	}
	for k, x := range [...]archsimd.Uint64x4{x1, x2, x3, x4} {
		x.Store((*[halfBlocks]uint64)(s.t[k][from:]))
	}
	for k, w := range [...]archsimd.Uint64x4{w1, w2, w3, w4} {
		w.Store((*[halfBlocks]uint64)(s.w[k][from:]))
	}
}

// highest returns which blocks have the highest bit set.
func highest(w archsimd.Uint64x4) archsimd.Mask64x4 {
	var zero archsimd.Int64x4
	return w.AsInt64x4().Less(zero)
}

// fromAbove returns which blocks receive a bit: those below a block that has the highest, and the
// first if the border has it. In a mask that is −1, so whoever receives it subtracts.
func fromAbove(w archsimd.Mask64x4, top *perBlock) archsimd.Uint64x4 {
	from := w.ToInt64x4().AsUint64x4()
	up := half(top, 0).Select128FromPair(0, 2, from)
	return from.AsUint8x32().ConcatShiftBytesRightGrouped(8, up.AsUint8x32()).AsUint64x4()
}

// heads256 returns which words have the highest bit set, as a kernel stores it.
func heads256(w1, w2, w3, w4 archsimd.Mask64x4) uint32 {
	return uint32(w1.ToBits()) | uint32(w2.ToBits())<<8 | uint32(w3.ToBits())<<16 | uint32(w4.ToBits())<<24
}
