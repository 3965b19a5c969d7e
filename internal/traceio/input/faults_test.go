package input

import (
	"math"
	"testing"
)

// Counts of faults stay at the greatest number there is.
func TestFaultsDoNotWrap(t *testing.T) {
	f := Faults{}
	f.Add("x", math.MaxUint64-1, "first")
	f.Add("x", 5, "second")
	if len(f) != 1 || f[0].count != math.MaxUint64 || f[0].example.String() != "first" {
		t.Errorf("%v", f)
	}
}
