package ui

import (
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/traceio/text/texttest"
)

// TestEachViewSaysWhyTracesAreApart: of traces that cannot be compared, each view and the tab beside
// it say so in one sentence, rather than what would be there.
func TestEachViewSaysWhyTracesAreApart(t *testing.T) {
	b := newBench(t, pairs["pipeline"]...)
	b.app.S.Put(pair.A, "bytes", texttest.Parse(t, "trace text unit=bytes\nthread 1\n  0+1 main\n"))
	b.settle()
	const want = "Trace A is measured in bytes and trace B in ns, so they cannot be compared."
	for _, view := range []key.Name{"3", "4", "5", "6", "7"} {
		b.press(view, 0)
		b.settle()
		n := 0
		for _, text := range b.texts() {
			if text == want {
				n++
			}
		}
		if n < 2 {
			t.Errorf("view %s says %d times why: %q", view, n, b.texts())
		}
	}
}
