package input

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// packing is a way to compress one file.
type packing struct {
	name string
	// is reports whether the bytes that a file begins with, at most magicSize, are of this packing.
	is func(head []byte) bool
	// open returns what r unpacks to, and how to free what that takes; nil if nothing is to be
	// freed.
	open func(s *Source, r *bufio.Reader) (io.Reader, func(), error)
}

// magicSize is how many bytes of a file show how it is packed.
const magicSize = 10

const gzipMagic = "\x1f\x8b"

// packings is the table of them.
var packings = []packing{
	{"gzip", begins(gzipMagic), openGzip},
	{"zstd", begins("\x28\xb5\x2f\xfd"), openZstd},
	{"xz", begins("\xfd7zXZ\x00"), openXz},
	{"bzip2", isBzip2, openBzip2},
	{"lz4", begins("\x04\x22\x4d\x18"), openLz4},
	{"lz4 in its legacy form", begins("\x02\x21\x4c\x18"), openLz4},
}

func begins(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

// isBzip2 looks for the header, which is four letters, and for the number that begins a block or,
// in a file of nothing, the end.
func isBzip2(head []byte) bool {
	return len(head) >= magicSize && bytes.HasPrefix(head, []byte("BZh")) &&
		'1' <= head[3] && head[3] <= '9' && (bytes.HasPrefix(head[4:], []byte("1AY&SY")) ||
		bytes.HasPrefix(head[4:], []byte("\x17\x72\x45\x38\x50\x90")))
}

// packingOf returns the packing that r begins with, or nil.
func packingOf(r *bufio.Reader) *packing {
	head, _ := r.Peek(magicSize) // of a short file what there is
	return packed(head)
}

// packed returns the packing of a file with such a beginning, or nil.
func packed(head []byte) *packing {
	for i := range packings {
		if packings[i].is(head) {
			return &packings[i]
		}
	}
	return nil
}

func openGzip(_ *Source, r *bufio.Reader) (io.Reader, func(), error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, nil, err
	}
	z.Multistream(false)
	return &gzipMembers{z, r}, func() { z.Close() }, nil
}

// gzipMembers unpacks the members of a gzip file one after the other. Behind the last there may be
// zeros, which fill up a block of a tape or of a disk. The library takes all that follows for the
// next member.
type gzipMembers struct {
	z *gzip.Reader
	r *bufio.Reader // that z reads no further than it has to
}

var errAfterGzip = errors.New("what follows the compressed data is not compressed by gzip")

func (g *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := g.z.Read(p)
		if n > 0 || err != io.EOF {
			return n, noEnd(err)
		}
		if err := g.next(); err != nil {
			return 0, err
		}
	}
}

// noEnd leaves the end of a member to the next read.
func noEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// next goes on to the next member. It returns io.EOF after the last.
func (g *gzipMembers) next() error {
	for {
		head, err := g.r.Peek(2)
		switch {
		case len(head) == 0 && err != nil:
			return err
		case head[0] == 0:
			if _, err := g.r.Discard(1); err != nil {
				return err
			}
			continue
		case string(head) != gzipMagic:
			return errAfterGzip
		}
		if err := g.z.Reset(g.r); err != nil {
			return err
		}
		g.z.Multistream(false)
		return nil
	}
}

func openZstd(s *Source, r *bufio.Reader) (io.Reader, func(), error) {
	return s.windowed(r, zstdAhead, newZstd)
}

func openXz(s *Source, r *bufio.Reader) (io.Reader, func(), error) {
	return s.windowed(r, xzAhead, newXz(s.noteBadSum))
}

// windowed opens a stream that states how large a window it wants.
func (s *Source) windowed(r io.Reader, ahead int64, open unpacker) (io.Reader, func(), error) {
	w := openWindowed(r, s.Size, s.budget.part(streamShare), ahead, open)
	return w, func() { w.Close() }, nil
}

func openBzip2(_ *Source, r *bufio.Reader) (io.Reader, func(), error) {
	return &sealed{bzip2.NewReader(r), r, func(err error) bool {
		var invalid bzip2.StructuralError
		return errors.As(err, &invalid) && strings.HasSuffix(string(invalid), "checksum mismatch")
	}}, nil, nil
}

func openLz4(_ *Source, r *bufio.Reader) (io.Reader, func(), error) {
	return &sealed{unstated{lz4.NewReader(r)}, r, func(err error) bool {
		return errors.Is(err, lz4.ErrInvalidFrameChecksum)
	}}, nil, nil
}

// unstated makes the end of a file plain where the library adds the name of its own state to it.
type unstated struct{ io.Reader }

func (r unstated) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// errSum says that the checksum at the very end of a compressed stream is wrong.
var errSum = errors.New("invalid checksum")

// sealed is a compressed stream whose last bytes are a checksum of all of it. An error that is
// found there, with nothing after it, is errSum: all of the content came before.
type sealed struct {
	from   io.Reader
	stored *bufio.Reader
	sum    func(error) bool // whether such an error may be about the checksum
}

func (r *sealed) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF && r.sum(err) {
		if _, more := r.stored.Peek(1); more == io.EOF {
			err = fmt.Errorf("%w: %w", errSum, err)
		}
	}
	return n, err
}

// mostPackings is how many times a file may be compressed: some tools compress a compressed file
// again.
const mostPackings = 4

// unpack looks through the packings of a file, whatever it is called.
func (s *Source) unpack(r *bufio.Reader) (io.Reader, error) {
	for range mostPackings {
		p := packingOf(r)
		if p == nil {
			return r, nil
		}
		layer, free, err := p.open(s, r)
		if err != nil {
			return nil, err
		}
		if free != nil {
			s.closers = append(s.closers, free)
		}
		s.packed = true
		r = bufio.NewReader(&summed{from: layer, source: s})
	}
	if packingOf(r) != nil {
		return nil, errors.New("compressed more than four times")
	}
	return r, nil
}

// summed is a compressed stream whose checksum may be wrong. What was unpacked is used all the
// same: to the loader such a stream just ends, and Source.BadSum says that it is not what was
// written.
type summed struct {
	from   io.Reader
	source *Source
	ended  error // what the stream ended with: some libraries go on if they are asked again
}

func (r *summed) Read(p []byte) (int, error) {
	if r.ended != nil {
		return 0, r.ended
	}
	n, err := r.from.Read(p)
	switch b := r.source.budget; {
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch),
		errors.Is(err, zip.ErrChecksum), errors.Is(err, errSum):
		r.source.noteBadSum(err)
		err = io.EOF
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded),
		errors.Is(err, errDict):
		err = b.over(r.source.Path, "it takes more than %v to unpack it", Memory(b.part(streamShare)))
	}
	r.ended = err
	return n, err
}
