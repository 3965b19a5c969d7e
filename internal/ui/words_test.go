package ui

import (
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"
)

// Words of the window that have said what was not so.

// TestProfilesAreNotColouredByStart: no control offers what no sample tells.
func TestProfilesAreNotColouredByStart(t *testing.T) {
	for _, c := range []struct {
		files   []string
		offered bool
	}{
		{[]string{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"}, false},
		{[]string{"gotrace/pipeline-chan.gotrace", "gotrace/pipeline-mutex.gotrace"}, true},
	} {
		b := newBench(t, c.files...)
		b.press("6", 0)
		b.rest()
		if got := slices.Contains(b.pic.Labels(), "Colour by first start"); got != c.offered {
			t.Errorf("%s: offered is %v", c.files[0], got)
		}
	}
}

// TestProblemsTellTimesOfTheView: of an end without a begin, since the trace's first event.
func TestProblemsTellTimesOfTheView(t *testing.T) {
	b := newBench(t, "ctf/queue-1p3c.data.tar.gz", "ctf/queue-2p2c.data.tar.gz")
	b.press("6", key.ModCtrl)
	b.rest()
	text := strings.Join(b.texts(), "\n")
	if want := "thread 11765: end of pthread_mutex_lock at "; !strings.Contains(text, want) ||
		strings.Contains(text, " ns closes nothing") {
		t.Errorf("want %q with ms or µs in %s", want, text)
	}
}
