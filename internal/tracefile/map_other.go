//go:build !unix

package tracefile

import (
	"io"
	"os"
)

// content returns the first n bytes of a file. They are not mapped: on Windows a mapped file could
// not be removed.
func content(f *os.File, n int) ([]byte, error) {
	b := alignedBytes(n)
	_, err := io.ReadFull(f, b)
	return b, err
}
