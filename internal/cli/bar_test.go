package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// shownText is what a bar has drawn; it draws in a goroutine of its own, too.
type shownText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shownText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shownText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestBarWhileBuilding: once all of a file is read, the bar says that the trace is being built, and
// moves. A bar that does not count bytes has nothing to build.
func TestBarWhileBuilding(t *testing.T) {
	for _, reads := range []bool{true, false} {
		out := &shownText{}
		b := &bar{name: "a.json", bytes: reads, out: out}
		b.report(5, 10)
		b.report(10, 10)
		for end := time.Now().Add(time.Second); reads && !strings.Contains(out.String(), "a.json: read, now being built"); {
			if time.Now().After(end) {
				t.Fatalf("shown is %q", out.String())
			}
			time.Sleep(time.Millisecond)
		}
		b.done()
		if built := strings.Contains(out.String(), "built"); built != reads {
			t.Errorf("it counts bytes: %v, shown is %q", reads, out.String())
		}
	}
}
