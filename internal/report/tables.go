package report

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"diptych/internal/align"
	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Tables are CSV (RFC 4180) with a line of column names, those of the JSON objects. Times are in
// ns; in profiles, columns called Ns are in the profile's unit. A value that does not exist is
// empty.

// table writes the rows of one; it keeps the first error.
type table struct {
	*csv.Writer
	row []string
	err error
}

// newTable begins a table.
func newTable(w io.Writer, columns ...string) *table {
	t := &table{Writer: csv.NewWriter(w)}
	t.UseCRLF = true
	t.text(columns...)
	t.end()
	return t
}

// text adds cells that hold text from a file, which no spreadsheet must compute.
func (t *table) text(cells ...string) {
	for _, c := range cells {
		t.row = append(t.row, escape.Cell(c))
	}
}

func (t *table) ints(cells ...int64) {
	for _, n := range cells {
		t.row = append(t.row, strconv.FormatInt(n, 10))
	}
}

func (t *table) floats(cells ...float64) {
	for _, x := range cells {
		t.row = append(t.row, strconv.FormatFloat(x, 'g', -1, 64))
	}
}

// optional adds a text that may be missing.
func (t *table) optional(s *string) {
	if s == nil {
		t.text("")
	} else {
		t.text(*s)
	}
}

// end ends a row.
func (t *table) end() {
	if err := t.Write(t.row); t.err == nil {
		t.err = err
	}
	t.row = t.row[:0]
}

// done writes what is left.
func (t *table) done() error {
	t.Flush()
	if t.err == nil {
		t.err = t.Error()
	}
	return t.err
}

// WriteFunctions writes the function time difference table as CSV.
func WriteFunctions(w io.Writer, rows []AlignFunction) error {
	t := newTable(w, "name", "pairs", "plusCount", "plusNs", "minusCount", "minusNs", "onlyA",
		"onlyB", "onlyANs", "onlyBNs")
	for _, f := range rows {
		t.text(f.Name)
		t.ints(f.Pairs, f.PlusCount, f.PlusNs, f.MinusCount, f.MinusNs, f.OnlyA, f.OnlyB, f.OnlyANs,
			f.OnlyBNs)
		t.end()
	}
	return t.done()
}

// WritePairs writes the metrics of thread pairs as CSV.
func WritePairs(w io.Writer, pairs []AlignPair) error {
	t := newTable(w, "a", "b", "m", "n", "equal", "different", "gapA", "gapB", "score", "scoreMax",
		"scoreMin", "ratio", "similarity", "dice", "skewEndNs")
	for _, p := range pairs {
		t.optional(p.A)
		t.optional(p.B)
		t.ints(p.M, p.N, p.Equal, p.Different, p.GapA, p.GapB, p.Score, p.ScoreMax, p.ScoreMin)
		t.floats(p.Ratio, p.Similarity, p.Dice)
		t.ints(p.SkewEndNs)
		t.end()
	}
	return t.done()
}

// WriteCalls writes as CSV what WriteDump writes as JSON lines, row by row, with the threads, the
// functions, the real times on both sides and the virtual ones.
func WriteCalls(ctx context.Context, w io.Writer, results []*align.Result,
	report progress.Func) error {
	t := newTable(w, "threadA", "threadB", "state", "a", "b", "parent", "functionA", "functionB",
		"startANs", "durationANs", "startBNs", "durationBNs", "virtualStartNs", "virtualEndNs")
	p := newPass(ctx, results, 1, report)
	rows := 0
	for _, r := range results {
		v, err := r.Virtual(ctx)
		if err != nil {
			return err
		}
		first := rows
		for n := range r.Walk {
			t.call(v, n, first)
			rows++
			if err := p.step(callsIn(n)); err != nil {
				return err
			}
			if t.err != nil {
				return t.err
			}
		}
	}
	return t.done()
}

// call writes a row; rows of its thread pair count from first.
func (t *table) call(v *align.Virtual, n align.Node, first int) {
	t.optional(threadID(v.Result, pair.A))
	t.optional(threadID(v.Result, pair.B))
	t.text(n.State.String())
	calls := [2]int32{n.A, n.B}
	for _, i := range calls {
		t.has(i, int64(i))
	}
	if n.Parent >= 0 {
		n.Parent += first
	}
	t.ints(int64(n.Parent))
	for s, i := range calls {
		if i == align.None {
			t.text("")
		} else {
			t.text(v.Pair.Names[v.ID(pair.Side(s), int(i))])
		}
	}
	side := pair.A
	for s, i := range calls {
		if i == align.None {
			t.text("", "")
		} else {
			side = pair.Side(s)
			t.ints(v.Threads[s].Start[i], v.Threads[s].Dur(int(i)))
		}
	}
	t.ints(v.Start[side][calls[side]], v.End[side][calls[side]])
	t.end()
}

// has adds a number if call i exists.
func (t *table) has(i int32, n int64) {
	if i == align.None {
		t.text("")
	} else {
		t.ints(n)
	}
}

// callsIn returns how many calls a node stands for.
func callsIn(n align.Node) int64 {
	if n.A == align.None || n.B == align.None {
		return 1
	}
	return 2
}
