package saved

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// eachPath replaces all paths to other files.
func (s *Session) eachPath(f func(string) string) {
	for _, p := range []*string{&s.Traces.A.Path, &s.Traces.B.Path, &s.Rules} {
		if *p != "" {
			*p = f(*p)
		}
	}
	for side := range 2 {
		for i, p := range *s.Runs.On(side) {
			(*s.Runs.On(side))[i] = f(p)
		}
	}
}

// toFile returns how the session file at file names a path: relative to its folder for what lies
// in the folder, below it, or beside it, so that all may be moved together, and absolute for what
// lies farther away.
func toFile(file, path string) string {
	abs, err := filepath.Abs(path)
	dir, err2 := filepath.Abs(filepath.Dir(file))
	if err != nil || err2 != nil {
		return path
	}
	rel, err := filepath.Rel(dir, abs)
	up := ".." + string(filepath.Separator)
	if err != nil || strings.HasPrefix(rel, up+up) {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// fromFile returns the path that the session file at file means.
func fromFile(file, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// Lost returns why the trace of a side, or another file that the session needs, cannot be opened
// from where it should be; nil if it can. Only files and folders are opened: nobody feeds a pipe
// that a session names.
func Lost(path string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it is not there")
	case err != nil:
		return err
	case !st.Mode().IsRegular() && !st.IsDir():
		return errors.New("it is neither a file nor a folder")
	}
	return nil
}

// Missing is a file that a session needs and that is not where it was.
type Missing struct {
	What string  // "trace A", "run 2 of B" or "the file of rules"
	Flag string  // of the command line that says where it is now; "" if there is none
	Path *string // in the session, to be replaced
	Why  error
}

// Missing lists the files that cannot be opened.
func (s *Session) Missing() (list []Missing) {
	add := func(what, flag string, path *string) {
		if *path == "" {
			return
		}
		if err := Lost(*path); err != nil {
			list = append(list, Missing{what, flag, path, err})
		}
	}
	for side, letter := range []string{"A", "B"} {
		trace := s.Traces.On(side)
		add("trace "+letter, "--"+strings.ToLower(letter), &trace.Path)
		runs := *s.Runs.On(side)
		for k := range runs {
			if runs[k] != trace.Path {
				add(fmt.Sprintf("run %d of %s", k+1, letter), "", &runs[k])
			}
		}
	}
	add("the file of rules", "--rules", &s.Rules)
	return list
}

// Move says where a trace is now, also among the runs of its side.
func (s *Session) Move(m Missing, path string) {
	for side := range 2 {
		if m.Path == &s.Traces.On(side).Path {
			runs := *s.Runs.On(side)
			if k := slices.Index(runs, *m.Path); k >= 0 {
				runs[k] = path
			}
		}
	}
	*m.Path = path
}
