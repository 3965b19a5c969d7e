//go:build unix

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// movesOpen says that files and directories can be renamed while they are open.
const movesOpen = true

// lock locks an open file or directory for as long as the process has it open, and reports false if
// another process has.
func lock(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// removeAbandoned removes a temporary file or directory if no process has locked it.
func removeAbandoned(name, _ string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) {
		os.RemoveAll(name)
	}
}
