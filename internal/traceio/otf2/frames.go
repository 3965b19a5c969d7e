package otf2

import (
	"encoding/binary"
	"errors"
	"io"

	"diptych/internal/traceio/input"
)

// All files of an archive but the anchor are chunks of a fixed size. A chunk begins with a header,
// which states the byte order and the numbers of its first and last event; records follow, and
// zeros fill it up. The last chunk is as long as its records are. Records are bytes:
//
//	3 order first last   the header of a chunk; order is 0x42 for little endian, 0x23 for big
//	0                    the end of a chunk: zeros up to the next header
//	1, 2                 the end of the buffer and of the file
//	5 time               in event files: the time of the events that follow, 8 bytes
//	kind value           an event of one packed number; only the kinds in singles
//	kind length body     any other record; a length of 255 stands for 8 bytes that have the length
//
// A packed number is a byte that says how many bytes follow, without leading zeros; 0xff stands for
// the greatest number, which means that something is not defined.
const (
	endOfChunk  = 0
	endOfBuffer = 1
	endOfFile   = 2
	chunkHeader = 3
	timestamp   = 5

	littleEndian = 0x42
	bigEndian    = 0x23
	headerSize   = 18
	stampSize    = 9
	longLength   = 0xff
	undefinedTag = 0xff
)

// bodyMost is how much of a record's body is decoded; what is longer has what matters first.
const bodyMost = 64 << 10

// record is one record of a file. Its body is valid until the next one is read.
type record struct {
	kind byte
	body []byte
	from int64  // its offset in the file
	time uint64 // of an event, ticks as recorded
}

var (
	errCut  = errors.New("the file ends within its records")
	errLost = errors.New("no record")
)

// frames splits a file into records.
type frames struct {
	in    *input.Window
	order binary.ByteOrder
	size  int64 // of the file
	timed bool  // an event file

	now     uint64 // the latest timestamp
	stamped bool   // there was one
	left    int64  // bytes of the last record that were not looked at
	padded  bool   // a chunk's header, or the end, must come next
	ended   bool   // the end was marked
}

func newFrames(r io.Reader, size int64, timed bool) *frames {
	return &frames{in: input.NewWindow(r), order: binary.LittleEndian, size: size, timed: timed,
		padded: true}
}

// next returns the next record. It fails with io.EOF at the end, with errCut if the end comes too
// early, and with errLost where no record begins.
func (f *frames) next() (record, error) {
	f.in.Skip(f.left)
	f.left = 0
	for {
		if !f.in.Ensure(1) {
			return record{}, f.finish()
		}
		switch kind := f.in.Rest()[0]; {
		case kind == endOfChunk:
			f.in.Advance(1)
			f.padded = true
		case kind == endOfBuffer || kind == endOfFile:
			f.in.Advance(1)
			f.ended = true
		case f.ended || f.padded && kind != chunkHeader:
			return record{}, errLost
		case kind == chunkHeader:
			if err := f.header(); err != nil {
				return record{}, err
			}
		case kind == timestamp && f.timed:
			if !f.in.Ensure(stampSize) {
				return record{}, errCut
			}
			f.now, f.stamped = f.order.Uint64(f.in.Rest()[1:]), true
			f.in.Advance(stampSize)
		case f.timed && singles[kind]:
			return f.single(kind)
		default:
			return f.framed(kind)
		}
	}
}

func (f *frames) finish() error {
	if f.ended || f.in.Failure() != nil {
		return io.EOF
	}
	return errCut
}

// header reads the header of a chunk.
func (f *frames) header() error {
	if !f.in.Ensure(headerSize) {
		return errCut
	}
	order, ok := byteOrder(f.in.Rest()[1])
	if !ok {
		return errLost
	}
	f.order, f.padded = order, false
	f.in.Advance(headerSize)
	return nil
}

func byteOrder(mark byte) (binary.ByteOrder, bool) {
	switch mark {
	case littleEndian:
		return binary.LittleEndian, true
	case bigEndian:
		return binary.BigEndian, true
	}
	return nil, false
}

// single returns an event whose body is one packed number.
func (f *frames) single(kind byte) (record, error) {
	if !f.in.Ensure(2) {
		return record{}, errCut
	}
	n := int(f.in.Rest()[1])
	if n == undefinedTag {
		n = 0
	}
	if n > 8 {
		return record{}, errLost
	}
	if !f.in.Ensure(2 + n) {
		return record{}, errCut
	}
	r := record{kind, f.in.Rest()[1 : 2+n], f.in.At(), f.now}
	f.in.Advance(2 + n)
	return r, nil
}

// framed returns a record that says how long it is.
func (f *frames) framed(kind byte) (record, error) {
	head := 2
	if !f.in.Ensure(head) {
		return record{}, errCut
	}
	n := uint64(f.in.Rest()[1])
	if n == longLength {
		if head = 10; !f.in.Ensure(head) {
			return record{}, errCut
		}
		n = f.order.Uint64(f.in.Rest()[2:])
	}
	if most := f.size - f.in.At() - int64(head); most < 0 || n > uint64(most) {
		return record{}, errLost
	}
	take := int(min(n, bodyMost))
	if !f.in.Ensure(head + take) {
		return record{}, errCut
	}
	r := record{kind, f.in.Rest()[head : head+take], f.in.At(), f.now}
	f.in.Advance(head + take)
	f.left = int64(n) - int64(take)
	return r, nil
}

// leap is a pause, in ticks, beyond which a number is taken for no time: an hour at 1 GHz.
const leap = 1 << 42

// resync looks for the next place where records surely begin: the header of a chunk, or a time that
// is not long after the last one. It reports whether there is one.
func (f *frames) resync() bool {
	f.left = 0
	for f.in.Advance(1); f.in.Ensure(stampSize + 1); f.in.Advance(1) {
		if f.plausibleTime(f.in.Rest()) || f.plausibleHeader() {
			f.padded, f.ended = f.in.Rest()[0] == chunkHeader, false
			return true
		}
	}
	f.in.Advance(len(f.in.Rest()))
	return false
}

func (f *frames) plausibleTime(b []byte) bool {
	if !f.timed || b[0] != timestamp || !f.stamped {
		return false
	}
	t := f.order.Uint64(b[1:])
	return t >= f.now && t-f.now < leap && known(b[stampSize])
}

func (f *frames) plausibleHeader() bool {
	if f.in.Rest()[0] != chunkHeader || !f.in.Ensure(headerSize+1) {
		return false
	}
	b := f.in.Rest()
	order, ok := byteOrder(b[1])
	return ok && order.Uint64(b[2:]) < leap && order.Uint64(b[10:]) < leap && b[headerSize] <= mostKind
}
