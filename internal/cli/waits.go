package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/progress"
	"diptych/internal/report"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

func waitsCommand() *cobra.Command {
	var (
		opts    loading
		asJSON  bool
		runtime bool
	)
	cmd := &cobra.Command{
		Use:   "waits TRACE | A B",
		Short: "Say who waits on whom, for what and how long",
		Long: `Waits finds which calls wait and which calls on other threads release what they wait for
(SyncTrace): by the objects that both operate on, or as the recording states it. It prints how long
each thread waits, on which other thread, and for which object, waits that never ended, deadlocks,
and how long the critical path is. With two traces it prints what changed.

"Off cpu" is how long a thread had no processor although it did not wait: it was pre-empted, or
could run and had to queue. Threads of a language's runtime are left out unless --runtime asks for
them.`,
		Example: `  diptych waits app.data.tar.gz
  diptych waits before.gotrace after.gotrace
  diptych waits --json app.data.tar.gz | jq .pairs`,
		Args: traces(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				w, words, err := runWaitsPair(cmd, args, opts, runtime)
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(cmd.OutOrStdout(), w)
				}
				return writeWaitsPair(cmd.OutOrStdout(), w, words)
			}
			w, words, err := runWaits(cmd, args[0], opts, runtime)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), w)
			}
			return writeWaits(cmd.OutOrStdout(), w, words)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&runtime, "runtime", false,
		"count the threads of the language's runtime too, such as those of a garbage collector")
	identityFlags(cmd)
	sideLoadFlags(cmd, &opts)
	return cmd
}

// findWaits analyses a trace, with or without the runtime's threads.
func findWaits(cmd *cobra.Command, tr *trace.Trace, runtime bool) (*wait.Analysis, *wait.Path, error) {
	b := newBar(cmd.ErrOrStderr(), "waits")
	defer b.done()
	find := wait.Find
	if runtime {
		find = wait.FindAll
	}
	a, err := find(cmd.Context(), tr, b.report)
	if err != nil {
		return nil, nil, err
	}
	path, err := a.CriticalPath(cmd.Context())
	return a, path, err
}

// runWaits loads a trace and describes its waits.
func runWaits(cmd *cobra.Command, path string, opts loading, runtime bool) (*report.Waits, waitWords, error) {
	began := time.Now()
	tr, _, err := readSingle(cmd, path, opts)
	if err != nil {
		return nil, waitWords{}, err
	}
	loaded := time.Now()
	a, critical, err := findWaits(cmd, tr, runtime)
	if err != nil {
		return nil, waitWords{}, err
	}
	w := report.NewWaits(a, critical)
	w.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return w, wordsOfWaits(tr.Kind == trace.Profile, tr.Unit), nil
}

// runWaitsPair loads two traces and describes the waits of both.
func runWaitsPair(cmd *cobra.Command, paths []string, opts loading,
	runtime bool) (*report.WaitsPair, waitWords, error) {
	began := time.Now()
	p, err := readPair(cmd, paths, opts)
	if err != nil {
		return nil, waitWords{}, err
	}
	loaded := time.Now()
	c, critical, err := compareWaits(cmd, p, runtime)
	if err != nil {
		return nil, waitWords{}, err
	}
	w := report.NewWaitsPair(c, critical)
	w.Requests = report.RequestsOf(p)
	w.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return w, wordsOfWaits(p.Profile(), p.A.Unit), nil
}

// compareWaits analyses both traces at once, with or without the runtime's threads.
func compareWaits(cmd *cobra.Command, p *pair.Pair,
	runtime bool) (c *wait.Comparison, critical [2]*wait.Path, err error) {
	b := newBar(cmd.ErrOrStderr(), "waits")
	defer b.done()
	find := wait.FindBoth
	if runtime {
		find = wait.FindAllBoth
	}
	sides, err := find(cmd.Context(), p.A, p.B, b.report)
	if err != nil {
		return nil, critical, err
	}
	group, ctx := progress.NewGroup(cmd.Context())
	for s, a := range sides {
		group.Go(func() (err error) {
			critical[s], err = a.CriticalPath(ctx)
			return err
		})
	}
	c, err = wait.Compare(cmd.Context(), sides[pair.A], sides[pair.B], p)
	return c, critical, cmp.Or(err, group.Wait())
}

