package loadtest

import (
	"context"
	"io/fs"
	"sync"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Growing loads the files of a directory and returns what was to be seen of the trace after each
// piece of a file that was read, and then the trace.
func (load Loader) Growing(t testing.TB, dir fs.FS) (seen []trace.Glimpse, tr *trace.Trace) {
	t.Helper()
	ctx, b, o := context.Background(), trace.NewBuilder("test"), &trace.Outline{}
	b.Follow(o)
	var mu sync.Mutex
	watched := watchedFS{dir, func() {
		mu.Lock() // several files may be read at once
		defer mu.Unlock()
		seen = append(seen, o.Glimpse(16))
	}}
	src := &input.Source{Path: "d", Dir: watched}
	if err := load(ctx, src, input.Options{Outline: o}, b); err != nil {
		t.Fatal(err)
	}
	tr, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return seen, tr
}

// InTrace holds that each call of a glimpse is one of the trace, on its thread and of its function.
// A call that had not ended may have ended later.
func InTrace(t testing.TB, g *trace.Trace, tr *trace.Trace) {
	t.Helper()
	for _, seen := range g.Threads {
		at := tr.ThreadByID(seen.ID)
		if at < 0 {
			t.Fatalf("the trace has no thread %q", seen.ID)
		}
		all, n := tr.Threads[at], 0
		for i := range seen.Len() {
			start, name := seen.Start(i)+g.Origin, g.FunctionOf(seen, i).Name
			is := func(k int) bool {
				end := all.End(k) + tr.Origin - seen.End(i) - g.Origin
				return all.Start(k)+tr.Origin == start && tr.FunctionOf(all, k).Name == name &&
					(end == 0 || end > 0 && seen.Flags(i)&trace.Unclosed != 0)
			}
			for n < all.Len() && !is(n) { // both are in pre-order
				n++
			}
			if n == all.Len() {
				t.Fatalf("thread %s: the trace has no %s from %d to %d, which was shown", seen.ID, name,
					start, seen.End(i)+g.Origin)
			}
			n++
		}
	}
}

// watchedFS tells of each piece that is read.
type watchedFS struct {
	fs.FS
	read func()
}

func (w watchedFS) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if _, ok := f.(fs.ReadDirFile); ok || err != nil {
		return f, err
	}
	return watchedFile{f, w.read}, nil
}

type watchedFile struct {
	fs.File
	read func()
}

func (f watchedFile) Read(p []byte) (int, error) {
	f.read()
	return f.File.Read(p[:min(len(p), 1<<16)])
}
