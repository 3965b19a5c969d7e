package cli

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
)

// TestLargeClustersInJSON: the object says which clusters are large, in which one an outlier is, and
// from which one it departs.
func TestLargeClustersInJSON(t *testing.T) {
	f := &fleet.Fleet{Large: 2, Outliers: []int{2}, Matrix: &fleet.Matrix{Tree: &aggregate.Tree{}},
		Partition: &fleet.Partition{}, Clusters: []fleet.Cluster{{Pairs: []int{0}}, {Pairs: []int{1}}, {Pairs: []int{2}}}}
	for k, o := range []*fleet.Outlier{nil, nil, {From: 2}} {
		f.Pairs = append(f.Pairs, fleet.Pair{PairRow: batch.PairRow{Number: int64(k + 1)}, Cluster: k, Outlier: o})
	}
	got := newFleetJSON(f)
	if o := got.Outliers[0]; o.Cluster != 3 || o.From != 2 {
		t.Errorf("the outlier: %+v", o)
	}
	for k, want := range []bool{true, true, false} {
		if got.Clusters[k].Large != want {
			t.Errorf("cluster %d: %+v", k+1, got.Clusters[k])
		}
	}
	f.Pairs[2].Outlier.From = 0
	if o := newFleetJSON(f).Outliers[0]; o.From != 0 {
		t.Errorf("an outlier of all pairs: %+v", o)
	}
}

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
