package dock

import (
	"image/color"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/runs"
	"diptych/internal/session"
	"diptych/internal/stats"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// functionColumns makes the columns of a table of functions.
type functionColumns struct {
	st      *session.State
	counted *stats.Table
}

// measure is one of the times of a function, of which a side may have none.
type measure struct {
	name string
	of   func(a *stats.Amount) (ns int64, ok bool)
}

var (
	selfTime  = measure{"self", func(a *stats.Amount) (int64, bool) { return a.Self, a.Calls > 0 }}
	totalTime = measure{"total", func(a *stats.Amount) (int64, bool) { return a.Total, a.Calls > 0 }}
	waitTime  = measure{"waits", func(a *stats.Amount) (int64, bool) { return a.Wait, a.Wait > 0 }}
)

// list returns the columns, and which of them the table is sorted by until the user chooses.
func (x functionColumns) list(aligned []align.Difference) (columns []kit.Column, order int) {
	columns = []kit.Column{{Title: "function", Text: func(row int) string {
		return x.counted.Pair.Names[x.counted.Functions[row].ID]
	}}}
	order = 1
	columns = append(columns, x.times(selfTime)...)
	columns = append(columns, x.times(totalTime)...)
	columns = append(columns, x.calls()...)
	if x.counted.Sums[pair.A].Wait+x.counted.Sums[pair.B].Wait > 0 {
		columns = append(columns, x.times(waitTime)...)
	}
	if x.st.Both() && len(aligned) > 0 {
		columns = append(columns, x.alignment(aligned)...)
	}
	if all := x.st.ComparedRuns(); all != nil {
		columns = append(columns, x.allRuns(all)...)
	}
	return columns, order
}

// sides returns the sides that have a trace.
func (x functionColumns) sides() (sides []pair.Side) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if x.st.Loaded(side) {
			sides = append(sides, side)
		}
	}
	return sides
}

// times are the columns of a time: first the difference, which differences are looked for in.
func (x functionColumns) times(m measure) []kit.Column {
	unit := words.UnitOf(x.st)
	var columns []kit.Column
	if x.st.Both() {
		value := func(row int) (float64, bool) {
			f := &x.counted.Functions[row]
			a, inA := m.of(&f.Sides[pair.A])
			b, inB := m.of(&f.Sides[pair.B])
			return float64(b - a), inA || inB
		}
		columns = append(columns, kit.Column{Title: differenceTitle(m), Unit: unit, Size: true,
			About: m.name + " B − A", Number: value, Ink: changeInk(value),
			Format: func(v float64) string { return changeText(int64(v), unit) }})
	}
	for _, side := range x.sides() {
		columns = append(columns, kit.Column{Title: m.name + " " + side.String(), Unit: unit,
			Head:   sideHead(side),
			Format: func(v float64) string { return geom.FormatValue(v, unit) },
			Number: func(row int) (float64, bool) {
				ns, ok := m.of(&x.counted.Functions[row].Sides[side])
				return float64(ns), ok
			}})
	}
	return columns
}

// changeText writes a difference with its sign, if there is any.
func changeText(v int64, unit string) string {
	if v == 0 {
		return "0"
	}
	return kit.SignedValue(v, unit)
}

// differenceTitle names the column of B − A. That of the self time, which comes first, says no
// more.
func differenceTitle(m measure) string {
	if m.name == selfTime.name {
		return "B − A"
	}
	return m.name + " B − A"
}

// calls are the columns of the numbers of calls; of profiles those of stacks, after what their
// recorders have counted of calls.
func (x functionColumns) calls() (columns []kit.Column) {
	column := func(side pair.Side, noun string, of func(row int) int64) {
		columns = append(columns, kit.Column{Title: noun + "s " + side.String(), Head: sideHead(side),
			Format: formatCount, Number: func(row int) (float64, bool) {
				n := of(row)
				return float64(n), n > 0
			}})
	}
	for _, side := range x.sides() {
		if n := x.callCounts(side); n != nil {
			column(side, "call", func(row int) int64 { return n[x.counted.Functions[row].ID] })
		}
	}
	for _, side := range x.sides() {
		column(side, x.counted.Pair.Trace(side).Kind.CallNoun(), func(row int) int64 {
			return int64(x.counted.Functions[row].Sides[side].Calls)
		})
	}
	return columns
}

// callCounts returns how often functions of a side were called, by identity, as its recorder has
// counted it; nil if it has not, or if the table is of a range.
func (x functionColumns) callCounts(side pair.Side) []int64 {
	if x.counted.Window != stats.Everything(x.counted.Pair) {
		return nil
	}
	return x.counted.Pair.CallCounts(side)
}

