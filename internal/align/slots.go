package align

import (
	"math/bits"

	"diptych/internal/huge"
)

// slots is a hash table of classes, with open addressing. A slot is a word: a tag, which is the
// upper half of the hash, above the class plus one, or 0 for a slot that is empty. The tag also
// tells where the search for a slot begins, so a larger table is filled from a smaller one from
// front to back, without a look at the classes. What is asked for and missing is found missing by
// one look at memory, and where it is then added is the line that was just looked at.
type slots struct {
	words []uint64 // a power of two
	shift uint8    // of a hash, to the slot at which a search begins
	count int
}

const leastShift = 64 - 10 // 1,024 slots

func newSlots(shift uint8) slots {
	return slots{words: huge.Make[uint64](1 << (64 - shift)), shift: shift}
}

// shiftFor returns the shift of slots that have room for so many classes.
func shiftFor(classes int) uint8 {
	return min(leastShift, uint8(64-bits.Len(uint(classes+classes/3))))
}

// hash spreads a sum over all bits, of which the upper half counts.
func hash(sum uint64) uint64 { return (sum ^ sum>>32) * 0xBF58476D1CE4E5B9 }

// search goes through the classes that may have a hash.
type search struct {
	*slots
	at  uint64
	tag uint64
}

func (t *slots) search(hash uint64) search { return search{t, hash >> (t.shift & 63), hash >> 32} }

// next returns a class that may have the hash, or false if there is none any more.
func (s *search) next() (class uint32, ok bool) {
	words := s.words
	for mask := uint64(len(words) - 1); ; {
		word := words[s.at&mask]
		if word == 0 {
			return 0, false
		}
		s.at++
		if word>>32 == s.tag {
			return uint32(word) - 1, true
		}
	}
}

// add adds a class.
func (t *slots) add(hash uint64, class uint32) {
	if t.count++; 4*t.count > 3*len(t.words) {
		t.grow()
	}
	t.put(hash>>32<<32 | uint64(class+1))
}

// put puts a word into the first slot that is empty. Its lower half does not matter for where that
// is, since a table has less than 2³² slots.
func (t *slots) put(word uint64) {
	words := t.words
	mask := uint64(len(words) - 1)
	at := word >> (t.shift & 63)
	for words[at&mask] != 0 {
		at++
	}
	words[at&mask] = word
}

// grow makes twice as many slots.
func (t *slots) grow() {
	old := t.words
	larger := newSlots(t.shift - 1)
	for _, word := range old {
		if word != 0 {
			larger.put(word)
		}
	}
	t.words, t.shift = larger.words, larger.shift
}
