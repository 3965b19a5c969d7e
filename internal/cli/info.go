package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/report"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

func infoCommand() *cobra.Command {
	var (
		asJSON, check bool
		opts          input.Options
	)
	cmd := &cobra.Command{
		Use:   "info TRACE…",
		Short: "Say what a trace file holds",
		Long: `Info lists what a trace file holds, and what was wrong with it. A file with many distributed traces
(OpenTelemetry, Jaeger) is listed trace by trace; --trace chooses the one that is described.

With --check it says instead in one word how far a comparison can rely on the recording. Complete:
nothing is known to be missing, and nothing was changed. Repaired: calls have an end, a caller or a
time that was found by rule. Lossy: parts of the run are missing. The reasons follow, each kind with
its first example. JSON always has both, the verdict as "trust".`,
		Example: `  diptych info trace.json.gz
  diptych info --json run.data.tar.gz | jq .threads
  diptych info --check before.json after.json`,
		Args: traces(1, anyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range args {
				tr, err := readAlone(cmd, path, opts)
				if err != nil {
					return err
				}
				in := report.NewInfo(input.Name(path), tr)
				switch {
				case asJSON:
					err = writeJSON(cmd.OutOrStdout(), in)
				case check:
					err = writeCheck(cmd.OutOrStdout(), in)
				default:
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
	cmd.Flags().BoolVar(&check, "check", false, "say how far a comparison can rely on the recording")
	loadFlags(cmd, &opts)
	return cmd
}

// totals says how much a profile has of each sample type, first of the one that is compared.
func totals(in *report.Info) string {
	var list []string
	for _, of := range in.SampleTypes {
		value := geom.FormatValue(float64(of.Total), in.Unit)
		if of.Name != "" && of.Name != in.Unit {
			value += " " + of.Name
		}
		list = append(list, value)
	}
	return strings.Join(list, ", ")
}

// writeCheck writes the verdict on a recording and what it rests on.
func writeCheck(out io.Writer, in *report.Info) error {
	w := newEntries(out)
	escape.Printf(w, "file\t%s\nverdict\t%s\nmeaning\t%s\n", in.File, in.Trust.Verdict, in.Trust.Meaning)
	for _, class := range []struct {
		title string
		list  []report.InfoDiag
	}{{"missing", in.Trust.Losses}, {"clock", in.Trust.Clock}, {"repaired", in.Trust.Repairs},
		{"noted", in.Trust.Notes}} {
		for _, d := range class.list {
			escape.Printf(w, "%s\t%d× %s: %s\n\t%s\n", class.title, d.Count, d.Code,
				trace.Code(d.Code).Meaning(), d.Example)
		}
	}
	return w.Flush()
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
	w := newEntries(out)
	unit := in.Unit
	escape.Printf(w, "file\t%s\n", in.File)
	escape.Printf(w, "format\t%s\n", in.Format)
	if in.Tool != "" {
		escape.Printf(w, "tool\t%s\n", in.Tool)
	}
	if len(in.Options) > 0 {
		escape.Printf(w, "recorded\twith %s\n", pair.OptionList(in.Options))
	}
	if len(in.SampleTypes) == 0 {
		escape.Printf(w, "duration\t%s\n", geom.FormatValue(float64(in.DurationNs), unit))
	} else {
		escape.Printf(w, "total\t%s\n", totals(in))
	}
	noun := trace.Timeline.CallNoun()
	if len(in.SampleTypes) > 0 {
		noun = trace.Profile.CallNoun()
	}
	escape.Printf(w, "%ss\t%d of %s, %s deep\n", noun, in.Calls,
		plural.Of(in.Functions, "function"), plural.Of(int(in.MaxDepth), "level"))
	if in.CountedCalls > 0 {
		escape.Printf(w, "counted\t%s by the recorder\n", plural.Of(in.CountedCalls, "call"))
	}
	escape.Printf(w, "threads\t%s\n", threadCounts(in))
	if n := sampledThreads(in); n > 0 {
		escape.Printf(w, "sampled\t%s: a call is a run of stack samples that agree on it, so counts "+
			"and times are estimates\n", plural.Of(n, "thread"))
	}
	escape.Printf(w, "blocking\t%s, %s\n", plural.Of(in.Objects, "object"),
		plural.Of(in.Correspondences, "stated correspondence"))
	if in.Links > 0 {
		escape.Printf(w, "flows\t%d, %d of them within one thread\n", in.Links, in.LinksWithin)
	}
	if in.Instants > 0 {
		escape.Printf(w, "instants\t%d: %s\n", in.Instants, counted(in.InstantNames))
	}
	bytes := func(n float64) string { return geom.FormatValue(n, "bytes") }
	escape.Printf(w, "memory\t%s a %s (%s columns, %s details, %s names)\n",
		bytes(in.Memory.BytesPerCall), noun, bytes(float64(in.Memory.Columns)),
		bytes(float64(in.Memory.Details)), bytes(float64(in.Memory.Names)))
	for _, d := range in.Diagnostics {
		escape.Printf(w, "%s\t%d× %s\n", d.Code, d.Count, d.Example)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := writeRequests(out, in); err != nil {
		return err
	}
	fmt.Fprintln(out)
	w = newTable(out)
	escape.Printf(w, "thread\t%ss\tlevels\tstart\tend\twaits\treleases\tio\t  \tname\n", noun)
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

// mostNames is how many names of instants the table lists; --json lists all.
const mostNames = 6

// counted lists names with how often they occur.
func counted(names []report.InfoCount) string {
	var all []string
	for i, n := range names {
		if i == mostNames {
			all = append(all, fmt.Sprintf("%d more names", len(names)-i))
			break
		}
		all = append(all, fmt.Sprintf("%s %d", n.Name, n.Count))
	}
	return strings.Join(all, ", ")
}

// sampledThreads returns how many threads have calls that were inferred from samples.
func sampledThreads(in *report.Info) (n int) {
	for _, th := range in.Threads {
		if th.Sampled {
			n++
		}
	}
	return n
}

// mostRequests is how many distributed traces the table lists; --json lists all.
const mostRequests = 40

// writeRequests lists the distributed traces of a file that holds several.
func writeRequests(out io.Writer, in *report.Info) error {
	if len(in.Requests) < 2 {
		return nil
	}
	fmt.Fprintln(out)
	w := newTable(out)
	fmt.Fprintln(w, "trace\tstart\tduration\tspans\t  \troot")
	for i, r := range in.Requests {
		if i == mostRequests {
			escape.Printf(w, "… %d more\t\t\t\t\t\n", len(in.Requests)-i)
			break
		}
		shown := ""
		if r.Shown {
			shown = "  (shown)"
		}
		escape.Printf(w, "%s\t%s\t%s\t%d\t  \t%s: %s%s\n", r.ID,
			time.Unix(0, r.StartUnix).UTC().Format("2006-01-02 15:04:05.000"),
			geom.FormatValue(float64(r.DurationNs), in.Unit), r.Spans, r.Service, r.Operation, shown)
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
		text += " in " + plural.Of(in.Processes, "process", "processes")
	}
	if n := hosts(in); n > 0 {
		text += " on " + plural.Of(n, "host")
	}
	var others []string
	for _, k := range []struct {
		n         int
		one, many string
	}{
		{n[trace.Runtime.String()], "thread of the runtime", "threads of the runtime"},
		{n[trace.AsyncTrack.String()], "async track", "async tracks"},
		{n[trace.Samples.String()], "thread of samples of another", "threads of samples of others"},
		{n[trace.Sums.String()], "sum shown as a thread", "sums shown as threads"},
		{n[trace.SampleType.String()], "sample type shown as a thread", "sample types shown as threads"},
		{lanes, "further lane", "further lanes"},
	} {
		if k.n > 0 {
			others = append(others, plural.Of(k.n, k.one, k.many))
		}
	}
	if others != nil {
		text += ", beside " + strings.Join(others, " and ")
	}
	return text
}

// hosts returns the number of machines that threads are known to have run on.
func hosts(in *report.Info) int {
	names := map[string]bool{}
	for _, th := range in.Threads {
		names[th.Host] = true
	}
	delete(names, "")
	return len(names)
}
