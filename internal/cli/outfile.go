package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// writeFile writes a file whole or not at all: beside its place first, so that a failure leaves what
// was there. A file that it replaces keeps its mode. What is no regular file, such as a pipe or a
// device, is written to as it is. A name that ends in .gz packs the content.
func writeFile(path string, write func(io.Writer) error) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return replace(path, path, newMode, write)
	}
	switch at, err := os.Stat(target); {
	case err != nil:
		return replace(target, path, newMode, write)
	case at.Mode().IsRegular():
		return replace(target, path, at.Mode().Perm(), write)
	}
	return writeTo(target, path, write)
}

// newMode is that of files that were not there before.
const newMode = 0o644

// replace puts a new file in the place of target.
func replace(target, name string, mode os.FileMode, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(target), ".diptych-*")
	if err != nil { // without the name that it made up
		return fmt.Errorf("%s: cannot create: %w", name, cmp.Or(errors.Unwrap(err), err))
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if err := errors.Join(pack(f, name, write), f.Chmod(mode), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.Rename(f.Name(), target)
}

func writeTo(target, name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := errors.Join(pack(f, name, write), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// pack has write write to f, through gzip if the name asks for it.
func pack(f io.Writer, name string, write func(io.Writer) error) error {
	if !strings.HasSuffix(name, ".gz") {
		out := bufio.NewWriterSize(f, 1<<16)
		return errors.Join(write(out), out.Flush())
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
