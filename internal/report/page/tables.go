package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/account/explain"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/structure"
	"diptych/internal/trace"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
)

// Table is a table that the reader can sort and filter. Rows are in the order of Sorted.
type Table struct {
	ID, Title, About string
	Columns          []Column
	Rows             [][]Cell
	Sorted           int // the column that rows are sorted by, largest first
	More             int // rows that there is no room for
	Empty            string
	Facts            []string // in sentences, below the table

	// Drawn is the title of a last column with a picture for each row, "" for none.
	Drawn    string
	Drawings []template.HTML
}

// Column is a column of a table. Numbers stand to the right; Of is A or B if it is one side's. One
// of Size is sorted by the size of its numbers, whatever their sign: of B − A, what changed most
// comes first, whatever its direction.
type Column struct {
	Title  string
	Number bool
	Of     string
	Size   bool
}

// Sized names the columns that are sorted by size, for the reader to know.
func (t Table) Sized() string {
	var titles []string
	for _, c := range t.Columns {
		if c.Size {
			titles = append(titles, c.Title)
		}
	}
	return strings.Join(titles, ", ")
}

// Cell is a value as it is written, and as it is sorted: an empty Key sorts by the text.
type Cell struct{ Text, Key string }

// mostRows is how many rows a table has at most.
const mostRows = 1000

// none is written where there is no value.
const none = "–"

// words is a text, which may hold names from files.
func words(text string) Cell { return Cell{Text: escape.Line(text)} }

func missing() Cell { return Cell{none, "0"} }

func count(n int64) Cell {
	return Cell{geom.FormatCount(uint64(max(n, 0))), strconv.FormatInt(n, 10)}
}

// amount is a time, or what else the traces measure.
func (b *builder) amount(v int64) Cell { return Cell{b.value(v), strconv.FormatInt(v, 10)} }

// change is B − A.
func (b *builder) change(v int64) Cell {
	return Cell{explain.Signed(v, trace.Unit(b.unit)), strconv.FormatInt(v, 10)}
}

// sides are the columns of a quantity that both sides have.
func sides(title string) []Column {
	return []Column{ofSide(title+" A", "A"), ofSide(title+" B", "B"), difference(title + " B − A")}
}

func ofSide(title, side string) Column { return Column{Title: title, Number: true, Of: side} }

func number(title string) Column { return Column{Title: title, Number: true} }

func difference(title string) Column { return Column{Title: title, Number: true, Size: true} }

// Heading is the title, which breaks before "B − A" but not within it.
func (c Column) Heading() string { return strings.ReplaceAll(c.Title, "B − A", "B\u00a0−\u00a0A") }

// tables makes all tables.
func (b *builder) tables() error {
	tree, err := b.tree()
	if err != nil {
		return err
	}
	waits, paths, err := b.waits()
	if err != nil {
		return err
	}
	b.page.Tables = []Table{b.functionTable(), b.structureTable(tree), b.waitTable(waits, paths),
		b.threadTable(), b.problemTable()}
	for i := range b.page.Tables {
		t := &b.page.Tables[i]
		if t.More = max(len(t.Rows)-mostRows, 0); t.More > 0 {
			t.Rows = t.Rows[:mostRows]
		}
	}
	return nil
}

// sort sorts the rows by a column of numbers, largest first.
func (t *Table) sort(column int) {
	t.Sorted = column
	key := func(row []Cell) int64 {
		v, err := strconv.ParseInt(row[column].Key, 10, 64)
		if err != nil {
			return 0
		}
		if t.Columns[column].Size {
			return max(v, -v)
		}
		return v
	}
	slices.SortStableFunc(t.Rows, func(x, y []Cell) int { return cmp.Compare(key(y), key(x)) })
}

