//go:build unix

package output

import (
	"os"
	"path/filepath"
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

// TestWithoutLocks: a file system without locks gets files and directories all the same.
func TestWithoutLocks(t *testing.T) {
	real, asked := flock, 0
	defer func() { flock = real }()
	flock = func(int, int) error {
		if asked++; asked > 10 {
			t.Fatal("it asks for a lock again and again")
		}
		return syscall.ENOSYS
	}
	each(t, func(t *testing.T) {
		inDir(t)
		if err := write("file", "text"); err != nil {
			t.Fatal(err)
		}
		d, err := CreateDirectory("dir")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.Name, "in"), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		want(t, map[string]string{"file": "text", filepath.Join("dir", "in"): "text"})
	})
}
