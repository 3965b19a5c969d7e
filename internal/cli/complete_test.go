package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"diptych/internal/testtrace"
)

// completions returns what the shell would offer for the last word, and the directive, such as :4
// for no files.
func completions(t *testing.T, words ...string) (offered []string, directive string) {
	t.Helper()
	status, out, errs := run(t, append([]string{"__complete"}, words...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != 0 || lines[len(lines)-1] == "" {
		t.Fatalf("%q: %d %q %q", words, status, out, errs)
	}
	for _, line := range lines[:len(lines)-1] {
		value, _, _ := strings.Cut(line, "\t")
		offered = append(offered, value)
	}
	return offered, lines[len(lines)-1]
}

// TestCompletion holds what is offered where.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		words     []string
		offered   []string // that are among what is offered; nil for nothing
		directive string
	}{
		{[]string{"di"}, []string{"diff"}, ":0"},
		{[]string{"before.js"}, nil, ":0"}, // the shell offers files
		{[]string{"a.json", ""}, nil, ":0"},
		{[]string{"a.json", "b.json", ""}, nil, ":4"},
		{[]string{"--si"}, []string{"--size"}, ":4"},
		{[]string{"diff", ""}, nil, ":0"},
		{[]string{"diff", "a", "b", ""}, nil, ":4"},
		{[]string{"diff", "--a", "a", "--b", ""}, nil, ":0"},
		{[]string{"info", "a", "b", "c", ""}, nil, ":0"},
		{[]string{"diff", "--format", ""}, []string{"text", "md", "json", "github", "junit"}, ":4"},
		{[]string{"diff", "--fail-over", ""}, []string{"slower=", "elapsed="}, ":6"},
		{[]string{"render", "--view", ""}, []string{"matches", "window", "threads"}, ":4"},
		{[]string{"render", "--set", ""}, []string{"theme=", "tau="}, ":6"},
		{[]string{"export", "--to", ""}, exportFormats, ":4"},
		{[]string{"match", "--scope", ""}, []string{"process"}, ":4"},
		{[]string{"align", "--engine", ""}, []string{"auto", "hirschberg"}, ":4"},
		{[]string{"generate", "--situation", ""}, []string{"hang-monitor"}, ":4"},
		{[]string{"generate", "--edit", ""}, []string{"slow:"}, ":6"},
		{[]string{"render", "--size", ""}, nil, ":4"},
		{[]string{"diff", "--rules", ""}, nil, ":0"},
		{[]string{"batch", ""}, []string{"plan", "merge"}, ":0"},
		{[]string{"batch", "--shard", ""}, nil, ":4"},
		{[]string{"batch", "plan", "--by", ""}, []string{"name", "rank", "order"}, ":4"},
		{[]string{"batch", "plan", "--a", ""}, nil, ":0"},
	} {
		offered, directive := completions(t, c.words...)
		for _, want := range c.offered {
			if !slices.Contains(offered, want) {
				t.Errorf("%q: %q is not offered: %q", c.words, want, offered)
			}
		}
		if directive != c.directive || len(c.offered) == 0 && len(offered) > 0 {
			t.Errorf("%q: offers %q %s, want %s", c.words, offered, directive, c.directive)
		}
	}
}

// TestOfferedValuesAreTaken gives every command the values that are offered for its flags: all are
// taken, so the command fails at most because there are no such traces. Where values were tried
// before, as the formats are, the usual run tries the first and the last of them. Values that may be
// looked at only once the traces are read are also tried with traces, where the command succeeds.
func TestOfferedValuesAreTaken(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	there := []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}
	mustRun(t, "generate", "--calls", "100", there[0], there[1])
	others := map[string][]string{"render": {"-o", "x.png"}, "export": {"--to", "csv", "-o", "x"},
		"report": {"-o", "x"}}
	tried, late := 0, 0
	before := map[string]bool{}
	for _, cmd := range newRoot().Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" || slices.Contains(fileFlags, f.Name) {
				return
			}
			offer, known := cmd.GetFlagCompletionFunc(f.Name)
			if !known {
				return
			}
			offered, _ := offer(cmd, nil, "")
			late += takeLate(t, cmd, f, offered, there)
			all := strings.Join(offered, " ")
			if n := len(offered); n > 2 && before[all] && testtrace.Sized(true, false) {
				offered = []string{offered[0], offered[n-1]}
			}
			before[all] = true
			for _, value := range offered {
				value, _, _ := strings.Cut(value, "\t")
				if cmd.Name() == "open" || cmd.Name() == "generate" || unfinished(value) {
					continue // would open a window or write; what begins a value is none
				}
				tried++
				args := append([]string{cmd.Name(), missing + ".a", missing + ".b"}, others[cmd.Name()]...)
				if cmd.Name() == "batch" {
					args = []string{"batch", missing, "-o", missing + ".out"}
				} else if cmd.Name() == "export" && f.Name == "to" {
					args = []string{"export", missing, missing, "-o", "x"}
				} else if cmd.Name() == "export" && f.Name == "side" {
					args = append(args, "--to", "folded")
				}
				args = append(args, "--"+f.Name+"="+value)
				if status, _, errs := run(t, args...); status != 1 || !strings.Contains(errs, missing) {
					t.Errorf("%q: exit status %d, %s", args, status, errs)
				}
			}
		})
	}
	if tried < 20 || late < 40 {
		t.Errorf("only %d values are offered, %d of them tried with traces", tried, late)
	}
}

// takeLate runs a command over two traces with each value that is offered for a flag, and returns how
// many there were. Formats to read are left out: setting the flag finds all that is wrong with them.
func takeLate(t *testing.T, cmd *cobra.Command, f *pflag.Flag, offered, there []string) (late int) {
	out := filepath.Join(filepath.Dir(there[0]), "out")
	others := map[string][]string{"render": {"-o", out + ".svg"}, "export": {"-o", out}, "report": {"-o", out},
		"aggregate": {"--slices", "8"}}
	if slices.Contains([]string{"open", "generate", "batch"}, cmd.Name()) || f.Value.Type() == "FORMAT" {
		return 0
	}
	for _, value := range offered {
		value, _, _ := strings.Cut(value, "\t")
		if unfinished(value) || cmd.Name() == "render" && value == "window" {
			continue // a window is drawn by a graphics processor
		}
		late++
		args := slices.Concat([]string{cmd.Name(), "--" + f.Name + "=" + value}, there, others[cmd.Name()])
		switch {
		case cmd.Name() != "export" || f.Name == "to":
		case f.Name == "side":
			args = append(args, "--to", "folded")
		default:
			args = append(args, "--to", "csv")
		}
		if status, _, errs := run(t, args...); status != 0 {
			t.Errorf("%q: exit status %d, %s", args, status, errs)
		}
	}
	return late
}

// TestFlagsOfferNoFiles holds that files are offered only for flags that name one.
func TestFlagsOfferNoFiles(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, offers := cmd.GetFlagCompletionFunc(f.Name)
			if offers == slices.Contains(fileFlags, f.Name) {
				t.Errorf("%s --%s: offers values %v", cmd.Name(), f.Name, offers)
			}
		})
		if cmd.ValidArgsFunction == nil {
			t.Errorf("%s offers no files", cmd.Name())
		}
	}
}
