package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"
)

const (
	fileName = "results.db"
	pageSize = 4096 // on every machine: intact relies on it

	// patience is how long an operation waits for another program's to end.
	patience = 100 * time.Millisecond
	attempts = 3 // to change a file that other programs may replace
	// noPatience is for an operation that is not worth waiting for. Zero would mean: wait for ever.
	noPatience = time.Nanosecond
)

var (
	errAbsent   = errors.New("nothing stored")
	errTooLarge = errors.New("too large to store")
	errNoDir    = errors.New("no directory for results")
	errMoved    = errors.New("another program has replaced the results")
)

func (s *Store) path() string { return filepath.Join(s.dir, fileName) }

// readFile runs f on the file, possibly while others read it. A damaged file is removed.
func (s *Store) readFile(f func(*bbolt.Tx) error) error {
	if s.dir == "" {
		return errNoDir
	}
	return s.withFile(true, patience, func(db *bbolt.DB) error { return db.View(f) })
}

// changeFile runs f on the file while nobody else uses it. If there is no file, it makes one.
func (s *Store) changeFile(wait time.Duration, f func(*bbolt.DB) error) error {
	if s.dir == "" {
		return errNoDir
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		if s.named { // others need not know that there is a store
			s.say("no results are stored in %s: %v", Variable, err)
		}
		return fmt.Errorf("storing: %w", err)
	}
	for range attempts - 1 {
		if err := s.openAndChange(wait, f); !errors.Is(err, errMoved) {
			return err
		}
	}
	return s.openAndChange(wait, f)
}

// openAndChange opens the file twice. The first time it is opened for reading and checked; when it
// is opened for writing, bbolt reads parts of it before it could be checked.
func (s *Store) openAndChange(wait time.Duration, f func(*bbolt.DB) error) error {
	err := s.withFile(true, wait, func(*bbolt.DB) error { return nil })
	if err != nil && !errors.Is(err, errAbsent) && !errors.Is(err, errDamaged) {
		return err
	}
	return s.withFile(false, wait, f)
}

// withFile opens the file, checks it and runs f. If the check did not see the damage, bbolt or f
// may fail, panic or fault; that counts as damage too. A damaged file is removed.
func (s *Store) withFile(readOnly bool, wait time.Duration, f func(*bbolt.DB) error) error {
	var (
		file *os.File
		stat os.FileInfo
	)
	err := guarded(func() error {
		db, err := bbolt.Open(s.path(), 0o600, &bbolt.Options{
			Timeout: wait, ReadOnly: readOnly, PageSize: pageSize, MaxSize: int(s.limit),
			NoSync: true, NoGrowSync: true, NoStatistics: true,
			OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
				if err := s.checkKind(name); err != nil {
					return nil, err
				}
				if file, err = os.OpenFile(name, flag, mode); err == nil {
					stat, err = file.Stat()
				}
				return file, err
			},
		})
		if err != nil {
			s.removeUnborn(err, stat)
			return classifyOpenError(err, stat)
		}
		db.AllocSize = pageSize
		return errors.Join(s.runOn(db, file, stat, f), db.Close())
	})
	if errors.Is(err, errDamaged) {
		s.removeDamaged(stat)
	}
	if file != nil {
		// After a panic bbolt may hold locks of its own, on which Close would wait for ever. The
		// file's lock ends with the file. Otherwise it is closed already.
		_ = file.Close()
	}
	return err
}

// runOn runs f on an open file. A file opened for reading is checked first. A file opened for
// writing must still be the one at its path: another program may have replaced it.
func (s *Store) runOn(db *bbolt.DB, file *os.File, stat os.FileInfo,
	f func(*bbolt.DB) error) error {
	if db.IsReadOnly() {
		if err := intact(file); err != nil {
			return err
		}
	} else if !s.isCurrent(stat) {
		return errMoved
	}
	err := f(db)
	if err != nil && !sound(err) {
		return damage("%v", err)
	}
	return err
}

// harmless are the errors that say nothing against the file.
var harmless = []error{errAbsent, errMoved, errTooLarge, errDamaged, boltErrors.ErrMaxSizeReached,
	boltErrors.ErrTimeout, context.Canceled, context.DeadlineExceeded}

// sound reports whether an error of an operation leaves the file above suspicion. Whatever else
// bbolt may say, such as that a bucket that it has just listed is not there, is damage: otherwise
// the file would stay and fail for ever.
func sound(err error) bool {
	var number syscall.Errno // of the operating system: no room, no permission
	return errors.As(err, &number) ||
		slices.ContainsFunc(harmless, func(h error) bool { return errors.Is(err, h) })
}

// classifyOpenError tells a damaged file from one that is absent, locked or not accessible. An
// empty file counts as absent: a crash left it before anything was written.
func classifyOpenError(err error, stat os.FileInfo) error {
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

// guarded turns a panic of f into damage, and also a fault on mapped memory whose file was cut.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = damage("%v", r)
		}
	}()
	return f()
}

// checkKind refuses what is no file: a pipe would be waited for.
func (s *Store) checkKind(name string) error {
	st, err := os.Stat(name)
	if err != nil || st.Mode().IsRegular() {
		return nil // opening tells what is wrong
	}
	s.say("no results are stored: %s is not a file", name)
	return &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// say tells the user of a failure, at most once.
func (s *Store) say(format string, args ...any) {
	if s.Say != nil {
		s.said.Do(func() { s.Say(fmt.Sprintf(format, args...)) })
	}
}

// removeUnborn removes a file that was empty, if there was no room for bbolt's first pages: a part
// of them would pass for damage.
func (s *Store) removeUnborn(err error, opened os.FileInfo) {
	var number syscall.Errno
	if opened != nil && opened.Mode().IsRegular() && opened.Size() == 0 && errors.As(err, &number) &&
		s.isCurrent(opened) {
		_ = os.Remove(s.path()) // what is left is found to be damaged
	}
}

// removeDamaged removes the file that was opened, unless another program has replaced it since.
func (s *Store) removeDamaged(opened os.FileInfo) {
	if opened == nil || !s.isCurrent(opened) {
		return
	}
	if err := os.Remove(s.path()); err != nil {
		s.say("the stored results are damaged and cannot be removed: %v", err)
		return
	}
	s.rebuilt.Add(1)
	s.say("the stored results were damaged, so %s is begun anew", s.path())
}

// isCurrent reports whether the file that was opened is still the one at its path.
func (s *Store) isCurrent(opened os.FileInfo) bool {
	now, err := os.Stat(s.path())
	return err == nil && os.SameFile(now, opened)
}
