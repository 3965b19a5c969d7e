package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/report"
	"diptych/internal/testtrace"
)

// program writes recordings of a program: a main that calls ten steps of 10 ms, each of which varies
// by a few percent, and step3 by the factor.
type program struct {
	dir string
	r   *rand.Rand
}

func newProgram(t *testing.T) *program {
	return &program{t.TempDir(), rand.New(rand.NewPCG(9, 10))}
}

func (p *program) record(t *testing.T, name string, factor float64) string {
	t.Helper()
	var steps []any
	for k := range 10 {
		ms := 10 + 0.3*p.r.Float64()
		if k == 3 {
			ms *= factor
		}
		steps = append(steps, fmt.Sprint("step", k), ms)
	}
	path := filepath.Join(p.dir, name)
	testtrace.WriteScript(t, path, steps...)
	return path
}

// sides records so many runs a side, B with the factor, and returns them as flags.
func (p *program) sides(t *testing.T, n int, factor float64) (flags []string) {
	for k := range n {
		flags = append(flags, "--a", p.record(t, fmt.Sprintf("a%d.json", k), 1),
			"--b", p.record(t, fmt.Sprintf("b%d.json", k), factor))
	}
	return flags
}

func TestSeveralRuns(t *testing.T) {
	slower := []string{"8 runs of A: elapsed 102 ms (median", "8 runs of B: elapsed 107 ms",
		"Changes of functions' own time (of 10 that take",
		"certain  self time of step3, called by main (p = 0.016 %, q = 0.16 %)",
		"With 8 and 8 runs a change of one function alone can be significant at 5 %.",
		"those of median elapsed time:", "step3"}
	for _, c := range []struct {
		name   string
		n      int
		factor float64
		more   []string
		status int
		want   []string
		not    string
	}{
		{"slower", 8, 1.5, nil, 0, slower, "chance  self time of step3"},
		{"slower, as Markdown", 8, 1.5, []string{"--format", "md"}, 0, append(slower, "```"), ""},
		{"for GitHub", 8, 1.5, []string{"--format", "github"}, 0,
			[]string{"::notice title=diptych%3A all runs::8 and 8 runs: elapsed +", "certain"}, ""},
		{"over a limit", 8, 1.5, []string{"--fail-over", "slower=3%"}, 3,
			[]string{"Threshold exceeded: slower=3%"}, ""},
		{"elapsed time over a limit", 8, 1.5, []string{"--fail-over", "elapsed=3%,total=50%"}, 3,
			[]string{"Threshold exceeded: elapsed=3%"}, "total=50%"},
		{"equal sides", 8, 1, []string{"--fail-over", "slower=0%,elapsed=0%,total=0%,faster=0%"}, 0,
			[]string{"chance   elapsed"}, "certain"},
		{"equal sides, strictly", 8, 1, []string{"--strict", "--fail-over", "slower=0%,faster=0%"}, 3,
			[]string{"Threshold exceeded"}, "certain"},
		{"five a side", 5, 1.5, nil, 0, []string{"likely   self time of step3",
			"With 5 and 5 runs a change of one function alone, of 10, cannot be significant at 5 %",
			"Take 6."}, ""},
		{"too few", 3, 1.5, nil, 0,
			[]string{"With 3 and 3 runs no change can be significant at 5 %: take 5.", "90 % interval"},
			"certain  self"},
	} {
		args := append([]string{"diff"}, newProgram(t).sides(t, c.n, c.factor)...)
		status, out, errs := run(t, append(args, c.more...)...)
		if status != c.status {
			t.Errorf("%s: exit status %d, want %d: %s", c.name, status, c.status, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, out)
			}
		}
		if c.not != "" && strings.Contains(out, c.not) {
			t.Errorf("%s: %q in\n%s", c.name, c.not, out)
		}
	}
}

// TestOneRunASideIsAPair holds that --a A --b B is A B.
func TestOneRunASideIsAPair(t *testing.T) {
	p := newProgram(t)
	a, b := p.record(t, "a.json", 1), p.record(t, "b.json", 2)
	_, want, _ := run(t, "diff", a, b)
	status, got, errs := run(t, "diff", "--a", a, "--b", b)
	if status != 0 || got != want || got == "" {
		t.Errorf("exit status %d: %s\n%s\nwant\n%s", status, errs, got, want)
	}
}

func TestSeveralRunsJSON(t *testing.T) {
	p := newProgram(t)
	status, out, errs := run(t, append([]string{"diff", "--format", "json"}, p.sides(t, 6, 2)...)...)
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	var raw map[string]any
	var d report.Diff
	for _, v := range []any{&raw, &d} {
		if err := json.Unmarshal([]byte(out), v); err != nil {
			t.Fatal(err)
		}
	}
	wantKeys(t, raw, append(diffKeys, "runs"))
	of := raw["runs"].(map[string]any)
	wantKeys(t, of, []string{"a", "b", "level", "smallest", "enough", "needed", "totals", "functions",
		"places"})
	wantKeys(t, of["needed"].(map[string]any), []string{"any", "single", "tested", "together"})
	wantKeys(t, of["places"].([]any)[0].(map[string]any), []string{"quantity", "kind", "function",
		"caller", "thread", "median", "delta", "ratio", "p", "q", "floor", "certainty"})
	shown := 0
	for _, r := range append(d.Runs.A, d.Runs.B...) {
		if r.Shown {
			shown++
		}
	}
	if len(d.Runs.A) != 6 || len(d.Runs.B) != 6 || shown != 2 {
		t.Errorf("%d and %d runs, %d shown", len(d.Runs.A), len(d.Runs.B), shown)
	}
	first := d.Runs.Functions[0]
	if first.Function != "step3" || first.Certainty != "certain" || first.Ratio == nil ||
		first.Ratio.Low > 2 || first.Ratio.High < 2 || d.Runs.Total("elapsed").Values == nil {
		t.Errorf("%+v", first)
	}
}

func TestRunsThatCannotBeCompared(t *testing.T) {
	p := newProgram(t)
	a, b := p.record(t, "a.json", 1), p.record(t, "b.json", 1)
	broken := filepath.Join(p.dir, "broken.json")
	if err := os.WriteFile(broken, []byte("no trace"), 0o600); err != nil {
		t.Fatal(err)
	}
	many := []string{"diff", "--b", b}
	for range 101 {
		many = append(many, "--a", a)
	}
	profile := filepath.Join(testdata, "pprof/pipeline-level1.cpu.pprof")
	for name, c := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"both ways":   {[]string{"diff", "--a", a, "--b", b, a}, 2, "not both ways"},
		"one side":    {[]string{"diff", "--a", a, "--a", b}, 2, "each side needs a run, got 2 and 0"},
		"too many":    {many, 2, "at most 100 runs a side, got 101 and 1"},
		"one broken":  {[]string{"diff", "--a", a, "--a", broken, "--b", b}, 1, "broken.json"},
		"one lacking": {[]string{"diff", "--a", a, "--b", b, "--b", "none.json"}, 1, "none.json"},
		"a profile":   {[]string{"diff", "--a", a, "--b", b, "--b", profile}, 1, "pipeline-level1"},
	} {
		if status, _, errs := run(t, c.args...); status != c.status || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit status %d, want %d: %s", name, status, c.status, errs)
		}
	}
}
