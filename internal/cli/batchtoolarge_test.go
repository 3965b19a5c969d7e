package cli

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/batch"
)

// TestMergeSaysWhatIsTooLarge: sums that do not fit are told with the sums, and only if there are any.
func TestMergeSaysWhatIsTooLarge(t *testing.T) {
	for n, want := range map[int]bool{0: false, 1: true} {
		var b strings.Builder
		if err := writeMergeText(&b, &mergeOutcome{Totals: &batch.Totals{TooLarge: n}}); err != nil {
			t.Fatal(err)
		}
		const line = "too large 1 sum: the largest or smallest 64-bit number stands for each"
		if got := slices.Contains(words(b.String()), line); got != want {
			t.Errorf("of %d sums: %q", n, b.String())
		}
	}
}
