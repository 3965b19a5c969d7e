package traceio

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path"

	"diptych/internal/traceio/input"
)

// isTar reports whether head begins a POSIX or GNU tar archive.
func isTar(head []byte) bool {
	return len(head) > 262 && bytes.Equal(head[257:262], []byte("ustar"))
}

// unroll unpacks the archive r into a temporary directory and makes that the source's Dir, so that
// memory does not grow with the archive. A damaged archive is kept up to the damage, which
// Source.Damage then tells. The returned function removes the directory.
func unroll(src *input.Source, r io.Reader) (func(), error) {
	tmp, err := os.MkdirTemp("", "diptych-")
	if err != nil {
		return func() {}, &input.FormatError{File: src.Path, Offset: -1, Reason: "cannot unroll", Err: err}
	}
	remove := func() { os.RemoveAll(tmp) }
	root, err := os.OpenRoot(tmp) // entries cannot escape it
	if err != nil {
		return remove, &input.FormatError{File: src.Path, Offset: -1, Reason: "cannot unroll", Err: err}
	}
	defer root.Close()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && h.Typeflag == tar.TypeReg {
			err = extract(root, path.Clean(h.Name), t)
		}
		if err != nil {
			src.Damage = &input.FormatError{File: src.Path, Offset: src.Unpacked(),
				Reason: "damaged archive", Err: err}
			break
		}
	}
	src.Dir, src.Stream = os.DirFS(tmp), nil
	return remove, nil
}

func extract(root *os.Root, name string, r io.Reader) error {
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
