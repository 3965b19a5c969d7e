package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"diptych/internal/geom"
	"diptych/internal/report"
)

// alignment is what is known of a pair, and the unit of its times.
type alignment struct {
	*report.Align
	unit string
}

// How many rows the tables list; --json lists all.
const (
	mostPairs     = 20
	mostFunctions = 20
	mostMoved     = 10
	mostColumns   = 12 // of the matrix, and rows
)

func (a *alignment) write(out io.Writer) error {
	for _, table := range []func(*tabwriter.Writer){a.pairTable, a.functionTable, a.movedTable,
		a.matrixTable} {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		table(w)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "engine %s, %d levels aligned, of which %d too large for the first "+
		"rule of ties\n", a.Engine, a.Ties.Levels, a.Ties.OverBudget)
	return err
}

func (a *alignment) value(ns int64) string { return geom.FormatValue(float64(ns), a.unit) }

func (a *alignment) pairTable(w *tabwriter.Writer) {
	fmt.Fprintln(w, "A\tB\tcalls A\tcalls B\tequal\tdifferent\tonly A\tonly B\tsimilarity\t"+
		"dice\tA − B\t")
	row := func(x, y string, f *report.AlignFigures) {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t%s\t\n", x, y, f.M, f.N, f.Equal,
			f.Different, f.GapB, f.GapA, f.Similarity, f.Dice, a.value(f.SkewEndNs))
	}
	for k := range a.Pairs {
		if k == mostPairs {
			fmt.Fprintf(w, "… %d more\t\t\t\t\t\t\t\t\t\t\t\n", len(a.Pairs)-k)
			break
		}
		p := &a.Pairs[k]
		row(orDash(p.A), orDash(p.B), &p.AlignFigures)
	}
	row("all", "", &a.Total)
	fmt.Fprintln(w)
}

func orDash(id *string) string {
	if id == nil {
		return "–"
	}
	return *id
}

func (a *alignment) functionTable(w *tabwriter.Writer) {
	fmt.Fprintln(w, "pairs\tA faster\tby\tA slower\tby\tonly A\tfor\tonly B\tfor\t  function")
	for k, f := range a.Functions {
		if k == mostFunctions {
			fmt.Fprintf(w, "\t\t\t\t\t\t\t\t\t  … %d more\n", len(a.Functions)-k)
			break
		}
		fmt.Fprintf(w, "%d\t", f.Pairs)
		for _, c := range [][2]int64{{f.PlusCount, f.PlusNs}, {f.MinusCount, f.MinusNs},
			{f.OnlyA, f.OnlyANs}, {f.OnlyB, f.OnlyBNs}} {
			if c[0] == 0 {
				fmt.Fprint(w, "\t\t")
			} else {
				fmt.Fprintf(w, "%d\t%s\t", c[0], a.value(c[1]))
			}
		}
		fmt.Fprintf(w, "  %s\n", f.Name)
	}
	fmt.Fprintln(w)
}

func (a *alignment) movedTable(w *tabwriter.Writer) {
	if len(a.Moved) == 0 {
		return
	}
	fmt.Fprintln(w, "moved calls\tthread of A\tcall\tthread of B\tcall\t")
	for k, m := range a.Moved {
		if k == mostMoved {
			fmt.Fprintf(w, "… %d more\t\t\t\t\t\n", len(a.Moved)-k)
			break
		}
		p := &a.Pairs[m.Pair]
		fmt.Fprintf(w, "%d\t%s\t%d\t%s\t%d\t\n", m.Size, orDash(p.A), m.A, orDash(p.B), m.B)
	}
	fmt.Fprintln(w)
}

func (a *alignment) matrixTable(w *tabwriter.Writer) {
	m := a.Matrix
	if m == nil {
		return
	}
	columns := min(len(m.B), mostColumns)
	fmt.Fprint(w, "similarity\t")
	for _, id := range m.B[:columns] {
		fmt.Fprintf(w, "%s\t", id)
	}
	fmt.Fprintln(w)
	for k, row := range m.Similarity[:min(len(m.A), mostColumns)] {
		fmt.Fprintf(w, "%s\t", m.A[k])
		for _, s := range row[:columns] {
			fmt.Fprintf(w, "%.3f\t", s)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "of %d × %d\t\n\n", len(m.A)+m.Omitted.A, len(m.B)+m.Omitted.B)
}
