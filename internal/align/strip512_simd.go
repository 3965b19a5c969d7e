//go:build goexperiment.simd && amd64

package align

import "simd/archsimd"

// sweepStrip512 is the kernel of strips for processors with AVX-512.
func sweepStrip512(s *stripState, eq []perBlock, symbols []uint32, border []uint8, heads []uint32) {
	n := len(symbols)
	s.stagger512(eq, symbols)
	rows := s.rows[:n]
	border, heads = border[:n+stripLag], heads[:n]
	above := archsimd.LoadUint64x8(&wordAbove)
	x1, x2 := words(&s.t[0]), words(&s.t[1])
	x3, x4 := words(&s.t[2]), words(&s.t[3])
	w1, w2 := words(&s.w[0]), words(&s.w[1])
	w3, w4 := words(&s.w[2]), words(&s.w[3])
	for j := range rows {
		e := words(&rows[j])
		top := &borderTops[border[j+stripLag]&7]
		i4 := w4.ConcatPermute(words(&top[3]), above)
		run := x1.AndNot(e)
		w4 = run.Add(e.And(x1).ShiftAllLeftConcat(1, i4))
		i3 := w3.ConcatPermute(words(&top[2]), above)
		ew := e.Or(w4.AndNot(run))
		w3 = run.Add(ew.And(x2).ShiftAllLeftConcat(1, i3))
		i2 := w2.ConcatPermute(words(&top[1]), above)
		v3 := w3.AndNot(run)
		w2 = run.Add(ew.And(x3).Or(v3.And(x2)).ShiftAllLeftConcat(1, i2))
		i1 := w1.ConcatPermute(words(&top[0]), above)
		w1 = x1.Or(ew.And(x4)).Or(v3.And(x3)).Or(w2.And(x2)).ShiftAllLeftConcat(1, i1)
		nt := x4.AndNot(e)
		x1 = x2.Or(w2).And(nt.Or(w4).And(w1.And(x3.Or(w3))))
		x2 = x2.Or(w1).And(nt.Or(w3).And(x3.Or(w2)))
		x3 = x3.Or(w1).And(nt.Or(w2))
		x4 = nt.Or(w1)

		head := heads512(w1, w2, w3, w4)
		heads[j] = head
		border[j] = uint8(head >> stripLag & 0x01010101 * 0x01010101 >> 24)
	}
	for k, x := range [...]archsimd.Uint64x8{x1, x2, x3, x4} {
		x.Store(&s.t[k])
	}
	for k, w := range [...]archsimd.Uint64x8{w1, w2, w3, w4} {
		w.Store(&s.w[k])
	}
	archsimd.ClearAVXUpperBits()
}

// wordAbove takes each word from the block above, the first from a second vector.
var wordAbove = perBlock{stripBlocks, 0, 1, 2, 3, 4, 5, 6}

// stagger512 finds the rows in which each block has an equal symbol: at each step those of the
// symbol that the block has come to, which is the later the lower the block. So of all blocks with
// the lowest bit of their number set, the rows come a step late, of all with the next bit two steps
// late, and with the highest four.
func (s *stripState) stagger512(eq []perBlock, symbols []uint32) {
	by1, by2, by4 := words(&lateBy1), words(&lateBy2), words(&lateBy4)
	a1, b1, b2 := words(&s.late[0]), words(&s.late[1]), words(&s.late[2])
	c1, c2, c3, c4 := words(&s.late[3]), words(&s.late[4]), words(&s.late[5]), words(&s.late[6])
	rows := s.rows[:len(symbols)]
	for j, symbol := range symbols {
		a := words(&eq[symbol])
		b := a1.And(by1).Or(a.AndNot(by1))
		c := b2.And(by2).Or(b.AndNot(by2))
		e := c4.And(by4).Or(c.AndNot(by4))
		e.Store(&rows[j])
		a1 = a
		b2, b1 = b1, b
		c4, c3, c2, c1 = c3, c2, c1, c
	}
	for k, x := range [...]archsimd.Uint64x8{a1, b1, b2, c1, c2, c3, c4} {
		x.Store(&s.late[k])
	}
}

// words returns the words of all blocks as a vector. They are numbers without a sign: with those
// that have one, Go 1.26 joins AndNot with other operations to a wrong one.
func words(w *perBlock) archsimd.Uint64x8 { return archsimd.LoadUint64x8(w) }

// heads512 returns which words have the highest bit set, as a kernel stores it.
func heads512(w1, w2, w3, w4 archsimd.Uint64x8) uint32 {
	var zero archsimd.Int64x8
	return uint32(w1.AsInt64x8().Less(zero).ToBits()) |
		uint32(w2.AsInt64x8().Less(zero).ToBits())<<8 |
		uint32(w3.AsInt64x8().Less(zero).ToBits())<<16 |
		uint32(w4.AsInt64x8().Less(zero).ToBits())<<24
}
