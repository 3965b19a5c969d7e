package chrome

import "math/bits"

// Events that have the same shape mostly also have values of a few lengths each. A stamp is the
// text of an event in which of each byte only its class is known: it is what it was, or any digit,
// or anything but a quote and a backslash. Text that fits has the same tokens at the same places,
// so all that is left to do is to read the values, without looking for anything: see record. To see
// that a text fits takes a few vector instructions for 64 bytes.
//
// A stamp is looked for by where the quotes are. What has none, or fits none, is read as shape.go
// says, and may become one; the trace does not depend on it.
type stamps struct {
	slots  []slot
	draft  stamp  // that is being made
	last   *stamp // that fitted last
	luck   int    // above 0 if mostly the stamp fits next that followed the last one before
	tried  int    // since the last count
	fitted int
	rest   int // so many events are not tried
	pause  int // how many that were the last time
}

// slot is a place for a stamp.
type slot struct {
	stamp *stamp
	seen  uint64 // the key of events that fitted none here
	times int    // more of them there were than of others
}

const (
	slotShift   = 10
	keyPieces   = 8                // of 64 bytes, whose quotes are the key
	mostStamp   = 16 * 64          // bytes of an event
	enoughAlike = 6                // events for a stamp
	tryCount    = 1 << 8           // events after which is counted how many fitted
	tryFitting  = tryCount * 3 / 4 // how many of these must be for more to be tried
	shortPause  = 1 << 10          // how many events are not tried if it was fewer
	longPause   = 1 << 16          // and at most
)

// piece is 64 bytes of a stamp. Each byte has a bit in one of the masks of classes; those behind
// the event have none. The bytes of the arguments that are no white space have one in kept as well.
type piece struct {
	text                  [64]byte
	literal, digits, free uint64
	kept                  uint64
}

// stamp is a class of events, and where their values are, as offsets.
type stamp struct {
	pieces []piece
	len    int

	phase           uint32 // where the letter is
	name, cat, args span   // empty if there is none
	start, length   number
	pid, tid        number
	parts           []span // the arguments without white space
	then            *stamp // that fitted the event after one of this stamp, or nil
}

// number is a number of digits, in which there can be a point.
type number struct {
	at            uint32
	whole, behind uint8 // digits before the point and after it; without whole there is no number
}

const odd = 0x9E3779B97F4A7C15 // 2⁶⁴ times the golden section, for hashes

// mix adds the quotes in 64 bytes to a key.
func mix(key, quotes uint64) uint64 {
	return (bits.RotateLeft64(key, 29) ^ quotes) * odd
}

// mostLuck is how often in a row guesses must have been wrong before none is tried.
const mostLuck = 8

// guess returns the stamp that probably fits the next event, nil if there is no telling. Programs
// write the same events again and again, so mostly it is the one that followed the last one before.
// Where it fits, the quotes need not be looked for.
func (x *stamps) guess() *stamp {
	if x.luck > 0 && x.last != nil {
		return x.last.then
	}
	return nil
}

// noteFitting notes that a stamp fitted.
func (x *stamps) noteFitting(s *stamp) {
	x.fitted++
	if x.last != nil {
		if x.last.then == s {
			x.luck = min(x.luck+1, mostLuck)
		} else {
			x.last.then = s
			x.luck = max(x.luck-1, 0)
		}
	}
	x.last = s
}

// resting reports whether no stamp is tried for the next event.
func (x *stamps) resting() bool {
	x.rest--
	return x.rest >= 0
}

// count notes that a stamp is tried. In a file in which few events fit one that only takes longer,
// so after each count that says so it is left for twice as long.
func (x *stamps) count() {
	x.rest = 0
	if x.tried++; x.tried <= tryCount {
		return
	}
	if x.fitted >= tryFitting {
		x.pause = 0
	} else {
		x.pause = min(max(2*x.pause, shortPause), longPause)
		x.rest = x.pause
	}
	x.tried, x.fitted = 0, 0
}

// place notes an event that no stamp fitted, and returns the place for one that is made of it, once
// there were several like it. To make one takes as long as to read many events.
func (x *stamps) place(key uint64) *slot {
	if x.slots == nil {
		x.slots = make([]slot, 1<<slotShift)
	}
	s := &x.slots[key>>(64-slotShift)]
	switch {
	case s.seen == key:
		s.times++
	case s.times > 0:
		s.times--
	default:
		s.seen, s.times = key, 1
	}
	if s.times < enoughAlike {
		return nil
	}
	s.times = 0
	return s
}

// firstBits has the lowest n bits, none or all if there are not so many.
func firstBits(n int) uint64 {
	if n >= 64 {
		return 1<<64 - 1
	}
	return 1<<max(n, 0) - 1
}
