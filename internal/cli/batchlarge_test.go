package cli

import (
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
