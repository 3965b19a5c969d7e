package cli

import (
	"fmt"
	"strings"

	"diptych/internal/report"
)

// exportHelp describes the formats of an export, and the columns of its tables as the tables
// themselves name them.
func exportHelp() string {
	var b strings.Builder
	b.WriteString(`Export aligns two traces and writes the result to a file, gzip-compressed if its name ends
in .gz. It does not write over a file that it reads.

perfetto    one trace in Perfetto's protobuf format: for each pair of threads the tracks A, B and
            status, and the counters skew (ns, how much longer A has run) and dissimilarity (0 to 1)
chrome      the same as Chrome Trace Event JSON; with --no-args slices of the status are called by
            their functions
speedscope  a file for speedscope: for each pair of threads the calls of A, those of B, and both on
            one axis, where a frame says what only one side has
folded      a line for each distinct stack, with its self time on both sides as difffolded.pl writes
            it, for flamegraph.pl; with --side a or b that of one side
pprof       a profile for go tool pprof: B − A, where the samples of A have the label pprof::base as
            after -diff_base; with --side a or b one side. Always gzip-compressed
csv         a table (--table)
parquet     the same table as a Parquet file
json        what align --json prints, with --walk also every call and its state

In a trace each pair of threads has a virtual time of its own from 0 on, on which paired calls start
and end together; slices have their real times as arguments. Slices of the status are called equal,
different, onlyA and onlyB. Instants, counters and arguments of the two traces are not exported.

Folded stacks and profiles add up what threads of one name did, and have no place for waits,
messages and moments. Standard error counts the stacks that have no line or are cut.

Columns of the tables, in the order in which they come. Times are in ns, those of profiles in the
profile's unit.
`)
	for _, t := range report.Tables {
		b.WriteString("\n" + t.Name + ": " + t.About + "\n")
		for _, c := range t.Columns {
			b.WriteString(fmt.Sprintf("  %-14s %s\n", c.Name, c.About))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
