package words

import (
	"fmt"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
)

// CallLine describes a call in one line: function, package, duration, and how many calls are below.
func CallLine(st *session.State, t session.Target) string {
	th, i := st.Call(t)
	tr := st.Sides[t.Side].Trace
	fn, unit := tr.FunctionOf(th, i), string(tr.Unit)
	parts := []string{fn.Name}
	if fn.Package != "" && !strings.HasPrefix(fn.Name, fn.Package) {
		parts = append(parts, fn.Package)
	}
	parts = append(parts, geom.FormatValue(float64(th.Dur(i)), unit))
	if n := int(th.Size(i)) - 1; n > 0 {
		parts = append(parts, kit.Plural(n, tr.Kind.CallNoun())+" below")
	}
	return strings.Join(parts, "  ·  ")
}

// Calls says how many calls a trace has: those that the recorder counted, or else those that it
// holds.
func Calls(tr *trace.Trace) string {
	counted := 0
	for _, c := range tr.CallCounts {
		counted += int(c.Calls)
	}
	if counted > 0 {
		return kit.Plural(counted, "call")
	}
	return kit.Plural(tr.Calls(), tr.Kind.CallNoun())
}

// Visible tells what the two sides show.
func Visible(st *session.State) string {
	var parts []string
	for i := range st.Sides {
		sd := &st.Sides[i]
		if sd.Trace == nil {
			continue
		}
		parts = append(parts, fmt.Sprintf("%c %s", "AB"[i],
			geom.FormatValue(sd.Seen().Len(), string(sd.Trace.Unit))))
	}
	if len(parts) == 0 {
		return ""
	}
	return "showing " + strings.Join(parts, "  ")
}

// JobText names a job and says how far it has got.
func JobText(j *session.Job) string {
	if j.Waits() {
		return j.Label + ": " + NoWriter
	}
	if p := j.Progress(); p >= 0 {
		return fmt.Sprintf("%s  %d %%", j.Label, int(p*100))
	}
	return j.Label
}

// TipLines is what the tooltip says of a call or of a run of narrow ones.
func TipLines(st *session.State, hit matches.Hit) []string {
	tr := st.Sides[hit.Side].Trace
	th, unit := tr.Threads[hit.Thread], string(tr.Unit)
	value := func(ns int64) string { return geom.FormatValue(float64(ns), unit) }
	i := hit.Call
	fn := tr.FunctionOf(th, i)
	lines := []string{fn.Name, value(th.Dur(i)) + ", self " + value(th.Self(i)) +
		At(st, ", ", th.Start(i))}
	if fn.Package != "" {
		lines = append(lines, fn.Package)
	}
	for _, b := range th.BlocksOf(i) {
		lines = append(lines, Blocking(tr, th, b))
	}
	if args := th.Args(i); args != "" {
		lines = append(lines, args)
	}
	if hit.Aggregate && hit.To-hit.From > 1 {
		lines = append(lines, kit.Plural(hit.To-hit.From, tr.Kind.CallNoun())+" here are too narrow to draw; zoom in")
	}
	return lines
}

// Blocking says in words how a call of a thread blocks, and on what.
func Blocking(tr *trace.Trace, th *trace.Thread, b trace.Block) string {
	var names []string
	for _, o := range th.ObjectsIn(b.Objects) {
		names = append(names, tr.Objects[o].Name)
	}
	what := [...]string{trace.Wait: "waits", trace.Release: "releases", trace.IO: "does I/O"}[b.Kind]
	if len(names) > 0 {
		what += " on " + strings.Join(names, ", ")
	}
	return what
}

// StartOf writes when a call starts; "" in a profile.
func StartOf(st *session.State, t session.Target) string {
	th, i := st.Call(t)
	return At(st, "", th.Start(i))
}

// Problems counts what the panel lists.
func Problems(st *session.State) int {
	n := len(st.Faults) + len(st.Damaged)
	if st.Apart != nil {
		n++
	}
	if st.Pair != nil && st.Pair.Recorded().Differ() {
		n++
	}
	for i := range st.Sides {
		if st.Sides[i].Err != nil {
			n++
		}
		if t := st.Sides[i].Trace; t != nil {
			n += len(t.Diagnostics)
		}
	}
	return n
}
