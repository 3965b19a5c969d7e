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
	size int64 // when it was looked at
	n    int64 // bytes that were read
}

// openRegular opens a regular file of so many bytes for reading.
func openRegular(path string, size int64) (io.ReadCloser, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return &regular{fd: fd, path: path, size: size}, nil
	}
}

// mostAtOnce is how much is asked for at once: some systems refuse 2 GB and more.
const mostAtOnce = 1 << 30

// Read reads on. The end of a file is told with its last bytes where there were as many as it was
// said to have and there was room for more, since another call would only return nothing. For
// example, 1600 bytes read into 4096 are all of a file of 1600 bytes.
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
		f.n += int64(n)
		if n < len(p) && (n == 0 || f.n == f.size) {
			return n, io.EOF
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
