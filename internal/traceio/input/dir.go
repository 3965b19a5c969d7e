package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync/atomic"

	"diptych/internal/progress"
)

// directory is the files of a recording, in a directory or in an archive. Its files are limited
// readers. Only regular files are opened: a named pipe would be waited for, and a device may never
// end.
type directory struct {
	fs.FS
	source *Source
	budget *budget
	size   int64 // of all files, for progress
	n      atomic.Int64
	report progress.Func // nil where the bytes were counted before
}

// openDir opens a directory of the file system.
func (s *Source) openDir(p progress.Func) error {
	d := &directory{FS: os.DirFS(s.Path), source: s, budget: s.budget, report: p}
	entries := int64(0)
	err := fs.WalkDir(d.FS, ".", func(name string, e fs.DirEntry, err error) error {
		if entries++; entries > s.budget.part(entryBytes) {
			return s.budget.over(s.Path, "it holds more than %d files", entries-1)
		}
		if err == nil && e.Type().IsRegular() {
			if st, err := e.Info(); err == nil {
				d.size += st.Size()
			}
		}
		if e != nil && e.IsDir() && strings.Count(name, "/") >= deepest {
			return fs.SkipDir
		}
		return s.budget.err()
	})
	if err != nil && errors.Is(err, ErrLimit) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	s.Dir, s.Size = d, d.size
	return nil
}

// deepest is how many levels below the directory that was named hold files of a recording: it may
// be named by the directory above it. So a load of / does not walk over the whole disk.
const deepest = 1

// Open opens a member; see fs.FS.
func (d *directory) Open(name string) (fs.File, error) { return d.open(name, d.source) }

// open opens a member. If its checksum is wrong, that is noted of a source.
func (d *directory) open(name string, of *Source) (fs.File, error) {
	st, err := fs.Stat(d.FS, name)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return d.FS.Open(name)
	}
	at := path.Join(d.source.Path, name)
	if !st.Mode().IsRegular() {
		return nil, d.budget.end(&FormatError{File: at, Offset: -1,
			Reason: "this is " + kindOf(st.Mode()) + ", and only a regular file can be a part of a recording"})
	}
	f, err := d.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &dirFile{f, reader{from: &summed{from: f, source: of}, budget: d.budget, file: at, most: -1, report: d.tell}}, nil
}

// ReadFile returns the content of a member that a loader holds whole; see fs.ReadFileFS.
func (d *directory) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, d.budget, path.Join(d.source.Path, name))
}

func (d *directory) tell(_, latest int64) {
	if d.report != nil {
		d.report(min(d.n.Add(latest), d.size), d.size)
	}
}

// kindOf says what a file is that is no regular one.
func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a special file"
}

type dirFile struct {
	fs.File
	reader reader
}

func (f *dirFile) Read(p []byte) (int, error) { return f.reader.Read(p) }

func (f *dirFile) longestLine() int { return int(f.reader.budget.part(lineShare)) }

func (f *dirFile) lineTooLong() {
	_ = f.reader.budget.over(f.reader.file, "a line is longer than %v", Memory(f.longestLine()))
}

// readAll returns all of r, which must not be more than a part of the budget.
func readAll(r io.Reader, b *budget, file string) ([]byte, error) {
	most := b.part(memberShare)
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if int64(len(data)) > most {
		return nil, b.over(file, "it has more than %v", Memory(most))
	}
	return data, err
}
