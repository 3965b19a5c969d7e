package cli

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"diptych/internal/testtrace"
)

// elapsedTimes are the members of results that say how long the work took.
var elapsedTimes = regexp.MustCompile(`"elapsedNs": \{\s*"load": \d+,\s*"compute": \d+\s*\}`)

// TestResultsDoNotDependOnProcessors: what a command says is the same with one processor and with
// many, whatever order its goroutines ran in.
func TestResultsDoNotDependOnProcessors(t *testing.T) {
	at := func(name string) string { return filepath.Join(testdata, name) }
	family, lost := at("uftrace/family.data.tar.gz"), at("uftrace/lost.data.tar.gz")
	commands := [][]string{
		append([]string{"info", "--json", family, lost, at("chrome/go-build-cold.json.gz")},
			testtrace.Sized(nil, []string{at("chrome/node-n8.json.gz"), at("gotrace/pipeline-chan.gotrace"),
				at("pprof/pipeline-level9.cpu.pprof")})...),
		{"match", "--json", "--no-cache", family, lost},
		{"align", "--json", "--no-cache", family, lost},
		{"waits", "--json", family, lost},
		{"structure", "--json", family, lost},
		{"aggregate", "--json", "--slices", "20", family, lost},
		{"diff", "--format", "json", "--no-cache", family, lost},
		{"diff", "--format", "json", "--no-cache", at("gotrace/pipeline-mutex.gotrace"), at("gotrace/pipeline-chan.gotrace")},
	}
	was := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(was) })
	want := map[string]string{}
	for _, processors := range testtrace.Sized([]int{1, 8}, []int{1, 2, 8}) {
		runtime.GOMAXPROCS(processors)
		for _, args := range commands {
			status, out, errs := run(t, args...)
			if status != 0 {
				t.Fatalf("%q: %s", args, errs)
			}
			out = elapsedTimes.ReplaceAllString(out, "")
			name := strings.Join(args, " ")
			if want[name] == "" {
				want[name] = out
			}
			if out != want[name] {
				t.Errorf("%q with %d processors gives\n%.2000s\nand with 1\n%.2000s", args, processors, out, want[name])
			}
		}
	}
}
