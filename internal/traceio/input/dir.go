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
	root   string // where FS lies in the file system, and then at; "" if it is no directory of that
	source *Source
	budget *budget
	at     string                 // where messages say that the files lie
	size   int64                  // of all files, for progress
	listed map[string]fs.FileInfo // what the files were when they were counted; not of all
	n      atomic.Int64
	report progress.Func // nil where the bytes were counted before
}

// openDir opens a directory of the file system.
func (s *Source) openDir(p progress.Func) error {
	d := &directory{FS: os.DirFS(s.Path), root: s.Path, source: s, budget: s.budget, at: s.Path, report: p,
		listed: map[string]fs.FileInfo{}}
	entries := int64(0)
	err := fs.WalkDir(d.FS, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil && name == "." {
			return fmt.Errorf("cannot open: %w", cause(err))
		}
		if entries++; entries > s.budget.part(entryBytes) {
			return s.budget.over(s.Path, "it holds more than %d files", entries-1)
		}
		if err == nil && e.Type().IsRegular() {
			if st, err := e.Info(); err == nil {
				d.size += st.Size()
				if len(d.listed) < mostListed {
					d.listed[name] = st
				}
			}
		}
		if e != nil && e.IsDir() {
			depth := strings.Count(name, "/")
			if depth >= deepest || depth >= shallow && entries > fewEntries {
				return fs.SkipDir
			}
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

// The size of a directory is that of the files this many levels below it: a recording may be named
// by the directory above it, and a session of LTTng has its traces several levels down. Where there
// are more than a few entries, only the first levels count, so that a load of / does not walk over
// the whole disk.
const (
	shallow    = 2
	deepest    = 8
	fewEntries = 4096
)

// mostListed is of how many files it is kept what they are. A recording with a file a thread may
// have thousands, and to ask again takes as long as to open one.
const mostListed = 1 << 16

// stat returns what a member is.
func (d *directory) stat(name string) (fs.FileInfo, error) {
	if st := d.listed[name]; st != nil {
		return st, nil
	}
	return fs.Stat(d.FS, name)
}

// Open opens a member; see fs.FS.
func (d *directory) Open(name string) (fs.File, error) { return d.open(name, d.source) }

// open opens a member. If its checksum is wrong, that is noted of a source.
func (d *directory) open(name string, of *Source) (fs.File, error) {
	st, err := d.stat(name)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return d.FS.Open(name)
	}
	at := path.Join(d.at, name)
	if !st.Mode().IsRegular() {
		return nil, d.budget.end(&FormatError{File: at, Offset: -1,
			Reason: "this is " + kindOf(st.Mode()) + ", and only a regular file can be a part of a recording"})
	}
	from, err := d.openRegular(name, at)
	if err != nil {
		return nil, err
	}
	stored := io.Reader(from)
	if d.root != "" {
		stored = upTo(st.Size(), from)
	}
	f := &dirFile{Closer: from, info: st, sum: summed{from: stored, source: of},
		reader: reader{budget: d.budget, file: at, most: -1, report: d.tell}}
	f.reader.from = &f.sum
	return f, nil
}

// openRegular opens a member that is a regular file.
func (d *directory) openRegular(name, at string) (io.ReadCloser, error) {
	if d.root != "" && fs.ValidPath(name) {
		if f, err := openRegular(at); err == nil {
			return f, nil
		}
	}
	return d.FS.Open(name) // whose error names the member
}

// ReadFile returns the content of a member that a loader holds whole; see fs.ReadFileFS.
func (d *directory) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, d.budget, path.Join(d.at, name))
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
	io.Closer
	info   fs.FileInfo // from before it was opened
	reader reader
	sum    summed // what reader reads
}

// Stat returns what the file was before it was opened: a recording is not expected to grow.
func (f *dirFile) Stat() (fs.FileInfo, error) { return f.info, nil }

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
