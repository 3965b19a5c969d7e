package align

import (
	"math/bits"

	"diptych/internal/huge"
)

// slots is a hash table of classes. A slot is five bytes: a class, and a tag, which is seven bits
// of the hash. Slots are in groups of eight, whose tags are one word. Nearly all that is asked for
// and missing is found missing by one look at one word, and tags take so little memory that they
// stay in the processor's cache where classes would not.
type slots struct {
	tags  []uint64 // by group, a byte each: the tag and tagged, or 0 for a slot that is empty
	class []uint32 // by slot
	shift uint8    // of a hash, to the group with which a search begins
	count int
}

const (
	tagged     = 0x80
	allTagged  = 0x8080808080808080
	everyByte  = 0x0101010101010101
	leastShift = 64 - 7 // 1,024 slots
)

func newSlots(shift uint8) slots {
	groups := 1 << (64 - shift)
	return slots{tags: huge.Make[uint64](groups), class: huge.Make[uint32](8 * groups), shift: shift}
}

// hash spreads a sum over all bits. The highest choose the group, others are the tag.
func hash(sum uint64) uint64 { return (sum ^ sum>>32) * 0xBF58476D1CE4E5B9 }

func tagOf(hash uint64) uint64 { return hash>>24&0x7f | tagged }

// search goes through the slots whose class may have a hash.
type search struct {
	*slots
	group uint64
	tag   uint64 // in every byte
	left  uint64 // tagged for each slot of the group that is still to be looked at
}

func (t *slots) search(hash uint64) search {
	s := search{t, hash >> t.shift, tagOf(hash) * everyByte, 0}
	s.left = s.alike()
	return s
}

// alike returns tagged for each slot of the group that has the tag, and perhaps for slots above
// such.
func (s *search) alike() uint64 {
	x := s.tags[s.group] ^ s.tag
	return (x - everyByte) &^ x & allTagged
}

// next returns a class that may have the hash, or false if there is none any more.
func (s *search) next() (class uint32, ok bool) {
	for s.left == 0 {
		if s.tags[s.group]&allTagged != allTagged {
			return 0, false
		}
		s.group = (s.group + 1) & uint64(len(s.tags)-1)
		s.left = s.alike()
	}
	k := s.group*8 + uint64(bits.TrailingZeros64(s.left)/8)
	s.left &= s.left - 1
	return s.class[k], true
}

// add adds a class. It reports whether there should be more slots before the next one.
func (t *slots) add(hash uint64, class uint32) (full bool) {
	g := hash >> t.shift
	for t.tags[g]&allTagged == allTagged {
		g = (g + 1) & uint64(len(t.tags)-1)
	}
	k := bits.TrailingZeros64(^t.tags[g]&allTagged) / 8
	t.tags[g] |= tagOf(hash) << (8 * k)
	t.class[g*8+uint64(k)] = class
	t.count++
	return 8*t.count >= 7*len(t.class)
}
