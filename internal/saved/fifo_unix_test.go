//go:build unix

package saved

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipes: a pipe, which may never end, is read neither as a session nor as a trace of one.
func TestPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe"+Suffix)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := ReadSession(path); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("%v", err)
	}
	if err := Lost(path); err == nil {
		t.Error("a pipe can be a trace")
	}
}
