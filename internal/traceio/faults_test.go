package traceio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/chrome"
	"diptych/internal/traceio/folded"
	"diptych/internal/traceio/gotrace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/perfscript"
	"diptych/internal/traceio/pprof"
	"diptych/internal/traceio/speedscope"
	"diptych/internal/traceio/uftrace"
)

var errFault = errors.New("input/output error")

// flaky is a reader or a file that fails, shortens and delays reads at random: it gives fewer bytes
// than asked for, none without an error, or an error with or without bytes.
type flaky struct {
	r      io.Reader
	random *rand.Rand
	often  int // one in so many reads fails, 0 for none
	failed *bool
}

func (f *flaky) Read(p []byte) (int, error) {
	switch f.random.IntN(4) {
	case 0:
		p = p[:min(len(p), 1+f.random.IntN(7))]
	case 1:
		if len(p) > 0 && f.random.IntN(8) == 0 {
			return 0, nil
		}
	}
	if f.often > 0 && f.random.IntN(f.often) == 0 {
		*f.failed = true
		n, _ := f.r.Read(p[:len(p)/2])
		return n, errFault
	}
	return f.r.Read(p)
}

// flakyFS is a file system of which opening, listing and reading may fail.
type flakyFS struct {
	fs.FS
	random *rand.Rand
	often  int
	failed *bool
}

func (f *flakyFS) fails() bool {
	if f.often > 0 && f.random.IntN(f.often) == 0 {
		*f.failed = true
		return true
	}
	return false
}

func (f *flakyFS) Open(name string) (fs.File, error) {
	if f.fails() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errFault}
	}
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if _, isDir := file.(fs.ReadDirFile); isDir {
		return file, nil
	}
	return &flakyFile{file, &flaky{file, f.random, 4 * f.often, f.failed}}, nil
}

func (f *flakyFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if f.fails() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errFault}
	}
	return fs.ReadDir(f.FS, name)
}

type flakyFile struct {
	fs.File
	r io.Reader
}

func (f *flakyFile) Read(p []byte) (int, error) { return f.r.Read(p) }

// outcome is what became of a load: a trace in words and its diagnostics, or an error.
type outcome struct {
	text, told string
	err        error
}

func loadWith(t *testing.T, load func(context.Context, *input.Source, input.Options, *trace.Builder) error,
	src *input.Source) outcome {
	t.Helper()
	b := trace.NewBuilder("x")
	if err := load(context.Background(), src, input.Options{}, b); err != nil {
		return outcome{err: err}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	checkTrace(t, tr, "with faults")
	text, _, _ := strings.Cut(asText(t, tr), "\ndiagnostic ")
	return outcome{text, fmt.Sprint(tr.Diagnostics), nil}
}

// judge fails unless a load gives the intact trace, an error, or a trace that tells what it lacks.
func (l outcome) judge(t *testing.T, intact outcome, failed bool, what string) {
	t.Helper()
	switch {
	case l.err != nil && !failed:
		t.Errorf("%s: %v, though no read failed", what, l.err)
	case l.err != nil && strings.ContainsAny(l.err.Error(), "\n\r"):
		t.Errorf("%s: an error of several lines: %q", what, l.err)
	case l.err == nil && l.text != intact.text && (!failed || l.told == intact.told):
		t.Errorf("%s: the trace differs, reads failed: %v, told: %s", what, failed, l.told)
	}
}

// TestFaultyStreams reads each format of one file through readers that fail, shorten and delay.
func TestFaultyStreams(t *testing.T) {
	inTestdata(t)
	for _, f := range []struct {
		path string
		load func(context.Context, *input.Source, input.Options, *trace.Builder) error
	}{
		{"chrome/queue-1p3c.json.gz", chrome.Load},
		{"gotrace/pipeline-mutex.gotrace", gotrace.Load},
		{"gotrace/go121-pipeline-mutex.gotrace", gotrace.Load},
		{"pprof/pipeline-mutex.mutex.pprof", pprof.Load},
		{"perfscript/pipeline-switches.txt.gz", perfscript.Load},
		{"folded/pipeline-level9.folded.gz", folded.Load},
		{"speedscope/pipeline-level1.json.gz", speedscope.Load},
	} {
		data := unpacked(t, f.path)
		source := func(r io.Reader) *input.Source {
			return &input.Source{Path: "f", Stream: r, Head: data[:min(len(data), input.HeadSize)],
				Unpacked: func() int64 { return 0 }}
		}
		intact := loadWith(t, f.load, source(bytes.NewReader(data)))
		for name, wrap := range map[string]func(io.Reader) io.Reader{"half": iotest.HalfReader,
			"data with error": iotest.DataErrReader, "timeout": iotest.TimeoutReader} {
			got := loadWith(t, f.load, source(wrap(bytes.NewReader(data))))
			got.judge(t, intact, name == "timeout", f.path+", "+name)
		}
		for seed := range testtrace.Sized(uint64(6), 300) {
			failed := false
			r := &flaky{bytes.NewReader(data), rand.New(rand.NewPCG(seed, 1)), int(seed%3) * 20, &failed}
			got := loadWith(t, f.load, source(r))
			got.judge(t, intact, failed, fmt.Sprintf("%s, seed %d", f.path, seed))
		}
	}
}

// TestFaultyDirectories does the same with the files of a directory.
func TestFaultyDirectories(t *testing.T) {
	packed, err := os.ReadFile("testdata/small.data.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	dir := fstest.MapFS{}
	for _, m := range unrolled(t, gunzipped(t, packed)) {
		dir[m.name] = &fstest.MapFile{Data: m.data}
	}
	source := func(files fs.FS) *input.Source { return &input.Source{Path: "d", Dir: files} }
	intact := loadWith(t, uftrace.Load, source(dir))
	if intact.err != nil {
		t.Fatal(intact.err)
	}
	seen := map[string]int{}
	for seed := range testtrace.Sized(uint64(300), 20_000) {
		failed := false
		random := rand.New(rand.NewPCG(seed, 2))
		got := loadWith(t, uftrace.Load, source(&flakyFS{dir, random, int(seed%3) * 10, &failed}))
		got.judge(t, intact, failed, fmt.Sprintf("seed %d", seed))
		seen[fmt.Sprint(failed, got.err != nil, got.text == intact.text)]++
	}
	if seen["false false true"] == 0 || seen["true true false"] == 0 || seen["true false false"] == 0 {
		t.Errorf("faults, errors and intact traces: %v", seen)
	}
}