// alignment are the columns of the function time difference table (Weber et al., 4.4): the pairs
// of calls in which A is faster (+) and what it gains there, those in which A is slower (−) and
// what it loses, and the calls that only one side has.
func (x functionColumns) alignment(list []align.Difference) []kit.Column {
	unit := words.UnitOf(x.st)
	byID := make([]*align.Difference, len(x.counted.Pair.Names))
	for k := range list {
		byID[list[k].ID] = &list[k]
	}
	number := func(of func(d *align.Difference) (n, shown int64)) func(row int) (float64, bool) {
		return func(row int) (float64, bool) {
			d := byID[x.counted.Functions[row].ID]
			if d == nil {
				return 0, false
			}
			n, value := of(d)
			return float64(value), n > 0
		}
	}
	count := func(title, about string, of func(d *align.Difference) (n, shown int64)) kit.Column {
		return kit.Column{Title: title, About: about, Number: number(of), Format: formatCount}
	}
	time := func(title, about string, of func(d *align.Difference) (n, shown int64)) kit.Column {
		return kit.Column{Title: title, About: about, Number: number(of), Unit: unit,
			Format: func(v float64) string { return geom.FormatValue(v, unit) }}
	}
	less, more := geom.Comparatives(unit)
	noun := x.counted.Pair.A.Kind.CallNoun() + "s"
	return []kit.Column{
		count("No.+", "paired "+noun+", "+more+" in B",
			func(d *align.Difference) (n, shown int64) { return d.PlusCount, d.PlusCount }),
		time("Δ+", "paired "+noun+", "+more+" in B by",
			func(d *align.Difference) (n, shown int64) { return d.PlusCount, d.PlusNs }),
		count("No.−", "paired "+noun+", "+less+" in B",
			func(d *align.Difference) (n, shown int64) { return d.MinusCount, d.MinusCount }),
		time("Δ−", "paired "+noun+", "+less+" in B by",
			func(d *align.Difference) (n, shown int64) { return d.MinusCount, d.MinusNs }),
		count("No. only A", noun+" that only A has",
			func(d *align.Difference) (n, shown int64) { return d.OnlyA, d.OnlyA }),
		time("only A", "sum of the "+noun+" that only A has",
			func(d *align.Difference) (n, shown int64) { return d.OnlyA, d.OnlyANs }),
		count("No. only B", noun+" that only B has",
			func(d *align.Difference) (n, shown int64) { return d.OnlyB, d.OnlyB }),
		time("only B", "sum of the "+noun+" that only B has",
			func(d *align.Difference) (n, shown int64) { return d.OnlyB, d.OnlyBNs }),
	}
}

// allRuns are how a function's time differs over all runs: the ratio and its interval, muted where
// the difference could be chance. Functions that take too little to be compared have none.
func (x functionColumns) allRuns(all *session.ComparedRuns) []kit.Column {
	of := func(row int) *runs.Change {
		return all.Function(x.counted.Pair.Names[x.counted.Functions[row].ID])
	}
	ink := func(k *kit.Kit, row int, ink kit.Style) kit.Style {
		switch change := of(row); {
		case change == nil:
		case change.Certainty == runs.Chance:
			ink.Color = k.Pal.Secondary
		case change.Delta.Value > 0:
			ink.Color = k.Pal.Past
		default:
			ink.Color = k.Pal.Future
		}
		return ink
	}
	return []kit.Column{
		{Title: "B / A", About: "B / A over all runs", Ink: ink, Format: geom.FormatRatio,
			Number: func(row int) (float64, bool) {
				change := of(row)
				return ratioOf(change), onBothSides(change)
			}},
		{Title: "interval", About: "interval of B / A over all runs", Ink: ink,
			Text: func(row int) string { return intervalWords(of(row)) }},
	}
}

func formatCount(v float64) string { return kit.Counted(uint64(v)) }

// sideHead is the colour of a column's title that belongs to a side.
func sideHead(side pair.Side) func(k *kit.Kit) color.NRGBA {
	return func(k *kit.Kit) color.NRGBA { return k.Pal.SideText(int(side)) }
}

// changeInk writes what is more in B in the colour of what is slower there, what is less in the
// other.
func changeInk(value func(row int) (float64, bool)) func(*kit.Kit, int, kit.Style) kit.Style {
	return func(k *kit.Kit, row int, ink kit.Style) kit.Style {
		switch v, _ := value(row); {
		case v > 0:
			ink.Color = k.Pal.Past
		case v < 0:
			ink.Color = k.Pal.Future
		default:
			ink.Color = k.Pal.Secondary
		}
		return ink
	}
}
