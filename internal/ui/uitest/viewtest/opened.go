package viewtest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// Opened returns a session with the given files of testdata.
func Opened(t testing.TB, files ...string) *session.Session {
	t.Helper()
	s := session.New(func() {})
	for i, f := range files {
		s.Put(pair.Side(i), filepath.Join(testdata(t), f), Load(t, f))
	}
	return s
}

var (
	lock   sync.Mutex
	loaded = map[string]*trace.Trace{} // by file; tests share them, as a trace never changes
)

// Load returns the trace in a file of testdata.
func Load(t testing.TB, file string) *trace.Trace {
	t.Helper()
	lock.Lock()
	defer lock.Unlock()
	if loaded[file] == nil {
		path := filepath.Join(testdata(t), file)
		tr, err := traceio.Load(context.Background(), path, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		loaded[file] = tr
	}
	return loaded[file]
}

// testdata returns the module's folder of traces as seen from that of the test.
func testdata(t testing.TB) string {
	t.Helper()
	for up := "."; len(up) < 64; up = filepath.Join("..", up) {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return filepath.Join(up, "testdata")
		}
	}
	t.Fatal("there is no go.mod above the test")
	return ""
}
