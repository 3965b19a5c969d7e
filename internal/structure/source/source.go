// Package source lists the files of a folder of source code: what they are called and how many
// lines they have. It finds the files that a trace means by paths of another machine. Files that
// git ignores are left out. It knows no traces.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

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

// Lines returns the number of lines in all files.
func (f *Folder) Lines() (n int64) {
	for i := range f.Files {
		n += int64(f.Files[i].Lines)
	}
	return n
}

// Check returns an error if dir is not a folder.
func Check(dir string) error {
	switch st, err := os.Stat(dir); {
	case err != nil:
		return fmt.Errorf("source folder %s: %w", dir, errors.Unwrap(err))
	case !st.IsDir():
		return fmt.Errorf("source folder %s: %w", dir, syscall.ENOTDIR)
	}
	return nil
}

// Read lists the files below dir. Report is told files read of files found. Links are not followed,
// and of the files only those count that are written in a language of programs.
func Read(ctx context.Context, dir string, report progress.Func) (*Folder, error) {
	if err := Check(dir); err != nil {
		return nil, err
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("source folder %s: %w", dir, err)
	}
	f := &Folder{Dir: dir, Name: filepath.Base(full)}
	w := walk{ctx: ctx, root: full}
	w.ignore(filepath.Join(".git", "info", "exclude"), nil)
	if err := w.dir("."); err != nil {
		return nil, fmt.Errorf("source folder %s: %w", dir, err)
	}
	slices.Sort(w.found)
	m := progress.NewMeter(report, 64)
	m.Expect(int64(len(w.found)))
	for _, p := range w.found {
		n, text, err := countLines(filepath.Join(full, filepath.FromSlash(p)))
		if err != nil {
			return nil, fmt.Errorf("source folder %s: %w", dir, err)
		}
		if text {
			f.Files = append(f.Files, File{p, n})
		}
		if err := m.Add(ctx, 1); err != nil {
			return nil, err
		}
	}
	m.Finish()
	return f, nil
}

// walk finds the files.
type walk struct {
	ctx      context.Context
	root     string
	patterns []gitignore.Pattern // outermost first
	found    []string
}

// dir walks a directory, given below the root with slashes. Patterns of a directory hold below it.
func (w *walk) dir(at string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(at)))
	if err != nil {
		return err
	}
	var domain []string
	if at != "." {
		domain = strings.Split(at, "/")
	}
	outer := len(w.patterns)
	w.ignore(filepath.Join(filepath.FromSlash(at), ".gitignore"), domain)
	ignored := gitignore.NewMatcher(w.patterns)
	for _, e := range entries {
		name := path.Join(at, e.Name())
		if e.Name() == ".git" || ignored.Match(strings.Split(name, "/"), e.IsDir()) {
			continue
		}
		switch {
		case e.IsDir():
			if err := w.dir(name); err != nil {
				return err
			}
		case e.Type() == fs.FileMode(0) && Code(name):
			w.found = append(w.found, name)
		}
	}
	w.patterns = w.patterns[:outer]
	return nil
}

// ignore adds the patterns of a file, if it is a regular one that can be read.
func (w *walk) ignore(file string, domain []string) {
	file = filepath.Join(w.root, file)
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() {
		return // a pipe would be waited for
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			w.patterns = append(w.patterns, gitignore.ParsePattern(line, domain))
		}
	}
}

// countLines counts the lines of a file; a last line needs no line feed. It reports whether the
// file is text, that is, holds no zero byte.
func countLines(file string) (lines int32, text bool, err error) {
	r, err := os.Open(file)
	if err != nil {
		return 0, false, err
	}
	defer r.Close()
	buf := make([]byte, 1<<16)
	for last := byte('\n'); ; {
		n, err := r.Read(buf)
		if bytes.IndexByte(buf[:n], 0) >= 0 {
			return 0, false, nil
		}
		lines += int32(bytes.Count(buf[:n], []byte{'\n'}))
		if n > 0 {
			last = buf[n-1]
		}
		if err == io.EOF {
			if last != '\n' {
				lines++
			}
			return lines, true, nil
		} else if err != nil {
			return 0, false, err
		}
	}
}

// languages are the endings of files in languages of programs.
var languages = map[string]bool{}

func init() {
	for ending := range strings.FieldsSeq(`.ada .adb .ads .asm .bash .c .cc .cjs .clj .cljs .cpp
		.cs .cu .cuh .cxx .d .dart .erl .ex .exs .f .f03 .f08 .f90 .f95 .for .fs .glsl .go .groovy
		.h .hh .hpp .hrl .hs .hxx .inc .inl .ipp .java .jl .js .jsx .kt .kts .lua .m .metal .mjs .ml
		.mli .mm .nim .php .pl .pm .pxd .py .pyx .r .rb .rs .s .scala .sh .sql .sv .swift .tcc .tcl
		.ts .tsx .v .vala .vb .vhd .vue .zig`) {
		languages[ending] = true
	}
}

// Code reports whether a file is written in a language of programs, by the ending of its name.
func Code(file string) bool { return languages[strings.ToLower(path.Ext(file))] }
