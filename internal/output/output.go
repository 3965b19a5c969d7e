// Package output makes files and directories that appear whole or not at all. What is written goes
// to a temporary place beside the target and gets the target's name when it is complete, so that a
// failure, a signal or a kill leaves what was there. On Linux a temporary file has no name at all.
// Elsewhere, and for directories, it is called .NAME.*.diptych and locked as long as its process
// lives; the next output to the same target removes those that nobody locks.
//
// The package knows nothing of what is written, and not which files a command may not replace.
package output

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Error says which output failed, under the name that the user gave it, and why.
type Error struct {
	Path, Reason string
	Err          error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %v", e.Path, e.Reason, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// fail makes such an error. The names in the cause are temporary ones or repeat the path, so only
// its reason is kept; and only the first of several, which often are the same.
func fail(path, reason string, err error) error {
	if known := (*Error)(nil); errors.As(err, &known) {
		return known
	}
	return &Error{path, reason, Cause(err)}
}

// Cause returns the reason of a file error without its operation and names.
func Cause(err error) error {
	var link *os.LinkError
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// File is a file that is being written. Exactly one of Commit and Discard frees it; Discard after
// Commit does nothing.
type File struct {
	file   *os.File
	path   string // as the user named it
	target string // where that leads through symbolic links
	name   string // of the temporary file, "" if it has none
	direct bool   // the target is a pipe or a device, which is written to as it is
	err    error  // of the first write that failed
}

// Create begins a file. A file that is replaced keeps its permissions; a new one gets what the
// umask leaves. A symbolic link stays, and what it leads to is written, even if it dangles.
func Create(path string) (*File, error) {
	f := &File{path: path, target: Target(path)}
	st, err := os.Stat(f.target)
	switch {
	case err == nil && st.IsDir():
		return nil, &Error{path, "cannot write", errors.New("it is a directory")}
	case err == nil && !st.Mode().IsRegular():
		f.direct = true
		if f.file, err = os.OpenFile(f.target, os.O_WRONLY, 0); err != nil {
			return nil, fail(path, "cannot write", err)
		}
		return f, nil
	case errors.Is(err, fs.ErrNotExist):
		st = nil
	case err != nil:
		return nil, fail(path, "cannot create", err)
	}
	dir, base := filepath.Split(f.target)
	sweep(dir, base)
	if f.file, f.name, err = place(dir, base); err != nil {
		return nil, fail(path, "cannot create", err)
	}
	if st != nil {
		if err := f.file.Chmod(st.Mode().Perm()); err != nil {
			f.Discard()
			return nil, fail(path, "cannot create", err)
		}
	}
	return f, nil
}

// place makes the temporary file. Tests replace it.
var place = temporary

// Write writes to the file. The first error is also that of Commit.
func (f *File) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.file.Write(p)
	if err != nil {
		f.err = fail(f.path, "cannot write", err)
	}
	return n, f.err
}

// Commit gives the file its name.
func (f *File) Commit() error {
	defer f.Discard()
	if f.err != nil {
		return f.err
	}
	if f.direct {
		err := f.file.Close()
		f.file = nil
		if err != nil {
			return fail(f.path, "cannot write", err)
		}
		return nil
	}
	if err := f.publish(); err != nil {
		return fail(f.path, "cannot write", err)
	}
	f.name = ""
	return nil
}

// publish puts the file in its place. Where that is possible it is closed last, as the lock ends
// with it.
func (f *File) publish() error {
	if f.name == "" {
		whole, err := linkNew(f.file, f.target)
		if err != nil || whole {
			return err
		}
		if f.name, err = linkTemporary(f.file, f.target); err != nil {
			return err
		}
	}
	if !movesOpen {
		if err := f.file.Close(); err != nil {
			return err
		}
	}
	return os.Rename(f.name, f.target)
}

// Discard leaves the target as it was.
func (f *File) Discard() {
	if f.file == nil {
		return
	}
	f.file.Close() // first, as Windows removes nothing that is open
	f.file = nil
	if f.name != "" {
		os.Remove(f.name)
	}
}

// named returns a new name for a temporary file or directory.
func named(dir, base string) string {
	const longest = 200 // names have 255 bytes at most
	return filepath.Join(dir, prefix(base[:min(len(base), longest)])+
		strconv.FormatUint(rand.Uint64(), 36)+suffix)
}

func prefix(base string) string { return "." + base + "." }

const suffix = ".diptych"

// temporaryNamed makes a locked temporary file with a name.
func temporaryNamed(dir, base string) (*os.File, string, error) {
	for {
		name := named(dir, base)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil || lock(f) != taken && same(f, name) {
			return f, name, err
		}
		f.Close() // another process has swept it before it was locked
	}
}

// lockState is what became of asking for a lock.
type lockState int

const (
	locked   lockState = iota
	taken              // another process has it
	lockless           // the file system has none
)

// same reports whether a file still has a name.
func same(f *os.File, name string) bool {
	a, err := f.Stat()
	b, err2 := os.Stat(name)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// sweep removes what dead processes left of outputs with that name, as far as it can be removed.
func sweep(dir, base string) {
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name(), prefix(base[:min(len(base), 200)]))
		middle, ours := strings.CutSuffix(middle, suffix)
		if !ok || !ours || strings.Contains(middle, ".") || !(e.Type().IsRegular() || e.IsDir()) {
			continue
		}
		removeAbandoned(filepath.Join(dir, e.Name()), named(dir, base))
	}
}

// Target returns where a path leads through symbolic links, the last of which may dangle.
func Target(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	at := path
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(at)
		if err != nil {
			return at
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		at = to
	}
	return path // a circle, which opening will tell
}
