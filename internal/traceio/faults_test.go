package traceio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/callgrind"
	"diptych/internal/traceio/chrome"
	"diptych/internal/traceio/cpuprofile"
	"diptych/internal/traceio/ctf"
	"diptych/internal/traceio/firefox"
	"diptych/internal/traceio/folded"
	"diptych/internal/traceio/gotrace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/otf2"
	"diptych/internal/traceio/paje"
	"diptych/internal/traceio/perfscript"
	"diptych/internal/traceio/pprof"
	"diptych/internal/traceio/speedscope"
	"diptych/internal/traceio/uftrace"
)

var errFault = errors.New("input/output error")

// hazard decides at random what fails, and notes that something did. Loaders may read several files
// at once.
type hazard struct {
	mu     sync.Mutex
	random *rand.Rand
	met    bool
}

func newHazard(seed, stream uint64) *hazard {
	return &hazard{random: rand.New(rand.NewPCG(seed, stream))}
}

func (h *hazard) intN(n int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.random.IntN(n)
}

// strikes reports whether one in so many reads fails now; 0 stands for none.
func (h *hazard) strikes(often int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := often > 0 && h.random.IntN(often) == 0
	h.met = h.met || now
	return now
}

// flaky is a reader or a file that fails, shortens and delays reads at random: it gives fewer bytes
// than asked for, none without an error, or an error with or without bytes.
type flaky struct {
	r     io.Reader
	often int // one in so many reads fails, 0 for none
	*hazard
}

func (f *flaky) Read(p []byte) (int, error) {
	switch f.intN(4) {
	case 0:
		p = p[:min(len(p), 1+f.intN(7))]
	case 1:
		if len(p) > 0 && f.intN(8) == 0 {
			return 0, nil
		}
	}
	if f.strikes(f.often) {
		n, _ := f.r.Read(p[:len(p)/2])
		return n, errFault
	}
	return f.r.Read(p)
}

// flakyFS is a file system of which opening, listing and reading may fail.
type flakyFS struct {
	fs.FS
	often int
	*hazard
}

func (f *flakyFS) Open(name string) (fs.File, error) {
	if f.strikes(f.often) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errFault}
	}
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if _, isDir := file.(fs.ReadDirFile); isDir {
		return file, nil
	}
	return &flakyFile{file, &flaky{file, 4 * f.often, f.hazard}}, nil
}

func (f *flakyFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if f.strikes(f.often) {
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
		{"chrome/node-n8.json.gz", chrome.Load},
		{"gotrace/pipeline-mutex.gotrace", gotrace.Load},
		{"gotrace/go121-pipeline-mutex.gotrace", gotrace.Load},
		{"pprof/pipeline-mutex.mutex.pprof", pprof.Load},
		{"paje/ring-4.trace.gz", paje.Load},
		{"callgrind/sums-100.callgrind", callgrind.Load},
		{"cpuprofile/requests-8.cpuprofile.gz", cpuprofile.Load},
		{"firefox/rows-10.gecko.json.gz", firefox.Load},
		{"perfscript/pipeline-switches.txt.gz", perfscript.Load},
		{"folded/pipeline-level9.folded.gz", folded.Load},
		{"speedscope/pipeline-level1.json.gz", speedscope.Load},
	} {
		data := unpacked(t, f.path)
		if strings.HasPrefix(f.path, "chrome") {
			data = shortChrome(t, 300<<10) // more than a block of its loader
		}
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
		for seed := range testtrace.Sized(uint64(3), 300) {
			r := &flaky{bytes.NewReader(data), int(seed%3) * 20, newHazard(seed, 1)}
			got := loadWith(t, f.load, source(r))
			got.judge(t, intact, r.met, fmt.Sprintf("%s, seed %d", f.path, seed))
		}
	}
}

// TestFaultyDirectories does the same with the files of directories.
func TestFaultyDirectories(t *testing.T) {
	inTestdata(t)
	for _, f := range []struct {
		path string
		load func(context.Context, *input.Source, input.Options, *trace.Builder) error
	}{
		{"../internal/traceio/testdata/small.data.tar.gz", uftrace.Load},
		{"otf2/kinds.data.tar.gz", otf2.Load},
		{"ctf/queue-2p2c.data.tar.gz", ctf.Load},
	} {
		dir := fstest.MapFS{}
		for name, data := range tree(t, gunzipped(t, read(t, f.path))) {
			dir[name] = &fstest.MapFile{Data: data}
		}
		source := func(files fs.FS) *input.Source { return &input.Source{Path: "d", Dir: files} }
		intact := loadWith(t, f.load, source(dir))
		if intact.err != nil {
			t.Fatal(intact.err)
		}
		seen := map[string]int{}
		for seed := range testtrace.Sized(uint64(100), 3_000) {
			files := &flakyFS{dir, int(seed%3) * 10, newHazard(seed, 2)}
			got := loadWith(t, f.load, source(files))
			got.judge(t, intact, files.met, fmt.Sprintf("%s, seed %d", f.path, seed))
			seen[fmt.Sprint(files.met, got.err != nil, got.text == intact.text)]++
		}
		if seen["false false true"] == 0 || seen["true true false"] == 0 {
			t.Errorf("%s: faults, errors and intact traces: %v", f.path, seen)
		}
	}
}
