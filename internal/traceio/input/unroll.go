package input

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// isTar reports whether head begins a POSIX or GNU tar archive.
func isTar(head []byte) bool {
	return len(head) > 262 && bytes.Equal(head[257:262], []byte("ustar"))
}

// holder keeps the bytes of an archive's members.
type holder interface {
	// hold keeps n bytes, which r gives, and returns where they lie, fewer with an error. It may
	// refuse them. If they have holes, they are not all in the archive.
	hold(r io.Reader, n int64, holes bool) (where span, kept bool, err error)
	data() io.ReaderAt
}

// index makes the members of an archive the source's Dir. A damaged archive is kept up to the
// damage, which Source.Damage then tells.
func (s *Source) index(known func(*Source) bool) error {
	if isZip(s.Head) {
		return s.unzip()
	}
	return s.unroll(known)
}

// inFile reports whether the source's stream is its file as it is, which can be read anywhere.
func (s *Source) inFile() bool { return s.file != nil && s.again != nil && !s.packed }

// unroll indexes a tar archive. Where it is not compressed, its members are read in place;
// otherwise a spool keeps them.
func (s *Source) unroll(known func(*Source) bool) error {
	all := func(*Source) bool { return true }
	if s.inFile() {
		err := s.unrollInPlace()
		if !errors.Is(err, errSparse) {
			return err
		}
		if err := s.again(); err != nil {
			return err
		}
	}
	s.splitUnpacking()
	if s.again == nil { // a pipe cannot be read again
		known = all
	}
	err := s.unrollInto(known)
	if !errors.Is(err, errRefused) {
		return err
	}
	if err := s.again(); err != nil {
		return err
	}
	return s.unrollInto(all)
}

var (
	// The bytes of a member with holes do not lie in the archive as they are.
	errSparse = errors.New("a member has holes")
	// What was first taken for something unknown proves to be a recording.
	errRefused = errors.New("a member of a recording was refused")
)

// reopen opens the file once more from its start.
func (s *Source) reopen() error {
	s.Close()
	s.packed, s.Damage = false, nil
	return s.openStream()
}

// unrollInPlace finds the members of an archive that is not compressed.
func (s *Source) unrollInPlace() error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return s.cannotUnroll(err)
	}
	s.Unpacked = func() int64 {
		at, _ := s.file.Seek(0, io.SeekCurrent)
		return at
	}
	a := newArchive()
	r := &reader{from: s.file, budget: s.budget, file: s.Path, most: -1}
	err := s.indexTar(tar.NewReader(struct {
		io.Reader
		io.Seeker // tar passes over members without reading them
	}{r, within{s.file}}), s.Unpacked, a, inPlace{s.file})
	s.use(a, inPlace{s.file})
	return err
}

// unrollInto has a spool keep the members.
func (s *Source) unrollInto(known func(*Source) bool) error {
	a := newArchive()
	h := &spool{source: s, inMemory: s.budget.part(unknownShare)}
	held := func() *Source {
		a.data = h.data()
		return &Source{Path: s.Path, Dir: s.directory(a), archive: a, budget: s.budget}
	}
	h.known = func() bool { return known(held()) }
	h.shows = func(head []byte) bool { return s.headShows(head, known) }
	h.found = func() bool { return held().holdsRecording(known) }
	s.closers = append(s.closers, h.close)
	stream := &tally{Reader: s.Stream}
	err := s.indexTar(tar.NewReader(stream), stream.bytes, a, h)
	if err == nil && h.refused {
		if h.known() {
			err = errRefused
		} else if h.file == nil && !h.found() {
			err = h.unknown()
		}
	}
	if err == nil {
		s.use(a, h)
	}
	return err
}

// within seeks in a file. No file reaches as far as a header may state a member to.
type within struct{ file *os.File }

func (w within) Seek(offset int64, whence int) (int64, error) {
	at, err := w.file.Seek(offset, whence)
	if errors.Is(err, syscall.EINVAL) {
		err = io.ErrUnexpectedEOF
	}
	return at, err
}

func (s *Source) cannotUnroll(err error) error {
	return &FormatError{File: s.Path, Offset: -1, Reason: "cannot unroll", Err: cause(err)}
}

