package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// made makes the trace of a path: always the same one. Some names stand for traces that cannot be
// loaded or bring the program down.
func made(t testtrace.TB) Loader {
	return func(ctx context.Context, path string) (*trace.Trace, error) {
		switch name := filepath.Base(path); {
		case strings.HasPrefix(name, "bad"):
			return nil, fmt.Errorf("%s: cannot open: %w", path, fs.ErrNotExist)
		case strings.HasPrefix(name, "panic"):
			return nil, progress.Spread(ctx, 2, func(int) error { panic("a mistake") })
		}
		seed := fnv.New64a()
		seed.Write([]byte(filepath.Base(path)))
		return testtrace.Shape{Threads: testtrace.Range{1, 3}, Records: testtrace.Range{20, 60},
			Functions: []string{"main", "solve", "read", "lock"}, Step: testtrace.Range{1, 900}, Ends: 2,
			Objects: testtrace.Exactly(2), Close: true}.Random(t, seed.Sum64()), nil
	}
}

// listing returns a manifest of n pairs in a new directory. Each of the names in odd replaces the
// trace of B of a pair.
func listing(t testing.TB, n int, odd map[int]string) *Manifest {
	t.Helper()
	m := &Manifest{Path: filepath.Join(t.TempDir(), "m.csv")}
	for k := range n {
		b := fmt.Sprintf("B/%d", k)
		if name, ok := odd[k]; ok {
			b = name
		}
		m.Pairs = append(m.Pairs, Pair{fmt.Sprintf("rank %d", k), fmt.Sprintf("A/%d", k), b})
	}
	return m
}

// ran runs a batch that must not fail.
func ran(t *testing.T, m *Manifest, dir string, o Options) *Outcome {
	t.Helper()
	o.Load = made(t)
	out, err := Run(t.Context(), m, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tree returns all files below a directory.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// alike fails unless two directories have the same files.
func alike(t *testing.T, want map[string]string, dir, why string) {
	t.Helper()
	got := tree(t, dir)
	if maps.Equal(got, want) {
		return
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s differs", why, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: files %q", why, slices.Sorted(maps.Keys(got)))
	}
}

// TestBytesDependOnTheTracesAlone makes one batch by any number of workers, processors and shards,
// from another directory, and at once: all have the same bytes, also those of pairs that fail.
func TestBytesDependOnTheTracesAlone(t *testing.T) {
	m := listing(t, 12, map[int]string{3: "bad", 7: "panic"})
	dir := t.TempDir()
	first := ran(t, m, filepath.Join(dir, "one"), Options{Workers: 1, Shard: Whole})
	if first.Done != 12 || len(first.Broken) != 2 {
		t.Fatalf("%d done, broken %v", first.Done, first.Broken)
	}
	want := tree(t, first.Path)
	if n := 2 + 12*len(Tables); len(want) != n {
		t.Errorf("%d files, want %d", len(want), n)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors := 1; processors <= 3; processors += testtrace.Sized(2, 1) {
		runtime.GOMAXPROCS(processors)
		at := filepath.Join(dir, fmt.Sprint("workers", processors))
		ran(t, m, at, Options{Workers: 4, Shard: Whole, Room: NewRoom(1<<30, 4)})
		alike(t, want, at, fmt.Sprint(processors, " processors"))
	}
	at := filepath.Join(dir, "shards")
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() { ran(t, m, at, Options{Workers: 2, Shard: Shard{i + 1, 3}}) })
	}
	all.Wait()
	alike(t, want, at, "shards at once")
	t.Chdir(filepath.Dir(m.Path))
	m.Path = filepath.Base(m.Path)
	ran(t, m, filepath.Join(dir, "from"), Options{Workers: 1, Shard: Whole})
	alike(t, want, filepath.Join(dir, "from"), "another working directory")
}

// TestBrokenPairs: what is wrong with a pair is told with the manifest's names, and always the
// same.
func TestBrokenPairs(t *testing.T) {
	m := listing(t, 4, map[int]string{0: "x/bad", 2: "panic"})
	out := ran(t, m, filepath.Join(t.TempDir(), "out"), Options{Workers: 2, Shard: Whole})
	for k, want := range []string{"x/bad: cannot open: file does not exist",
		"the program failed: a mistake in batch."} {
		if k >= len(out.Broken) || !strings.HasPrefix(out.Broken[k].Error, want) {
			t.Errorf("%d of %+v, want %q", k, out.Broken, want)
		}
	}
	if len(out.Broken) != 2 || out.Broken[1].Number != 3 || out.Broken[1].Pair != "rank 2" {
		t.Errorf("%+v", out.Broken)
	}
}

