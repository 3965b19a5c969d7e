package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// atMostFlags are all flags that limit how much is printed.
func atMostFlags() (flags []string) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if _, ok := f.Value.(*atMost); ok {
				flags = append(flags, strings.TrimPrefix(cmd.CommandPath(), "diptych ")+" --"+f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	return flags
}

// TestAtMostFlags: all flags that limit how much is printed follow one rule, and say it.
func TestAtMostFlags(t *testing.T) {
	got := atMostFlags()
	slices.Sort(got)
	if want := []string{"batch trend --limit", "diff --limit", "structure --depth"}; !slices.Equal(got, want) {
		t.Fatalf("%q limit how much is printed, want %q", got, want)
	}
	for _, flag := range got {
		args := strings.Fields(flag)
		for value, want := range map[string]string{"-1": "a whole number, 0 for all", "few": "a whole number, 0 for all",
			"1.5": "a whole number, 0 for all", "99999999999": "a smaller number"} {
			status, _, errs := run(t, append(args, value, "a")...)
			if name := args[len(args)-1]; status != 2 || !strings.Contains(errs, name+" "+value+": want "+want+"\n") {
				t.Errorf("%s %s: exit status %d, %s", flag, value, status, errs)
			}
		}
		help := mustRun(t, append(args[:len(args)-1:len(args)-1], "--help")...)
		_, says, _ := strings.Cut(help, args[len(args)-1]+" N ")
		if says, _, _ = strings.Cut(says, "\n"); !strings.Contains(says, "; 0 for all (default: ") {
			t.Errorf("%s: help says %q", flag, says)
		}
	}
}

// TestZeroIsAll: 0 prints all, in whatever format, and what is not given has a default.
func TestZeroIsAll(t *testing.T) {
	for _, format := range diffFormats {
		lines := func(args ...string) int {
			out := mustRun(t, append([]string{"diff", "--format", format, queueA(), queueB()}, args...)...)
			return strings.Count(strings.ReplaceAll(out, "&#xA;", "\n"), "\n") // junit has them in an element
		}
		all, zero, one, standard := lines("--all"), lines("--limit", "0"), lines("--limit", "1"), lines()
		if format == "json" { // is one line
			all, zero, one, standard = findingsOf(t, "--all"), findingsOf(t, "--limit", "0"), findingsOf(t, "--limit", "1"), findingsOf(t)
			if standard != all || one != 1 {
				t.Errorf("json: %d findings, %d with --limit 1, of %d", standard, one, all)
			}
			standard--
		}
		if zero != all || one >= standard || standard >= all {
			t.Errorf("%s: --all %d, --limit 0 %d, --limit 1 %d, without %d", format, all, zero, one, standard)
		}
	}
	if status, _, errs := run(t, "diff", "--all", "--limit", "5", queueA(), queueB()); status != 2 ||
		!strings.Contains(errs, "--limit and --all") {
		t.Errorf("exit status %d, %s", status, errs)
	}
	deep := filepath.Join(testdata, "pprof/pipeline-level1.cpu.pprof")
	shown := func(args ...string) string { return mustRun(t, append([]string{"structure", deep}, args...)...) }
	if all := shown("--depth", "1000"); shown("--depth", "0") != all || shown() == all || shown() != shown("--depth", "2") {
		t.Errorf("--depth 0:\n%s\nall:\n%s", shown("--depth", "0"), all)
	}
	nodes := func(args ...string) int { return len(structured(t, append(args, deep)...)["nodes"].([]any)) }
	if all := nodes(); nodes("--depth", "0") != all || nodes("--depth", "1") >= all {
		t.Errorf("--depth 0 has %d of %d nodes, --depth 1 has %d", nodes("--depth", "0"), all, nodes("--depth", "1"))
	}
}

// findingsOf returns how many findings there are in JSON.
func findingsOf(t *testing.T, args ...string) int {
	t.Helper()
	var d struct {
		Findings []struct{} `json:"findings"`
	}
	parse(t, &d, append([]string{"diff", "--json", queueA(), queueB()}, args...)...)
	return len(d.Findings)
}
