package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Listing is what a path held when somebody looked: a recording with a file for each thread may
// have tens of thousands, and to ask what one is takes as long as to open it. So whoever must know
// how large a recording is before it is loaded passes on what it found, in Options.
type Listing struct {
	path   string
	size   int64                    // of all files
	linked int64                    // of files to which links in a directory lead
	files  map[string]fs.FileInfo   // of a directory, by name; not of all
	dirs   map[string][]fs.DirEntry // the same: what its directories hold
	kept   int                      // in dirs
}

// Size returns the bytes of all files, also of those to which links lead.
func (l *Listing) Size() int64 { return l.size + l.linked }

// List looks at what is at a path, as Open would with so much memory.
func List(ctx context.Context, path string, m Memory) (*Listing, error) {
	st, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() || path == Standard {
		return &Listing{path: path, size: st.Size()}, nil
	}
	return newListing(path, newBudget(ctx, path, m))
}

// newListing lists the files of a directory.
func newListing(path string, b *budget) (*Listing, error) {
	l := &Listing{path: path, files: map[string]fs.FileInfo{}, dirs: map[string][]fs.DirEntry{}}
	entries := int64(0)
	dir := os.DirFS(path)
	err := fs.WalkDir(&listingFS{dir, l}, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil && name == "." {
			return fmt.Errorf("cannot open: %w", cause(err))
		}
		if entries++; entries > b.part(entryBytes) {
			return b.over(path, "it holds more than %d files", entries-1)
		}
		if err == nil && e.Type().IsRegular() {
			if st, err := e.Info(); err == nil {
				l.size += st.Size()
				if len(l.files) < mostListed {
					l.files[name] = st
				}
			}
		}
		if err == nil && e.Type()&fs.ModeSymlink != 0 {
			if st, err := fs.Stat(dir, name); err == nil && st.Mode().IsRegular() {
				l.linked += st.Size()
			}
		}
		if e != nil && e.IsDir() {
			depth := strings.Count(name, "/")
			if depth >= deepest || depth >= shallow && entries > fewEntries {
				return fs.SkipDir
			}
		}
		return b.err()
	})
	if err != nil && !errors.Is(err, ErrLimit) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
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

// mostListed is of how many files it is kept what they are, and how many entries of directories
// are kept.
const mostListed = 1 << 16

// listingFS is a directory of which a listing keeps what is read.
type listingFS struct {
	fs.FS
	to *Listing
}

// ReadDir lists a directory; see fs.ReadDirFS.
func (f *listingFS) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(f.FS, name)
	if err == nil && f.to.kept+len(list) <= mostListed {
		f.to.kept += len(list)
		f.to.dirs[name] = slices.Clone(list)
	}
	return list, err
}
