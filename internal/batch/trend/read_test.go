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

// TestWhatHasNoTrend: no commit, no pair in common, units that cannot be added.
func TestWhatHasNoTrend(t *testing.T) {
	list, names := commits(t, 6)
	for _, c := range []struct {
		list []*batch.Directory
		want string
	}{
		{nil, "a trend is that of some batches"},
		{append(slices.Clone(list[:5]), written(t, "ns", []string{"other"}, []int64{1})), "no pair was compared at all 6"},
		{append(slices.Clone(list[:5]), written(t, "bytes", []string{"one"}, []int64{1})), "cannot be added"},
	} {
		_, err := Of(t.Context(), c.list, names[:len(c.list)], Options{Measure: OfB})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %q", err, c.want)
		}
	}
}

// TestFewCommits: of fewer commits than a change needs, times are told and nothing is claimed.
func TestFewCommits(t *testing.T) {
	list, names := commits(t, 8)
	for _, n := range []int{1, 2, 5, 6} {
		for _, measure := range []Measure{OfB, Ratio} {
			tr, err := Of(t.Context(), list[:n], names[:n], Options{Measure: measure})
			if err != nil {
				t.Fatal(err)
			}
			if tr.Enough != (n >= Least) || (tr.Tested > 0) != tr.Enough || len(tr.Changes)+len(tr.Drifts) > 0 {
				t.Errorf("%d commits: enough %v, %d tested, %v, %v", n, tr.Enough, tr.Tested, tr.Changes, tr.Drifts)
			}
			for _, s := range tr.Series {
				if len(s.BNs) != n || len(s.DeltaNs) != n || s.Levels == nil || s.Outliers == nil ||
					!tr.Enough && len(s.Levels) > 0 {
					t.Errorf("%d commits: %+v", n, s)
				}
			}
		}
	}
}

// TestAFunctionThatComesAndGoes: it is new or gone, of side B as of ratios. What A lacks at some
// commit has no ratio, and is no change.
func TestAFunctionThatComesAndGoes(t *testing.T) {
	var list []*batch.Directory
	var names []string
	for k := range 12 {
		d := written(t, "ns", []string{"p"}, []int64{1000})
		functions := []batch.FunctionRow{{Number: 1, Pair: "p", Function: "stays", SelfANs: 500, SelfBNs: 500}}
		if k >= 4 {
			functions = append(functions, batch.FunctionRow{Number: 1, Pair: "p", Function: "comes", SelfBNs: 400})
		}
		left := batch.FunctionRow{Number: 1, Pair: "p", Function: "goes", SelfANs: 100, SelfBNs: 100}
		if k >= 7 {
			left.SelfBNs = 0
		}
		write(t, filepath.Join(d.Part(0), "functions.parquet"), append(functions, left))
		list, names = append(list, d), append(names, fmt.Sprint("c", k+1))
	}
	for measure, want := range map[Measure]string{OfB: "comes 5 0 400;goes 8 100 0;", Ratio: "goes 8 1 0;"} {
		tr, err := Of(t.Context(), list, names, Options{Measure: measure})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range tr.Changes {
			got += fmt.Sprintf("%s %d %.0f %.0f;", c.Function, c.Commit, c.Before, c.After)
			if c.Factor != 0 || c.Earliest != c.Commit || c.Latest != c.Commit {
				t.Errorf("%s: %+v", measure, c)
			}
		}
		if got != want || len(tr.Drifts) > 0 || (tr.NoRatio > 0) != (measure == Ratio) {
			t.Errorf("%s: changes %q, want %q; drifts %v, %d without a ratio", measure, got, want, tr.Drifts, tr.NoRatio)
		}
	}
}

// TestSumsThatDoNotFit are the largest number there is, and counted.
func TestSumsThatDoNotFit(t *testing.T) {
	const half = math.MaxInt64/2 + 1
	var list []*batch.Directory
	var names []string
	for k := range 6 {
		ns := []int64{100, 200}
		if k == 2 {
			ns = []int64{half, half}
		}
		list, names = append(list, written(t, "ns", []string{"x", "y"}, ns)), append(names, fmt.Sprint("c", k+1))
	}
	tr, err := Of(t.Context(), list, names, Options{Measure: OfB})
	if err != nil {
		t.Fatal(err)
	}
	if tr.TooLarge != 3 { // elapsed, work and f
		t.Errorf("%d sums are too large", tr.TooLarge)
	}
	for _, s := range tr.Series {
		if s.BNs[2] != math.MaxInt64 || s.DeltaNs[2] < math.MaxInt64-14 || s.BNs[0] != 300 {
			t.Errorf("%s %s is %v, B − A %v", s.Kind, s.Function, s.BNs, s.DeltaNs)
		}
	}
}

// TestPeculiarCommits: those with the times of another, and those that were compared otherwise.
func TestPeculiarCommits(t *testing.T) {
	times := [][]int64{{1, 5}, {0, 0}, {2, 5}, {5, 1}, {1, 5}, {0, 0}}
	var list []*batch.Directory
	var names []string
	for k, ns := range times {
		pairs := []string{"x", "y"}
		if k == 3 { // the first once more, in another order
			pairs = []string{"y", "x"}
		}
		d := written(t, "ns", append(pairs, "z"), append(slices.Clone(ns), 7))
		if k == 4 {
			d.Options = map[string]string{"version": "2"}
		}
		if k%4 == 1 { // nothing was compared
			d = written(t, "ns", []string{"x"}, []int64{0})
		}
		list, names = append(list, d), append(names, fmt.Sprint("c", k+1))
	}
	h := &history{list: list}
	var tables [][]batch.PairRow
	for k, d := range list {
		tables = append(tables, all[batch.PairRow](t, d, "pairs"))
		h.commits = append(h.commits, commitOf(k, names[k], d, tables[k]))
	}
	h.compareCommits(tables)
	var same []int
	for _, c := range h.commits {
		same = append(same, c.SameAs)
		if (c.Number == 5) != (c.Differs != "") {
			t.Errorf("commit %d differs in %q", c.Number, c.Differs)
		}
	}
	if want := []int{0, 0, 0, 1, 1, 0}; !slices.Equal(same, want) {
		t.Errorf("commits are the same as %v, want %v", same, want)
	}
}