// functionTable lists the functions of both sides, those first whose self time changed most.
func (b *builder) functionTable() Table {
	noun, counted := b.pair.CallNoun(), [2][]int64{b.pair.CallCounts(pair.A), b.pair.CallCounts(pair.B)}
	if counted[pair.A] != nil && counted[pair.B] != nil {
		noun = trace.Timeline.CallNoun()
	} else {
		counted = [2][]int64{}
	}
	t := Table{ID: "functions", Title: "Functions",
		About: aboutNumbers[noun] + " itself, and what it takes with all it calls (a call inside a call " +
			"of the same function counts once).",
		Columns: slices.Concat([]Column{{Title: "Function"}}, sides(heading(noun)), sides("Self"),
			sides("Total")), Empty: "No function was called."}
	sums := b.countFunctions(counted)
	for id := range sums[pair.A] {
		if x, y := sums[pair.A][id], sums[pair.B][id]; x.calls+y.calls > 0 {
			t.Rows = append(t.Rows, b.amounts(x, y, words(Shortened(b.pair.Names[id]))))
		}
	}
	t.sort(6)
	return t
}

// aboutNumbers says what the numbers of a function are, by the noun of what they count.
var aboutNumbers = map[string]string{"call": "Calls, what each function takes",
	"stack": "How many different stacks end in each function, what it takes"}

// heading is the title of columns that count things.
func heading(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] + "s" }

// called is what the calls of a function come to on a side. A side where it has none lacks it.
type called struct{ calls, number, self, total int64 }

// amounts appends calls, self time and total time, each of A, of B and B − A, to the first cells of
// a row.
func (b *builder) amounts(x, y called, row ...Cell) []Cell {
	return slices.Concat(row, b.numbers(x, y), b.times(x.self, y.self, x, y),
		b.times(x.total, y.total, x, y))
}

// countFunctions adds up the calls of both sides, by identity. Their numbers are those that
// recorders have counted, if any.
func (b *builder) countFunctions(counted [2][]int64) (sums [2][]called) {
	for s := range sums {
		sd := pair.Side(s)
		of := trace.CountAs(b.ctx, b.pair.Trace(sd), b.pair.IDs(sd), len(b.pair.Names),
			func(thread int) bool { return b.pair.Counted(sd, thread) })
		sums[s] = make([]called, len(b.pair.Names))
		for id := range sums[s] {
			n := int64(of.Calls[id])
			sums[s][id] = called{n, n, of.Self[id], of.Total[id]}
			if counted[s] != nil {
				sums[s][id].number = counted[s][id]
			}
		}
	}
	return sums
}

// numbers are the numbers of calls of A and B, and B − A.
func (b *builder) numbers(inA, inB called) []Cell {
	cells := []Cell{count(inA.number), count(inB.number), changedCount(inB.number - inA.number)}
	for i, n := range []int64{inA.calls, inB.calls} {
		if n == 0 {
			cells[i] = missing()
		}
	}
	return cells
}

// times are a time of A and B, and B − A; a side without calls has none.
func (b *builder) times(x, y int64, inA, inB called) []Cell {
	cells := []Cell{b.amount(x), b.amount(y), b.change(y - x)}
	for i, n := range []int64{inA.calls, inB.calls} {
		if n == 0 {
			cells[i] = missing()
		}
	}
	return cells
}

// structureTable lists the packages, files and classes.
func (b *builder) structureTable(tree *structure.Tree) Table {
	t := Table{ID: "structure", Title: "Structure",
		About: "The same by package, file and class.",
		Columns: slices.Concat([]Column{{Title: "Place"}, {Title: "Kind"}, number("Functions")},
			sides(heading(tree.CallNoun())), sides("Self"), sides("Total")), Empty: "The names have no structure."}
	for i := 1; i < len(tree.Nodes); i++ {
		n := &tree.Nodes[i]
		if n.Kind == structure.Function || tree.ChainEnd(i) != i || tree.Gamma(i) == 0 {
			continue
		}
		var of [2]called
		for s := range of {
			if sum := tree.Sums[s][i]; sum.Calls > 0 {
				of[s] = called{sum.Calls, sum.Calls, sum.Self, sum.Total}
				if tree.Counted {
					of[s].number = sum.Counted
				}
			}
		}
		t.Rows = append(t.Rows, b.amounts(of[pair.A], of[pair.B], words(Shortened(tree.FullName(i))),
			words(n.Kind.String()), count(int64(n.Functions))))
	}
	t.sort(8)
	return t
}

// changedCount is B − A of a number of things.
func changedCount(v int64) Cell {
	size := max(v, -v)
	sign := ""
	switch {
	case v > 0:
		sign = "+"
	case v < 0:
		sign = "−"
	}
	return Cell{sign + geom.FormatCount(uint64(size)), strconv.FormatInt(v, 10)}
}

