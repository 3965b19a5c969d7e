package batch

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"

	"diptych/internal/output"
	"diptych/internal/progress"
)

// Merge writes the tables of the whole batch, and its totals, beside the parts. It reads the parts
// one after the other and a table at a time, so its time grows with the rows, and its memory with
// the functions that there are, not with the pairs. Nothing is written unless all parts are there
// and whole; else the error is *Incomplete or *Damaged. report is told of tables of parts.
//
// The totals are in totals.json, and all functions and findings that they count in
// totals-functions.parquet and totals-findings.parquet.
func Merge(ctx context.Context, d *Directory, report progress.Func) (*Totals, error) {
	missing, err := d.Missing()
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, &Incomplete{d, missing}
	}
	m := &merger{Directory: d, meter: progress.NewMeter(report, 0), tally: newTally()}
	defer m.discard()
	m.meter.Expect(int64(d.Parts() * len(Tables)))
	if err := m.all(ctx); err != nil {
		return nil, err
	}
	if len(m.damaged) > 0 {
		return nil, &Damaged{d, m.damaged}
	}
	if err := m.writeTotals(); err != nil {
		return nil, err
	}
	return &m.tally.Totals, m.commit()
}

// merger joins the parts of a batch.
type merger struct {
	*Directory
	meter   *progress.Meter
	tally   *tally
	files   []*output.File // written, without their names
	damaged []Fault
}

// all joins all tables.
func (m *merger) all(ctx context.Context) error {
	pairs := join[PairRow]{merger: m, table: "pairs", each: true, tally: m.tally.addPairs,
		number: func(r *PairRow) int64 { return r.Number }}
	functions := join[FunctionRow]{merger: m, table: "functions", tally: m.tally.addFunctions,
		number: func(r *FunctionRow) int64 { return r.Number }}
	findings := join[FindingRow]{merger: m, table: "findings", tally: m.tally.addFindings,
		number: func(r *FindingRow) int64 { return r.Number }}
	waits := join[WaitRow]{merger: m, table: "waits",
		number: func(r *WaitRow) int64 { return r.Number }}
	timeline := join[TimelineRow]{merger: m, table: "timeline",
		number: func(r *TimelineRow) int64 { return r.Number }}
	for _, table := range []func(context.Context) error{pairs.all, functions.all, findings.all,
		waits.all, timeline.all} {
		if err := table(ctx); err != nil {
			return err
		}
	}
	return nil
}

// join joins one table of all parts.
type join[T any] struct {
	*merger
	table  string
	number func(*T) int64 // of a row's pair
	each   bool           // each pair has exactly one row
	tally  func([]T)      // counts rows; may be nil
	to     *parquet.GenericWriter[T]
}

func (j *join[T]) all(ctx context.Context) error {
	f, err := output.Create(j.Merged(j.table))
	if err != nil {
		return err
	}
	j.files = append(j.files, f)
	j.to = newWriter[T](f, j.mark())
	defer func() { j.to = nil }() // it holds a group of rows and what the file says of all groups
	for part := range j.Parts() {
		if err := j.part(part); err != nil {
			return err
		}
		if err := j.meter.Add(ctx, 1); err != nil {
			return err
		}
	}
	return j.to.Close()
}

// part adds the rows of a part. It notes what is wrong with them; its error is that of writing.
func (j *join[T]) part(part int) error {
	path := j.Directory.table(part, j.table)
	from, to := j.span(part)
	last := int64(from)
	for rows, err := range readFile[T](path, j.mark()) {
		if err == nil {
			err = j.check(rows, &last, from, to)
		}
		if err != nil {
			j.damaged = append(j.damaged, Fault{part, path, output.Cause(err)})
			return nil
		}
		if j.tally != nil {
			j.tally(rows)
		}
		if len(j.damaged) > 0 {
			continue // the other parts are only checked
		}
		if _, err := j.to.Write(rows); err != nil {
			return err
		}
	}
	if j.each && last != int64(to) {
		j.damaged = append(j.damaged, Fault{part, path,
			fmt.Errorf("its rows end with pair %d, those of the part with %d", last, to)})
	}
	return nil
}

// check checks that rows are of a part's pairs, in their order; last is the pair of the row before.
func (j *join[T]) check(rows []T, last *int64, from, to int) error {
	for k := range rows {
		n := j.number(&rows[k])
		if n < *last || n <= int64(from) || n > int64(to) || j.each && n != *last+1 {
			return fmt.Errorf("a row of pair %d after one of pair %d, where pairs %d to %d belong",
				n, *last, from+1, to)
		}
		*last = n
	}
	return nil
}

// The totals.
const (
	totalsBy    = "totals.json"
	functionsBy = "totals-functions"
	findingsBy  = "totals-findings"
)

// writeTotals finishes the totals and writes them.
func (m *merger) writeTotals() error {
	t, functions, findings := &m.tally.Totals, m.tally.allFunctions(), m.tally.allFindings()
	t.FunctionCount, t.Functions = len(functions), functions[:min(len(functions), mostListed)]
	t.FindingCount, t.Findings = len(findings), findings[:min(len(findings), mostListed)]
	t.TooLarge = m.tally.tooLarge()
	if err := writeAll(m, functionsBy, functions); err != nil {
		return err
	}
	if err := writeAll(m, findingsBy, findings); err != nil {
		return err
	}
	return m.keep(filepath.Join(m.Path, totalsBy), func(w io.Writer) error {
		if err := json.MarshalWrite(w, t, json.Deterministic(true), jsontext.WithIndent("  ")); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\n")
		return err
	})
}

// writeAll writes a table of the totals.
func writeAll[T any](m *merger, table string, rows []T) error {
	return m.keep(m.Merged(table), func(to io.Writer) error {
		w := newWriter[T](to, m.mark())
		if _, err := w.Write(rows); err != nil {
			return err
		}
		return w.Close()
	})
}

// keep writes a file that gets its name with the others.
func (m *merger) keep(path string, content func(io.Writer) error) error {
	f, err := output.Create(path)
	if err != nil {
		return err
	}
	m.files = append(m.files, f)
	return content(f)
}

// commit gives the files their names.
func (m *merger) commit() error {
	for _, f := range m.files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// discard removes what has no name.
func (m *merger) discard() {
	for _, f := range m.files {
		f.Discard()
	}
}