// TestResume makes what is missing, also parts that were cut, and with Retry those with broken
// pairs. Nothing else is touched.
func TestResume(t *testing.T) {
	m := listing(t, 6, map[int]string{4: "bad"})
	dir := filepath.Join(t.TempDir(), "out")
	d := ran(t, m, dir, Options{Workers: 2, Shard: Whole}).Directory
	want := tree(t, dir)
	if _, err := Run(t.Context(), m, dir, Options{Shard: Whole}); err == nil ||
		!strings.Contains(err.Error(), "--resume makes only what is missing") {
		t.Errorf("without resume: %v", err)
	}
	for name, c := range map[string]struct {
		harm  func() error
		retry bool
		done  int
	}{
		"nothing":         {func() error { return nil }, false, 0},
		"a part":          {func() error { return os.RemoveAll(d.Part(1)) }, false, 1},
		"an empty table":  {func() error { return os.Truncate(d.table(2, "waits"), 0) }, false, 1},
		"a cut table":     {func() error { return os.Truncate(d.table(3, "pairs"), 99) }, false, 1},
		"a missing table": {func() error { return os.Remove(d.table(5, "timeline")) }, false, 1},
		"retry":           {func() error { return os.WriteFile(d.Merged("pairs"), nil, 0o600) }, true, 1},
	} {
		if err := c.harm(); err != nil {
			t.Fatal(err)
		}
		var told int64
		out := ran(t, m, dir, Options{Workers: 2, Shard: Whole, Resume: true, Retry: c.retry,
			Report: func(done, _ int64) { told = done }})
		if out.Done != c.done || out.Due != c.done || int(told) != c.done || out.Before != 6-c.done ||
			len(out.Broken) != 1 {
			t.Errorf("%s: %+v, told %d", name, out, told)
		}
		alike(t, want, dir, name)
	}
}

// TestOtherBatches: what is in a directory is neither replaced nor joined by another batch.
func TestOtherBatches(t *testing.T) {
	m := listing(t, 2, nil)
	dir := filepath.Join(t.TempDir(), "out")
	o := Options{Compared: Compared{Load: made(t)}, Shard: Whole, Settings: Settings{Version: "1"}}
	if _, err := Run(t.Context(), m, dir, o); err != nil {
		t.Fatal(err)
	}
	want := tree(t, dir)
	other := listing(t, 2, map[int]string{0: "B/7"})
	full := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(full, "x"), nil, 0o600),
		os.MkdirAll(filepath.Join(filepath.Dir(m.Path), "B", "1"), 0o700)); err != nil {
		t.Fatal(err)
	}
	newer, stricter := o, o
	newer.Settings.Version = "2"
	stricter.Settings.Strict = true
	for why, c := range map[string]struct {
		m   *Manifest
		dir string
		o   Options
	}{
		"2 and 3 pairs":                   {listing(t, 3, nil), dir, o},
		"the manifests differ":            {other, dir, o},
		`version is "1" and "2"`:          {m, dir, newer},
		`strict is not given and "true"`:  {m, dir, stricter},
		"it holds no batch, but x":        {m, full, o},
		"which the batch reads":           {m, filepath.Join(filepath.Dir(m.Path), "B", "1", "out"), o},
		"the manifest would be replaced":  {&Manifest{filepath.Join(full, "y", listedBy), m.Pairs}, filepath.Join(full, "y"), o},
		"x: cannot open: not a directory": {m, filepath.Join(full, "x"), o},
	} {
		c.o.Resume = true
		if _, err := Run(t.Context(), c.m, c.dir, c.o); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
	alike(t, want, dir, "refused")
}

// TestUnwritable: a part that cannot be written ends the batch, with an error that names it and no
// temporary file, and leaves nothing of it.
func TestUnwritable(t *testing.T) {
	m := listing(t, 2, nil)
	dir := filepath.Join(t.TempDir(), "out")
	d := ran(t, m, dir, Options{Shard: Shard{1, 2}}).Directory
	parts := filepath.Join(dir, partsIn)
	load := made(t)
	o := Options{Resume: true, Shard: Whole}
	o.Load = func(ctx context.Context, path string) (*trace.Trace, error) {
		// The folder of the parts is gone once the first trace is asked for.
		if err := errors.Join(os.RemoveAll(parts), os.WriteFile(parts, nil, 0o600)); err != nil {
			t.Error(err)
		}
		return load(ctx, path)
	}
	out, err := Run(t.Context(), m, dir, o)
	if want := d.Part(1) + ": cannot create: not a directory"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if out == nil || out.Done != 0 || out.Due != 1 {
		t.Errorf("%+v", out)
	}
}