// mostWaits is how many rows a table of waits lists; --json lists all.
const mostWaits = 20

// waitWords are the unit of times, and what is printed where nobody waits: there is no critical
// path there either.
type waitWords struct{ unit, none string }

const (
	noWaits      = "no call is known to wait; --rules names further functions that do"
	profileWaits = "a profile does not tell who waits on whom"
)

func wordsOfWaits(profile bool, unit trace.Unit) waitWords {
	if profile {
		return waitWords{string(unit), profileWaits}
	}
	return waitWords{string(unit), noWaits}
}

// waitTables writes tables of waits, whose times are in unit.
type waitTables struct {
	*tabwriter.Writer
	unit string
}

func newWaitTables(out io.Writer, unit string) *waitTables {
	return &waitTables{newTable(out), unit}
}

func (w *waitTables) value(ns int64) string { return geom.FormatValue(float64(ns), w.unit) }

func (w *waitTables) signed(ns int64) string { return signed(float64(ns), w.unit) }

// valueOf formats a time that may be missing.
func (w *waitTables) valueOf(ns *int64) string {
	if ns == nil {
		return "–"
	}
	return w.value(*ns)
}

// row writes cells, and after them the row's name if it has one.
func (w *waitTables) row(name string, cells ...any) {
	for _, c := range cells {
		escape.Printf(w, "%v\t", c)
	}
	if name != "" {
		escape.Printf(w, "  \t%s", name)
	}
	fmt.Fprintln(w)
}

// rows writes a table's head, its first rows and how many more there are.
func (w *waitTables) rows(n int, head string, row func(i int)) {
	if n == 0 {
		return
	}
	escape.Printf(w, head+"\n")
	for i := range min(n, mostWaits) {
		row(i)
	}
	if n > mostWaits {
		columns := strings.Count(head, "\t")
		escape.Printf(w, "… %d more"+strings.Repeat("\t", columns)+"\n", n-mostWaits)
	}
	fmt.Fprintln(w)
}

// writeWaits prints the waits of one trace.
func writeWaits(out io.Writer, r *report.Waits, words waitWords) error {
	w := newWaitTables(out, words.unit)
	w.threads(r)
	w.pairs(r)
	w.objects(r)
	if err := w.Flush(); err != nil {
		return err
	}
	out = sentences(out)
	if r.Released+r.Passed+uint64(r.Unreleased) == 0 {
		_, err := escape.Printf(out, "%s\n", words.none)
		return err
	}
	escape.Printf(out, "%s, %d of them stated by the recording\n",
		plural.Of(r.Correspondences, "correspondence"), r.Stated)
	escape.Printf(out, "waits: %d released, %d passed without a release, %d never ended\n",
		r.Released, r.Passed, r.Unreleased)
	w.unending(out, r)
	for _, d := range r.Deadlocks {
		var circle []string
		for _, s := range d {
			circle = append(circle, fmt.Sprintf("thread %s waits for %s, which %s holds",
				s.Thread, s.Object, s.Holder))
		}
		escape.Printf(out, "deadlock: %s\n", strings.Join(circle, "; "))
	}
	lasts, n := w.value(r.CriticalPathNs), len(r.CriticalPath)
	if n > 0 {
		lasts += " from " + w.value(r.CriticalPath[0].FromNs) + " to " + w.value(r.CriticalPath[n-1].ToNs)
	}
	_, err := escape.Printf(out, "critical path: %s in %s, %s of it unexplained waiting\n", lasts, plural.Of(n, "step"),
		w.value(r.CriticalWaitNs))
	return err
}

// idle reports whether all that a thread does is to wait, and none of its waits ends.
func idle(t *report.WaitThread) bool {
	return t.Waits > 0 && t.Waits == t.Unreleased && t.Releases+t.IOs == 0
}

