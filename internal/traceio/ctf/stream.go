package ctf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"diptych/internal/trace"
)

// stream reads one file of packets. No more than one packet of the file is in memory.
type stream struct {
	reader
	t      *tracer
	name   string // as messages name it
	in     io.ReadCloser
	offset int64 // of the packet in the file
	size   int   // bytes of the packet, 0 before the first
	eof    bool
	failed error // what reading ended with, if not the end of the file

	class  *streamClass
	layout *layout
	packet packet

	event *eventClass // the present one
	at    int64       // its time, ns
	good  uint64      // the last value of the clock that was sound
	plain bool        // each field is read, as tests ask for

	around  []byte // bytes of the last event's common context in this packet; nil if they differ
	changed bool   // the present one has others
	owner   owner  // of the last event
	common  bool   // that is of the common context
	listed  bool   // and is the last one of the batch
	batch   *batch // that is filled
	ready   chan *batch
	free    chan *batch
	told    map[trace.Code]bool
}

// packet is what the context of a packet says.
type packet struct {
	begin, end uint64 // on the clock; 0 if it does not say
	cpu        int64  // −1 if it does not say
	discarded  uint64 // since the stream began
	sequence   uint64
	any        bool // whether there was one before
}

// The first bytes of packets: of streams, of metadata.
const (
	streamMagic   = 0xC1FC1FC1
	metadataMagic = 0x75D11D57
	indexMagic    = 0xC1F1DCC1 // of LTTng's files that list packets
)

// leastRead is how many bytes are asked for at least.
const leastRead = 4096

// fill makes at least n bytes of the packet available, and reports whether there are that many.
func (s *stream) fill(n int) bool {
	for len(s.buf) < n && !s.eof {
		if len(s.buf) == cap(s.buf) { // what a broken length promises must arrive first
			s.buf = append(make([]byte, 0, max(2*cap(s.buf), leastRead)), s.buf...)
		}
		// What follows the packet is not read yet: it would have to be moved.
		k, err := s.in.Read(s.buf[len(s.buf):min(cap(s.buf), max(n, leastRead))])
		s.buf = s.buf[:len(s.buf)+k]
		if err != nil {
			s.eof = true
			if !errors.Is(err, io.EOF) {
				s.failed = err
			}
		}
	}
	return len(s.buf) >= n
}

// drop forgets the first n bytes.
func (s *stream) drop(n int) {
	s.buf = s.buf[:copy(s.buf, s.buf[n:])]
	s.offset += int64(n)
}

// bad counts what cannot be read of the packet.
func (s *stream) bad(format string, args ...any) {
	s.tell(trace.BadRecord, 1, "%s, offset %d: %s", s.name, s.offset+int64(s.pos/8),
		fmt.Sprintf(format, args...))
}

// nextPacket goes to the next packet that can be read. It returns false at the end of the stream.
func (s *stream) nextPacket(ctx context.Context) bool {
	s.drop(min(s.size, len(s.buf)))
	for s.size = 0; s.fill(1) && ctx.Err() == nil; {
		err := s.openPacket()
		if err == nil {
			return true
		}
		s.bad("a packet: %v", err)
		if !s.resync() {
			break
		}
	}
	if s.failed != nil && ctx.Err() == nil {
		s.tell(trace.Truncated, 1, "%s, offset %d: %v", s.name, s.offset, s.failed)
		s.failed = nil
	}
	s.pos, s.end = 0, 0
	return false
}

