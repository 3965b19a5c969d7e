//go:build unix

package testtrace

import (
	"syscall"
	"testing"
	"time"
)

// Pipe makes a named pipe, or skips the test where the file system has none.
func Pipe(t testing.TB, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
}

// Processor returns the processor time that this process has used. Unlike the time of day it does
// not run on while others use the machine.
func Processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for wrong arguments only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
