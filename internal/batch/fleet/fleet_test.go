package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/batch"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// compared returns the directory of a batch whose traces are made by a function, which is given
// names such as a3 and b3.
func compared(t *testing.T, pairs int, load func(name string) (*trace.Trace, error)) *batch.Directory {
	t.Helper()
	dir := t.TempDir()
	m := &batch.Manifest{Path: filepath.Join(dir, "pairs.csv")}
	for k := range pairs {
		m.Pairs = append(m.Pairs, batch.Pair{Name: fmt.Sprint("rank", k), A: fmt.Sprint("a", k), B: fmt.Sprint("b", k)})
	}
	var o batch.Options
	o.Workers, o.Shard = 2, batch.Whole
	o.Load = func(_ context.Context, path string) (*trace.Trace, error) { return load(filepath.Base(path)) }
	done, err := batch.Run(t.Context(), m, filepath.Join(dir, "out"), o)
	if err != nil {
		t.Fatal(err)
	}
	return done.Directory
}

// Twenty-four pairs of a program of ten steps of 10 to 19 ms: in B step6 of rank 7 takes 40 ms more,
// and rank 11 cannot be read.
const pairs, slow, broken = 24, 7, 11

func steps(name string) (steps []any) {
	for k := range 10 {
		ms := float64(10 + k)
		if name == fmt.Sprint("b", slow) && k == 6 {
			ms += 40
		}
		steps = append(steps, fmt.Sprint("step", k), ms+float64(len(name)%2)*.01)
	}
	return steps
}

// theSlowRank is what slowRank returns: tests share it, and none changes it.
var theSlowRank *Fleet

func slowRank(t *testing.T) *Fleet {
	t.Helper()
	if theSlowRank != nil {
		return theSlowRank
	}
	d := compared(t, pairs, func(name string) (*trace.Trace, error) {
		if name == fmt.Sprint("b", broken) {
			return nil, errors.New("it is torn")
		}
		return testtrace.Script(t, steps(name)...), nil
	})
	f, err := Read(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	theSlowRank = f
	return f
}

func TestOutlierIsNamed(t *testing.T) {
	f := slowRank(t)
	if !slices.Equal(f.Outliers, []int{slow}) || len(f.Waiting) > 0 {
		t.Fatalf("outliers %v, waiting %v; want %d", f.Outliers, f.Waiting, slow)
	}
	o := f.Pairs[slow].Outlier
	if o.Kind != InFunction || o.Function != "step6" || o.DeltaNs != 40e6 || o.MedianNs != 0 {
		t.Errorf("%+v", o)
	}
	if o.Factor != 3.5 || !strings.HasPrefix(o.Text, "step6 takes 3.50× as long in B as in A (+40.0 ms; ") {
		t.Errorf("factor %g, %q", o.Factor, o.Text)
	}
	const from, to = 75e6, 131e6 // of step6 in B
	at := [2]int64{o.When.FromNs[pair.B], o.When.ToNs[pair.B]}
	if o.When.Whole || at[0] < from-2e6 || at[1] > to+2e6 || at[1]-at[0] < 35e6 {
		t.Errorf("from %d to %d, want within %g to %g: %+v", at[0], at[1], from, to, o.When)
	}
	if !o.Place.found() {
		t.Errorf("no place: %+v", o.Place)
	}
}

func TestFleetAddsUp(t *testing.T) {
	f := slowRank(t)
	if len(f.Pairs) != pairs || !slices.Equal(f.Failed, []int{broken}) || len(f.Compared) != pairs-1 {
		t.Fatalf("%d pairs, failed %v, %d compared", len(f.Pairs), f.Failed, len(f.Compared))
	}
	first := f.Functions[0]
	if first.Name != "step6" || first.Pairs != pairs-1 || first.DeltaNs != 40e6 || first.ChangeNs != 40e6 ||
		first.MaxNs != 40e6 || first.Q3Ns != 0 || first.Worst != slow {
		t.Errorf("%+v", first)
	}
	var members []int
	for k, c := range f.Clusters {
		members = append(members, c.Pairs...)
		for _, p := range c.Pairs {
			if f.Pairs[p].Cluster != k {
				t.Errorf("pair %d is in cluster %d, not %d", p, f.Pairs[p].Cluster, k)
			}
		}
	}
	slices.Sort(members)
	if !slices.Equal(members, f.Compared) {
		t.Errorf("clusters have %v", members)
	}
	if len(f.Clusters) != 2 || f.Clusters[1].Function != "step6" {
		t.Errorf("clusters: %+v", f.Clusters)
	}
}

// TestAreasTileTheMatrix holds that each cell lies in one area, and each pair in one row.
func TestAreasTileTheMatrix(t *testing.T) {
	f := slowRank(t)
	rows := slices.Clone(f.Matrix.Pairs)
	slices.Sort(rows)
	if !slices.Equal(rows, f.Compared) {
		t.Errorf("rows of %v", rows)
	}
	seen := make([]int, f.Matrix.Rows()*batch.Buckets)
	for _, a := range f.Partition.Areas {
		for row := a.FromRow; row < a.ToRow; row++ {
			for b := a.FromBucket; b < a.ToBucket; b++ {
				seen[row*batch.Buckets+b]++
			}
		}
	}
	if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
		t.Errorf("cells lie in %d to %d areas", slices.Min(seen), slices.Max(seen))
	}
	if n := len(f.Partition.Areas); n < 2 || n > 40 {
		t.Errorf("%d areas", n)
	}
}

func TestEqualPairsHaveNoOutlier(t *testing.T) {
	for _, pairs := range testtrace.Sized([]int{1, 2, 3, 9}, []int{1, 2, 3, 30}) {
		d := compared(t, pairs, func(string) (*trace.Trace, error) { return testtrace.Script(t, steps("a")...), nil })
		f, err := Read(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Outliers) > 0 || len(f.Waiting) > 0 || len(f.Clusters) != 1 || len(f.Partition.Areas) != 1 {
			t.Errorf("%d pairs: outliers %v, waiting %v, %d clusters, %d areas", pairs, f.Outliers, f.Waiting,
				len(f.Clusters), len(f.Partition.Areas))
		}
	}
}

func TestAllFailed(t *testing.T) {
	d := compared(t, 3, func(string) (*trace.Trace, error) { return nil, errors.New("it is torn") })
	f, err := Read(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Failed) != 3 || len(f.Outliers)+len(f.Clusters)+len(f.Functions)+f.Matrix.Rows() != 0 {
		t.Errorf("%+v", f)
	}
}

func TestPerSliceBoundsTheWork(t *testing.T) {
	for rows, want := range map[int]int{1: 1, 64: 1, 1000: 2, 5000: 4, 10_000: 5, 1_000_000: 10} {
		if got := perSlice(rows); got != want || batch.Buckets%got != 0 {
			t.Errorf("%d rows: %d buckets a slice, want %d", rows, got, want)
		}
	}
}