// use makes an archive what the source holds.
func (s *Source) use(a *archive, h holder) {
	a.data = h.data()
	s.Dir, s.Stream, s.archive = s.directory(a), nil, a
}

func (s *Source) directory(a *archive) *directory {
	return &directory{FS: a, source: s, budget: s.budget, at: s.Path}
}

// tally counts the bytes that are read from a stream.
type tally struct {
	io.Reader
	n int64
}

func (c *tally) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *tally) bytes() int64 { return c.n }

// tarBlock is the unit of a tar archive. Zeros fill up the last block of a member, and blocks of
// zeros end the archive.
const tarBlock = 512

// indexTar goes through an archive and has h keep its members; at says how far t has read. Damage
// ends it, and is no error. The library takes the end of the file for that of the archive.
func (s *Source) indexTar(t *tar.Reader, at func() int64, a *archive, h holder) error {
	end := int64(0) // of the latest member's bytes
	for n := int64(0); ; n++ {
		if n > s.budget.part(entryBytes) {
			return s.budget.over(s.Path, "it holds more than %d files", n-1)
		}
		m, err := t.Next()
		if errors.Is(err, io.EOF) {
			if n > 0 && at()-end < tarBlock && s.Damage == nil {
				s.Damage = s.Fail("the archive ends without its end mark, so members may be missing", nil)
			}
			break
		}
		var write *writeError
		if err == nil {
			end = at() + stored(m)
			err = s.indexMember(t, m, a, h)
		}
		if _, ok := h.(inPlace); err == nil && !ok {
			_, err = io.Copy(io.Discard, t)
			end = at() // a member with holes takes fewer bytes than it has
		}
		switch {
		case err == nil:
		case s.budget.err() != nil:
			return s.budget.err()
		case errors.As(err, &write):
			return s.cannotUnroll(err)
		case errors.Is(err, errRefused), errors.Is(err, errSparse):
			return err
		default:
			s.Damage = s.Fail("damaged archive", err)
			return nil
		}
	}
	if s.packed { // to the end, where the checksum is
		if _, err := io.Copy(io.Discard, s.Stream); err != nil {
			s.Damage = s.Fail("damaged after the last member", err)
		}
	}
	return s.budget.err()
}

// indexMember takes one member. What is neither a file nor a link is left out.
func (s *Source) indexMember(t *tar.Reader, m *tar.Header, a *archive, h holder) error {
	name, inside := memberName(m.Name)
	switch m.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeLink, tar.TypeSymlink:
	case tar.TypeDir:
		a.others.add(ofDirectories, m.Name)
		return nil
	default:
		a.others.add(ofSpecial, m.Name)
		return nil
	}
	if !inside {
		s.Damage = s.Fail(fmt.Sprintf("the member %q lies outside of the archive", m.Name), nil)
		return nil
	}
	switch m.Typeflag {
	case tar.TypeLink: // another name of a member that came before
		to, _ := memberName(m.Linkname)
		if known, ok := a.members[to]; ok {
			a.add(name, known)
		} else {
			a.others.add(ofBroken, name)
		}
		return nil
	case tar.TypeSymlink:
		a.link(name, m.Linkname)
		return nil
	}
	if _, ok := h.(inPlace); ok && sparse(m) {
		return errSparse
	}
	where, kept, err := h.hold(t, m.Size, sparse(m))
	if kept {
		a.add(name, where)
	} else {
		a.left = append(a.left, name)
	}
	return err
}

// stored returns how many bytes of a member without holes follow its header.
func stored(m *tar.Header) int64 {
	switch m.Typeflag {
	case tar.TypeLink, tar.TypeSymlink, tar.TypeDir, tar.TypeFifo, tar.TypeChar, tar.TypeBlock:
		return 0
	}
	return m.Size
}

// sparse reports whether a member's holes are left out of the archive.
func sparse(m *tar.Header) bool {
	for key := range m.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return m.Typeflag == tar.TypeGNUSparse
}

// inPlace holds nothing: the members lie in the archive's own file.
type inPlace struct{ file *os.File }

func (h inPlace) hold(_ io.Reader, n int64, _ bool) (span, bool, error) {
	at, err := h.file.Seek(0, io.SeekCurrent)
	return span{at: at, size: n}, true, err
}

func (h inPlace) data() io.ReaderAt { return h.file }
