package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/report"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

func infoCommand() *cobra.Command {
	var (
		asJSON bool
		opts   input.Options
	)
	cmd := &cobra.Command{
		Use:   "info TRACE…",
		Short: "Say what a trace file holds",
		Example: `  diptych info trace.json.gz
  diptych info --json run.data.tar.gz | jq .threads`,
		Args: traces(1, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range args {
				tr, err := read(cmd, path, opts)
				if err != nil {
					return err
				}
				in := report.NewInfo(path, tr)
				if asJSON {
					err = writeJSON(cmd.OutOrStdout(), in)
				} else {
					err = writeInfo(cmd.OutOrStdout(), in)
				}
				if err != nil {
					return fmt.Errorf("writing: %w", err)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a trace")
	loadFlags(cmd, &opts)
	return cmd
}

func writeJSON(w io.Writer, v any) error {
	if err := json.MarshalWrite(w, v, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// mostThreads is how many threads the table lists; --json lists all.
const mostThreads = 40

func writeInfo(out io.Writer, in *report.Info) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	unit := in.Unit
	escape.Printf(w, "file\t%s\n", in.File)
	escape.Printf(w, "format\t%s\n", in.Format)
	if in.Tool != "" {
		escape.Printf(w, "tool\t%s\n", in.Tool)
	}
	escape.Printf(w, "duration\t%s\n", geom.FormatValue(float64(in.DurationNs), unit))
	escape.Printf(w, "calls\t%d of %s, %s deep\n", in.Calls,
		count(in.Functions, "function", "functions"), count(int(in.MaxDepth), "level", "levels"))
	escape.Printf(w, "threads\t%s\n", threadCounts(in))
	escape.Printf(w, "blocking\t%s, %s\n", count(in.Objects, "object", "objects"),
		count(in.Correspondences, "stated correspondence", "stated correspondences"))
	if in.Links > 0 {
		escape.Printf(w, "flows\t%d, %d of them within one thread\n", in.Links, in.LinksWithin)
	}
	escape.Printf(w, "memory\t%.1f B a call (%d B columns, %d B details, %d B names)\n",
		in.Memory.BytesPerCall, in.Memory.Columns, in.Memory.Details, in.Memory.Names)
	for _, d := range in.Diagnostics {
		escape.Printf(w, "%s\t%d× %s\n", d.Code, d.Count, d.Example)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "thread\tcalls\tlevels\tstart\tend\twaits\treleases\tio\t  \tname")
	for i, th := range in.Threads {
		if i == mostThreads {
			escape.Printf(w, "… %d more\t\t\t\t\t\t\t\t\t\n", len(in.Threads)-i)
			break
		}
		escape.Printf(w, "%s\t%d\t%d\t%s\t%s\t%d\t%d\t%d\t  \t%s\n", th.ID, th.Calls, th.MaxDepth,
			geom.FormatValue(float64(th.StartNs), unit), geom.FormatValue(float64(th.EndNs), unit),
			th.Waits, th.Releases, th.IOs, th.Name)
	}
	return w.Flush()
}

// threadCounts counts threads that execute the program, and apart from them what else a recording
// shows in the place of threads.
func threadCounts(in *report.Info) string {
	n, lanes := map[string]int{}, 0
	for _, th := range in.Threads {
		if th.Lane > 0 {
			lanes++
		} else {
			n[th.Kind]++
		}
	}
	text := fmt.Sprint(n[trace.Ordinary.String()])
	if in.Processes > 0 {
		text += " in " + count(in.Processes, "process", "processes")
	}
	var others []string
	for _, k := range []struct {
		n         int
		one, many string
	}{
		{n[trace.Runtime.String()], "thread of the runtime", "threads of the runtime"},
		{n[trace.AsyncTrack.String()], "async track", "async tracks"},
		{n[trace.Sums.String()], "sum shown as a thread", "sums shown as threads"},
		{lanes, "further lane", "further lanes"},
	} {
		if k.n > 0 {
			others = append(others, count(k.n, k.one, k.many))
		}
	}
	if others != nil {
		text += ", beside " + strings.Join(others, " and ")
	}
	return text
}

// count writes a number with its noun: "1 call", "2 calls".
func count[N int | int64 | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
