package cli

import (
	"cmp"
	"io"
	"slices"

	"diptych/internal/escape"
	"diptych/internal/report"
)

// writeWaitsPair prints the waits of two traces, compared.
func writeWaitsPair(out io.Writer, r *report.WaitsPair, words waitWords) error {
	writeCompared(out, r.Requests)
	w := newWaitTables(out, words.unit)
	w.threadPairs(r)
	head := "waiter\treleaser\tobject\tcount A\tcount B\twaits A\twaits B\tB − A\t"
	w.rows(len(r.Table), head, func(i int) {
		t := &r.Table[i]
		w.row("", t.Waiter, cmp.Or(t.Releaser, "–"), objectCell(t), t.Count.A, t.Count.B,
			w.value(t.WaitNs.A), w.value(t.WaitNs.B), w.signed(t.DeltaNs))
	})
	if r.Released.A+r.Passed.A+uint64(r.Unreleased.A)+
		r.Released.B+r.Passed.B+uint64(r.Unreleased.B) == 0 {
		escape.Printf(w, "%s\n", words.none)
		return w.Flush()
	}
	w.row("", "", "A", "B")
	w.row("", "correspondences", r.Correspondences.A, r.Correspondences.B)
	w.row("", "waits released", r.Released.A, r.Released.B)
	w.row("", "passed", r.Passed.A, r.Passed.B)
	w.row("", "never ended", r.Unreleased.A, r.Unreleased.B)
	w.row("", "deadlocks", r.Deadlocks.A, r.Deadlocks.B)
	w.row("", "critical path", w.value(r.CriticalPathNs.A), w.value(r.CriticalPathNs.B))
	w.row("", "of it unexplained waiting", w.value(r.CriticalWaitNs.A), w.value(r.CriticalWaitNs.B))
	w.row("", "it begins at", w.value(r.CriticalFromNs.A), w.value(r.CriticalFromNs.B))
	w.row("", "it ends at", w.value(r.CriticalToNs.A), w.value(r.CriticalToNs.B))
	return w.Flush()
}

// threadPairs lists the pairs of threads of which at least one waits or releases.
func (w *waitTables) threadPairs(r *report.WaitsPair) {
	blocks := func(waits, releases *uint64) bool { return waits != nil && *waits+*releases > 0 }
	left := 0
	list := slices.DeleteFunc(slices.Clone(r.Threads), func(t report.WaitThreads) bool {
		if !r.Runtime && (ofRuntime(t.Kind.A) || ofRuntime(t.Kind.B)) {
			left++
			return true
		}
		return !blocks(t.Waits.A, t.Releases.A) && !blocks(t.Waits.B, t.Releases.B)
	})
	head := "A\tB\twaits A\twaits B\tio A\tio B\toff cpu A\toff cpu B\t  \tname"
	w.rows(len(list), head, func(i int) {
		t := &list[i]
		w.row(*cmp.Or(t.Name.A, t.Name.B), orDash(t.ID.A), orDash(t.ID.B),
			w.valueOf(t.WaitNs.A), w.valueOf(t.WaitNs.B), w.valueOf(t.IONs.A), w.valueOf(t.IONs.B),
			w.valueOf(t.OffCPUNs.A), w.valueOf(t.OffCPUNs.B))
	})
	w.leftOut(left)
}

// objectCell names an object by its kind and its names on both sides.
func objectCell(t *report.WaitRow) string {
	a, b := t.Object.A, t.Object.B
	switch {
	case a == nil && b == nil:
		return "–"
	case a != nil && b != nil && *a == *b:
		return t.Kind + " " + *a
	}
	return t.Kind + " " + orDash(a) + " / " + orDash(b)
}
