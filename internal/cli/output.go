package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"diptych/internal/output"
	"diptych/internal/traceio/input"
)

// outputFile is a file that a command writes. Every command gets them from newOutput, so that
// none can replace what it reads.
type outputFile struct {
	path string    // as it was given
	out  io.Writer // standard output if the path stands for that, or nil

	packed bool // what is written is compressed already, whatever the name says
}

// toStandard is the path that stands for standard output. A file of that name is ./-.
const toStandard = "-"

// newOutput returns the output at path of a command that reads the files reads and prints to out.
// It fails if writing there would change one of them.
func newOutput(path string, reads []string, out io.Writer) (*outputFile, error) {
	if path == toStandard {
		return &outputFile{path: path, out: out}, nil // checkFiles has looked where that goes
	}
	if err := keepInputs(path, reads); err != nil {
		return nil, err
	}
	return &outputFile{path: path}, nil
}

// binary returns an error if the output, which is not text, would go to a terminal.
func (o *outputFile) binary() error {
	if s, ok := o.out.(*stdout); ok && isTerminal(s.to) {
		return usageError{errors.New("-o -: this is no text, so it is not written to a terminal")}
	}
	return nil
}

// write writes the file whole or not at all; see package output. A name that ends in .gz gives
// gzip-compressed content. Standard output gets what there is.
func (o *outputFile) write(content func(io.Writer) error) error {
	name := o.path
	if o.packed {
		name = strings.TrimSuffix(name, ".gz")
	}
	if o.out != nil {
		return pack(o.out, name, content)
	}
	f, err := output.Create(o.path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := pack(f, name, content); err != nil {
		var failed *output.Error
		if errors.As(err, &failed) {
			return failed // without what an encoder says of where it was
		}
		return fmt.Errorf("%s: %w", o.path, err)
	}
	return f.Commit()
}

// overwriteError says that an output would change a file that the command reads, or another of its
// outputs.
type overwriteError string

func (e overwriteError) Error() string { return string(e) }

// filesRead returns the files that a command reads: its arguments and the file of --rules.
func filesRead(args []string, o input.Options) []string {
	if o.RulesFile == "" {
		return args
	}
	return append(slices.Clone(args), o.RulesFile)
}

// keepInputs returns an error if writing a file at path would change one of the files reads or what
// is in a directory among them. Two names of one file are the same file, also through links:
//
//	diptych export a.json b.json --to csv -o ./a.json
//	ln a.json c.json; diptych export a.json b.json --to csv -o c.json
func keepInputs(path string, reads []string) error {
	for _, in := range reads {
		read, err := statInput(in)
		if err != nil {
			continue // the loader says what is wrong with it
		}
		if st, err := os.Stat(path); err == nil && os.SameFile(st, read) {
			if path == in || in == input.Standard {
				return overwriteError(path + ": this command reads the file, so it cannot write it")
			}
			return overwriteError(fmt.Sprintf("%s: this is the file %s, which the command reads, "+
				"so it cannot write it", path, in))
		}
		if read.IsDir() && (within(path, read) || holds(in, path)) {
			return overwriteError(fmt.Sprintf("%s: this file belongs to %s, which the command reads, "+
				"so it cannot write it", path, in))
		}
	}
	return nil
}

// keepFromStdout returns an error if standard output is one of the files reads, as in
//
//	diptych info a.json >> a.json
func keepFromStdout(out io.Writer, reads []string) error {
	if s, ok := out.(*stdout); ok {
		out = s.to
	}
	f, ok := out.(*os.File)
	if !ok {
		return nil
	}
	to, err := f.Stat()
	for _, in := range reads {
		if st, statErr := statInput(in); err == nil && statErr == nil && st.Mode().IsRegular() &&
			os.SameFile(st, to) {
			return overwriteError(input.Name(in) +
				": this command reads the file, so it cannot print into it")
		}
	}
	return nil
}

// within reports whether path leads into a directory, at any depth.
func within(path string, dir os.FileInfo) bool {
	at := location(path)
	for parent := filepath.Dir(at); parent != at; at, parent = parent, filepath.Dir(parent) {
		if st, err := os.Stat(parent); err == nil && os.SameFile(st, dir) {
			return true
		}
	}
	return false
}

// holds reports whether the file at path is also one of the files below dir, under another name.
func holds(dir, path string) bool {
	st, err := os.Stat(path)
	if err != nil {
		return false
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target // WalkDir follows no link
	}
	found := false
	_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if in, statErr := os.Stat(name); err == nil && statErr == nil && os.SameFile(in, st) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// location returns the absolute path that path leads to, which need not exist yet.
func location(path string) string {
	path = output.Target(path)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// keepApart returns an error if two of a command's outputs are the same file, or one lies in
// another.
func keepApart(outputs []string) error {
	for i, path := range outputs {
		for _, other := range outputs[:i] {
			if err := keepInputs(path, []string{other}); err != nil || contains(other, path) ||
				contains(path, other) {
				return overwriteError(fmt.Sprintf("%s: this is where %s is written too", path, other))
			}
		}
	}
	return nil
}

// contains reports whether path is dir or lies below it. Neither need exist.
func contains(dir, path string) bool {
	rel, err := filepath.Rel(location(dir), location(path))
	return err == nil && filepath.IsLocal(rel)
}

// pack lets write write to f, through gzip if the name ends in .gz.
func pack(f io.Writer, name string, write func(io.Writer) error) error {
	if !strings.HasSuffix(name, ".gz") {
		out := bufio.NewWriterSize(f, 1<<16)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}
