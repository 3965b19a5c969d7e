package explain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/runs"
	"diptych/internal/testtrace"
)

// many compares so many runs of each side. Functions take the times given; those of B are scaled.
// Runs of a side differ by up to 2 %, and by 60 % in the function "wild".
func many(t testing.TB, n int, scale map[string]float64) *runs.Comparison {
	t.Helper()
	s := &runs.Study{}
	for sd := range s.Sides {
		for k := range n {
			r := &runs.Summary{Sites: map[runs.Site]account.Amount{}, Functions: map[string]account.Amount{}}
			for i, f := range []string{"even", "slow", "fast", "wild", "gone", "old", "task"} {
				ns := 10e6 * (1 + 0.004*float64((7*k+3*i+2*sd)%6))
				if f == "wild" {
					ns = 10e6 * (1 + 0.12*float64((2*k+sd)%6))
				}
				calls := int64(4)
				if by, ok := scale[f]; ok && sd == 1 {
					ns *= by
					calls = int64(4 * min(by, 1))
				}
				a := account.Amount{Calls: calls, Ns: int64(ns), WayNs: int64(ns)}
				r.Sites[runs.Site{Function: f, Caller: "main"}] = a
				r.Functions[f] = a
				r.Functions["runtime"] = a // on a thread that the account leaves out
				r.ElapsedNs += int64(ns)
				r.Total[account.CPU] += int64(ns)
			}
			if err := s.Add(pair.Side(sd), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, err := s.Compare(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRunsJudgeFindings(t *testing.T) {
	all := map[string]float64{"slow": 1.5, "fast": 0.5, "gone": 0, "old": 0}
	one := map[string]float64{"fast": 0.5}
	calls := func(a, b int64) [2]int64 { return [2]int64{a, b} }
	for _, c := range []struct {
		name string
		n    int
		f    Finding
		want finding.Certainty
	}{
		{"slower in all runs", 8, Finding{Kind: "slower", Function: "slow", DeltaNs: 5e6,
			Certainty: finding.Chance}, finding.Certain},
		{"by its caller", 8, Finding{Kind: "slower", Function: "slow", Caller: "main", DeltaNs: 5e6,
			Certainty: finding.Chance}, finding.Certain},
		{"by nobody's call", 8, Finding{Kind: "slower", Function: "slow", Caller: "other", DeltaNs: 5e6,
			Certainty: finding.Likely}, finding.Likely},
		{"of one among several, the size speaks", 5, Finding{Kind: "faster", Function: "fast", DeltaNs: -5e6,
			Certainty: finding.Chance}, finding.Likely},
		{"the pair is an exception", 8, Finding{Kind: "faster", Function: "slow", DeltaNs: -5e6},
			finding.Chance},
		{"varies from run to run", 8, Finding{Kind: "slower", Function: "wild", DeltaNs: 5e6},
			finding.Chance},
		{"did not change", 8, Finding{Kind: "burst", Function: "even", DeltaNs: 5e6}, finding.Chance},
		{"is gone", 8, Finding{Kind: "missing", Function: "gone", DeltaNs: -10e6, Calls: calls(4, 0),
			Certainty: finding.Likely}, finding.Certain},
		{"fewer calls, but the pair took longer", 8, Finding{Kind: "called", Function: "fast", DeltaNs: 3e6,
			Calls: calls(4, 2)}, finding.Chance},
		{"fewer calls", 8, Finding{Kind: "called", Function: "fast", DeltaNs: -3e6, Calls: calls(4, 2)},
			finding.Certain},
		{"as many calls", 8, Finding{Kind: "called", Function: "even", DeltaNs: 3e6, Calls: calls(4, 5)},
			finding.Chance},
		{"renamed", 8, Finding{Kind: "slower", Function: "old", DeltaNs: 3e6, Calls: calls(4, 4)},
			finding.Certain},
		{"the whole run", 8, Finding{Kind: "pace", DeltaNs: -20e6}, finding.Certain},
		{"the other way", 8, Finding{Kind: "overlap", DeltaNs: 20e6}, finding.Chance},
		{"what is not tested", 8, Finding{Kind: "slower", Function: "tiny", DeltaNs: 5,
			Certainty: finding.Likely}, finding.Likely},
		{"where, not how much", 8, Finding{Kind: "moved", Function: "wild"}, finding.Certain},
		{"several functions", 8, Finding{Kind: "slower", DeltaNs: 5e6}, finding.Certain},
		{"too few runs, not apart", 3, Finding{Kind: "slower", Function: "wild", DeltaNs: 5e6},
			finding.Chance},
		{"too few runs, all apart", 3, Finding{Kind: "slower", Function: "slow", DeltaNs: 5e6},
			finding.Likely},
		{"too few runs, but of equal numbers of calls", 3, Finding{Kind: "called", Function: "fast",
			DeltaNs: -3e6, Calls: calls(4, 2)}, finding.Certain},
		{"too few runs of equal numbers that could be chance", 3, Finding{Kind: "called", Function: "fast",
			DeltaNs: -3e6, Calls: calls(4, 2), Certainty: finding.Chance}, finding.Chance},
		{"too few runs for equal numbers to tell", 2, Finding{Kind: "called", Function: "fast",
			DeltaNs: -3e6, Calls: calls(4, 2)}, finding.Likely},
		{"only with callees", 8, Finding{Kind: "slower", Function: "runtime", DeltaNs: 5e6},
			finding.Chance},
	} {
		tr := testtrace.Script(t, "step", 10.)
		d := &Difference{Found: &finding.Report{}, Balance: &account.Balance{Pair: pair.New(tr, tr, pair.Rules{})}}
		c.f.Under, c.f.words = -1, "It is so"
		c.f.say()
		d.Findings = []Finding{c.f}
		scale := all
		if c.n == 5 {
			scale = one
		}
		d.Judge(many(t, c.n, scale))
		got := d.Findings[0]
		if got.Certainty != c.want {
			t.Errorf("%s: %v, want %v", c.name, got.Certainty, c.want)
		}
		if want := "It is so" + finding.Labelled(got.Certainty); got.Text != want {
			t.Errorf("%s: %q, want %q", c.name, got.Text, want)
		}
	}
}

// TestJudgedFindingsAreRanked holds that what the runs call chance comes after the others, with
// what follows from it.
func TestJudgedFindingsAreRanked(t *testing.T) {
	tr := testtrace.Script(t, "step", 10.)
	d := &Difference{Found: &finding.Report{}, Balance: &account.Balance{Pair: pair.New(tr, tr, pair.Rules{})}}
	d.Findings = []Finding{
		{Kind: "slower", Function: "wild", DeltaNs: 9e6, Under: -1, Own: account.Delta{ElapsedNs: 9e6}},
		{Kind: "moved", Function: "task", Under: 0},
		{Kind: "slower", Function: "slow", DeltaNs: 5e6, Under: -1, Own: account.Delta{ElapsedNs: 5e6}},
	}
	d.Judge(many(t, 8, map[string]float64{"slow": 1.5}))
	var got []string
	for _, f := range d.Findings {
		got = append(got, fmt.Sprint(f.Function, " ", f.Under))
	}
	if s := strings.Join(got, ", "); s != "slow -1, wild -1, task 1" {
		t.Error(s)
	}
}

func TestCertify(t *testing.T) {
	f := Finding{words: "m.f waits", after: " One example."}
	for to, want := range map[finding.Certainty]string{
		finding.Certain: "m.f waits. One example.",
		finding.Likely:  "m.f waits. One example.",
		finding.Chance:  "m.f waits; could be chance. One example.",
	} {
		if f.certify(to); f.Text != want || f.Certainty != to {
			t.Errorf("%q, want %q", f.Text, want)
		}
	}
}
