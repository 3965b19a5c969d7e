package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks an open file or directory for as long as the process has it open, and reports false if
// another process has.
func lock(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
