// Package loadtest runs one loader in its tests and benchmarks: on bytes, on a file as the program
// opens it, and on the recordings under testdata. It knows no format. Only tests import it.
package loadtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Loader is the function Load of a format.
type Loader func(context.Context, *input.Source, input.Options, *trace.Builder) error

// Bytes loads a file of that name and content.
func (load Loader) Bytes(name string, data []byte, o input.Options) (*trace.Trace, error) {
	n := int64(len(data))
	src := &input.Source{Path: name, Stream: bytes.NewReader(data), Size: n,
		Head: data[:min(len(data), input.HeadSize)], Unpacked: func() int64 { return n }}
	b := trace.NewBuilder("test")
	if err := load(context.Background(), src, o, b); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

// Opened returns a function that loads a file with that content as the program does.
func (load Loader) Opened(t testing.TB, data []byte) func() {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return load.FromDisk(t, path)
}

// FromDisk returns a function that loads a file or directory as the program does.
func (load Loader) FromDisk(t testing.TB, path string) func() {
	return func() { load.Trace(t, path) }
}

// Trace returns the trace of a file or directory, loaded as the program does. It must have calls.
func (load Loader) Trace(t testing.TB, path string) *trace.Trace {
	t.Helper()
	ctx := context.Background()
	src, err := input.Open(ctx, path, input.Options{}, func(*input.Source) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	b := trace.NewBuilder("test")
	if err := load(ctx, src, input.Options{}, b); err != nil {
		t.Fatal(err)
	}
	tr, err := b.Build(ctx)
	if err != nil || tr.Calls() == 0 {
		t.Fatalf("no calls: %v", err)
	}
	return tr
}

// Recordings returns the files that match a pattern, by name and unpacked from gzip. There must be
// one.
func Recordings(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings at %s: %v", pattern, err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			if data, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		all[filepath.Base(f)] = data
	}
	return all
}
