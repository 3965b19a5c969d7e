package cli

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/synth"
	"diptych/internal/testtrace"
)

// mustRun runs a command that has to succeed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	status, out, errs := run(t, args...)
	if status != 0 {
		t.Fatalf("%v: %s", args, errs)
	}
	return out
}

// batchOfRanks generates two runs of ranks, compares them as a batch and merges it. 0 calls are as
// many as is usual.
func batchOfRanks(t *testing.T, seed, ranks, calls int) (dir string, truth *synth.RankTruth) {
	t.Helper()
	in := t.TempDir()
	a, b := filepath.Join(in, "a"), filepath.Join(in, "b")
	manifest, dir := filepath.Join(in, "pairs.csv"), filepath.Join(in, "out")
	args := []string{"generate", "--ranks", fmt.Sprint(ranks), "--seed", fmt.Sprint(seed), a, b}
	if calls > 0 {
		args = append(args, "--calls", fmt.Sprint(calls))
	}
	mustRun(t, args...)
	mustRun(t, "batch", "plan", "--a", filepath.Join(a, "rank-*.json.gz"), "--b",
		filepath.Join(b, "rank-*.json.gz"), "--by", "rank", "-o", manifest)
	mustRun(t, "batch", manifest, "-o", dir)
	mustRun(t, "batch", "merge", dir)
	of, err := synth.ReadTruth(synth.TruthName(b))
	if err != nil {
		t.Fatal(err)
	}
	return dir, of.Ranks
}

// verdict is which parts of the truth a report names.
type verdict struct{ ranks, functions, periods bool }

// judge holds the outliers of a batch against the truth. A period is right if at least 80 % of it
// lie in that of the truth, and the other way round, on both sides.
func judge(t *testing.T, dir string, truth *synth.RankTruth) (v verdict) {
	t.Helper()
	page := filepath.Join(t.TempDir(), "page.html")
	got := new(fleetJSON)
	parse(t, got, "batch", "report", dir, "-o", page, "--json")
	v.functions, v.periods = true, true
	var named, want []string
	slow := map[string]synth.SlowRank{}
	for _, s := range truth.Slow {
		want = append(want, fmt.Sprint(s.Rank))
		slow[fmt.Sprint(s.Rank)] = s
	}
	for _, o := range got.Outliers {
		named = append(named, o.Pair)
		s, ok := slow[o.Pair]
		if !ok {
			t.Logf("pair %s is no slow rank: %s", o.Pair, o.Text)
			continue
		}
		v.functions = v.functions && o.Function == truth.Function
		right := overlaps(o.FromANs, o.ToANs, s.A) && overlaps(o.FromNs, o.ToNs, s.B)
		if v.periods = v.periods && right; !right || o.Function != truth.Function {
			t.Logf("pair %s: %+v; the truth says %s, %+v", o.Pair, o, truth.Function, s)
		}
	}
	slices.Sort(named)
	slices.Sort(want)
	if v.ranks = slices.Equal(named, want); !v.ranks {
		t.Logf("the outliers are %v, the truth says %v", named, want)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	says := html.UnescapeString(string(text))
	for _, o := range got.Outliers {
		if !strings.Contains(says, o.Text) {
			t.Errorf("the page does not say of pair %s: %s", o.Pair, o.Text)
		}
	}
	return v
}

// overlaps reports whether a period and that of the truth have 80 % of each in common.
func overlaps(from, to int64, s synth.Stretch) bool {
	both := min(to, s.ToNs) - max(from, s.FromNs)
	return 10*both >= 8*max(to-from, s.ToNs-s.FromNs)
}

// TestBatchNamesTheTruth is the acceptance of the demonstration: generated, planned, compared, merged
// and reported by commands, the outliers are the slow ranks, their function is the one that is slow,
// and the time of it is found.
func TestBatchNamesTheTruth(t *testing.T) {
	seeds, ranks, calls := testtrace.Sized(1, 5), testtrace.Sized(8, 64), testtrace.Sized(8*603, 0)
	right := map[string]int{}
	for seed := range seeds {
		dir, truth := batchOfRanks(t, seed+1, ranks, calls)
		v := judge(t, dir, truth)
		for what, ok := range map[string]bool{"ranks": v.ranks, "functions": v.functions,
			"periods": v.periods, "all": v == verdict{true, true, true}} {
			if ok {
				right[what]++
			}
		}
	}
	t.Logf("of %d seeds with %d ranks: %v are right", seeds, ranks, right)
	if right["all"] < seeds {
		t.Errorf("all is right for %d of %d seeds", right["all"], seeds)
	}
}
