//go:build unix

package input

import (
	"io"
	"io/fs"
	"sync"
	"syscall"
)

// regular is a regular file that was opened by its system call alone. An os.File tries to have
// itself polled, asks how the descriptor was opened and has a finalizer: half of what it takes to
// open, read and close a small file. A recording may have thousands.
//
// It is closed between two reads and never during one, since the number of its descriptor is then
// free for another file.
type regular struct {
	mu   sync.Mutex
	fd   int // −1 once it is closed
	path string
}

// openRegular opens a regular file for reading.
func openRegular(path string) (io.ReadCloser, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return &regular{fd: fd, path: path}, nil
	}
}

// mostAtOnce is how much is asked for at once: some systems refuse 2 GB and more.
const mostAtOnce = 1 << 30

func (f *regular) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fd < 0 {
		return 0, fs.ErrClosed
	}
	p = p[:min(len(p), mostAtOnce)]
	for {
		n, err := syscall.Read(f.fd, p)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, &fs.PathError{Op: "read", Path: f.path, Err: err}
		}
		if n == 0 && len(p) > 0 {
			return 0, io.EOF
		}
		return n, nil
	}
}

// Close closes the file, the first time.
func (f *regular) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	fd := f.fd
	if f.fd = -1; fd < 0 {
		return fs.ErrClosed
	}
	return syscall.Close(fd)
}
