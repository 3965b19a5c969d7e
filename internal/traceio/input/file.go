package input

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// openFile opens a file for reading. Opening and reading also end when ctx is done where the file
// is a named pipe, which without a writer would be waited for without end. The returned function
// closes it. Waiting may be nil; see Options.
func openFile(ctx context.Context, path string, waiting func(path string)) (*os.File, func(), error) {
	f, err := openPatiently(ctx, path, waiting)
	if err != nil {
		return nil, nil, cannotOpen(Name(path), err)
	}
	stop := context.AfterFunc(ctx, func() { interrupt(f) })
	return f, func() { stop(); f.Close() }, nil
}

// interrupt ends a read of a pipe. A regular file has no deadlines, and needs none.
func interrupt(f *os.File) { _ = f.SetReadDeadline(time.Unix(1, 0)) }

// upTo returns the first bytes of a file, as many as it had when it was looked at: a recording that
// is still being written may grow faster than it is read. A file that is said to be empty, as those
// of /proc are, is read to its end.
func upTo(size int64, file io.Reader) io.Reader {
	if size == 0 {
		return file
	}
	return io.LimitReader(file, size)
}

// Standard is the path that stands for standard input. A file of that name is ./-.
const Standard = "-"

// Name returns what messages call the file at path.
func Name(path string) string {
	if path == Standard {
		return "standard input"
	}
	return path
}

// Once reports whether what is at path can be read one time only, as standard input and a pipe can.
func Once(path string) bool {
	st, err := stat(path)
	return path == Standard ||
		err == nil && st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) != 0
}

func stat(path string) (os.FileInfo, error) {
	if path == Standard {
		return os.Stdin.Stat()
	}
	return os.Stat(path)
}

// openStandard opens standard input. A file is read as it is. Anything else, mostly a pipe, is
// copied through a pipe of this process: a read from that pipe can be ended, and a read from what
// the process has inherited cannot.
func openStandard() (*os.File, error) {
	st, err := os.Stdin.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, errors.New("it is a directory: name it as an argument")
	case st.Mode().IsRegular():
		return os.Stdin, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from := os.Stdin
	go func() {
		defer w.Close()
		_, _ = io.Copy(w, from) // fails once nobody reads any more
	}()
	return r, nil
}

// patience is how long a pipe without a writer is waited for in silence.
const patience = time.Second

// openPatiently opens a file, or returns when ctx is done.
func openPatiently(ctx context.Context, path string, waiting func(path string)) (*os.File, error) {
	if path == Standard {
		return openStandard()
	}
	if st, err := os.Stat(path); err != nil || st.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	long := time.NewTimer(patience)
	defer long.Stop()
	for {
		select {
		case o := <-done:
			return o.file, o.err
		case <-long.C:
			if waiting != nil {
				waiting(path)
			}
		case <-ctx.Done():
			go release(path, func() { // the goroutine above, which still waits
				if o := <-done; o.err == nil {
					o.file.Close()
				}
			})
			return nil, ctx.Err()
		}
	}
}

// release lets somebody who waits for the writer of a pipe go on, by being that writer.
func release(path string, wait func()) {
	if w, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		w.Close()
	}
	wait()
}

// ReadFile returns the content of a small file that the user names beside the traces.
func ReadFile(ctx context.Context, path string, m Memory) ([]byte, error) {
	f, closeFile, err := openFile(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	defer closeFile()
	b := newBudget(ctx, Name(path), m)
	return readAll(&reader{from: f, budget: b, file: Name(path), most: -1}, b, Name(path))
}

// There returns the error of opening what is not at a path, without opening what is.
func There(path string) error {
	if path == Standard {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return cannotOpen(path, err)
	}
	return nil
}

// cannotOpen strips the operation from a file error, so that the message is the path and the
// reason.
func cannotOpen(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &FormatError{File: path, Offset: -1, Reason: "cannot open", Err: cause(err)}
}

// cause strips the operation and the path from a file error.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
