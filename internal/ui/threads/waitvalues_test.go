package threads

import (
	"testing"

	"diptych/internal/align/finding"
	"diptych/internal/wait/table"
)

// TestChanceStandsBesideADifference: of a single pair, a difference that the account takes for chance
// is marked as such, and no other is.
func TestChanceStandsBesideADifference(t *testing.T) {
	b := circles(t)
	st := b.State()
	for k := range b.waits.all() {
		r := b.waits.all()[k]
		note, chance := noise(st, r)
		if d := st.Difference(); d == nil {
			if note != "" || chance {
				t.Errorf("nothing is accounted for, and beside %s stands %q", r.Title(), note)
			}
		} else if want := r.Delta() != 0 && d.LevelOfWaits(r.WaitNs, r.Squares) == finding.Chance; chance != want {
			t.Errorf("%s: chance is %v, want %v", r.Title(), chance, want)
		}
	}
	if note, chance := noise(st, &table.Row{}); note != "" || chance {
		t.Errorf("beside no difference stands %q", note)
	}
}