// openPacket reads the header and the context of the packet at hand, and then all of it.
func (s *stream) openPacket() error {
	err := errBeyond
	for n := leastRead; errors.Is(err, errBeyond); n *= 2 {
		more := s.fill(n)
		s.pos, s.end = 0, 8*uint64(len(s.buf))
		s.budget()
		if err = s.surroundings(); err != nil && !more {
			return err
		}
	}
	if err != nil {
		return err
	}
	st, head := &s.layout.stamps, s.pos
	size, content := s.num(st.size), s.num(st.content)
	if st.size == nil || size == 0 {
		for s.fill(len(s.buf) + 1) { // a file that is one packet
		}
		size = 8 * uint64(len(s.buf))
	}
	if st.content == nil {
		content = size
	}
	if size%8 != 0 || content > size || content < head || size > 1<<50 {
		return fmt.Errorf("of %d bits, of which %d are used", size, content)
	}
	if s.size = int(size / 8); !s.fill(s.size) {
		if content > 8*uint64(len(s.buf)) {
			s.tell(trace.Truncated, 1, "%s, offset %d: %d bytes of a packet of %d", s.name,
				s.offset, len(s.buf), s.size)
		}
		s.size = len(s.buf)
	}
	s.batch.notes = append(s.batch.notes, note{before: len(s.batch.events), bytes: int64(s.size)})
	s.around, s.common = nil, false // of this packet nothing is known
	s.end = min(content, 8*uint64(len(s.buf)))
	s.pos = min(head, s.end)
	s.budget()
	s.losses()
	return nil
}

// surroundings reads the header and the context of a packet.
func (s *stream) surroundings() error {
	t := s.t
	s.grow(t.slots)
	if err := s.read(t.header); err != nil {
		return err
	}
	if n := t.header.named("magic"); n != nil && s.num(n)&(1<<32-1) != streamMagic {
		return errors.New("it does not begin with the number of packets")
	}
	if n := t.header.named("uuid"); n != nil && t.uuid != nil && !bytes.Equal(s.text(n), t.uuid) {
		return errors.New("it is of another trace")
	}
	if s.class = t.meta.streams[s.num(t.header.named("stream_id"))]; s.class == nil {
		return fmt.Errorf("stream %d is not defined", s.num(t.header.named("stream_id")))
	}
	if s.layout = s.class.layout; s.layout == nil {
		return s.class.err
	}
	s.grow(s.layout.most)
	return s.read(s.layout.context)
}

// losses takes over what the context of a packet says, and counts what the tracer lost before it.
func (s *stream) losses() {
	st, before := &s.layout.stamps, s.packet
	s.packet = packet{begin: s.num(st.begin), end: s.num(st.end), cpu: -1,
		discarded: s.num(st.discarded), sequence: s.num(st.sequence), any: true}
	if st.cpu != nil {
		s.packet.cpu = int64(s.num(st.cpu))
	}
	if st.begin != nil {
		s.clock, s.stamp = st.begin.clock, s.packet.begin
	}
	s.good = s.stamp
	// A file that continues another one, of a session that was rotated, counts on from that.
	continues := !before.any && s.packet.sequence > 0
	if st.discarded != nil && !continues {
		n := s.packet.discarded - before.discarded
		if st.discarded.size < 64 {
			n &= 1<<st.discarded.size - 1
		}
		s.tell(trace.LostRecords, n, "%s: %d events before the packet at offset %d", s.name, n,
			s.offset)
	}
	if n := s.packet.sequence - before.sequence - 1; st.sequence != nil && before.any && n < 1<<32 {
		s.tell(trace.LostRecords, n, "%s: %d packets before the one at offset %d", s.name, n,
			s.offset)
	}
}

// resync drops what cannot be read, up to where another packet seems to begin: with the number of
// packets, and the trace's id if packets have one. It returns false if there is none.
func (s *stream) resync() bool {
	begin := s.t.begin
	if begin == nil {
		for s.fill(1) {
			s.drop(len(s.buf))
		}
		return false
	}
	s.drop(1)
	for {
		if i := bytes.Index(s.buf, begin); i >= 0 {
			s.drop(i)
			return true
		}
		s.drop(max(len(s.buf)-len(begin)+1, 0))
		if !s.fill(len(s.buf) + 1) {
			s.drop(len(s.buf))
			return false
		}
	}
}

// beginning returns the bytes that packets begin with, or nil if they have no number for that.
func (t *tracer) beginning() []byte {
	if t.header == nil || len(t.header.kids) == 0 || t.header.kids[0].name != "magic" {
		return nil
	}
	begin := binary.LittleEndian.AppendUint32(nil, streamMagic)
	if t.header.kids[0].big {
		begin = binary.BigEndian.AppendUint32(nil, streamMagic)
	}
	if len(t.header.kids) > 1 && t.header.kids[1].name == "uuid" {
		begin = append(begin, t.uuid...)
	}
	return begin
}