// TestCancel ends a batch in its middle: what is whole stays, nothing else does, and resuming makes
// the rest.
func TestCancel(t *testing.T) {
	m := listing(t, 8, nil)
	dir := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Compared: Compared{Load: made(t), Rules: pair.Rules{}}, Workers: 2, Shard: Whole}
	o.Report = func(done, _ int64) {
		if done == 3 {
			cancel()
		}
	}
	out, err := Run(ctx, m, dir, o)
	if !errors.Is(err, context.Canceled) || out.Done < 1 || out.Done > 4 {
		t.Fatalf("%+v, %v", out, err)
	}
	if n := len(tree(t, filepath.Join(dir, partsIn))); n != out.Done*len(Tables) {
		t.Errorf("%d files of %d parts", n, out.Done)
	}
	ran(t, m, dir, Options{Workers: 2, Shard: Whole, Resume: true})
	whole := filepath.Join(t.TempDir(), "whole")
	ran(t, m, whole, Options{Workers: 2, Shard: Whole})
	got, want := tree(t, dir), tree(t, whole)
	delete(got, "/"+listedBy) // which lie elsewhere
	delete(want, "/"+listedBy)
	if !maps.Equal(got, want) {
		t.Error("resumed, it is not what it is in one run")
	}
}

// TestTwoPairsAPart has parts of several pairs, as large batches do.
func TestTwoPairsAPart(t *testing.T) {
	m := listing(t, 5, map[int]string{1: "bad"})
	want, err := Describe(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	want.PerPart = 2
	d, err := begin(filepath.Join(t.TempDir(), "out"), m, want, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Options: Options{Compared: Compared{Load: made(t)}, Workers: 2, Shard: Whole}, m: m,
		out: Outcome{Directory: d}, meter: progress.NewMeter(nil, 0)}
	parts, err := r.due()
	if err != nil || len(parts) != 3 || r.out.Due != 5 {
		t.Fatal(parts, r.out.Due, err)
	}
	if err := r.all(t.Context(), parts); err != nil {
		t.Fatal(err)
	}
	var names bytes.Buffer
	for rows, err := range Table[PairRow](d, "pairs") {
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			fmt.Fprintf(&names, "%d %s %t, ", row.Number, row.Pair, row.Error != "")
		}
	}
	if got := names.String(); got != "1 rank 0 false, 2 rank 1 true, 3 rank 2 false, 4 rank 3 false, 5 rank 4 false, " {
		t.Error(got)
	}
}

// TestThreadsWithoutCalls: threads of which neither side has a call are no threads of a pair, as they
// are none of an alignment.
func TestThreadsWithoutCalls(t *testing.T) {
	o := Options{Workers: 1, Shard: Whole}
	o.Load = func(ctx context.Context, path string) (*trace.Trace, error) {
		b := trace.NewBuilder("test")
		for _, name := range []string{"main", "tracer", "only " + filepath.Base(filepath.Dir(path))} {
			th := b.Thread(name, -1)
			th.SetName(name)
			th.Instant(1, b.Function(trace.Function{Name: "tick"}))
			if name != "tracer" {
				th.Begin(1, b.Function(trace.Function{Name: "f " + name}))
				th.End(9)
			}
		}
		return b.Build(ctx)
	}
	out, err := Run(t.Context(), listing(t, 1, nil), filepath.Join(t.TempDir(), "out"), o)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := out.readPairs(0)
	if err != nil || pairs[0].Threads != 3 || pairs[0].CallsA != 2 || pairs[0].Error != "" {
		t.Errorf("%+v, %v; want the threads main, only A and only B", pairs, err)
	}
}

// TestFunctionsAddUpToWork: the functions of a heap profile are of what the row of the pair is of, and
// not of what was allocated besides.
func TestFunctionsAddUpToWork(t *testing.T) {
	o := Options{Shard: Whole}
	o.Load = func(ctx context.Context, _ string) (*trace.Trace, error) {
		return traceio.Load(ctx, "../../testdata/pprof/pipeline-chan.heap.pprof", input.Options{})
	}
	done, err := Run(t.Context(), listing(t, 1, nil), filepath.Join(t.TempDir(), "out"), o)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := done.readPairs(0)
	if err != nil || pairs[0].WorkANs == 0 {
		t.Fatalf("%+v, %v", pairs, err)
	}
	sum := int64(0)
	for rows, err := range Table[FunctionRow](done.Directory, "functions") {
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			sum += row.SelfANs
		}
	}
	if sum != pairs[0].WorkANs {
		t.Errorf("%d bytes in functions, %d in the pair", sum, pairs[0].WorkANs)
	}
}

// TestTrustIsNoted: a row says of which trace parts of the run are missing.
func TestTrustIsNoted(t *testing.T) {
	m := listing(t, 1, nil)
	o := Options{Shard: Whole}
	o.Load = func(_ context.Context, path string) (*trace.Trace, error) {
		tr := *testtrace.Script(t, "f", 5.)
		if strings.HasSuffix(filepath.ToSlash(path), "B/0") {
			tr.Diagnostics = []trace.Diagnostic{{Code: trace.Truncated, Count: 1}}
		}
		return &tr, nil
	}
	done, err := Run(t.Context(), m, filepath.Join(t.TempDir(), "out"), o)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := done.readPairs(0)
	if err != nil || rows[0].TrustA != "complete" || rows[0].TrustB != "lossy" || rows[0].DiagnosticsB != 1 {
		t.Errorf("%+v, %v", rows, err)
	}
}
