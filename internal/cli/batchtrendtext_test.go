package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/batch/trend"
	"diptych/internal/testtrace"
)

// developed returns a trend of seven commits with changes and a drift.
func developed() *trend.Trend {
	t := &trend.Trend{Method: "PELT", Measure: trend.OfB, Unit: "ns", Pairs: 3, FixedA: true, Functions: 9,
		Enough: true, Tested: 4, LeastShare: .001, FalseClaims: .05}
	for k := range 7 {
		t.Commits = append(t.Commits, trend.Commit{Number: k + 1, Name: fmt.Sprint("run", k+1)})
	}
	t.LeftOut = []trend.LeftOut{{Pair: "p1", Failed: []int{1}, Missing: []int{2, 3}}}
	t.Changes = []trend.Change{
		{Kind: trend.Function, Function: "solve", Commit: 4, Name: "run4", Earliest: 3, Latest: 5, Before: 2e6, After: 3e6, Factor: 1.5,
			ChangeNs: 1e6, Q: .0123, Pairs: 2, PairsOf: 3},
		{Kind: trend.Work, Commit: 5, Name: "run5", Earliest: 5, Latest: 5, Before: 500, After: 0, ChangeNs: -500, Q: .05, Pairs: 1,
			PairsOf: 1},
	}
	t.Drifts = []trend.Drift{{Kind: trend.Elapsed, First: 1e9, Last: 2e9, Factor: 2, ChangeNs: 1e9, Q: .001}}
	return t
}

// words returns lines without the blanks that align columns.
func words(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 0 {
			lines = append(lines, strings.Join(fields, " "))
		}
	}
	return lines
}

func trendText(t *testing.T, tr *trend.Trend, limit int) []string {
	t.Helper()
	var b strings.Builder
	if err := writeTrend(&b, tr, limit); err != nil {
		t.Fatal(err)
	}
	return words(b.String())
}

