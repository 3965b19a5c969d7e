package input

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Siblings returns the directory that holds the file, for recordings of which the user names one
// file and others lie beside it. The members, files or directories, count for progress, and the
// trace depends on nothing else there. It is nil where there is no such directory: for standard
// input and what is packed.
func (s *Source) Siblings(members ...string) fs.FS {
	if s.file == nil || s.packed || s.path == Standard || s.Stream == nil {
		return nil
	}
	d := &directory{FS: os.DirFS(filepath.Dir(s.path)), source: s, budget: s.budget,
		at: path.Dir(filepath.ToSlash(s.Path)), size: s.Size, report: s.progress}
	d.n.Store(s.unpacked.n.Load())
	for _, m := range members {
		if s.watch != nil {
			s.watch(filepath.Join(filepath.Dir(s.path), m))
		}
		_ = fs.WalkDir(d.FS, m, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				if st, err := e.Info(); err == nil {
					d.size += st.Size()
				}
			}
			return s.budget.err()
		})
	}
	s.Size = d.size
	return d
}
