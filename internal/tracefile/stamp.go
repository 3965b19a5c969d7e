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
	for _, n := range numbers {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
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
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, err
	case st.IsDir():
		if err := s.addFiles(ctx, &h, path); err != nil {
			return s, err
		}
	default:
		if err := s.add(&h, "", path, st); err != nil {
			return s, err
		}
		s.size = st.Size()
	}
	s.sum = h.Sum128().Bytes()
	return s, nil
}

// addFiles adds all that a directory holds.
func (s *stamp) addFiles(ctx context.Context, h *xxh3.Hasher, dir string) error {
	n := 0
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if n++; n > mostFiles {
			return fmt.Errorf("%s: %w", dir, errNoStamp)
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		st, err := os.Stat(path) // where a link leads
		if err != nil || st.IsDir() && !e.IsDir() {
			return fmt.Errorf("%s: %w", path, errNoStamp)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return s.add(h, name, path, st)
	})
}

// add adds a file or a directory itself.
func (s *stamp) add(h *xxh3.Hasher, name, path string, st os.FileInfo) error {
	if !st.Mode().IsRegular() && !st.IsDir() {
		return fmt.Errorf("%s: %w", path, errNoStamp)
	}
	ids, changed, err := identity(path, st)
	if err != nil {
		return err
	}
	writeText(h, name)
	writeNumbers(h, uint64(st.Size()), uint64(st.Mode()), uint64(st.ModTime().UnixNano()),
		uint64(changed.UnixNano()), ids[0], ids[1])
	if changed.After(s.last) {
		s.last = changed
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
