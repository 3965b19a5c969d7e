package threads

import (
	"strings"
	"testing"

	"diptych/internal/geom"
)

// TestEmptyViewSaysWhy: where no wait is to be seen, the view says why and what to do.
func TestEmptyViewSaysWhy(t *testing.T) {
	busy := newSketch()
	busy.thread("one").call(0, 100, "run")
	busy.thread("two").call(0, 100, "run")
	alone := newSketch()
	main := alone.thread("main")
	main.call(0, 100, "run", func() { main.wait(10, 20, "sem_wait", "sem") })
	waits := lesson(t)
	for name, c := range map[string]struct {
		st   State
		want string
	}{
		"nothing waits":     {whole(t, busy.find(t), 0, Options{}), "No call is known to wait.|--rules"},
		"no calls":          {whole(t, newSketch().find(t), 0, Options{}), "There are no calls."},
		"there is one":      {whole(t, alone.find(t), 0, Options{}), "There is no other thread"},
		"others are hidden": {whole(t, waits, 0, Options{Hidden: map[int]bool{1: true, 2: true, 3: true}}), "are hidden.|Shift-H"},
	} {
		if name == "there is one" || name == "others are hidden" {
			c.st.View = geom.Span{Start: 90 * ms, End: 99 * ms} // where nothing is
		}
		all := strings.Join(textsOf(Build(&c.st, pane, nil).Scene), "|")
		if !strings.Contains(all, c.want) {
			t.Errorf("%s: it says %q, want %q", name, all, c.want)
		}
	}
	st := whole(t, waits, 0, Options{})
	if all := strings.Join(textsOf(Build(&st, pane, nil).Scene), "|"); strings.Contains(all, "No wait") {
		t.Errorf("of some waits it says %q", all)
	}
	st.View = geom.Span{Start: 98 * ms, End: 99 * ms}
	if all := strings.Join(textsOf(Build(&st, pane, nil).Scene), "|"); !strings.Contains(all, "Home shows") {
		t.Errorf("beside all waits it says %q", all)
	}
}

// TestNarrowEmptyViewIsReadable: what it says is broken into lines rather than cut.
func TestNarrowEmptyViewIsReadable(t *testing.T) {
	busy := newSketch()
	busy.thread("one").call(0, 100, "run")
	busy.thread("two").call(0, 100, "run")
	st := whole(t, busy.find(t), 0, Options{})
	said := strings.Join(textsOf(Build(&st, geom.Size{W: 205, H: 400}, nil).Scene), " ")
	for _, want := range []string{"No call is known to wait.",
		"--rules names further functions that do. docs/recording.md says how to record waits."} {
		if !strings.Contains(said, want) {
			t.Errorf("it says %q, want %q", said, want)
		}
	}
}
