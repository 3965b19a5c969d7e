//go:build unix

package output

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// movesOpen says that files and directories can be renamed while they are open.
const movesOpen = true

// flock asks the system for a lock. Tests replace it.
var flock = unix.Flock

// lock locks an open file or directory for as long as the process has it open. Some file systems
// have no locks, as Lustre mounted without them: then nothing is ever swept there.
func lock(f *os.File) lockState {
	switch err := flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case err == nil:
		return locked
	case errors.Is(err, unix.EWOULDBLOCK):
		return taken
	}
	return lockless
}

// removeAbandoned removes a temporary file or directory if no process has locked it.
func removeAbandoned(name, _ string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) == locked {
		os.RemoveAll(name)
	}
}
