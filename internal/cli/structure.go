package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/report"
	"diptych/internal/structure"
	"diptych/internal/structure/source"
	"diptych/internal/trace"
)

// structureOptions are the flags of `diptych structure`.
type structureOptions struct {
	load         loading
	source, area string
	depth        atMost
	asJSON       bool
}

func structureCommand() *cobra.Command {
	var o structureOptions
	cmd := &cobra.Command{
		Use:   "structure A [B]",
		Short: "Say where in the code the calls happen: by package, file and function",
		Long: `Structure puts the functions of a trace into a tree of processes or modules,
packages, namespaces or folders, files or classes, and functions (ViewFusion). For each node it
prints the number of calls, the time in these functions themselves (self), their total time, in
which a call inside a call of the same node counts once, and the number of functions. With two traces
it prints both and what changed. The nodes with most self time come first; with two traces, those
whose self time changed most.

With --source the tree also has the files of a source folder that never ran, with their lines of
code; files that git ignores are left out.`,
		Example: `  diptych structure app.gotrace
  diptych structure --depth 3 before.json.gz after.json.gz
  diptych structure --source . --json app.gotrace | jq '.nodes[] | select(.kind == "file")'`,
		Args: traces(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return runStructure(cmd, args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.source, "source", "", "folder with the program's source code")
	f.Var(&o.depth, "depth", "levels to print; 0 for all (default: 2, with --json all)")
	f.StringVar(&o.area, "area", structure.EqualArea.String(),
		"what the areas of a treemap stand for: equal, lines, calls or self")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object")
	offer(cmd, "area", structure.AreaNames[:]...)
	sideLoadFlags(cmd, &o.load)
	identityFlags(cmd)
	return cmd
}

func runStructure(cmd *cobra.Command, paths []string, o structureOptions) error {
	area, ok := structure.ParseArea(o.area)
	if !ok {
		return usageError{fmt.Errorf("--area %s: want equal, lines, calls or self", o.area)}
	}
	if o.source != "" { // traces may take long to read
		if err := source.Check(o.source); err != nil {
			return err
		}
	}
	began := time.Now()
	p, err := readOneOrTwo(cmd, paths, o.load)
	if err != nil {
		return err
	}
	loaded := time.Now()
	t, err := findStructure(cmd, p, o.source)
	if err != nil {
		return err
	}
	if !o.asJSON {
		return writeStructure(cmd.OutOrStdout(), t, o.depth.or(2))
	}
	out := report.NewStructure(t, area, o.depth.or(0))
	out.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return writeJSON(cmd.OutOrStdout(), out)
}

// readOneOrTwo loads a pair, or one trace as a pair without B.
func readOneOrTwo(cmd *cobra.Command, paths []string, opts loading) (*pair.Pair, error) {
	if len(paths) == 2 {
		return readPair(cmd, paths, opts)
	}
	t, rules, err := readSingle(cmd, paths[0], opts)
	if err != nil {
		return nil, err
	}
	return pair.New(t, nil, rules), nil
}

// readSingle loads the only trace of a command that also takes two, and reads the identity flags.
func readSingle(cmd *cobra.Command, path string, opts loading) (*trace.Trace, pair.Rules, error) {
	rules, err := identityRules(cmd)
	if err = cmp.Or(err, opts.lacks(pair.B)); err != nil {
		return nil, rules, err
	}
	t, err := readAlone(cmd, path, opts.of(pair.A))
	return t, rules, err
}

// findStructure reads the source folder, if there is one, and makes the tree.
func findStructure(cmd *cobra.Command, p *pair.Pair, dir string) (*structure.Tree, error) {
	var o structure.Options
	if dir != "" {
		b := newBar(cmd.ErrOrStderr(), dir)
		defer b.done()
		folder, err := source.Read(cmd.Context(), dir, b.report)
		if err != nil {
			return nil, err
		}
		o.Source = folder
	}
	b := newBar(cmd.ErrOrStderr(), "structure")
	defer b.done()
	return structure.New(cmd.Context(), p, o, b.report)
}

// structureTable writes the table of a structure tree.
type structureTable struct {
	*tabwriter.Writer
	*structure.Tree
	unit  string
	two   bool
	depth int // levels to write, 0 for all
}

// mostChildren is how many children of a node the table lists; --json lists all.
const mostChildren = 20

func writeStructure(out io.Writer, t *structure.Tree, depth int) error {
	w := structureTable{newTable(out), t,
		string(trace.Nanoseconds), t.Sums[pair.B] != nil, depth}
	if t.Pair.A != nil {
		w.unit = string(t.Pair.A.Unit)
	}
	calls := t.CallNoun() + "s"
	head := []string{calls, "self", "total", "functions"}
	if w.two {
		head = []string{calls + " A", calls + " B", "self A", "self B", "B − A", "total A", "total B",
			"functions"}
	}
	if t.Source != nil {
		head = append(head, "lines")
	}
	escape.Printf(w, strings.Join(head, "\t")+"\t  \tnode\n")
	w.row(0, "(all)", 0)
	w.below(0, 1)
	if err := w.Flush(); err != nil {
		return err
	}
	return writeUnmapped(out, t)
}

// below writes the rows below a node. The depth is what the user asked for, and trees are not deep.
func (w *structureTable) below(node, level int) {
	if w.depth > 0 && level > w.depth {
		return
	}
	var kids []int
	w.Children(node, func(c int) bool { kids = append(kids, c); return true })
	slices.SortStableFunc(kids, func(x, y int) int { return cmp.Compare(w.weight(y), w.weight(x)) })
	for k, c := range kids {
		if k == mostChildren && len(kids) > mostChildren+1 {
			w.more(kids[k:], level)
			return
		}
		w.row(c, w.Label(c), level)
		w.below(w.ChainEnd(c), level+1)
	}
}

// more says how many nodes are left out.
func (w *structureTable) more(kids []int, level int) {
	columns := 4
	if w.two {
		columns = 8
	}
	if w.Source != nil {
		columns++
	}
	escape.Printf(w, strings.Repeat("\t", columns)+"  \t%s… %d more\n", indent(level), len(kids))
}

// weight is what the rows are sorted by.
func (w *structureTable) weight(node int) int64 {
	if !w.two {
		v, _ := w.Value(structure.BySelf, pair.A, node)
		return v
	}
	v, ok := w.Change(structure.BySelf, node)
	if !ok {
		return math.MinInt64
	}
	return max(v, -v)
}

func (w *structureTable) row(node int, name string, level int) {
	n := &w.Nodes[node]
	if w.two {
		escape.Printf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t", w.cell(structure.ByCalls, pair.A, node),
			w.cell(structure.ByCalls, pair.B, node), w.cell(structure.BySelf, pair.A, node),
			w.cell(structure.BySelf, pair.B, node), w.change(node),
			w.cell(structure.ByTotal, pair.A, node), w.cell(structure.ByTotal, pair.B, node))
	} else {
		escape.Printf(w, "%s\t%s\t%s\t", w.cell(structure.ByCalls, pair.A, node),
			w.cell(structure.BySelf, pair.A, node), w.cell(structure.ByTotal, pair.A, node))
	}
	escape.Printf(w, "%d\t", n.Functions)
	if w.Source != nil {
		if n.Lines < 0 {
			fmt.Fprint(w, "–\t")
		} else {
			escape.Printf(w, "%d\t", n.Lines)
		}
	}
	escape.Printf(w, "  \t%s%s\n", indent(level), shownName(name))
}

func indent(level int) string { return strings.Repeat("  ", max(level-1, 0)) }

// cell formats a metric of a node; a node without calls of that side has none.
func (w *structureTable) cell(m structure.Metric, s pair.Side, node int) string {
	v, ok := w.Value(m, s, node)
	switch {
	case !ok:
		return "–"
	case m == structure.ByCalls:
		return geom.FormatCount(uint64(v))
	}
	return geom.FormatValue(float64(v), w.unit)
}

// change formats the change of the self time.
func (w *structureTable) change(node int) string {
	v, ok := w.Change(structure.BySelf, node)
	if !ok {
		return "–"
	}
	return signed(float64(v), w.unit)
}

// widestName is how many characters of a name the table shows: names of C++ may be very long.
const widestName = 100

// shownName fits a name into a line.
func shownName(name string) string {
	if r := []rune(name); len(r) > widestName {
		return string(r[:widestName-1]) + "…"
	}
	return name
}

// writeUnmapped says how many functions are in no file of the source folder.
func writeUnmapped(out io.Writer, t *structure.Tree) error {
	if t.Source == nil {
		return nil
	}
	text := fmt.Sprintf("%d", t.Unmapped[pair.A])
	if t.Sums[pair.B] != nil {
		text = fmt.Sprintf("%d of A, %d of B", t.Unmapped[pair.A], t.Unmapped[pair.B])
	}
	_, err := escape.Printf(sentences(out), "\nsource folder %s: %s, %s; functions in none of them: %s\n",
		t.Source.Dir, plural.Of(len(t.Source.Files), "file"),
		plural.Of(t.Source.Lines(), "line"), text)
	return err
}