// threads lists the threads that block: those that wait longest first, idle ones last.
func (w *waitTables) threads(r *report.Waits) {
	list := slices.DeleteFunc(slices.Clone(r.Threads), func(t report.WaitThread) bool {
		return !r.Runtime && ofRuntime(&t.Kind) || t.Waits+t.Releases+t.IOs == 0 && t.OffCPUNs == 0
	})
	slices.SortStableFunc(list, func(x, y report.WaitThread) int {
		switch a, b := idle(&x), idle(&y); {
		case a && !b:
			return 1
		case b && !a:
			return -1
		}
		return cmp.Or(cmp.Compare(y.WaitNs, x.WaitNs), cmp.Compare(y.Releases, x.Releases))
	})
	head := "thread\twaits\tio\toff cpu\twait calls\treleases\tunreleased\t  \tname"
	w.rows(len(list), head, func(i int) {
		t := &list[i]
		w.row(t.Name, t.ID, w.value(t.WaitNs), w.value(t.IONs), w.value(t.OffCPUNs), t.Waits,
			t.Releases, t.Unreleased)
	})
	left := 0
	for i := range r.Threads {
		if !r.Runtime && ofRuntime(&r.Threads[i].Kind) {
			left++
		}
	}
	w.leftOut(left)
}

func ofRuntime(kind *string) bool { return kind != nil && *kind == trace.Runtime.String() }

// leftOut says how many threads the tables do not count.
func (w *waitTables) leftOut(n int) {
	if n > 0 {
		w.Flush()
		escape.Printf(w, "%s of the language's runtime not counted; --runtime counts them\n\n",
			plural.Of(n, "thread"))
		w.Flush()
	}
}

func (w *waitTables) pairs(r *report.Waits) {
	names := map[string]string{}
	for i := range r.Threads {
		names[r.Threads[i].ID] = r.Threads[i].Name
	}
	w.rows(len(r.Pairs), "waiter\treleaser\twaits\ttime\t  \tnames", func(i int) {
		p := &r.Pairs[i]
		w.row(names[p.Waiter]+" ← "+names[p.Releaser], p.Waiter, p.Releaser, p.Count,
			w.value(p.WaitNs))
	})
}

// objects lists the objects, the one that was waited for longest first.
func (w *waitTables) objects(r *report.Waits) {
	list := slices.Clone(r.Objects)
	slices.SortStableFunc(list, func(x, y report.WaitObject) int {
		return cmp.Compare(y.WaitNs+y.IONs, x.WaitNs+x.IONs)
	})
	head := "object\tkind\twaits\tby threads\treleases\tby threads\twaited\tio\t"
	w.rows(len(list), head, func(i int) {
		o := &list[i]
		w.row("", o.Name, o.Kind, o.Waits, o.Waiters, o.Releases, o.Releasers,
			w.value(o.WaitNs), w.value(o.IONs))
	})
}

// unending lists the waits that never ended, and names the threads that do nothing else.
func (w *waitTables) unending(out io.Writer, r *report.Waits) {
	only := map[string]bool{}
	var ids []string
	for i := range r.Threads {
		if t := &r.Threads[i]; idle(t) && (r.Runtime || !ofRuntime(&t.Kind)) {
			only[t.ID], ids = true, append(ids, t.ID)
		}
	}
	if len(ids) > 0 {
		defer escape.Printf(out, "  threads that do nothing else: %s\n", strings.Join(ids, ", "))
	}
	list := slices.DeleteFunc(slices.Clone(r.Unending), func(u report.Unending) bool {
		return only[u.Thread]
	})
	for i, u := range list {
		if i == mostWaits {
			escape.Printf(out, "  … %d more\n", len(list)-i)
			break
		}
		on := ""
		if len(u.Objects) > 0 {
			on = " for " + strings.Join(u.Objects, ", ")
		}
		escape.Printf(out, "  thread %s waits%s in %s from %s until the end, %s later\n", u.Thread, on,
			u.Function, w.value(u.StartNs), w.value(u.WaitedNs))
	}
}
