package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// temporary returns a locked file in a directory. It has no name where the file system can do that.
func temporary(dir, base string) (*os.File, string, error) {
	at := dir
	if at == "" {
		at = "."
	}
	if _, err := os.Stat("/proc/self/fd"); err == nil { // where its name will come from
		f, err := os.OpenFile(at, os.O_RDWR|unix.O_TMPFILE, 0o666)
		if err == nil {
			lock(f) // for the moment in which it has a name, that of linkTemporary
			return f, "", nil
		}
	}
	return temporaryNamed(dir, base)
}

// linkNew gives a nameless file its name, and reports false if there is a file of that name.
func linkNew(f *os.File, target string) (bool, error) {
	err := link(f, target)
	if errors.Is(err, unix.EEXIST) {
		return false, nil
	}
	return err == nil, err
}

// linkTemporary gives a nameless file a temporary name, under which it can replace the target.
func linkTemporary(f *os.File, target string) (string, error) {
	for {
		name := named(filepath.Split(target))
		if err := link(f, name); !errors.Is(err, unix.EEXIST) {
			return name, err
		}
	}
}

func link(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, name,
		unix.AT_SYMLINK_FOLLOW)
}

// exchange exchanges two directories at once.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return exchangeByRename(a, b)
	}
	return err
}
