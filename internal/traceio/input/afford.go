package input

import (
	"context"
	"fmt"
)

// What a recording takes in memory is bounded by its size, as long as --memory states nothing: no
// sound one takes more, so a small file that does is damaged, or made to take all memory.
const (
	// What is decoded may take so many times the text, and so much besides. With what a loader
	// holds meanwhile, that stays below 8 times the text and 64 MiB.
	timesText   = 5
	plainMemory = 40 << 20

	// What lies beyond the first MiB of text may take more: an event in JSON that is the only one
	// of its thread has 40 bytes or more, and its thread takes 900. The heap is still bounded.
	smallFile     = 1 << 20
	timesLongText = 24

	// The same for formats that need more: a sound Go trace says with four bytes what takes 60. In
	// exchange there is less besides, so that files of up to 1 MiB keep the same bound.
	timesTerse  = 32
	terseMemory = 16 << 20

	// What lies beyond may take more. A server that starts a million goroutines says so with 15
	// bytes each, and each is a thread, which takes 640. The heap is still bounded.
	timesLarge = 128

	// The same for loaders that count all that they hold.
	halvesCounted = 15
	countedMemory = 52 << 20
)

// Afford returns an error if what was decoded takes that many bytes of memory, and that is more
// than is sane for what has been read: a format that writes each stack once and then refers to it
// can say with a few bytes what takes thousands in memory. The bound is a few times what was read
// and some MiB, or all that --memory states. It is more for a loader that counts all that it holds,
// and so needs none for the rest. Goroutines may call it at once.
func (s *Source) Afford(bytes int64) error { return s.AffordTrace(bytes, 0) }

// AffordTrace is Afford for a trace, of which the columns may lie in a file. So they are no matter
// of memory, and the bound on what is sane holds for them also where --memory states less.
func (s *Source) AffordTrace(bytes, columns int64) error {
	b, size := s.budget, s.plainSize()
	most := s.sane(size)
	stated := b != nil && b.stated
	switch {
	case !stated:
	case columns == 0 || bytes-columns > int64(b.memory):
		most = b.memory
	default:
		most = max(most, b.memory)
	}
	if bytes <= int64(most) {
		return nil
	}
	if b == nil { // a source made by hand: only now, since it asks the machine
		b = newBudget(context.Background(), s.Path, 0)
	}
	e := overLimit{file: s.Path, what: fmt.Sprintf("it takes more than %v to be decoded", most),
		limit: withMemory(most), memory: most, least: Memory(bytes)}
	if !stated { // then all that the machine can give is the next step, not a little more
		e.limit, e.enough = fmt.Sprintf("the limit for %v of data", Memory(size)), b.memory
	}
	return b.end(&e)
}

// sane returns how much memory a recording of a size may take that is not stated.
func (s *Source) sane(size int64) Memory {
	switch {
	case s.Terse:
		return Memory(terseMemory + timesTerse*size + (timesLarge-timesTerse)*max(size-smallFile, 0))
	case s.Counted:
		return Memory(countedMemory + halvesCounted*size/2)
	}
	return Memory(plainMemory + timesText*size + (timesLongText-timesText)*max(size-smallFile, 0))
}

// plainSize returns how many bytes of a stream have been read, and of a directory how many there
// are, both without their packing.
func (s *Source) plainSize() (bytes int64) {
	switch {
	case s.archive != nil:
		for _, m := range s.archive.members {
			bytes += min(m.size, mostSize)
		}
	case s.unpacked != nil:
		bytes = s.unpacked.n.Load() // and what is in a buffer
	case s.Unpacked != nil:
		bytes = s.Unpacked()
	default:
		bytes = s.Size
	}
	return min(bytes, mostSize)
}

// mostSize is beyond all sizes that occur. A header may state more, for a file with holes.
const mostSize = 1 << 45
