//go:build unix

package peers

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var calls = flag.Int("calls", 1_000_000, "calls a side of the pair that is generated")

// module is where the files of the module are, seen from this package.
const module = "../.."

// built returns the program, built for this run.
func built(b *testing.B) string {
	b.Helper()
	out := filepath.Join(b.TempDir(), "diptych")
	cmd := exec.Command("go", "build", "-o", out, "./cmd/diptych")
	cmd.Dir = module
	if said, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, said)
	}
	return out
}

// pairOf generates two traces of n calls whose names end in so, in a directory of their own: a and b.
func pairOf(b *testing.B, diptych string, n int, so string) (dir string) {
	b.Helper()
	dir = b.TempDir()
	Run(b, dir, diptych, "generate", "--calls", strconv.Itoa(n), "--seed", "7",
		"--edit", "slow:0.01", "--edit", "insert:0.01", "a"+so, "b"+so)
	return dir
}

// BenchmarkPeerUftraceDiff compares two directories of uftrace: `diptych diff` aligns all calls and
// words findings, `uftrace report --diff` prints the difference of the sums of functions. Both must
// know how many calls more there are.
func BenchmarkPeerUftraceDiff(b *testing.B) {
	Need(b, "uftrace")
	diptych := built(b)
	dir := pairOf(b, diptych, *calls, ".data")
	diff := []string{"report", "--no-pager", "--diff", "b.data", "-d", "a.data"}
	more := 0
	for _, m := range changedCalls.FindAllStringSubmatch(Output(b, dir, "uftrace", diff...), -1) {
		more += number(b, m[1])
	}
	Agree(b, "calls", callsOf(b, dir, diptych, "b.data")-callsOf(b, dir, diptych, "a.data"), more)
	Race(b, func() { Run(b, dir, diptych, "diff", "--no-cache", "a.data", "b.data") },
		func() { Run(b, dir, "uftrace", diff...) })
}

// changedCalls is a line of `uftrace report --diff`: times with units, and the change of calls.
var changedCalls = regexp.MustCompile(`(?m)^.*\s([+-]\d+)\s+\S.*$`)

// BenchmarkPeerUftraceDump reads one directory: `diptych info` builds the model and prints a
// summary, `uftrace dump --chrome` writes each record as JSON, which nobody reads.
func BenchmarkPeerUftraceDump(b *testing.B) {
	Need(b, "uftrace")
	diptych := built(b)
	dir := pairOf(b, diptych, *calls, ".data")
	dump := []string{"dump", "--no-pager", "--chrome", "-d", "a.data"}
	Agree(b, "calls", callsOf(b, dir, diptych, "a.data"), Lines(b, `"ph":"B"`, dir, "uftrace", dump...))
	Race(b, func() { Run(b, dir, diptych, "info", "--no-cache", "a.data") },
		func() { Run(b, dir, "uftrace", dump...) })
}

// BenchmarkPeerPprof compares two profiles as `go tool pprof -diff_base` does. It is started without
// the go command, which takes as long to find it. Both must find the same difference.
func BenchmarkPeerPprof(b *testing.B) {
	Need(b, "go")
	diptych := built(b)
	dir := pairOf(b, diptych, *calls, ".data")
	for _, side := range []string{"a", "b"} {
		Run(b, dir, diptych, "export", "--to", "pprof", "--side", side, "a.data", "b.data", "-o", side+".pb.gz")
	}
	pprof := strings.TrimSpace(Output(b, dir, "go", "tool", "-n", "pprof"))
	sums := between(b, differenceOf, Output(b, dir, pprof, "-top", "-unit=ns", "-nodecount=0", "-nodefraction=0",
		"-diff_base", "a.pb.gz", "b.pb.gz"))
	var found struct {
		Account struct{ ElapsedNs struct{ A, B int } }
	}
	said := Output(b, dir, diptych, "diff", "--no-cache", "--format", "json", "a.pb.gz", "b.pb.gz")
	if err := json.Unmarshal([]byte(said), &found); err != nil {
		b.Fatal(err)
	}
	Agree(b, "ns", found.Account.ElapsedNs.B-found.Account.ElapsedNs.A, number(b, sums))
	Race(b, func() { Run(b, dir, diptych, "diff", "--no-cache", "a.pb.gz", "b.pb.gz") },
		func() { Run(b, dir, pprof, "-top", "-diff_base", "a.pb.gz", "b.pb.gz") })
}

// differenceOf is where `pprof -top` says what the functions that it shows sum up to.
var differenceOf = regexp.MustCompile(`accounting for (-?\d+)ns`)

// BenchmarkPeerSpeedscope imports Trace Event JSON with speedscope's importer under Node and with
// `diptych info`. The version is the last whose package has the importer as a file of its own.
// There are far fewer calls: the importer's time grows with their square.
func BenchmarkPeerSpeedscope(b *testing.B) {
	Need(b, "node", "npm")
	diptych := built(b)
	dir := pairOf(b, diptych, *calls/32, ".json")
	const version = "speedscope@1.20.0"
	npm := exec.Command("npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", dir, version)
	if said, err := npm.CombinedOutput(); err != nil {
		b.Skipf("%s cannot be installed: %v\n%s", version, err, said)
	}
	script, err := filepath.Abs("testdata/speedscope.cjs")
	if err != nil {
		b.Fatal(err)
	}
	release := filepath.Join(dir, "node_modules/speedscope/dist/release")
	if _, err := os.Stat(release); err != nil {
		b.Fatal(err)
	}
	counted := Output(b, dir, "node", script, release, "a.json", "count")
	Agree(b, "calls", callsOf(b, dir, diptych, "a.json"), number(b, between(b, importedCalls, counted)))
	Race(b, func() { Run(b, dir, diptych, "info", "--no-cache", "a.json") },
		func() { Run(b, dir, "node", script, release, "a.json") })
}

var importedCalls = regexp.MustCompile(`(?m)^calls (\d+)$`)

// callsOf returns how many calls a trace has, as `diptych info` tells.
func callsOf(b *testing.B, dir, diptych, name string) int {
	b.Helper()
	return number(b, between(b, callsLine, Output(b, dir, diptych, "info", "--no-cache", name)))
}

var callsLine = regexp.MustCompile(`(?m)^calls +(\d+) `)

// between returns what the group of a pattern matches.
func between(b *testing.B, pattern *regexp.Regexp, text string) string {
	b.Helper()
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		b.Fatalf("%s is not in\n%.2000s", pattern, text)
	}
	return m[1]
}

func number(b *testing.B, text string) int {
	b.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
