package spill

import (
	"os"

	"golang.org/x/sys/unix"
)

// Nameless returns a temporary file that has no name, so that nothing is left of it however the
// process ends.
func Nameless(dir string) (*os.File, error) {
	if f, err := os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600); err == nil {
		return f, nil
	}
	return unnamed(dir) // some file systems have no such files
}
