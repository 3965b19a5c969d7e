//go:build !unix

package testtrace

import (
	"testing"
	"time"
)

var began = time.Now()

// Pipe skips the test: there are no named pipes in the file system.
func Pipe(t testing.TB, _ string) {
	t.Helper()
	t.Skip("there are no named pipes")
}

// Processor returns the time since the program began, as a stand-in for its processor time.
func Processor() time.Duration { return time.Since(began) }
