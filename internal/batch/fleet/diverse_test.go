package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/batch"
)

// tests returns n pairs as the tests of two commits are: 1 s on both sides, of which most is in a
// function of their own, and a little in one that all have.
func tests(n int) *batch.Rows {
	rows := even(n)
	for k := range n {
		does(rows, k, fmt.Sprint("Test", k), 900e6, 900e6)
		does(rows, k, "run", 100e6, 100e6)
	}
	return rows
}

// grows makes a test's own function take longer, and the whole test, of which a share is explained.
func grows(rows *batch.Rows, pair int, ns int64, explained float64) {
	late(rows, pair, ns)
	rows.Pairs[pair].Explained = explained
	rows.Functions[2*pair].SelfBNs += ns
	rows.Functions[2*pair].DeltaNs += ns
	rows.Findings = append(rows.Findings, batch.FindingRow{Number: int64(pair + 1), Rank: 1,
		Function: fmt.Sprint("Test", pair), ThreadB: "main", CallA: -1, CallB: 2, Text: fmt.Sprint("Test", pair, " is slower.")},
		batch.FindingRow{Number: int64(pair + 1), Rank: 2, Function: "run", CallA: 1, CallB: 1, Text: "So is run."})
}

// TestDiversePairsAreToldByThemselves: where the pairs have little in common, a pair is an outlier by
// its time, not by a function that no other has, and all others are ranked by what is explained.
func TestDiversePairsAreToldByThemselves(t *testing.T) {
	rows := tests(20)
	for k := range 20 { // the spread of the times
		grows(rows, k, int64(1e6*(1+k%7)), .5)
	}
	grows(rows, 13, 600e6, .9)
	rows.Pairs[4].Explained = 1 // 5 ms, as has pair 11
	f := readRows(t, rows)
	if !f.Diverse || f.Common.Functions != 21 || f.Common.Shared != 1 || !near(f.Common.Share, .1/1.002) {
		t.Fatalf("diverse %v, common %+v", f.Diverse, f.Common)
	}
	if said := f.Common.Words(); said != "These pairs have little in common: 1 of 21 functions are in at least half of them" {
		t.Error(said)
	}
	if !slices.Equal(f.Outliers, []int{13}) || len(f.Waiting) > 0 || len(f.Changed) != 19 || f.Changed[0] != 4 || f.Changed[1] != 6 {
		t.Fatalf("outliers %v, waiting %v, changed %v", f.Outliers, f.Waiting, f.Changed)
	}
	o := f.Pairs[13].Outlier
	if o.Kind != InTime || o.Function != "Test13" || o.Place.Call != [2]int64{-1, 2} || !strings.HasPrefix(o.Text,
		"B takes 1.61× as long as A (+607 ms; 1.00× in the median pair), mostly from ") ||
		!strings.HasSuffix(o.Text, " of B; Test13 is slower.") {
		t.Errorf("%+v", o)
	}
	c := f.Pairs[4].Change
	if !near(c.Score, 100*5e6/1.005e9) || c.Function != "Test4" || f.Pairs[4].Outlier != nil ||
		!strings.HasPrefix(c.Text, "B takes 1.00× as long as A (+5.00 ms), mostly from ") {
		t.Errorf("%+v", c)
	}
	for _, cluster := range f.Clusters {
		if cluster.Function != "" {
			t.Errorf("a cluster is set apart by %s", cluster.Function)
		}
	}
}

// TestSharedFunctionsAreCompared: a function that all tests have is compared with the median pair, as
// are similarity and waits; a test that does not change says so.
func TestSharedFunctionsAreCompared(t *testing.T) {
	rows := tests(20)
	rows.Functions[2*7+1].SelfBNs, rows.Functions[2*7+1].DeltaNs = 300e6, 200e6 // run
	for k := range rows.Pairs {
		p := &rows.Pairs[k]
		p.WorkANs, p.WorkBNs, p.WaitANs, p.WaitBNs = 900e6, 900e6, 100e6, 100e6
	}
	rows.Pairs[3].WorkBNs, rows.Pairs[3].WaitBNs = 600e6, 400e6
	rows.Pairs[9].Similarity = .5
	f := judged(t, rows)
	for k, want := range map[int]string{
		7: "run takes 3.00× as long in B as in A (+200 ms; 0 ns in the median pair), all along",
		3: "threads wait 40 % of their time in B, 10 % in A (+30 points; 0 points in the median pair), all along",
		9: "the calls are 50 % similar, 100 % in the median pair, all along",
	} {
		if o := f.Pairs[k].Outlier; o == nil || o.Text != want {
			t.Errorf("pair %d: %+v, want %q", k, o, want)
		}
	}
	if !slices.Equal(f.Outliers, []int{9, 3, 7}) || f.Pairs[0].Change.Text != "B takes as long as A" {
		t.Errorf("outliers %v, %q", f.Outliers, f.Pairs[0].Change.Text)
	}
	for k := range 12 { // too few wait for the others to be compared with
		rows.Pairs[19-k].WaitANs, rows.Pairs[19-k].WaitBNs = 0, 0
	}
	if f := judged(t, rows); slices.Contains(f.Outliers, 3) {
		t.Errorf("outliers %v", f.Outliers)
	}
}

// TestTwoPairsAreNotDiverse: each of two has half of everything; and ranks with a few functions of
// their own are ranks.
func TestTwoPairsAreNotDiverse(t *testing.T) {
	ranks := even(9)
	for k := range 9 {
		does(ranks, k, "work", 600e6, 600e6)
		does(ranks, k, fmt.Sprint("own", k), 400e6, 400e6)
	}
	for name, rows := range map[string]*batch.Rows{"two": tests(2), "ranks": ranks, "no functions": even(5)} {
		if f := judged(t, rows); f.Diverse || len(f.Changed) > 0 {
			t.Errorf("%s: %+v", name, f.Common)
		}
	}
	if f := judged(t, tests(3)); !f.Diverse {
		t.Errorf("three tests: %+v", f.Common)
	}
}
