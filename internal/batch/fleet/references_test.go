package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"diptych/internal/batch"
	"diptych/internal/testtrace"
)

// judged returns what Read does of some rows, without the matrix and its areas, which take longest. That
// Read takes each of these steps is held by the tests that call it.
func judged(t *testing.T, rows *batch.Rows) *Fleet {
	t.Helper()
	r := &reading{dir: directory(t, rows), fleet: &Fleet{}, functions: map[string]*sampled{}}
	for _, step := range []func(context.Context) error{r.readPairs, r.chooseFunctions, r.readFunctions,
		r.readTimeline, r.sumFunctions, r.readWaits, r.findClusters, r.findOutliers, r.findChanges, r.readPlaces} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return r.fleet
}

// grouped returns pairs that fall into groups of some sizes. Each group but the first spends 100 ms
// more in a function of its own, in B; all others spend the same on both sides. Pairs of the groups
// are mixed in the manifest. It returns the group of each pair, too.
func grouped(sizes ...int) (rows *batch.Rows, group []int) {
	for g, n := range sizes {
		group = append(group, slices.Repeat([]int{g}, n)...)
	}
	r := rand.New(rand.NewPCG(18, 4))
	r.Shuffle(len(group), func(i, k int) { group[i], group[k] = group[k], group[i] })
	rows = even(len(group))
	for k, of := range group {
		for g := range sizes {
			more := int64(0)
			if g == of && g > 0 {
				more = 100e6
				late(rows, k, more)
			}
			does(rows, k, fmt.Sprint("group", g), 50e6, 50e6+more)
		}
	}
	return rows, group
}

// TestLargeClustersAreNoOutliers holds that pairs of a large cluster are like the rest, whatever
// that is, that pairs unlike all large clusters are outliers, and how they are told: held against
// the cluster that they are most like.
func TestLargeClustersAreNoOutliers(t *testing.T) {
	several := [][]int{{15, 15, 15}, {40, 10, 10}}
	more := [][]int{{25, 25, 25, 25}, {30, 30}, slices.Repeat([]int{12}, 8)}
	for _, sizes := range append(several, testtrace.Sized(nil, more)...) {
		rows, group := grouped(sizes...)
		f := judged(t, rows)
		if len(f.Outliers)+len(f.Waiting) > 0 || f.Large != len(sizes) || len(f.Clusters) != len(sizes) {
			t.Errorf("%v: outliers %v, %d of %d clusters are large", sizes, f.Outliers, f.Large, len(f.Clusters))
		}
		odd := []int{slices.Index(group, 0), slices.Index(group, len(sizes)-1)}
		does(rows, odd[0], "extra", 10e6, 90e6)
		does(rows, odd[1], "extra", 10e6, 70e6)
		slices.SortStableFunc(rows.Functions, func(x, y batch.FunctionRow) int { return int(x.Number - y.Number) })
		f = judged(t, rows)
		if !slices.Equal(f.Outliers, odd) {
			t.Errorf("%v: outliers %v, want %v", sizes, f.Outliers, odd)
			continue
		}
		for i, k := range odd {
			o := f.Pairs[k].Outlier
			own := f.Pairs[slices.Index(group[k+1:], group[k])+k+1].Cluster // of the next pair of its group
			want := []string{"extra takes 9.00× as long in B as in A (+80.0 ms; 0 ns in the median pair of cluster %d)",
				"extra takes 7.00× as long in B as in A (+60.0 ms; 0 ns in the median pair of cluster %d)"}[i]
			if o.From != own+1 || !strings.HasPrefix(o.Text, fmt.Sprintf(want, own+1)) {
				t.Errorf("%v: pair %d from cluster %d, its group is %d: %q", sizes, k, o.From, own, o.Text)
			}
		}
	}
}

