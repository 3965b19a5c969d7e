// Package source lists the files of a folder of source code: what they are called and how many
// lines they have. It finds the file that a trace means by a path of another machine. What git
// ignores is left out. It knows no traces.
package source

import (
	"context"

	"diptych/internal/progress"
)

// Folder is the source files below a directory.
type Folder struct {
	Dir   string // as it was given
	Name  string // the directory's own name
	Files []File // ordered by path
}

// File is one source file.
type File struct {
	Path  string // below the folder, with slashes
	Lines int32
}

// NoFile stands for a path that no file of a Folder matches.
const NoFile = -1

// Read lists the files below dir. Report is told files read of files found.
func Read(ctx context.Context, dir string, report progress.Func) (*Folder, error) {
	return nil, ctx.Err()
}

// Find returns the index of the file that shares the longest suffix of whole path elements with a
// path, or NoFile if not even the file's name is found, or if two files share the longest suffix.
func (f *Folder) Find(path string) int { return NoFile }
