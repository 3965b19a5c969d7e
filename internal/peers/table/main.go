// Command table reads what `go test -bench` prints and writes a line for each benchmark that raced
// against a peer: processor time of both in ms, how many times as much the peer takes, and the same
// for elapsed time. For a benchmark that was skipped it says why.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
	"text/tabwriter"
)

func main() {
	if err := table(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// columns are the units of the columns, and their heads.
var columns = [][2]string{{"ours-ms", "ours ms"}, {"peer-ms", "peer ms"}, {"×peer", "times"},
	{"×peer-elapsed", "elapsed"}}

var (
	result  = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)
	skipped = regexp.MustCompile(`^\s*--- SKIP: Benchmark(\S+)`)
	place   = regexp.MustCompile(`^\s*\S+\.go:\d+:\s*`) // where a benchmark says why
	failed  = regexp.MustCompile(`^(--- FAIL|FAIL\s|panic:)`)
)

// table copies results from in to out. It fails if a benchmark did.
func table(in io.Reader, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "peer\t")
	for _, c := range columns {
		fmt.Fprint(w, c[1], "\t")
	}
	fmt.Fprintln(w)
	var wrong, said, pkg string // what a benchmark said comes before the line that it was skipped
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		switch m := result.FindStringSubmatch(line); {
		case m != nil:
			row(w, named(pkg, m[1]), m[2])
		case skipped.MatchString(line):
			fmt.Fprintf(w, "%s\t  %s\n", named(pkg, skipped.FindStringSubmatch(line)[1]), said)
		case strings.HasPrefix(line, "pkg: "):
			pkg = path.Base(line[len("pkg: "):])
		case place.MatchString(line):
			said = place.ReplaceAllString(line, "")
		case failed.MatchString(line) && wrong == "":
			wrong = line
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if wrong != "" {
		return fmt.Errorf("a benchmark failed: %s", wrong)
	}
	return nil
}

// named is a benchmark's name without what all have, behind that of its package: several formats
// race against the same decoder.
func named(pkg, benchmark string) string { return pkg + " " + strings.TrimPrefix(benchmark, "Peer") }

// row writes what a benchmark measured: pairs of a value and its unit, in any order.
func row(w io.Writer, name, measures string) {
	values := map[string]string{}
	fields := strings.Fields(measures)
	for i := 0; i+1 < len(fields); i += 2 {
		values[fields[i+1]] = fields[i]
	}
	if values["×peer"] == "" {
		return
	}
	fmt.Fprint(w, name, "\t")
	for _, c := range columns {
		fmt.Fprint(w, values[c[0]], "\t")
	}
	fmt.Fprintln(w)
}
