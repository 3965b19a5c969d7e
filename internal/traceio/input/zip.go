package input

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"diptych/internal/spill"
)

// A zip archive has its directory at its end, and each member is compressed by itself. So it is
// read where it lies, and members are unpacked as they are read. One that comes through a pipe
// or lies in another packing is kept first, as a whole.

// isZip reports whether head begins a zip archive.
func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// Methods of zip archives besides stored, deflated and zstd-compressed members, as the format's
// description numbers them.
const (
	zipBzip2 = 12
	zipXz    = 95
)

// unzip makes the members of a zip archive the source's Dir.
func (s *Source) unzip() error {
	data, size, err := s.seekable()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(data, size)
	if broken := s.budget.err(); broken != nil {
		return broken
	}
	a := newArchive()
	u := &unzipper{source: s, most: s.budget.unpackedMost(s.Size), methods: s.methods()}
	switch {
	case errors.Is(err, zip.ErrFormat):
		return s.salvage(a, u, data, size)
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return &FormatError{File: s.Path, Offset: -1, Reason: "cannot read the zip archive", Err: cause(err)}
	case int64(len(z.File)) > s.budget.part(entryBytes):
		return s.budget.over(s.Path, "it holds more than %d files", s.budget.part(entryBytes))
	}
	for _, f := range z.File {
		s.indexZipped(a, u, f)
	}
	s.Dir, s.Stream, s.archive = s.directory(a), nil, a
	return s.budget.err()
}

// methods are the ways in which members may be packed.
func (s *Source) methods() map[uint16]zip.Decompressor {
	most := s.budget.part(streamShare)
	windowed := func(ahead int64, open unpacker) zip.Decompressor {
		return func(r io.Reader) io.ReadCloser {
			return openWindowed(r, 0, most, ahead, open)
		}
	}
	unzstd := windowed(zstdAhead, newZstd)
	return map[uint16]zip.Decompressor{
		zip.Store: io.NopCloser, zip.Deflate: flate.NewReader, zstd.ZipMethodWinZip: unzstd, zstd.ZipMethodPKWare: unzstd,
		zipBzip2: func(r io.Reader) io.ReadCloser { return io.NopCloser(bzip2.NewReader(r)) },
		zipXz:    windowed(xzAhead, newXz(s.noteBadSum)),
	}
}

// indexZipped takes one member. What is no file is left out.
func (s *Source) indexZipped(a *archive, u *unzipper, f *zip.File) {
	mode := f.Mode()
	switch {
	case strings.HasSuffix(f.Name, "/") || mode.IsDir():
		a.others.add(ofDirectories, f.Name)
		return
	case mode&fs.ModeSymlink != 0:
		a.others.add(ofLinks, f.Name)
		return
	}
	s.addZipped(a, f.Name, span{size: int64(min(f.UncompressedSize64, math.MaxInt64)),
		open: func() (io.ReadCloser, error) { return u.open(f) }})
}

