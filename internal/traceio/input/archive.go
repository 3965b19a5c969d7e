package input

import (
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"diptych/internal/trace"
)

// archive is the members of an archive as a file system. Only where each member lies is kept of
// it; the bytes stay in data.
type archive struct {
	data    io.ReaderAt
	members map[string]span
	order   []string                   // names of members as they came, some maybe twice
	left    []string                   // names of members that were not kept
	others  contents                   // what is no file, and no symbolic link that may lead to one
	links   map[string]string          // symbolic links, by what they lead to from the top
	dirs    map[string]map[string]bool // names of what is directly in a directory
}

// span is where a member's bytes lie in the data. In a zip archive open, which is nil otherwise,
// unpacks them.
type span struct {
	at, size int64
	open     func() (io.ReadCloser, error)
}

func newArchive() *archive {
	return &archive{members: map[string]span{}, links: map[string]string{},
		dirs: map[string]map[string]bool{".": {}}}
}

// add notes a member. A later one of the same name replaces it, as it does when tar extracts.
func (a *archive) add(name string, s span) {
	a.list(name)
	a.members[name] = s
	a.order = append(a.order, name)
	delete(a.links, name)
}

// link notes a symbolic link, whose target need not be there yet.
func (a *archive) link(name, to string) {
	a.list(name)
	a.links[name] = path.Join(path.Dir(name), to)
	delete(a.members, name)
}

// list adds a name to its directory, and that to the one above.
func (a *archive) list(name string) {
	for name != "." {
		dir := path.Dir(name)
		in, known := a.dirs[dir]
		if !known {
			in = map[string]bool{}
			a.dirs[dir] = in
		}
		in[path.Base(name)] = true
		name = dir
	}
}

// mostLinks is how many symbolic links may lead to one another.
const mostLinks = 40

// resolve follows symbolic links that lead to members.
func (a *archive) resolve(name string) string {
	for range mostLinks {
		to, ok := a.links[name]
		if !ok {
			break
		}
		name = to
	}
	return name
}

// entry returns what is called name.
func (a *archive) entry(name string) (archiveEntry, bool) {
	at := a.resolve(name)
	if s, ok := a.members[at]; ok {
		return archiveEntry{name: path.Base(name), size: s.size}, true
	}
	_, ok := a.dirs[at]
	return archiveEntry{name: path.Base(name), dir: true}, ok
}

// Open opens a member or a directory; see fs.FS.
func (a *archive) Open(name string) (fs.File, error) {
	e, ok := a.entry(name)
	if !fs.ValidPath(name) || !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	at := a.resolve(name)
	if e.dir {
		return &archiveDir{archiveEntry: e, rest: a.entries(at)}, nil
	}
	s := a.members[at]
	if s.open == nil {
		return &archiveFile{io.NopCloser(io.NewSectionReader(a.data, s.at, s.size)), e}, nil
	}
	r, err := s.open()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &archiveFile{r, e}, nil
}

// entries lists a directory in order. Links that lead nowhere are left out.
func (a *archive) entries(dir string) (list []fs.DirEntry) {
	for name := range a.dirs[dir] {
		if e, ok := a.entry(path.Join(dir, name)); ok {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(x, y fs.DirEntry) int { return cmp.Compare(x.Name(), y.Name()) })
	return list
}

// memberName returns a member's path from the top of the archive, and false if it lies outside.
// Paths of package fs are UTF-8, and older tools wrote names in the encoding of their system.
func memberName(name string) (string, bool) {
	if !utf8.ValidString(name) {
		name = trace.Escape(name)
	}
	name = path.Clean(strings.TrimLeft(name, "/"))
	return name, name != "." && fs.ValidPath(name)
}

// archiveEntry is what is known of a member or directory.
type archiveEntry struct {
	name string
	size int64
	dir  bool
}

func (e archiveEntry) Name() string               { return e.name }
func (e archiveEntry) Size() int64                { return e.size }
func (e archiveEntry) IsDir() bool                { return e.dir }
func (e archiveEntry) ModTime() time.Time         { return time.Time{} }
func (e archiveEntry) Sys() any                   { return nil }
func (e archiveEntry) Info() (fs.FileInfo, error) { return e, nil }
func (e archiveEntry) Stat() (fs.FileInfo, error) { return e, nil }
func (e archiveEntry) Type() fs.FileMode          { return e.Mode().Type() }

func (e archiveEntry) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// archiveFile is an open member.
type archiveFile struct {
	io.ReadCloser
	archiveEntry
}

// archiveDir is an open directory.
type archiveDir struct {
	archiveEntry
	rest []fs.DirEntry
}

func (d *archiveDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: fs.ErrInvalid}
}

func (d *archiveDir) Close() error { return nil }

// ReadDir lists the next n entries; see fs.ReadDirFile.
func (d *archiveDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	list := d.rest[:n:n]
	d.rest = d.rest[n:]
	return list, nil
}
