package gotrace

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
)

// Until Go 1.21 a trace was one sequence of events: first what happened, then how fast the clock
// ticks, then the stacks and strings that the events name, each string before its first use. The
// reader takes such a trace whole, and refuses one that ends within an event or that names a stack
// it has not. So mending cuts at the last event that is whole, and gives each stack that was not
// reached one frame, cutOff. Without the clock's speed, times mean nothing, and what is left is for
// the reader to refuse.

// Types of events of the old format that are written unlike others, and that of the clock's speed.
const (
	oldBatch     = 1
	oldFrequency = 2
	oldStack     = 3
	oldString    = 37
	oldLog       = 48
)

// Versions of Go, 1.x, that write the old format.
const (
	oldestOld = 11
	newestOld = 21
)

// cutOff is the function in place of a stack that is missing.
const cutOff = "(stack cut off)"

// mendOld passes on all that follows the header, up to the last whole event.
func (m *mender) mendOld() {
	data, err := io.ReadAll(m.r)
	old := oldEvents(data)
	m.clock, m.whole = old.clock, data
	switch {
	case err == nil && old.whole == len(data) && old.complete():
		m.out, m.err = data, io.EOF
	case !old.clock:
		m.out, m.err = data, cmp.Or(err, io.EOF)
	default:
		m.out, m.err = old.standIn(data[:old.whole]), io.EOF
		m.mended, m.cause = true, cmp.Or(err, io.ErrUnexpectedEOF)
	}
}

// oldTrace is what is in a trace of the old format.
type oldTrace struct {
	whole  int  // bytes of events that are whole
	clock  bool // one states the clock's speed
	stacks map[uint64]bool
	last   uint64 // the greatest number of a stack
	texts  uint64 // the greatest number of a string
}

// complete reports whether all stacks are there: they are numbered from 1 without gaps, and written
// in another order.
func (t *oldTrace) complete() bool { return t.last > 0 && t.last == uint64(len(t.stacks)) }

func oldEvents(data []byte) (t oldTrace) {
	t.stacks = map[uint64]bool{}
	for rest := data; len(rest) > 0; rest = data[t.whole:] {
		n := oldEvent(rest)
		if n > len(rest) {
			break
		}
		t.note(rest)
		t.whole += n
	}
	return t
}

// note notes what the record says that data begins with.
func (t *oldTrace) note(data []byte) {
	switch data[0] & 0x3f {
	case oldFrequency:
		t.clock = true
	case oldStack:
		_, k := binary.Uvarint(data[1:]) // the length of the arguments
		id, _ := binary.Uvarint(data[1+max(k, 0):])
		t.stacks[id], t.last = true, max(t.last, id)
	case oldString:
		id, _ := binary.Uvarint(data[1:])
		t.texts = max(t.texts, id)
	}
}

// standIn adds the stacks that are missing. An event with a stack takes three bytes, so there are
// no more of them.
func (t *oldTrace) standIn(events []byte) []byte {
	const more = 3 << 6 // arguments follow behind their length
	events = slices.Clip(events)
	text := t.texts + 1
	events = binary.AppendUvarint(append(events, oldString), text)
	events = append(binary.AppendUvarint(events, uint64(len(cutOff))), cutOff...)
	for id := uint64(1); id <= min(standInStacks, uint64(t.whole)/3); id++ {
		if t.stacks[id] {
			continue
		}
		frames := binary.AppendUvarint(nil, id)
		frames = append(frames, 1, 1) // one frame, at address 1
		frames = append(binary.AppendUvarint(frames, text), 0, 0)
		events = append(events, oldStack|more, byte(len(frames)))
		events = append(events, frames...)
	}
	return events
}

// oldEvent returns the length of the event that data begins with, more than there is if it is cut.
// The first byte is the type and the number of arguments, less one; more than three arguments come
// behind their length in bytes.
func oldEvent(data []byte) int {
	at, cut := 1, len(data)+1
	number := func() uint64 {
		v, n := binary.Uvarint(data[min(at, len(data)):])
		if n <= 0 {
			at = cut
			return 0
		}
		at += n
		return v
	}
	skip := func(n uint64) {
		if at > len(data) || n > uint64(len(data)-at) {
			at = cut
			return
		}
		at += int(n)
	}
	switch typ, args := data[0]&0x3f, int(data[0]>>6)+1; {
	case typ == oldString:
		number()
		skip(number())
	case typ == oldBatch:
		number()
		number()
	case args > 3:
		skip(number())
		if typ == oldLog {
			skip(number())
		}
	default:
		for range args {
			number()
		}
	}
	return at
}
