package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"diptych/internal/report"
)

// limited is a diff of two runs that differ in all that can be limited.
func limited() *report.Diff {
	return &report.Diff{
		Account: report.DiffAccount{
			ElapsedNs:   report.Both[int64]{A: 100e6, B: 150e6},
			WorkNs:      report.Both[int64]{A: 200e6, B: 230e6},
			WaitNs:      report.Both[int64]{A: 10e6, B: 40e6},
			Unexplained: report.DiffUnexplained{ElapsedNs: -15e6},
		},
		Findings: []report.DiffFinding{
			{Kind: "pace", Factor: 0.8, DeltaNs: -20e6},
			{Kind: "new", DeltaNs: 15e6},
			{Kind: "moved"}, {Kind: "moved"}, {Kind: "divergence"}, {Kind: "renamed"},
			{Kind: "idle", DeltaNs: -30e6},
		},
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		limit string
		want  bool
	}{
		{"elapsed=49%", true}, {"elapsed=51%", false}, {"elapsed=49ms", true}, {"elapsed=51ms", false},
		{"total=14%", true}, {"total=16%", false}, {"total=29ms", true},
		{"waits=19%", true}, {"waits=21%", false}, {"waits=29ms", true}, {"waits=31ms", false},
		{"unexplained=9%", true}, {"unexplained=11%", false}, {"unexplained=14ms", true},
		{"pace=24%", true}, {"pace=26%", false}, {"pace=19ms", true}, {"pace=21ms", false},
		{"moved=1", true}, {"moved=2", false}, {"divergence=0", true}, {"divergence=1", false},
		{"renamed=0", true}, {"new=0", true}, {"new=1", false}, {"new=9%", true}, {"new=11%", false},
		{"missing=0", false}, {"idle=19%", true}, {"idle=21%", false},
		{"slower=49%", true}, {"slower=51%", false}, // the whole run, without any such finding
		{"faster=0%", false}, {"slower=0", false},
	} {
		limits, err := parseThresholds([]string{c.limit})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(exceeded(limits, limited(), false)) > 0; got != c.want {
			t.Errorf("%s is exceeded: %v", c.limit, got)
		}
	}
}

// TestChanceExceedsNothing holds that what could be chance counts only where it is asked for.
func TestChanceExceedsNothing(t *testing.T) {
	d := limited()
	d.Findings = append(d.Findings, report.DiffFinding{Kind: "missing", DeltaNs: -90e6,
		Certainty: "chance"})
	limits, err := parseThresholds([]string{"missing=1%", "missing=0"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(exceeded(limits, d, false)); n != 0 {
		t.Errorf("%d limits are exceeded by chance", n)
	}
	if n := len(exceeded(limits, d, true)); n != 2 {
		t.Errorf("%d of 2 limits are exceeded", n)
	}
}

func TestLimitsThatCannotBe(t *testing.T) {
	for limit, says := range map[string]string{
		"renamed=1%": "takes no time", "divergence=1ms": "renamed=0|divergence=0",
		"elapsed=3": "has no number", "pace=1": "has no number", "total": "kind=size",
		"moved=1.5": "number like 3", "moved=-3": "want a time", "waiting=1%": "no such kind",
	} {
		_, err := parseThresholds([]string{limit})
		if err == nil || !slices.ContainsFunc(strings.Split(says, "|"), func(s string) bool {
			return strings.Contains(err.Error(), s)
		}) {
			t.Errorf("%s: %v, want %q", limit, err, says)
		}
	}
}

// TestASlowerRunExceedsSlower holds that a run that is evenly 3× slower does not pass, though no
// function is slower than the others.
func TestASlowerRunExceedsSlower(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, dur string) string {
		var b strings.Builder
		b.WriteString("[")
		for k, f := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
			if k > 0 {
				b.WriteString(",")
			}
			b.WriteString(`{"ph":"X","pid":1,"tid":1,"name":"step_` + f + `","ts":` +
				string(rune('0'+k)) + `0000,"dur":` + dur + "}")
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := write("a.json", "3000"), write("b.json", "9000")
	for over, want := range map[string]int{"pace=300%": 0, "slower=1%": 3, "pace=10%": 3, "pace=250%": 0,
		"total=150%": 3, "idle=10%": 3} {
		status, out, errs := run(t, "diff", "--fail-over", over, a, b)
		if status != want || !strings.Contains(out, "CPU-bound work takes 3× as long throughout") {
			t.Errorf("--fail-over %q: exit status %d, want %d: %s%s", over, status, want, out, errs)
		}
	}
}

// TestKindsAreDocumented: whatever --fail-over takes, its help and the manual name.
func TestKindsAreDocumented(t *testing.T) {
	manual, err := os.ReadFile("../../docs/alignment.md")
	if err != nil {
		t.Fatal(err)
	}
	help := strings.FieldsFunc(mustRun(t, "diff", "--help"), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, start := range limitStarts() {
		kind := strings.TrimSuffix(start, "=")
		if !slices.Contains(help, kind) || !strings.Contains(string(manual), "`"+kind+"`") {
			t.Errorf("%s is not in help or manual", kind)
		}
	}
}