// TestSmallClustersAreOutliers holds the bounds: a cluster is large from a fifth of the largest and
// five pairs on. If no second one is large, outliers are held against all pairs.
func TestSmallClustersAreOutliers(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		large int // clusters
	}{{[]int{25, 5}, 2}, {[]int{26, 5}, 0}, {[]int{8, 4}, 0}, {[]int{8, 5}, 2}, {[]int{60, 12, 11}, 2}, {[]int{20}, 0}} {
		rows, group := grouped(c.sizes...)
		var want []int
		for k, g := range group {
			if g > 0 && g >= c.large {
				want = append(want, k)
			}
		}
		f := judged(t, rows)
		if got := slices.Sorted(slices.Values(f.Outliers)); f.Large != c.large || !slices.Equal(got, want) {
			t.Errorf("%v: %d large clusters, outliers %v, want %d, %v", c.sizes, f.Large, got, c.large, want)
		}
		for _, k := range f.Outliers {
			if of := f.Pairs[k].Outlier.From; of > c.large {
				t.Errorf("%v: pair %d is held against cluster %d", c.sizes, k, of)
			}
		}
	}
}

// TestBetweenLargeClusters: a pair that is half of each of two clusters is unlike both, and a pair
// that is more like the second than the first is held against that one.
func TestBetweenLargeClusters(t *testing.T) {
	rows, group := grouped(20, 20)
	k := slices.Index(group, 0)
	at := slices.IndexFunc(rows.Functions, func(r batch.FunctionRow) bool {
		return r.Number == int64(k+1) && r.Function == "group1"
	})
	late(rows, k, 60e6)
	rows.Functions[at].SelfBNs, rows.Functions[at].DeltaNs = 110e6, 60e6
	f := judged(t, rows)
	if !slices.Equal(f.Outliers, []int{k}) {
		t.Fatalf("outliers %v, want %d", f.Outliers, k)
	}
	o := f.Pairs[k].Outlier
	second := f.Pairs[slices.Index(group, 1)].Cluster
	if o.From != second+1 || o.MedianNs != 100e6 || o.DeltaNs != 60e6 || !strings.Contains(o.Text, "+100 ms in the median pair of cluster") {
		t.Errorf("from cluster %d, want %d: %+v", o.From, second, o)
	}
}

// TestNoiseOfLargeClusters holds that where pairs vary within their clusters, chance makes hardly more
// outliers than it does in one cluster of as many pairs.
func TestNoiseOfLargeClusters(t *testing.T) {
	outliers := map[int]int{}
	for seed := range testtrace.Sized(uint64(2), 20) {
		for _, sizes := range [][]int{{80, 0, 0, 0}, {20, 20, 20, 20}} {
			r := rand.New(rand.NewPCG(seed, 7))
			rows, _ := grouped(sizes...)
			for i := range rows.Functions {
				by := int64(4e6 * r.NormFloat64())
				rows.Functions[i].SelfBNs += by
				rows.Functions[i].DeltaNs += by
			}
			f := judged(t, rows)
			outliers[f.Large] += len(f.Outliers)
		}
	}
	if len(outliers) != 2 || outliers[4] > outliers[0]+4 {
		t.Errorf("outliers by large clusters: %v", outliers)
	}
	t.Logf("outliers by large clusters: %v", outliers)
}

// TestDiverseClustersAreNoOutliers: tests of two commits that become slower by a fourth, a half or
// not at all are clusters, too; one that takes three times as long is unlike them.
func TestDiverseClustersAreNoOutliers(t *testing.T) {
	rows := even(31)
	for k := range 31 {
		does(rows, k, fmt.Sprint("own", k), 900e6, 900e6)
		late(rows, k, int64(k%3)*250e6)
	}
	late(rows, 30, 2e9)
	f := judged(t, rows)
	if !f.Diverse || f.Large != 3 || !slices.Equal(f.Outliers, []int{30}) {
		t.Fatalf("diverse %v, %d large clusters, outliers %v", f.Diverse, f.Large, f.Outliers)
	}
	if o := f.Pairs[30].Outlier; !strings.HasPrefix(o.Text, "B takes 3.00× as long as A (+2.00 s; 1.50× in the median pair of cluster ") {
		t.Errorf("%q", o.Text)
	}
}
