package texttest

import (
	"fmt"
	"strings"

	"diptych/internal/trace"
)

// Show writes a trace as text, a line each for threads, calls, and whatever else there is: shorter
// than its text form, for tables of tests.
func Show(tr *trace.Trace) string {
	var w strings.Builder
	for _, p := range tr.Processes {
		fmt.Fprintf(&w, "process %s %q %d\n", p.ID, p.Name, p.Sort)
	}
	kinds := [...]string{"", " region", " state", " event"}
	for _, th := range tr.Threads {
		fmt.Fprintf(&w, "thread %s %q process %d sort %d", th.ID, th.Name, th.Process, th.Sort)
		if th.Kind != trace.Ordinary {
			w.WriteString(" " + th.Kind.String())
		}
		w.WriteByte('\n')
		for i := range th.Len() {
			f := tr.FunctionOf(th, i)
			indent := strings.Repeat("  ", int(th.Depth(i))+1)
			fmt.Fprintf(&w, "%s%d-%d %s", indent, th.Start(i), th.End(i), f.Name)
			if f.Package != "" {
				fmt.Fprintf(&w, " [%s]", f.Package)
			}
			w.WriteString(kinds[f.Kind])
			if f.OffCPU() {
				w.WriteString(" " + f.Off.String())
			}
			if a := th.Args(i); a != "" {
				fmt.Fprintf(&w, " %s", a)
			}
			w.WriteByte('\n')
		}
		for _, i := range th.Instants {
			fmt.Fprintf(&w, "  at %d %s\n", i.At, tr.Functions[i.Fn].Name)
		}
	}
	for _, c := range tr.Correspondences {
		release, wait := tr.Threads[c.Release.Thread], tr.Threads[c.Wait.Thread]
		before := ""
		if c.Idle > 0 {
			before = fmt.Sprintf("the %d before ", c.Idle)
		}
		fmt.Fprintf(&w, "%d %s/%d releases %s%s/%d\n",
			c.At, release.ID, c.Release.Call, before, wait.ID, c.Wait.Call)
	}
	for _, l := range tr.Links {
		fmt.Fprintf(&w, "%d-%d %s/%d causes %s/%d\n", l.At, l.Until,
			tr.Threads[l.From.Thread].ID, l.From.Call, tr.Threads[l.To.Thread].ID, l.To.Call)
	}
	for _, c := range tr.Counters {
		fmt.Fprintf(&w, "counter %d %s %v %v\n", c.Process, c.Name, c.At, c.Value)
	}
	for _, d := range tr.Diagnostics {
		fmt.Fprintf(&w, "%s %d\n", d.Code, d.Count)
	}
	return w.String()
}
