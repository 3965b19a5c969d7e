//go:build !linux && !darwin

package tracefile

import (
	"io"
	"math"
	"os"
	"path/filepath"
)

// content returns the first n bytes of a file. They are not mapped: on Windows a mapped file could
// not be removed.
func content(f *os.File, n int) ([]byte, error) {
	b := alignedBytes(n)
	_, err := io.ReadFull(f, b)
	return b, err
}

// look says what the file system says of what is at a path, where links lead. It does not tell a
// file from another one there, nor when anything but the content changed.
func look(path string) (e entry, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return e, err
	}
	return entry{
		regular: st.Mode().IsRegular(), dir: st.IsDir(), size: st.Size(), mode: uint64(st.Mode()),
		modified: st.ModTime(), changed: st.ModTime(),
	}, nil
}

// lookIn is look for a name in a directory.
func lookIn(dir *os.File, name string) (entry, error) {
	return look(filepath.Join(dir.Name(), name))
}

// room returns how many bytes a directory's disk has free, which is not known here.
func room(string) int64 { return math.MaxInt64 }