// TestTrendText holds all that is printed of a trend.
func TestTrendText(t *testing.T) {
	want := []string{
		"commits 7, run1 to run7",
		"pairs 3 that all commits have",
		"left out p1: failed at 1 commit, missing at 2 commits",
		"tested 4 of 9 functions: those with 0.1 % of a commit's work at some commit",
		"measured times of side B; side A is the same at all commits",
		"2 changes",
		"at range commit before after factor change q pairs of",
		"4 3–5 run4 2.00 ms 3.00 ms 1.50× +1.00 ms 1.2 % 2 of 3 solve",
		"5 5 run5 500 ns 0 ns – −500 ns 5 % 1 of 1 (total work)",
		"1 drift",
		"first last factor change q of",
		"1.00 s 2.00 s 2.00× +1.00 s 0.1 % (total elapsed)",
		"PELT. On average at most 5 % of these claims are false.",
	}
	for _, limit := range []int{0, 2, 30} {
		if got := trendText(t, developed(), limit); !slices.Equal(got, want) {
			t.Errorf("limit %d:\n%s\nwant\n%s", limit, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	fewer := slices.Delete(slices.Clone(want), 8, 9)
	if got := trendText(t, developed(), 1); !slices.Equal(got, fewer) {
		t.Errorf("limit 1:\n%s", strings.Join(got, "\n"))
	}
}

// TestTrendTextOfOthers: ratios have no unit, names may be hostile, and of many pairs that are left
// out five are named.
func TestTrendTextOfOthers(t *testing.T) {
	tr := developed()
	tr.Measure, tr.FixedA, tr.Drifts, tr.Changes = trend.Ratio, false, nil, tr.Changes[:1]
	tr.Changes[0].Before, tr.Changes[0].After, tr.Changes[0].Function = 1.05, 12.25, "a\x1b[2J\nb"
	tr.LeftOut = slices.Repeat(tr.LeftOut, 8)
	text := strings.Join(trendText(t, tr, 0), "\n")
	for _, want := range []string{"\nmeasured times of B over those of A; side A differs from commit to commit\n",
		"\nleft out and 3 more\n", "\n1 change\n", " 1.05× 12.2× ", "[2J"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Contains(text, "\nb") || strings.Count(text, "left out p1") != 5 {
		t.Errorf("the text is %q", text)
	}
	tr.Measure, tr.Changes = trend.OfA, nil
	text = strings.Join(trendText(t, tr, 0), "\n")
	if !strings.Contains(text, "\nno change\n") || !strings.Contains(text, "\nmeasured times of side A; ") ||
		strings.Contains(text, "drift") {
		t.Errorf("without changes:\n%s", text)
	}
}

// TestTrendTextOfFewCommits: what is peculiar about commits is told, and of too few no claim is made,
// not even that nothing has changed.
func TestTrendTextOfFewCommits(t *testing.T) {
	tr := developed()
	tr.Changes, tr.Drifts, tr.LeftOut, tr.Commits, tr.Enough = nil, nil, nil, tr.Commits[:2], false
	tr.Commits[1].SameAs, tr.Commits[1].Differs = 1, `version is "1" and "2"`
	tr.NoRatio, tr.TooLarge = 1, 2
	want := []string{"commits 2, run1 to run2", "pairs 3 that all commits have",
		"same run2 has the times of run1 in all pairs: is it the same commit?",
		`differs run2 was not compared as run1 was: version is "1" and "2"`,
		"tested nothing: a change needs at least 6 commits",
		"no ratio 1 function or total is not tested: side A lacks them at some commit",
		"too large 2 sums of times, which count as the largest number of 64 bits",
		"measured times of side B; side A is the same at all commits"}
	if got := trendText(t, tr, 0); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	tr.Commits = slices.Repeat(tr.Commits[1:], 9)
	if got := strings.Join(trendText(t, tr, 0), "\n"); strings.Count(got, "is it the same") != 3 ||
		!strings.Contains(got, "\nand 13 more such commits\n") {
		t.Errorf("of many peculiar commits:\n%s", got)
	}
}

// short is a pipe that is closed after so many bytes.
type short struct{ left int }

var errClosed = errors.New("closed")

func (s *short) Write(p []byte) (int, error) {
	if s.left -= len(p); s.left < 0 {
		return 0, errClosed
	}
	return len(p), nil
}

// TestTrendTextIsWhole: wherever the pipe is closed, that is an error.
func TestTrendTextIsWhole(t *testing.T) {
	var b strings.Builder
	if err := writeTrend(&b, developed(), 0); err != nil {
		t.Fatal(err)
	}
	for left := range b.Len() {
		if err := writeTrend(&short{left}, developed(), 0); !errors.Is(err, errClosed) {
			t.Fatalf("closed after %d of %d bytes: %v", left, b.Len(), err)
		}
	}
	if err := writeTrend(&short{b.Len()}, developed(), 0); err != nil {
		t.Error(err)
	}
}

// nightly makes batches run3 to run10 of a pair whose function solve takes 10 ms, and 20 ms from
// run7 on; it returns their folders, by the alphabet.
func nightly(t *testing.T) (dir string, folders []string) {
	t.Helper()
	dir = t.TempDir()
	pairs := filepath.Join(dir, "pairs.csv")
	if err := os.WriteFile(pairs, []byte("pair,a,b\nall,a.json,b.json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	testtrace.WriteScript(t, filepath.Join(dir, "a.json"), "init", 4., "solve", 10.)
	for night := 3; night <= 10; night++ {
		ms := 10.
		if night >= 7 {
			ms = 20
		}
		testtrace.WriteScript(t, filepath.Join(dir, "b.json"), "init", 4., "solve", ms)
		folders = append(folders, filepath.Join(dir, fmt.Sprint("run", night)))
		mustRun(t, "batch", pairs, "-o", folders[len(folders)-1])
	}
	slices.Sort(folders)
	return dir, folders
}

// TestBatchTrend: by name, run10 comes last, and solve is slower from run7 on; text, JSON and
// picture say so.
func TestBatchTrend(t *testing.T) {
	dir, folders := nightly(t)
	picture := filepath.Join(dir, "trend.svg")
	args := append([]string{"batch", "trend", "--by", "name", "-o", picture}, folders...)
	var got trend.Trend
	if err := json.Unmarshal([]byte(mustRun(t, append(args, "--json")...)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Changes) != 3 || got.Commits[7].Name != "run10" || got.Commits[0].Name != "run3" || !got.FixedA {
		t.Fatalf("the trend is %+v", got)
	}
	for _, c := range got.Changes {
		if c.Name != "run7" || c.Commit != 5 || c.ChangeNs < 9.99e6 || c.ChangeNs > 10.01e6 || c.PairsOf != 1 {
			t.Errorf("%+v", c)
		}
	}
	text := strings.Join(words(mustRun(t, args...)), "\n")
	if !strings.Contains(text, "\n5 5 run7 10.0 ms 20.0 ms 2.00× +10.0 ms ") || !strings.Contains(text, "8, run3 to run10\n") {
		t.Errorf("the text is\n%s", text)
	}
	svg, err := os.ReadFile(picture)
	if err != nil || !strings.Contains(string(svg), "2.00× at run7") {
		t.Errorf("the picture does not name run7: %v", err)
	}
	testFewTrend(t, folders)
	args[5] = "-"
	if out := mustRun(t, args...); out != string(svg) {
		t.Errorf("standard output gets %d bytes, the file %d", len(out), len(svg))
	}
	twice := append(slices.Clone(folders), folders[0]+"/../run10/")
	for _, c := range []struct {
		paths  []string
		status int
		want   string
	}{
		{twice, 2, "each commit has a batch of its own"}, {nil, 2, "at least 6 to find changes"},
		{append([]string{dir}, folders...), 1, "holds no batch"},
	} {
		status, out, errs := run(t, append([]string{"batch", "trend"}, c.paths...)...)
		if status != c.status || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%d folders: exit status %d, %q, %s", len(c.paths), status, out, errs)
		}
	}
}

// testFewTrend holds that of five batches all is told but claims, with exit status 1, and that an
// order of names that only a shell has is told.
func testFewTrend(t *testing.T, folders []string) {
	t.Helper()
	picture := filepath.Join(t.TempDir(), "few.svg")
	status, out, errs := run(t, append([]string{"batch", "trend", "--json", "-o", picture}, folders[:5]...)...)
	var got trend.Trend
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 1 || got.Enough || got.Tested > 0 ||
		len(got.Series) == 0 || len(got.Changes) > 0 {
		t.Errorf("of five: exit status %d, %v, %s", status, err, out)
	}
	if !strings.Contains(errs, "5 batches: a change needs at least 6, one a commit, so nothing was tested") ||
		!strings.Contains(errs, "run10 is given before run3: --by name") {
		t.Errorf("of five: %s", errs)
	}
	svg, err := os.ReadFile(picture)
	if err != nil || !strings.Contains(string(svg), "not tested") || strings.Contains(string(svg), "no change") {
		t.Errorf("the picture of five: %v", err)
	}
}
