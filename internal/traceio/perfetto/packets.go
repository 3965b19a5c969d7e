package perfetto

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
)

const (
	readSize = 256 << 10

	// maxPacket bounds the packets that are read. Perfetto's service cuts them at 512 KB; those
	// that are larger hold descriptions of protocol buffers, symbols and the like.
	maxPacket = 16 << 20
)

// unpacker limits what a stream of that size as stored unpacks to; see input.Source.Unpack.
type unpacker func(r io.Reader, stored int64) io.Reader

// packets takes packets from a stream, one at a time.
type packets struct {
	in     *bufio.Reader
	at     int64 // offset of what follows in the stream
	lent   int   // bytes of the buffer of in that the last packet lies in
	packet bytes.Buffer
}

// errNoPacket says that the stream goes on with something that is no field of a Trace.
var errNoPacket = errors.New("no packet begins here")

// next returns the body of the next packet, which is good until the next call. It returns io.EOF at
// the end of the stream, and another error if no more can be read. Other fields of the trace, and
// packets that are too long, are passed over.
func (s *packets) next() ([]byte, error) {
	s.in.Discard(s.lent) // which are there
	s.lent = 0
	if p := s.atHand(); p != nil {
		return p, nil
	}
	for {
		tag, err := s.varint()
		if err != nil {
			return nil, err
		}
		number, kind := protowire.DecodeTag(tag)
		switch {
		case number < 1 || kind == protowire.StartGroupType || kind > protowire.Fixed32Type:
			return nil, errNoPacket
		case kind == protowire.VarintType:
			_, err = s.varint()
		case kind == protowire.Fixed64Type:
			err = s.skip(8)
		case kind == protowire.Fixed32Type:
			err = s.skip(4)
		case kind == protowire.BytesType:
			var p []byte
			if p, err = s.body(number == tracePacket); p != nil && err == nil {
				return p, nil
			}
		default:
			return nil, errNoPacket
		}
		if err != nil {
			return nil, whole(err)
		}
	}
}

// atHand returns the body of the next packet if it is short, as nearly all are, and has been read;
// else nil, and has done nothing.
func (s *packets) atHand() []byte {
	b, _ := s.in.Peek(s.in.Buffered())
	if len(b) < 3 || b[0] != packetTag {
		return nil
	}
	head, n := 2, int(b[1])
	if n >= 0x80 {
		head, n = 3, n&0x7f|int(b[2])<<7
	}
	if n == 0 || b[2] >= 0x80 && head == 3 || head+n > len(b) {
		return nil
	}
	s.in.Discard(head) // so that a broken packet is looked into from its body on
	s.lent, s.at = n, s.at+int64(head+n)
	return b[head : head+n : head+n]
}

// whole makes the end of the stream inside a field an error.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// body reads a length-delimited field, or passes over it and returns nil.
func (s *packets) body(keep bool) ([]byte, error) {
	n, err := s.varint()
	switch {
	case err != nil:
		return nil, err
	case n > 1<<40:
		return nil, fmt.Errorf("a packet of %d bytes", n)
	case !keep || n > maxPacket:
		return nil, s.skip(int64(n))
	}
	if n <= readSize {
		p, err := s.in.Peek(int(n))
		if err == nil {
			s.lent, s.at = len(p), s.at+int64(n)
		}
		return p[:len(p):len(p)], err
	}
	// The buffer grows with what is there, not with what a broken length promises.
	s.packet.Reset()
	got, err := io.CopyN(&s.packet, s.in, int64(n))
	s.at += got
	return s.packet.Bytes(), err
}

// recover looks for the next place where a packet seems to begin, from the body of the last one on,
// whose length may be what is damaged. It reports whether there is one. A guess may be wrong, and
// costs another broken packet then.
func (s *packets) recover() bool {
	s.at -= int64(s.lent)
	s.lent = 0
	for {
		window, err := s.in.Peek(readSize)
		for i := bytes.IndexByte(window, packetTag); i >= 0; {
			if beginsPacket(window[i:]) {
				s.in.Discard(i) // which are there
				s.at += int64(i)
				return true
			}
			next := bytes.IndexByte(window[i+1:], packetTag)
			if next < 0 {
				break
			}
			i += 1 + next
		}
		pass := len(window)
		if err == nil {
			pass -= readSize / 4 // where one may begin that is cut here
		}
		s.in.Discard(pass)
		s.at += int64(pass)
		if err != nil {
			return false
		}
	}
}

// packetTag is the tag that packets have in the trace.
const packetTag = byte(tracePacket)<<3 | byte(protowire.BytesType)

// beginsPacket reports whether b begins with a packet, after which another one follows or nothing.
func beginsPacket(b []byte) bool {
	f := fieldsOf(b)
	if !f.next() || !f.is(tracePacket, protowire.BytesType) || !looksLikePacket(f.body) {
		return false
	}
	return len(f.rest) == 0 || f.rest[0] == packetTag
}

func (s *packets) skip(n int64) error {
	got, err := io.CopyN(io.Discard, s.in, n)
	s.at += got
	return err
}

// varint reads a number. It returns io.EOF only if nothing is left.
func (s *packets) varint() (uint64, error) {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		c, err := s.in.ReadByte()
		if err != nil {
			if shift > 0 {
				err = whole(err)
			}
			return 0, err
		}
		s.at++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n, nil
		}
	}
	return 0, errNoPacket
}

// zstdMagic begins what is compressed with zstd.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// mostWindow bounds how far back zstd may look, far above what a packet takes.
const mostWindow = 32 << 20

// inflate returns a reader of compressed packets: with zstd, or deflated with zlib's header, as
// Perfetto writes it, or without.
func inflate(data []byte) (io.ReadCloser, error) {
	switch {
	case bytes.HasPrefix(data, zstdMagic):
		z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(mostWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case len(data) >= 2 && data[0]&0x0f == 8 && (uint(data[0])<<8|uint(data[1]))%31 == 0:
		return zlib.NewReader(bytes.NewReader(data))
	}
	return flate.NewReader(bytes.NewReader(data)), nil
}
