//go:build unix

package output

import (
	"os"
	"syscall"
	"testing"
)

// TestPermissions: a new file gets what the umask leaves; one that is replaced keeps what it had.
func TestPermissions(t *testing.T) {
	each(t, func(t *testing.T) {
		inDir(t)
		if err := os.WriteFile("old", nil, 0o604); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod("old", 0o604); err != nil {
			t.Fatal(err)
		}
		defer syscall.Umask(syscall.Umask(0o027))
		for name, mode := range map[string]os.FileMode{"old": 0o604, "new": 0o640} {
			if err := write(name, "text"); err != nil {
				t.Fatal(err)
			}
			if st, err := os.Stat(name); err != nil || st.Mode() != mode {
				t.Errorf("%s has %v, %v", name, st.Mode(), err)
			}
		}
		d, err := CreateDirectory("dir")
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat("dir"); err != nil || st.Mode().Perm() != 0o750 {
			t.Errorf("the directory has %v, %v", st.Mode(), err)
		}
	})
}
