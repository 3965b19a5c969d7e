package batch

import (
	"math"
	"testing"
)

// TestCutsStayCut: a sum that did not fit stays cut, even if what follows would bring it back, and
// sums that just fit are none.
func TestCutsStayCut(t *testing.T) {
	for _, c := range []struct {
		by   []int64
		want int64
		cut  int
	}{
		{[]int64{1, 2, -5}, -2, 0}, {[]int64{math.MaxInt64}, math.MaxInt64, 0},
		{[]int64{math.MaxInt64 - 1, 1}, math.MaxInt64, 0}, {[]int64{math.MaxInt64, 1, -10}, math.MaxInt64, 1},
		{[]int64{math.MinInt64}, math.MinInt64, 0}, {[]int64{math.MinInt64, -1, 7}, math.MinInt64, 1},
		{[]int64{math.MinInt64, math.MaxInt64}, -1, 0},
	} {
		var cuts Cuts
		other, sum := int64(0), int64(0)
		for _, by := range c.by {
			cuts.Add(31, &sum, by)
			cuts.Add(0, &other, 1)
		}
		if sum != c.want || cuts.Count() != c.cut || other != int64(len(c.by)) {
			t.Errorf("%d: %d, %d cut, %d", c.by, sum, cuts.Count(), other)
		}
	}
	for n, want := range map[int64]int64{3: 3, -3: 3, 0: 0, math.MinInt64: math.MaxInt64, math.MaxInt64: math.MaxInt64} {
		if got := Size(n); got != want {
			t.Errorf("|%d| = %d", n, got)
		}
	}
}

// TestTotalsCountWhatIsTooLarge: sums of pairs, functions and findings that do not fit are counted
// once each, and none of those that do.
func TestTotalsCountWhatIsTooLarge(t *testing.T) {
	const half = math.MaxInt64/2 + 2
	c := newTally()
	for range 3 {
		c.addPairs([]PairRow{{CallsA: half, WaitBNs: half, DeltaNs: -half, ElapsedANs: 5}})
		c.addFunctions([]FunctionRow{{Function: "f", SelfANs: half, DeltaNs: -half}, {Function: "g", SelfBNs: 7}})
		c.addFindings([]FindingRow{{Kind: "slower", CallsB: 1, WorkNs: half}})
	}
	if got := c.tooLarge(); got != 3+2+1 {
		t.Errorf("%d sums are too large", got)
	}
	if s := c.Sums; s.CallsA != math.MaxInt64 || s.DeltaNs != math.MinInt64 || s.ElapsedANs != 15 {
		t.Errorf("%+v", s)
	}
	if f := c.allFunctions()[0]; f.SelfANs != math.MaxInt64 || f.DeltaNs != math.MinInt64 {
		t.Errorf("%+v", f)
	}
}
