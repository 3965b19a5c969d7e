package viewtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/kit"
)

// Opened returns a session with the given files of testdata, in which what every view needs has
// been computed.
func Opened(t testing.TB, files ...string) *session.Session {
	t.Helper()
	return Prepared(t, "", nil, files...)
}

// Prepared is Opened with what prepare leads to besides, which is computed once for each name.
func Prepared(t testing.TB, name string, prepare func(*session.Session), files ...string) *session.Session {
	t.Helper()
	key := strings.Join(append([]string{name}, files...), " ")
	lock.Lock()
	s := opened[key]
	lock.Unlock()
	if s == nil {
		s = session.New(func() {})
		s.Whole = true
		for i, f := range files {
			s.Put(pair.Side(i), filepath.Join(testdata(t), f), Load(t, f))
		}
		if prepare != nil {
			prepare(s)
		}
		s.Settle(context.Background())
		lock.Lock()
		opened[key] = s
		lock.Unlock()
	}
	return s.Twin(func() {})
}

// Tests share traces, which never change, and what has been computed of them.
var (
	lock   sync.Mutex
	loaded = map[string]*trace.Trace{} // by file
	// opened are sessions by name and files. Nothing is done to these but making twins.
	opened = map[string]*session.Session{}
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

var idle []*kit.Kit // that no test uses

// Kit returns a kit until the end of the test. Tests use one after the other, so that a label which
// many of them show is set once.
func Kit(t testing.TB) *kit.Kit {
	lock.Lock()
	defer lock.Unlock()
	if len(idle) == 0 {
		idle = append(idle, kit.New())
	}
	k := idle[len(idle)-1]
	idle = idle[:len(idle)-1]
	k.Use(false, false)
	t.Cleanup(func() {
		lock.Lock()
		defer lock.Unlock()
		idle = append(idle, k)
	})
	return k
}
