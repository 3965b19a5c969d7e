package ctf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// slots hold values of fields: numbers in nums, texts in texts, at the places that layout.go gave
// the fields.
type slots struct {
	nums  []uint64
	texts [][]byte
}

// reader takes values from a packet. What it has read last lies in slots, of which the texts point
// into the packet. It visits field after field; plan.go has the way around most of them.
type reader struct {
	slots
	buf   []byte
	pos   uint64 // of the next bit
	end   uint64 // bits of content
	steps int64  // fields that may still be read in the packet; see budget
	id    uint64 // the last number that tells an event
	timed bool   // whether values of clocks set the time
	clock *clock
	stamp uint64 // of clock
}

var (
	errBeyond  = errors.New("it ends beyond its packet")
	errNoRoute = errors.New("a variant has no option for its tag")
	errEndless = errors.New("its fields take no room")
)

// budget sets how many fields a packet may have. Fields without any size could otherwise be read
// for ever.
func (r *reader) budget() { r.steps = 4096 + 8*int64(r.end) }

// grow makes room for the slots of a scope.
func (v *slots) grow(slots int32) {
	for len(v.nums) < int(slots) {
		v.nums = append(v.nums, 0)
		v.texts = append(v.texts, nil)
	}
}

// num and text return what was last read into a field; nothing for a field that is nil.
func (v *slots) num(n *node) uint64 {
	if n == nil {
		return 0
	}
	return v.nums[n.slot]
}

func (v *slots) text(n *node) []byte {
	if n == nil {
		return nil
	}
	return v.texts[n.slot]
}

// align moves to a multiple of so many bits.
func (r *reader) align(bits uint64) { r.pos = (r.pos + bits - 1) &^ (bits - 1) }

// read reads a field and all that it holds.
func (r *reader) read(n *node) error {
	if n == nil {
		return nil
	}
	if r.steps--; r.steps < 0 {
		return errEndless
	}
	switch n.kind {
	case integer, enum:
		return r.integer(n)
	case float:
		if n.size <= mostBits {
			return r.integer(n) // its bits
		}
		r.align(n.align)
		return r.skip(n.size)
	case text:
		return r.string(n)
	case structure:
		r.align(n.align)
		for _, k := range n.kids {
			if err := r.read(k); err != nil {
				return err
			}
		}
		return nil
	case variant:
		k, err := r.choose(n)
		if err != nil {
			return err
		}
		return r.read(k)
	case array:
		return r.items(n, n.length)
	}
	return r.items(n, r.nums[n.ref.slot])
}

func (r *reader) skip(bits uint64) error {
	if r.pos > r.end || bits > r.end-r.pos {
		return errBeyond
	}
	r.pos += bits
	return nil
}

// choose returns the option of a variant that its tag asks for.
func (r *reader) choose(n *node) (*node, error) {
	if i := r.option(n); i >= 0 {
		return n.kids[i], nil
	}
	return nil, fmt.Errorf("%w: %q is %d", errNoRoute, n.ref.name, r.num(n.ref))
}

// option returns which option of a variant its tag asks for, or −1 if there is none.
func (r *reader) option(n *node) int {
	v := r.nums[n.ref.slot]
	for i, k := range n.choice {
		if k >= 0 && n.ref.typ.in(i, v) {
			return k
		}
	}
	return -1
}

// in reports whether range i holds a value.
func (t *typ) in(i int, v uint64) bool {
	g := &t.ranges[i]
	if t.signed {
		return int64(v) >= g.from && int64(v) <= g.to
	}
	return v >= uint64(g.from) && v <= uint64(g.to)
}

// items reads the elements of an array or a sequence.
func (r *reader) items(n *node, count uint64) error {
	if n.chars {
		r.align(n.of.align)
		from := r.pos / 8
		if count > r.end/8 {
			return errBeyond
		}
		if r.pos%8 != 0 {
			r.texts[n.slot] = nil
			return r.skip(8 * count)
		}
		if err := r.skip(8 * count); err != nil {
			return err
		}
		r.texts[n.slot] = r.buf[from : from+count]
		return nil
	}
	r.align(n.of.align) // even if there is none
	for ; count > 0; count-- {
		if err := r.read(n.item); err != nil {
			return err
		}
	}
	return nil
}

// string reads characters up to a zero.
func (r *reader) string(n *node) error {
	r.align(8)
	if r.pos > r.end {
		return errBeyond
	}
	rest := r.buf[r.pos/8 : r.end/8]
	i := bytes.IndexByte(rest, 0)
	if i < 0 {
		return errBeyond
	}
	r.texts[n.slot] = rest[:i]
	r.pos += 8 * uint64(i+1)
	return nil
}

// integer reads a number of any size at any bit.
func (r *reader) integer(n *node) error {
	r.align(n.align)
	if r.pos > r.end || n.size > r.end-r.pos {
		return errBeyond
	}
	var v uint64
	switch {
	case r.pos%8 != 0 || n.size%8 != 0:
		v = r.bits(r.pos, n.size, n.big)
	case n.size == 32 && !n.big:
		v = uint64(binary.LittleEndian.Uint32(r.buf[r.pos/8:]))
	case n.size == 64 && !n.big:
		v = binary.LittleEndian.Uint64(r.buf[r.pos/8:])
	default:
		v = wholeBytes(r.buf[r.pos/8:r.pos/8+n.size/8], n.big)
	}
	r.pos += n.size
	if n.signed {
		v = uint64(int64(v<<(64-n.size)) >> (64 - n.size))
	}
	r.nums[n.slot] = v
	if n.isID {
		r.id = v
	}
	if n.clock != nil && r.timed {
		r.tick(n.clock, v, n.size)
	}
	return nil
}

// tick sets the time by a value of a clock. If the value has fewer than 64 bits, the upper ones are
// those of the time before, one higher if the value wrapped around.
func (r *reader) tick(c *clock, v, bits uint64) {
	r.clock = c
	if bits < 64 {
		mask := uint64(1)<<bits - 1
		v = following(r.stamp, v&mask, mask)
	}
	r.stamp = v
}

func wholeBytes(b []byte, big bool) (v uint64) {
	if big {
		for _, c := range b {
			v = v<<8 | uint64(c)
		}
		return v
	}
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

// bits reads a number that begins at a bit and may end within a byte. In little-endian order
// numbers fill bytes from the lowest bit on, in big-endian order from the highest (Common Trace
// Format, 4.1.5).
func (r *reader) bits(from, size uint64, big bool) (v uint64) {
	for got := uint64(0); got < size; {
		c, at := uint64(r.buf[(from+got)/8]), (from+got)%8
		n := min(8-at, size-got)
		if big {
			v = v<<n | c>>(8-at-n)&(1<<n-1)
		} else {
			v |= c >> at & (1<<n - 1) << got
		}
		got += n
	}
	return v
}
