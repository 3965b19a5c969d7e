package chrome

import (
	"bytes"
	"hash/maphash"
)

// pairs numbers pairs of strings (name and category, process and thread) in the order of their
// first use within one block. The strings stay where they are in the block.
type pairs struct {
	entries []pair
	slots   []int32 // open addressing: index into entries plus one, or 0
	last    int32   // most events are on their predecessor's thread
}

type pair struct {
	hash uint64
	a, b span
}

var seed = maphash.MakeSeed()

func (p *pairs) reset() {
	p.entries, p.last = p.entries[:0], -1
	if p.slots == nil {
		p.slots = make([]int32, 1024)
	}
	clear(p.slots)
}

// number returns the number of the pair a, b, both pieces of text.
func (p *pairs) number(text []byte, a, b span) int32 {
	x, y := text[a.from:a.to], text[b.from:b.to]
	if p.last >= 0 && p.entries[p.last].equal(text, x, y) {
		return p.last
	}
	h := maphash.Bytes(seed, x)
	if len(y) > 0 {
		h = h*31 + maphash.Bytes(seed, y)
	}
	mask := uint64(len(p.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		k := p.slots[at] - 1
		if k < 0 {
			k = int32(len(p.entries))
			p.slots[at] = k + 1
			p.entries = append(p.entries, pair{h, a, b})
			p.grow()
			p.last = k
			return k
		}
		if e := &p.entries[k]; e.hash == h && e.equal(text, x, y) {
			p.last = k
			return k
		}
	}
}

func (e *pair) equal(text, x, y []byte) bool {
	return bytes.Equal(text[e.a.from:e.a.to], x) && bytes.Equal(text[e.b.from:e.b.to], y)
}

// grow doubles the table when it is half full.
func (p *pairs) grow() {
	if 2*len(p.entries) < len(p.slots) {
		return
	}
	p.slots = make([]int32, 2*len(p.slots))
	mask := uint64(len(p.slots) - 1)
	for k, e := range p.entries {
		at := e.hash & mask
		for p.slots[at] != 0 {
			at = (at + 1) & mask
		}
		p.slots[at] = int32(k) + 1
	}
}
