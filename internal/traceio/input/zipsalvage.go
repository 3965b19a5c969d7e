package input

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"io"
)

// A zip archive that was cut off has lost its directory. But each member has a header of its own
// before its data, so that they are found one after the other, as long as their sizes are known. A
// program that writes an archive in one go writes the sizes after the data: then the data
// is unpacked to find its end.

const (
	zipHeaderSize = 30
	zipHeader     = 0x04034b50
	zipSizesAfter = 1 << 3 // flag: the sizes follow the data
	zipSizesSign  = 0x08074b50
)

// found is a member that was found by its header.
type found struct {
	name         string
	method       uint16
	flags        uint16
	at, size     int64 // of the data as stored; a size of −1 is not known
	unpackedSize int64
}

// salvage makes the members of an archive without a directory the source's Dir.
func (s *Source) salvage(a *archive, u *unzipper, data io.ReaderAt, size int64) error {
	first, left := s.left.halves()
	s.left = left
	scanned := &scan{data, func(at int64) { s.tell(first, min(at, size), size) }}
	for at, n := int64(0), int64(0); n <= s.budget.part(entryBytes); n++ {
		f := headerAt(data, at, size)
		if f == nil || f.method == zip.Store && f.size < 0 {
			break // stored data has no end of its own
		}
		unpack := u.methods[f.method]
		open := func() (io.ReadCloser, error) { return u.openFound(f, unpack, data, size) }
		ended := f.size >= 0 || f.measure(unpack, u, scanned, size)
		if f.name != "" && f.name[len(f.name)-1] != '/' {
			s.addZipped(a, f.name, span{size: f.unpackedSize, open: open})
		}
		if !ended {
			break
		}
		at = f.at + f.size
	}
	if broken := s.budget.err(); broken != nil {
		return broken
	}
	s.Damage = s.Fail("damaged zip archive: the list of its files, at its end, is missing or broken", nil)
	s.Dir, s.Stream, s.archive = s.directory(a), nil, a
	return nil
}

// scan reads data from its start to its end, and tells up to where.
type scan struct {
	data io.ReaderAt
	tell func(at int64)
}

func (s *scan) ReadAt(p []byte, at int64) (int, error) {
	n, err := s.data.ReadAt(p, at)
	s.tell(at + int64(n))
	return n, err
}

// headerAt reads the header of a member, or returns nil if there is none.
func headerAt(data io.ReaderAt, at, size int64) *found {
	var h [zipHeaderSize]byte
	if n, _ := data.ReadAt(h[:], at); n < len(h) || binary.LittleEndian.Uint32(h[:]) != zipHeader {
		return nil
	}
	word := binary.LittleEndian.Uint16
	f := &found{flags: word(h[6:]), method: word(h[8:]), size: int64(binary.LittleEndian.Uint32(h[18:])),
		unpackedSize: int64(binary.LittleEndian.Uint32(h[22:]))}
	name := make([]byte, word(h[26:]))
	if n, _ := data.ReadAt(name, at+zipHeaderSize); n < len(name) {
		return nil
	}
	f.name = string(name)
	f.at = at + zipHeaderSize + int64(len(name)) + int64(word(h[28:]))
	const inExtra = 1<<32 - 1 // of more than 4 GiB; all up to the end of the file is looked at
	if f.flags&zipSizesAfter != 0 && f.size == 0 || f.size == inExtra {
		f.size = -1
	}
	if f.at > size {
		return nil
	}
	return f
}

// measure finds the size of a member by unpacking it, and passes over the sizes that follow it. It
// reports whether the end was found.
func (f *found) measure(unpack zip.Decompressor, u *unzipper, data io.ReaderAt, size int64) bool {
	if f.method != zip.Deflate {
		return false // other methods read ahead
	}
	stored := &counted{r: bufio.NewReader(io.NewSectionReader(data, f.at, size-f.at))}
	n, err := io.Copy(io.Discard, &zipped{unpack(stored), u})
	if f.unpackedSize = n; err != nil {
		return false
	}
	f.size = stored.n
	var after [4]byte
	if n, _ := data.ReadAt(after[:], f.at+f.size); n == len(after) {
		if binary.LittleEndian.Uint32(after[:]) == zipSizesSign {
			f.size += 4
		}
		f.size += 12 // the checksum and two sizes
	}
	return true
}

// openFound opens a member that was found.
func (u *unzipper) openFound(f *found, unpack zip.Decompressor, data io.ReaderAt, size int64) (io.ReadCloser, error) {
	if err := unreadable(f.flags, f.method, unpack != nil); err != nil {
		return nil, err
	}
	end := size
	if f.size >= 0 {
		end = min(size, f.at+f.size)
	}
	var r io.Reader = io.NewSectionReader(data, f.at, end-f.at)
	if f.at+f.size > size && f.method == zip.Store {
		r = io.MultiReader(r, cutOff{})
	}
	return &zipped{unpack(bufio.NewReader(r)), u}, nil
}

// cutOff is the end of a file that has lost its own.
type cutOff struct{}

func (cutOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
