package dock

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/runs"
	"diptych/internal/testtrace"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// withRuns shows a dock with so many recordings a side, of which work takes twice as long in B.
func withRuns(t *testing.T, n int) *bench {
	t.Helper()
	b := newBench(t)
	var paths [2][]string
	for sd := range paths {
		for k := range n {
			path := filepath.Join(t.TempDir(), fmt.Sprintf("%c%d.json", 'a'+sd, k+1))
			testtrace.WriteScript(t, path, "load", 10+0.1*float64((k+2*sd)%5), "work", 10*float64(sd+1)+
				0.1*float64(k%3), "tiny", 0.001, "only"+pair.Side(sd).String(), 2+0.1*float64(k))
			paths[sd] = append(paths[sd], path)
		}
	}
	b.c.S.SetRuns(paths, [2]input.Options{})
	for sd, list := range paths {
		b.c.S.Open(pair.Side(sd), list[0], input.Options{})
	}
	b.Settle()
	return b
}

func TestRunsAreListed(t *testing.T) {
	b := withRuns(t, 5)
	b.Click("Runs")
	labels := strings.Join(b.Labels(), "\n")
	for _, want := range []string{"Show run A 1  a1", "Show run A 5  a5", "Show run B 5  b5"} {
		if !strings.Contains(labels, want) {
			t.Errorf("no %q in %s", want, labels)
		}
	}
	b.Click("Show run B 4  b4")
	if got := b.state().ShownRun(pair.B); got != 3 {
		t.Errorf("run %d is shown, want the one that was clicked, 3", got)
	}
	if row := b.runs().Copy(kit.TSV, false); !strings.HasPrefix(row, "B 4  b4\t") || !strings.HasSuffix(row, "\tshown\n") {
		t.Errorf("the row of the run is copied as %q", row)
	}
	if got, want := b.state().ShownRun(pair.A), b.state().ComparedRuns().Shown[pair.A]; got != want {
		t.Errorf("run %d of A is shown, want %d as before", got, want)
	}
}

// TestTheTabOfRunsComesWithThem holds that the tab is there while there are several runs, and that
// asking for it without any says how to open them.
func TestTheTabOfRunsComesWithThem(t *testing.T) {
	has := func(b *bench) bool {
		return slices.ContainsFunc(b.dock.tabsBeside(b.state(), b.row), func(x view.Tab) bool { return x.ID == Runs })
	}
	if b := withRuns(t, 2); !has(b) {
		t.Error("two runs a side have no tab")
	}
	b := newBench(t, runA, runB)
	if has(b) {
		t.Error("one run a side has a tab of runs")
	}
	if b.dock.Show(Runs); !has(b) {
		t.Error("it is not shown when it is asked for")
	}
	b.frame() // with its hint
}

func TestRatioWords(t *testing.T) {
	b := withRuns(t, 5)
	all := b.state().ComparedRuns()
	for name, want := range map[string][2]string{"work": {"1.99×", "1.97–2.01×"}, "onlyA": {"0", "only A"},
		"onlyB": {"0", "only B"}} {
		x := all.Function(name)
		if ratio := geom.FormatRatio(ratioOf(x)); onBothSides(x) && ratio != want[0] || intervalWords(x) != want[1] {
			t.Errorf("%s: %q %q, want %q", name, ratio, intervalWords(x), want)
		}
	}
	if all.Function("tiny") != nil {
		t.Error("a function of a microsecond is compared")
	}
	if got := sureness(all.Function("load")); got != "could be chance" {
		t.Errorf("load: %s", got)
	}
	if got := sureness(all.Function("work")); got != runs.Likely.String() && got != runs.Certain.String() {
		t.Errorf("work: %s", got)
	}
	b.dock.Show(Functions) // with the column
	b.frame()
}
