package output

import (
	"errors"
	"os"
	"path/filepath"
)

// Directory is a directory that is being written, as File is a file.
type Directory struct {
	Name   string // of the temporary directory, to write into
	path   string
	target string
	held   *os.File // its lock
}

// CreateDirectory begins a directory that takes the place of the one at path, if there is one.
func CreateDirectory(path string) (*Directory, error) {
	d := &Directory{path: path, target: filepath.Clean(Target(path))}
	dir, base := filepath.Split(d.target)
	sweep(dir, base)
	for d.held == nil {
		d.Name = named(dir, base)
		err := os.Mkdir(d.Name, 0o777)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fail(path, "cannot create", err)
		}
		held, err := os.Open(d.Name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			os.Remove(d.Name)
			return nil, fail(path, "cannot create", err)
		}
		if err == nil && lock(held) != taken && same(held, d.Name) {
			d.held = held
		} else if err == nil {
			held.Close() // another process has swept it before it was locked
		}
	}
	return d, nil
}

// Fail returns an error about what was written into the directory.
func (d *Directory) Fail(err error) error { return fail(d.path, "cannot write", err) }

// Commit gives the directory its name. It replaces a directory that had it.
func (d *Directory) Commit() error {
	defer d.Discard()
	if !movesOpen {
		d.held.Close()
	}
	var err error
	for range mostTries {
		if _, err = os.Lstat(d.target); errors.Is(err, os.ErrNotExist) {
			if err = os.Rename(d.Name, d.target); err == nil {
				d.Name = ""
				return nil
			}
		} else if err = exchange(d.Name, d.target); err == nil {
			return nil // Discard removes what was there
		}
		// Another process may have put its own there meanwhile, or be about to.
		if !errors.Is(err, os.ErrExist) && !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return d.Fail(err)
}

// mostTries bounds how often Commit finds that the target has come or gone since it looked.
const mostTries = 100

// Discard removes the directory unless it has its name.
func (d *Directory) Discard() {
	if d.held == nil {
		return
	}
	d.held.Close() // first, as Windows removes nothing that is open
	d.held = nil
	if d.Name != "" {
		os.RemoveAll(d.Name)
	}
}

// exchangeByRename exchanges two directories in two steps. A kill between them leaves the target
// without its name.
func exchangeByRename(a, b string) error {
	aside := a + ".old"
	if err := os.Rename(b, aside); err != nil {
		return err
	}
	if err := os.Rename(a, b); err != nil {
		return errors.Join(err, os.Rename(aside, b))
	}
	return os.Rename(aside, a)
}