// addZipped adds a member. Some programs for Windows write the separator of that system.
func (s *Source) addZipped(a *archive, name string, as span) {
	clean, inside := memberName(strings.ReplaceAll(name, `\`, "/"))
	if !inside {
		s.Damage = s.Fail(fmt.Sprintf("the member %q lies outside of the archive", name), nil)
		return
	}
	a.add(clean, as)
}

// unzipper opens members. All that it unpacks is limited together: members may share their bytes.
type unzipper struct {
	source  *Source
	most    int64
	n       atomic.Int64
	methods map[uint16]zip.Decompressor
}

// open opens a member. The library's own Open withholds the last bytes that were unpacked if the
// size that the archive states is wrong.
func (u *unzipper) open(f *zip.File) (io.ReadCloser, error) {
	unpack := u.methods[f.Method]
	if err := unreadable(f.Flags, f.Method, unpack != nil); err != nil {
		return nil, err
	}
	stored, err := f.OpenRaw()
	if err != nil {
		return nil, err
	}
	return &zipped{&checked{unpack(bufio.NewReader(stored)), crc32.NewIEEE(), 0, &f.FileHeader}, u}, nil
}

// checked is a member whose end is held against what the archive states.
type checked struct {
	io.ReadCloser
	sum    hash.Hash32
	n      uint64 // bytes so far
	stated *zip.FileHeader
}

// Read passes all bytes on. What has the stated checksum is whole, whatever size is stated. Some
// programs state 0 for none.
func (r *checked) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	_, _ = r.sum.Write(p[:n])
	r.n += uint64(n)
	switch {
	case !errors.Is(err, io.EOF) || r.sum.Sum32() == r.stated.CRC32:
	case r.stated.CRC32 == 0 && r.n == r.stated.UncompressedSize64:
	case r.n < r.stated.UncompressedSize64:
		err = io.ErrUnexpectedEOF
	default:
		err = zip.ErrChecksum
	}
	return n, err
}

// unreadable says why a member with such flags, packed with a method that is known or not,
// cannot be read; nil if it can.
func unreadable(flags, method uint16, known bool) error {
	switch {
	case flags&1 != 0:
		return errors.New("the zip archive is encrypted")
	case !known:
		return fmt.Errorf("packed with method %d, which is not read here", method)
	}
	return nil
}

// zipped is an open member.
type zipped struct {
	io.ReadCloser
	of *unzipper
}

func (r *zipped) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	s := r.of.source
	if r.of.n.Add(int64(n)) > r.of.most {
		return 0, s.budget.over(s.Path, "it unpacks to more than %v", Memory(r.of.most))
	}
	return n, err
}

// seekable returns what the source's stream gives as something to read anywhere, and its size. It
// is the file itself, or else a copy in memory or in a file without a name.
func (s *Source) seekable() (io.ReaderAt, int64, error) {
	if s.inFile() {
		return &readAt{s.file, s}, s.Size, nil
	}
	s.splitUnpacking()
	var held bytes.Buffer
	n, err := held.ReadFrom(io.LimitReader(s.Stream, s.budget.part(unknownShare)))
	if err == nil {
		var more [1]byte
		if k, _ := s.Stream.Read(more[:]); k == 0 {
			return s.heldAt(bytes.NewReader(held.Bytes()), n, nil)
		}
		held.Write(more[:])
		return s.heldInFile(&held)
	}
	return s.heldAt(bytes.NewReader(held.Bytes()), n, err)
}

// heldInFile moves what is held and what is still to come to a file.
func (s *Source) heldInFile(held *bytes.Buffer) (io.ReaderAt, int64, error) {
	f, err := spill.Nameless(os.TempDir())
	if err != nil {
		return nil, 0, s.cannotUnroll(err)
	}
	s.closers = append(s.closers, func() { f.Close() })
	n, err := held.WriteTo(f)
	if err != nil {
		return nil, 0, s.cannotUnroll(err)
	}
	*held = bytes.Buffer{}
	most := s.budget.unpackedMost(s.Size)
	more, err := io.Copy(writeErrors{f}, io.LimitReader(s.Stream, most-n+1))
	if n+more > most {
		return nil, 0, s.budget.over(s.Path, "it unpacks to more than %v", Memory(most))
	}
	if write := (*writeError)(nil); errors.As(err, &write) {
		return nil, 0, s.cannotUnroll(err)
	}
	return s.heldAt(f, n+more, err)
}

// heldAt returns a copy that is complete, or as much of one as there was before an error.
func (s *Source) heldAt(r io.ReaderAt, n int64, err error) (io.ReaderAt, int64, error) {
	if broken := s.budget.err(); broken != nil {
		return nil, 0, broken
	}
	if err != nil {
		s.Damage = s.Fail("damaged archive", err)
	}
	return r, n, nil
}

// readAt reads the file of a source anywhere, and ends with the context.
type readAt struct {
	file   *os.File
	source *Source
}

func (r *readAt) ReadAt(p []byte, at int64) (int, error) {
	s := r.source
	if err := s.budget.err(); err != nil {
		return 0, err
	}
	n, err := r.file.ReadAt(p, at)
	if limit := s.budget.take(n); limit != nil {
		return 0, limit
	}
	return n, err
}