// waitTable lists who waited on whom.
func (b *builder) waitTable(w *table.Table, paths [2]*wait.Path) Table {
	t := Table{ID: "waits", Title: "Waits", About: "Who waited for what, on whom, and for how long.",
		Columns: slices.Concat([]Column{{Title: "Who waited ← who ended it"}, {Title: "For"}},
			sides("Waits"), sides("Time")),
		Empty: "No call is known to wait; further functions that do can be named in a file of rules."}
	if b.page.Profile {
		t.Empty = "A profile does not tell who waits on whom."
	}
	for _, r := range w.Rows(w.Usual(), table.ByChange) {
		n := [2]int64{int64(r.Count[pair.A]), int64(r.Count[pair.B])}
		t.Rows = append(t.Rows, []Cell{words(r.Title()), words(r.Object), count(n[pair.A]),
			count(n[pair.B]), changedCount(n[pair.B] - n[pair.A]), b.amount(r.WaitNs[pair.A]),
			b.amount(r.WaitNs[pair.B]), b.change(r.Delta())})
	}
	t.sort(7)
	if len(t.Rows) == 0 {
		return t
	}
	for s, p := range paths {
		side, a := pair.Side(s).String(), w.Sides[s]
		never := "every wait ended"
		if n := neverEnded(w, pair.Side(s)); n > 0 {
			never = geom.FormatThings(n, "wait") + " never ended"
		}
		deadlocks := "no deadlocks"
		if n := len(a.Deadlocks); n > 0 {
			deadlocks = geom.FormatThings(n, "deadlock")
		}
		from, to := p.Span()
		t.Facts = append(t.Facts, fmt.Sprintf("%s: the critical path is %s long (from %s to %s), of which "+
			"%s are waits that nothing explains; %s; %s.", side, b.value(p.Ns), b.value(from), b.value(to),
			b.value(p.WaitNs), deadlocks, never))
	}
	return t
}

// neverEnded counts the waits of a side that never ended.
func neverEnded(w *table.Table, s pair.Side) (n int) {
	for _, e := range w.Endless {
		if e.Side == s {
			n++
		}
	}
	return n
}

// threadTable lists the pairs of threads and how alike they are.
func (b *builder) threadTable() Table {
	t := Table{ID: "threads", Title: "Threads",
		About: fmt.Sprintf("Which threads were compared with each other. A %s is equal if it is paired "+
			"with a %[1]s of the same function.", b.page.Noun),
		Columns: slices.Concat([]Column{{Title: "Threads"}}, sides(heading(b.page.Noun)), []Column{
			number("Similarity"), number("Equal"), number("Different"), ofSide("Only in A", "A"),
			ofSide("Only in B", "B"), difference("Length B − A")}), Empty: "There are no threads."}
	for k, r := range b.Results {
		m := r.Metrics()
		similar := Cell{none, "-1"}
		if m.M > 0 && m.N > 0 {
			similar = Cell{fmt.Sprintf("%.3g %%", 100*m.Similarity()), fmt.Sprintf("%.6f", m.Similarity())}
		}
		t.Rows = append(t.Rows, []Cell{words(b.titles[k]), count(m.M), count(m.N),
			changedCount(m.N - m.M), similar, count(m.Equal), count(m.Different), count(m.GapB),
			count(m.GapA), b.change(-m.SkewEnd)})
	}
	t.sort(9)
	return t
}

// problemTable lists what was wrong with the files.
func (b *builder) problemTable() Table {
	t := Table{ID: "problems", Title: "Repairs",
		About: "What was wrong with the recordings, and what became of it. Nothing is dropped in silence.",
		Columns: []Column{{Title: "Side"}, {Title: "Problem"}, {Title: "What became of it"},
			number("Times"), {Title: "Example"}}, Empty: "Nothing was wrong with the files."}
	for _, s := range []pair.Side{pair.A, pair.B} {
		for _, d := range b.pair.Trace(s).Diagnostics {
			t.Rows = append(t.Rows, []Cell{words(s.String()), words(string(d.Code)),
				words(d.Code.Meaning()), count(int64(d.Count)), words(d.Example)})
		}
	}
	t.sort(3)
	return t
}
