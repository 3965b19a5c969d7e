package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"
)

const (
	fileName = "results.db"
	pageSize = 4096 // whatever the machine's: intact relies on it

	// patience is how long an operation waits for another program's to end.
	patience = 100 * time.Millisecond
	attempts = 3 // at a file that others may replace
	// noPatience is for what is not worth waiting for. Zero would mean for ever.
	noPatience = time.Nanosecond
)

var (
	errAbsent   = errors.New("nothing stored")
	errTooLarge = errors.New("too large to store")
	errNoDir    = errors.New("no directory for results")
	errMoved    = errors.New("another program has replaced the results")
)

func (s *Store) path() string { return filepath.Join(s.dir, fileName) }

// view runs f on the file as it is, beside other readers. A damaged file is removed.
func (s *Store) view(f func(*bbolt.Tx) error) error {
	if s.dir == "" {
		return errNoDir
	}
	return s.with(true, patience, func(db *bbolt.DB) error { return db.View(f) })
}

// write runs f on the file, which is made if there is none, alone.
func (s *Store) write(wait time.Duration, f func(*bbolt.DB) error) error {
	if s.dir == "" {
		return errNoDir
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("storing: %w", err)
	}
	for range attempts - 1 {
		if err := s.change(wait, f); !errors.Is(err, errMoved) {
			return err
		}
	}
	return s.change(wait, f)
}

// change opens the file twice: for writing, bbolt reads more of it than can be checked before.
func (s *Store) change(wait time.Duration, f func(*bbolt.DB) error) error {
	err := s.with(true, wait, func(*bbolt.DB) error { return nil })
	if err != nil && !errors.Is(err, errAbsent) && !errors.Is(err, errDamaged) {
		return err
	}
	return s.with(false, wait, f)
}

// with opens the file, checks it and runs f. What bbolt or f make of a file that was damaged
// nevertheless, panics and faults included, counts as damage. There is nothing in a damaged file
// worth more than a file that works: it is removed.
func (s *Store) with(readOnly bool, wait time.Duration, f func(*bbolt.DB) error) error {
	var (
		file *os.File
		stat os.FileInfo
	)
	err := guarded(func() error {
		db, err := bbolt.Open(s.path(), 0o600, &bbolt.Options{
			Timeout: wait, ReadOnly: readOnly, PageSize: pageSize, MaxSize: int(s.limit),
			NoSync: true, NoGrowSync: true, NoStatistics: true,
			OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
				if file, err = os.OpenFile(name, flag, mode); err == nil {
					stat, err = file.Stat()
				}
				return file, err
			},
		})
		if err != nil {
			return opening(err, stat)
		}
		db.AllocSize = pageSize
		return errors.Join(s.run(db, file, stat, f), db.Close())
	})
	if errors.Is(err, errDamaged) {
		s.remove(stat)
	}
	if file != nil {
		// After a panic bbolt may hold locks of its own, on which Close would wait for ever. The
		// file's lock ends with the file. Otherwise it is closed already.
		_ = file.Close()
	}
	return err
}

// run runs f on an open file: one that is in order, if it is to be read, and one that others find
// too, if it is to be written.
func (s *Store) run(db *bbolt.DB, file *os.File, stat os.FileInfo,
	f func(*bbolt.DB) error) error {
	if db.IsReadOnly() {
		if err := intact(file); err != nil {
			return err
		}
	} else if !s.current(stat) {
		return errMoved
	}
	err := f(db)
	if errors.Is(err, boltErrors.ErrIncompatibleValue) || errors.Is(err, boltErrors.ErrBucketExists) {
		return damage("%v", err)
	}
	return err
}

// opening tells a file that bbolt cannot make sense of from one that cannot be had. An empty one is
// one that a crash has left before anything was written: it is as good as none.
func opening(err error, stat os.FileInfo) error {
	var path *fs.PathError
	empty := stat != nil && stat.Mode().IsRegular() && stat.Size() == 0
	switch {
	case errors.Is(err, fs.ErrNotExist), empty:
		return errAbsent
	case errors.As(err, &path), errors.Is(err, boltErrors.ErrTimeout):
		return fmt.Errorf("opening results: %w", err)
	default:
		return damage("%v", err)
	}
}

// guarded turns a panic of f, or a fault on mapped memory that has no file beneath, into damage.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = damage("%v", r)
		}
	}()
	return f()
}

// remove removes the file that was opened, unless another program has replaced it meanwhile.
func (s *Store) remove(opened os.FileInfo) {
	if opened != nil && s.current(opened) && os.Remove(s.path()) == nil {
		s.rebuilt.Add(1)
	}
}

// current reports whether the file that was opened is still what its path leads to.
func (s *Store) current(opened os.FileInfo) bool {
	now, err := os.Stat(s.path())
	return err == nil && os.SameFile(now, opened)
}
