package match

import (
	"math/bits"
	"slices"
)

// A row is compared with 512 sets at once, each of which has a lane. What the row shares with them
// is counted in binary, and each digit takes a bit a lane: digits[0] has the lowest digit of all
// 512 numbers, digits[1] the next. An identity that the row adds to its base is added to all
// numbers by as few instructions as a full adder has gates, where one word has 64 lanes and one
// vector up to all of them. For example, a row that shares 2, 3 and 1 identities with the sets in
// three lanes counts one more that the first and the third set have:
//
//	digits[1]  1 1 0      1 1 1
//	digits[0]  0 1 1  →   1 1 0
//
// A byte a lane would take eight times as many vectors.

const (
	inLanes    = 512
	laneWords  = inLanes / 64
	mostDigits = 8
	mostCount  = 1<<mostDigits - 1
)

// lanes is a bit for each lane.
type lanes [laneWords]uint64

func (l *lanes) set(lane int) { l[lane/64%laneWords] |= 1 << (lane % 64) }

// digits is a number for each lane.
type digits [mostDigits]lanes

// eight returns the numbers of lanes 8·g and on, which have n digits, a byte each.
func (d *digits) eight(g, n int) (numbers uint64) {
	for k := range d[:n] {
		numbers |= bytesOfBits[uint8(d[k][g/8%laneWords]>>(g%8*8))] << k
	}
	return numbers
}

// codes are small numbers, from 1, of the identities that any of some sets has. Rows leave out all
// other identities, and kernels find the lanes of an identity by its code alone.
type codes struct {
	ids []uint32 // ids[c-1] has code c
	of  []uint32 // by identity, and one that no set has: its code, or 0
}

// code returns the code of an identity, which is a new one if it has none.
func (c *codes) code(id uint32) uint32 {
	at := &c.of[id]
	if *at == 0 {
		c.ids = append(c.ids, id)
		*at = uint32(len(c.ids))
	}
	return *at
}

// clear takes all codes back.
func (c *codes) clear() {
	for _, id := range c.ids {
		c.of[id] = 0
	}
	c.ids = c.ids[:0]
}

// appendCodes appends the codes of those identities that have one, and fills up to a multiple of
// padding. It has no branch on that, since no processor could foretell it.
func (c *codes) appendCodes(to, ids []uint32) []uint32 {
	at := len(to)
	to = slices.Grow(to, len(ids))[:at+len(ids)]
	for _, id := range ids {
		code := c.of[id]
		to[at] = code
		if code != 0 {
			at++
		}
	}
	return pad(to[:at])
}

// pad fills up to a multiple of padding with the code that no identity has.
func pad(codes []uint32) []uint32 {
	for len(codes)%padding != 0 {
		codes = append(codes, 0)
	}
	return codes
}

// laneCounter counts what rows share with the sets in the lanes.
type laneCounter struct {
	has    []lanes  // by code: which sets have the identity; has[0] is empty
	stack  []digits // stack[d+1] are the numbers of the latest row of depth d; stack[0] is 0
	digits int      // that numbers have, at most mostDigits
	above  lanes    // where the numbers of the latest row were above what a kernel was given
}

func newLaneCounter() laneCounter {
	return laneCounter{stack: make([]digits, 1), digits: mostDigits}
}

// reach makes room for a row of the given depth.
func (c *laneCounter) reach(depth uint32) {
	for len(c.stack) < int(depth)+2 {
		c.stack = append(c.stack, digits{})
	}
}

// laneKernel counts a row of the given depth, which adds identities to the row below it on the
// stack. They are given as codes, of which there are a multiple of padding. It sets above to the
// lanes whose numbers are above the complements of those given, and returns a bit for each word
// of it that is not 0. A number is above another if, from the lowest digit to the highest, the
// last one that differs is greater: that is the majority of the digit, the complement of the
// other's, and what lower digits say.
type laneKernel func(c *laneCounter, depth uint32, added []uint32, spare *digits) uint8

// countLanes is the laneKernel for every processor.
func countLanes(c *laneCounter, depth uint32, added []uint32, spare *digits) (words uint8) {
	below, at := &c.stack[depth], &c.stack[depth+1]
	for w := range laneWords {
		var n [mostDigits]uint64
		for d := range c.digits {
			n[d%mostDigits] = below[d%mostDigits][w]
		}
		for _, code := range added {
			carry := c.has[code][w]
			for d := 0; carry != 0 && d < mostDigits; d++ {
				n[d], carry = n[d]^carry, n[d]&carry
			}
		}
		above := uint64(0)
		for d := range c.digits {
			d %= mostDigits
			at[d][w] = n[d]
			above = n[d]&spare[d][w] | above&(n[d]|spare[d][w])
		}
		c.above[w] = above
		if above != 0 {
			words |= 1 << w
		}
	}
	return words
}

// noNumber is the complement of 0 in each lane.
var noNumber = func() (all digits) {
	for d := range all {
		for w := range all[d] {
			all[d][w] = 1<<64 - 1
		}
	}
	return all
}()

// complement makes the number of a lane, which was 0, the complement of another.
func (d *digits) complement(lane int, of uint32) {
	for of = ^min(of, mostCount) & mostCount; of != 0; of &= of - 1 {
		d[bits.TrailingZeros32(of)%mostDigits][lane/64%laneWords] |= 1 << (lane % 64)
	}
}
