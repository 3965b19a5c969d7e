package trend

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"diptych/internal/batch"
)

// written returns a batch whose pairs are as given: a name, and the self time of its one function f
// in ns, 0 for a pair that failed. Other columns are left at zero.
func written(t *testing.T, unit string, pairs []string, ns []int64) *batch.Directory {
	t.Helper()
	d := &batch.Directory{Path: t.TempDir()}
	d.Pairs, d.PerPart = len(pairs), 1
	for k, name := range pairs {
		if ns[k] < 0 { // its part is missing
			continue
		}
		p := batch.PairRow{Number: int64(k + 1), Pair: name, Unit: unit, ElapsedBNs: ns[k], WorkBNs: ns[k]}
		var functions []batch.FunctionRow
		if ns[k] == 0 {
			p = batch.PairRow{Number: p.Number, Pair: name, Error: "no trace"}
		} else {
			functions = []batch.FunctionRow{{Number: p.Number, Pair: name, Function: "f", SelfANs: 7, SelfBNs: ns[k]}}
		}
		if err := os.MkdirAll(d.Part(k), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(d.Part(k), "pairs.parquet"), []batch.PairRow{p})
		write(t, filepath.Join(d.Part(k), "functions.parquet"), functions)
	}
	return d
}

func write[T any](t *testing.T, path string, rows []T) {
	t.Helper()
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
}

// commits returns n batches of three pairs, of which the last two are at one commit each not there:
// their place in the manifest differs from commit to commit.
func commits(t *testing.T, n int) (list []*batch.Directory, names []string) {
	t.Helper()
	for k := range n {
		pairs, ns := []string{"one", "broken", "lost"}, []int64{1000, 500, 300}
		switch k {
		case 2:
			ns[1] = 0
		case 3:
			ns[2] = -1
		}
		if k >= n/2 {
			ns[0] = 2000
		}
		if k%2 == 1 {
			slices.Reverse(pairs)
			slices.Reverse(ns)
		}
		list = append(list, written(t, "ns", pairs, ns))
		names = append(names, fmt.Sprint("c", k+1))
	}
	return list, names
}

// TestPairsThatNotAllCommitsHave are left out at all commits, and told.
func TestPairsThatNotAllCommitsHave(t *testing.T) {
	list, names := commits(t, 8)
	tr, err := Of(t.Context(), list, names, Options{Measure: OfB})
	if err != nil {
		t.Fatal(err)
	}
	if tr.Pairs != 1 || len(tr.LeftOut) != 2 {
		t.Fatalf("%d pairs, left out %+v", tr.Pairs, tr.LeftOut)
	}
	broken, lost := tr.LeftOut[0], tr.LeftOut[1]
	if broken.Pair != "broken" || !slices.Equal(broken.Failed, []int{3}) || len(broken.Missing) > 0 ||
		lost.Pair != "lost" || !slices.Equal(lost.Missing, []int{4}) || len(lost.Failed) > 0 {
		t.Errorf("left out: %+v", tr.LeftOut)
	}
	if tr.Commits[2].Failed != 1 || tr.Commits[3].Missing != 1 {
		t.Errorf("commits: %+v", tr.Commits)
	}
	want := []int64{1000, 1000, 1000, 1000, 2000, 2000, 2000, 2000}
	f := tr.Series[2]
	if f.Function != "f" || !slices.Equal(f.BNs, want) || f.ANs[0] != 7 || f.DeltaNs[0] != 993 {
		t.Errorf("the function is %+v", f)
	}
	if len(f.Levels) != 2 || f.Levels[1].From != 5 || f.Levels[1].To != 8 || math.Abs(f.Levels[1].Value-2000) > 1e-6 {
		t.Errorf("its levels are %+v", f.Levels)
	}
}

// TestWhatHasNoTrend: too few commits, no pair in common, units that cannot be added.
func TestWhatHasNoTrend(t *testing.T) {
	list, names := commits(t, 6)
	for _, c := range []struct {
		list []*batch.Directory
		want string
	}{
		{list[:5], "at least 6"},
		{append(slices.Clone(list[:5]), written(t, "ns", []string{"other"}, []int64{1})), "no pair was compared at all 6"},
		{append(slices.Clone(list[:5]), written(t, "bytes", []string{"one"}, []int64{1})), "cannot be added"},
	} {
		_, err := Of(t.Context(), c.list, names[:len(c.list)], Options{Measure: OfB})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %q", err, c.want)
		}
	}
}
