package ui

import (
	"testing"

	"diptych/internal/pair"
)

// TestWaitsOfNoLengthExplainNothing checks that a tooltip does not tell of a releasing thread that
// it waited for no time.
func TestWaitsOfNoLengthExplainNothing(t *testing.T) {
	b := circles(t)
	told := 0
	for _, side := range []pair.Side{pair.A, pair.B} {
		a := b.state().WaitsOf(side)
		for w := range a.Waits.Len() {
			chain := a.Chain(w)
			short := len(chain) < 2 ||
				float64(chain[1].To-chain[1].From) < telling*float64(max(a.Waits.Dur(w), 1))
			if text := chainText(a, w); (text == "") != short {
				t.Errorf("wait %d of %s: %q", w, side, text)
			} else if text != "" {
				told++
			}
		}
	}
	if told == 0 {
		t.Error("nothing is explained")
	}
}
