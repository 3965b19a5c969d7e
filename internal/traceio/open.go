package traceio

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"diptych/internal/progress"
	"diptych/internal/traceio/input"
)

// open prepares the input at path: a directory as it is, a packed file unpacked, an archive
// unrolled. The returned function frees what was opened.
func open(ctx context.Context, path string, p progress.Func) (*input.Source, func(), error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, nil, readable(path, err)
	}
	if st.IsDir() {
		src, err := openDir(ctx, path, p)
		return src, func() {}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, readable(path, err)
	}
	src := &input.Source{Path: path, Size: st.Size()}
	stored := &meter{ctx: ctx, r: f, report: func(n int64) { p(n, st.Size()) }}
	stream, closeStream, err := unpack(bufio.NewReaderSize(stored, 256<<10))
	closeAll := func() {
		closeStream()
		f.Close()
	}
	if err != nil {
		closeAll()
		return nil, nil, &input.FormatError{File: path, Reason: "cannot unpack", Err: err}
	}
	unpacked := &meter{ctx: ctx, r: stream, report: func(int64) {}}
	buffered := bufio.NewReaderSize(unpacked, input.HeadSize)
	src.Head, err = buffered.Peek(input.HeadSize)
	if err != nil && len(src.Head) == 0 {
		closeAll()
		return nil, nil, empty(path, err)
	}
	src.Head = bytes.Clone(src.Head)
	src.Stream = buffered
	src.Unpacked = func() int64 { return unpacked.n.Load() - int64(buffered.Buffered()) }
	if isTar(src.Head) {
		remove, err := unroll(src, buffered)
		release := func() { remove(); closeAll() }
		if err != nil {
			release()
			return nil, nil, err
		}
		return src, release, nil
	}
	return src, closeAll, nil
}

// readable strips the operation from a file error, so that the message is the path and the reason.
func readable(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &input.FormatError{File: path, Offset: -1, Reason: "cannot open", Err: err}
}

func empty(path string, err error) error {
	if errors.Is(err, io.EOF) {
		return &input.FormatError{File: path, Offset: 0, Reason: "the file is empty"}
	}
	return &input.FormatError{File: path, Offset: 0, Reason: "cannot read", Err: err}
}

// mostPackings is how many times a file may be compressed: some tools compress a compressed file
// again.
const mostPackings = 4

// unpack looks through gzip and zstd, whatever the file is called.
func unpack(r *bufio.Reader) (io.Reader, func(), error) {
	var closers []func()
	closeAll := func() {
		for _, c := range slices.Backward(closers) {
			c()
		}
	}
	for range mostPackings {
		layer, closeLayer, err := unpackOnce(r)
		if layer == nil || err != nil {
			return r, closeAll, err
		}
		closers = append(closers, closeLayer)
		r = bufio.NewReader(layer)
	}
	return r, closeAll, nil
}

// unpackOnce returns a reader of the unpacked content of r, or nil if r is not packed.
func unpackOnce(r *bufio.Reader) (io.Reader, func(), error) {
	magic, _ := r.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, err
		}
		return z, func() { z.Close() }, nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r, zstd.WithDecoderMaxMemory(256<<20), zstd.WithDecoderConcurrency(2))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return nil, nil, nil
}

// meter counts the bytes that are read through it, and makes reading fail once ctx is done.
type meter struct {
	ctx    context.Context
	r      io.Reader
	n      atomic.Int64
	report func(n int64)
}

func (m *meter) Read(b []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(b)
	m.report(m.n.Add(int64(n)))
	return n, err
}

// openDir opens a directory whose files are metered as they are read.
func openDir(ctx context.Context, path string, p progress.Func) (*input.Source, error) {
	src := &input.Source{Path: path}
	err := fs.WalkDir(os.DirFS(path), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if st, err := d.Info(); err == nil {
				src.Size += st.Size()
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	dir := &meteredFS{FS: os.DirFS(path), ctx: ctx}
	dir.report = func(n int64) { p(min(dir.n.Add(n), src.Size), src.Size) }
	src.Dir = dir
	return src, nil
}

type meteredFS struct {
	fs.FS
	ctx    context.Context
	n      atomic.Int64
	report func(n int64)
}

func (d *meteredFS) Open(name string) (fs.File, error) {
	f, err := d.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if _, isDir := f.(fs.ReadDirFile); isDir {
		if st, err := f.Stat(); err == nil && st.IsDir() {
			return f, nil
		}
	}
	return &meteredFile{f, d}, nil
}

type meteredFile struct {
	fs.File
	dir *meteredFS
}

func (f *meteredFile) Read(b []byte) (int, error) {
	if err := f.dir.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.File.Read(b)
	f.dir.report(int64(n))
	return n, err
}

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
