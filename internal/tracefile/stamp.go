package tracefile

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"
)

// sum is a hash of 128 bits. It protects against chance, not against attacks.
type sum [16]byte

func (s sum) String() string { return hex.EncodeToString(s[:]) }

// sumOf returns the hash of a row of texts.
func sumOf(parts ...string) sum {
	var h xxh3.Hasher
	for _, p := range parts {
		writeText(&h, p)
	}
	return h.Sum128().Bytes()
}

func writeText(h *xxh3.Hasher, text string) {
	writeNumbers(h, uint64(len(text)))
	_, _ = h.WriteString(text)
}

func writeNumbers(h *xxh3.Hasher, numbers ...uint64) {
	var b [64]byte
	row := b[:0]
	for _, n := range numbers {
		row = binary.LittleEndian.AppendUint64(row, n)
	}
	_, _ = h.Write(row)
}

// stamp is what the file system says of a file, or of all files of a directory: if it is the same
// again, so is their content.
type stamp struct {
	sum  sum
	last time.Time // when any of the files was last changed
	size int64     // of a regular file, else −1
}

const (
	// racy is how long after a change a file may be changed again without another stamp: times have
	// the granularity of their file system, which is two seconds at worst. So a recording that
	// changed that shortly before it was read is not kept: it may have been changed while it was
	// read. Git compares the contents of such files instead, which costs as much as loading here.
	racy = 2 * time.Second

	mostFiles = 100_000 // of a directory
)

var errNoStamp = errors.New("not what can be kept")

// stampOf returns the stamp of a file, of all files of a directory, or of nothing where there is
// nothing.
func stampOf(ctx context.Context, path string) (stamp, error) {
	s := stamp{size: -1}
	var h xxh3.Hasher
	e, err := look(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, err
	case e.dir:
		err, left := s.add(&h, ".", e), mostFiles
		if err == nil {
			err = s.addFiles(ctx, &h, path, "", &left)
		}
		if err != nil {
			return s, err
		}
	default:
		if err := s.add(&h, "", e); err != nil {
			return s, err
		}
		s.size = e.size
	}
	s.sum = h.Sum128().Bytes()
	return s, nil
}

// addFiles adds all that a directory holds, in the order of names. Each file is looked at by its
// name in the opened directory: otherwise the system would follow the whole path for each.
func (s *stamp) addFiles(ctx context.Context, h *xxh3.Hasher, path, within string, left *int) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	for _, d := range entries {
		if *left--; *left < 0 {
			return fmt.Errorf("%s: %w", path, errNoStamp)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e, err := lookIn(dir, d.Name())
		if err != nil || e.dir && !d.IsDir() { // a link to a directory may lead back
			return fmt.Errorf("%s: %w", filepath.Join(path, d.Name()), errNoStamp)
		}
		name := filepath.Join(within, d.Name())
		if err := s.add(h, name, e); err != nil {
			return err
		}
		if e.dir {
			if err := s.addFiles(ctx, h, filepath.Join(path, d.Name()), name, left); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry is what the file system says of a file or a directory.
type entry struct {
	regular, dir      bool
	size              int64
	mode              uint64
	modified, changed time.Time // its content; anything of it
	ids               [2]uint64 // tells it from another one at its path; 0 if not known
}

// add adds a file or a directory itself.
func (s *stamp) add(h *xxh3.Hasher, name string, e entry) error {
	if !e.regular && !e.dir {
		return errNoStamp
	}
	writeText(h, name)
	writeNumbers(h, uint64(e.size), e.mode, uint64(e.modified.UnixNano()),
		uint64(e.changed.UnixNano()), e.ids[0], e.ids[1])
	if e.changed.After(s.last) {
		s.last = e.changed
	}
	return nil
}

// contentOf returns the hash of a file's content.
func contentOf(ctx context.Context, path string) (sum, error) {
	f, err := os.Open(path)
	if err != nil {
		return sum{}, err
	}
	defer f.Close()
	var h xxh3.Hasher
	room := make([]byte, 1<<20)
	for ctx.Err() == nil {
		n, err := f.Read(room)
		_, _ = h.Write(room[:n])
		if err == io.EOF {
			return h.Sum128().Bytes(), nil
		}
		if err != nil {
			return sum{}, err
		}
	}
	return sum{}, ctx.Err()
}

// program tells this build of the program from others, whose loaders may make another trace of the
// same recording: by the size and time of the executable. It is "" if that is not known.
func program() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(Version, machine(), st.Size(), st.ModTime().UnixNano())
}
