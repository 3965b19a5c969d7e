//go:build unix

package peers

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
// words findings, `uftrace report --diff` prints the difference of the sums of functions.
func BenchmarkPeerUftraceDiff(b *testing.B) {
	Need(b, "uftrace")
	diptych := built(b)
	dir := pairOf(b, diptych, *calls, ".data")
	Race(b, func() { Run(b, dir, diptych, "diff", "--no-cache", "a.data", "b.data") },
		func() { Run(b, dir, "uftrace", "report", "--no-pager", "--diff", "a.data", "-d", "b.data") })
}

// BenchmarkPeerUftraceDump reads one directory: `diptych info` builds the model and prints a
// summary, `uftrace dump --chrome` writes each record as JSON, which nobody reads.
func BenchmarkPeerUftraceDump(b *testing.B) {
	Need(b, "uftrace")
	diptych := built(b)
	dir := pairOf(b, diptych, *calls, ".data")
	Race(b, func() { Run(b, dir, diptych, "info", "a.data") },
		func() { Run(b, dir, "uftrace", "dump", "--no-pager", "--chrome", "-d", "a.data") })
}

// BenchmarkPeerPprof compares two profiles as `go tool pprof -diff_base` does.
func BenchmarkPeerPprof(b *testing.B) {
	Need(b, "go")
	diptych := built(b)
	dir := pairOf(b, diptych, *calls, ".data")
	for _, side := range []string{"a", "b"} {
		Run(b, dir, diptych, "export", "--to", "pprof", "--side", side, "a.data", "b.data", "-o", side+".pb.gz")
	}
	Race(b, func() { Run(b, dir, diptych, "diff", "--no-cache", "a.pb.gz", "b.pb.gz") },
		func() { Run(b, dir, "go", "tool", "pprof", "-top", "-diff_base", "a.pb.gz", "b.pb.gz") })
}

// BenchmarkPeerSpeedscope imports Trace Event JSON with speedscope's importer under Node and with
// `diptych info`. The version is the last whose package has the importer as a file of its own.
// There are fewer calls: the importer's time grows with their square.
func BenchmarkPeerSpeedscope(b *testing.B) {
	Need(b, "node", "npm")
	diptych := built(b)
	dir := pairOf(b, diptych, *calls/4, ".json")
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
	Race(b, func() { Run(b, dir, diptych, "info", "a.json") },
		func() { Run(b, dir, "node", script, release, "a.json") })
}
