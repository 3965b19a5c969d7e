//go:build unix

package input

import (
	"io/fs"
	"os"
	"syscall"
)

// openUnpolled opens a regular file. os.Open tries to have the file polled: four more system calls
// to learn that regular files cannot be, a quarter of what it takes to open, read and close a small
// one. A recording may have thousands.
func openUnpolled(path string) (fs.File, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return os.NewFile(uintptr(fd), path), nil
	}
}
