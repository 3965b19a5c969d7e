package input

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync/atomic"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// directory is the files of a recording, in a directory or in an archive. Its files are limited
// readers. Only regular files are opened: a named pipe would be waited for, and a device may never
// end.
type directory struct {
	fs.FS
	root   string // where FS lies in the file system, and then at; "" if it is no directory of that
	source *Source
	budget *budget
	at     string   // where messages say that the files lie
	size   int64    // of all files that are read, for progress
	listed *Listing // nil where nobody looked
	n      atomic.Int64
	report progress.Func // nil where nothing is told yet
}

// openDir opens a directory of the file system, which may be listed already.
func (s *Source) openDir(p progress.Func, l *Listing) error {
	if l == nil || l.path != s.Path {
		var err error
		if l, err = newListing(s.Path, s.budget); err != nil {
			return err
		}
	}
	s.Dir, s.Size = &directory{FS: os.DirFS(s.Path), root: s.Path, source: s, budget: s.budget,
		at: s.Path, size: l.size, listed: l, report: p}, l.size
	return nil
}

// stat returns what a member is.
func (d *directory) stat(name string) (fs.FileInfo, error) {
	if d.listed != nil && d.listed.files[name] != nil {
		return d.listed.files[name], nil
	}
	return fs.Stat(d.FS, name)
}

// Stat says what a member is without opening it; see fs.StatFS.
func (d *directory) Stat(name string) (fs.FileInfo, error) { return d.stat(name) }

// ReadDir lists a directory; see fs.ReadDirFS.
func (d *directory) ReadDir(name string) ([]fs.DirEntry, error) {
	if d.listed != nil && d.listed.dirs[name] != nil {
		return slices.Clone(d.listed.dirs[name]), nil
	}
	return fs.ReadDir(d.FS, name)
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

// openRegular opens a member that is a regular file. On disk its name may be any bytes, while paths
// of package fs are UTF-8.
func (d *directory) openRegular(name, at string) (io.ReadCloser, error) {
	if d.root != "" && fs.ValidPath(trace.Escape(name)) {
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

func (d *directory) tell(latest int64) {
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
