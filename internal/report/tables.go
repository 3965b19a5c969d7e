package report

import (
	"context"
	"io"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Tables of aligned threads. This file says what their columns are called and what they hold; the
// rows are written as CSV (tablecsv.go) or as Parquet (tableparquet.go), under the same names.
// Unlike the keys of JSON objects, which scripts rely on, the columns are named for what they mean:
// a call without a partner is onlyA or onlyB, not a gap in the other side. Columns called Ns are in
// ns, in profiles in the profile's unit.

// Table is a table that aligned threads can be written as.
type Table struct {
	Name, About string
	Columns     []Column
	fill        func(context.Context, *rows, []*align.Result, progress.Func) error
}

// Column is one of a table.
type Column struct {
	Name, About string
	kind        kind
	optional    bool // a cell may be empty
}

// kind is what the cells of a column hold.
type kind uint8

const (
	textual    kind = iota // text from a trace, nearly always repeated in other rows
	numeric                // an int64
	fractional             // a float64
)

// Tables are all tables.
var Tables = []*Table{&functionTable, &pairTable, &callTable}

// TableNamed returns the table of that name, or nil.
func TableNamed(name string) *Table {
	for _, t := range Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// WriteCSV writes the table of aligned threads as CSV (RFC 4180) with a line of column names. A
// cell without a value is empty.
func (t *Table) WriteCSV(ctx context.Context, w io.Writer, results []*align.Result,
	report progress.Func) error {
	return t.write(ctx, newCSV(w), results, report)
}

// WriteParquet writes the table of aligned threads as one Parquet file. Rows are written in groups
// of rowsPerGroup, so memory does not depend on how many there are.
func (t *Table) WriteParquet(ctx context.Context, w io.Writer, results []*align.Result,
	report progress.Func) error {
	return t.write(ctx, newParquet(w, t), results, report)
}

func (t *Table) write(ctx context.Context, to rowWriter, results []*align.Result,
	report progress.Func) error {
	if err := to.begin(t); err != nil {
		return err
	}
	if err := t.fill(ctx, &rows{to: to}, results, report); err != nil {
		return err
	}
	return to.end()
}

// rowWriter writes rows in the form of a file. Cells are in the order of the columns, and the
// writer's only until row returns.
type rowWriter interface {
	begin(*Table) error
	row([]cell) error
	end() error
}

// cell is one of a row. Which field holds the value follows from the column's kind.
type cell struct {
	kind  kind
	empty bool
	text  string
	n     int64
	x     float64
}

// rows gathers the cells of a row and hands it on; it keeps the first error.
type rows struct {
	to    rowWriter
	cells []cell
	err   error
}

func (r *rows) text(texts ...string) {
	for _, s := range texts {
		r.cells = append(r.cells, cell{text: s})
	}
}

func (r *rows) ints(numbers ...int64) {
	for _, n := range numbers {
		r.cells = append(r.cells, cell{kind: numeric, n: n})
	}
}

func (r *rows) floats(numbers ...float64) {
	for _, x := range numbers {
		r.cells = append(r.cells, cell{kind: fractional, x: x})
	}
}

// none adds so many cells without a value.
func (r *rows) none(cells int) {
	for range cells {
		r.cells = append(r.cells, cell{empty: true})
	}
}

// optional adds a text that may be missing.
func (r *rows) optional(s *string) {
	if s == nil {
		r.none(1)
	} else {
		r.text(*s)
	}
}

// index adds an index, or nothing if it is negative.
func (r *rows) index(i int64) {
	if i < 0 {
		r.none(1)
	} else {
		r.ints(i)
	}
}

// end ends a row.
func (r *rows) end() error {
	if r.err == nil {
		r.err = r.to.row(r.cells)
	}
	r.cells = r.cells[:0]
	return r.err
}

func text(name, about string) Column   { return Column{Name: name, About: about} }
func number(name, about string) Column { return Column{Name: name, About: about, kind: numeric} }
func share(name, about string) Column  { return Column{Name: name, About: about, kind: fractional} }

// maybe marks a column in which cells may be empty.
func maybe(c Column) Column {
	c.optional = true
	return c
}

var functionTable = Table{Name: "functions",
	About: "where time was gained and lost, by function",
	Columns: []Column{
		text("function", "its name, by which both traces are compared"),
		number("pairs", "pairs of calls of this function, one on each side"),
		number("lessA", "pairs whose call takes less time in A"),
		number("lessANs", "how much less, in all"),
		number("moreA", "pairs whose call takes more time in A"),
		number("moreANs", "how much more, in all"),
		number("onlyA", "calls that only A has"),
		number("onlyB", "calls that only B has"),
		number("onlyANs", "time of the calls that only A has; of wrappers that are "+
			"passed through, self time"),
		number("onlyBNs", "the same for the calls that only B has")},
	fill: fillFunctions}

func fillFunctions(ctx context.Context, r *rows, results []*align.Result, _ progress.Func) error {
	differences, err := align.Differences(ctx, results)
	if err != nil {
		return err
	}
	for _, d := range differences {
		r.text(results[0].Pair.Names[d.ID])
		r.ints(d.Pairs, d.PlusCount, d.PlusNs, d.MinusCount, d.MinusNs, d.OnlyA, d.OnlyB, d.OnlyANs,
			d.OnlyBNs)
		if err := r.end(); err != nil {
			return err
		}
	}
	return nil
}

var pairTable = Table{Name: "pairs",
	About: "how alike the threads of each pair are",
	Columns: []Column{
		maybe(text("threadA", "id of the thread of A, empty if the thread of B has no partner")),
		maybe(text("threadB", "id of the thread of B, empty if the thread of A has no partner")),
		number("callsA", "calls of the thread of A"),
		number("callsB", "calls of the thread of B"),
		number("equal", "pairs of calls of the same function"),
		number("different", "pairs of calls of different functions"),
		number("onlyA", "calls that only A has"),
		number("onlyB", "calls that only B has"),
		number("score", "score of the alignment: 2·equal − different − onlyA − onlyB"),
		number("scoreMax", "score of two equal threads as long as the longer one"),
		number("scoreMin", "score of a flat alignment that pairs nothing equal"),
		share("ratio", "score / scoreMax"),
		share("similarity", "the ratio from −0.5 to 1 brought to 0 to 1"),
		share("dice", "2·equal / (callsA + callsB)"),
		number("longerANs", "how much longer A ran than B")},
	fill: fillPairs}

func fillPairs(ctx context.Context, r *rows, results []*align.Result, report progress.Func) error {
	p := newPass(ctx, results, 1, report)
	for _, result := range results {
		m := result.Metrics()
		r.optional(threadID(result, pair.A))
		r.optional(threadID(result, pair.B))
		r.ints(m.M, m.N, m.Equal, m.Different, m.GapB, m.GapA, m.Score(), m.ScoreMax(), m.ScoreMin())
		r.floats(m.Ratio(), m.Similarity(), m.Dice())
		r.ints(m.SkewEnd)
		if err := r.end(); err != nil {
			return err
		}
		if err := p.step(m.M + m.N); err != nil {
			return err
		}
	}
	return nil
}
