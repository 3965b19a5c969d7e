package structure

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
)

// Copy implements view.Copier: the chosen line, or that which it is folded into, or all that are
// listed, with all quantities.
func (l *Table) Copy(format kit.TextFormat, whole bool) string {
	if l.of == nil {
		return ""
	}
	var rows []int
	if at := l.rows.at(l.chosen); !whole && at >= 0 {
		rows = append(rows, at)
	}
	for k := range l.rows.list {
		if whole {
			rows = append(rows, k)
		}
	}
	content := kit.Content{Columns: copiedColumns(l.of, l.rows.list, l.unit)}
	return content.Text(format, rows, whole)
}

// copiedColumns are the columns of a copy: with one trace one for each quantity, with two A, B and
// B − A. A cell whose value is not known is empty.
func copiedColumns(t *structure.Tree, lines []line, unit string) []kit.Column {
	end := func(row int) int { return t.ChainEnd(lines[row].node) }
	count := func(v float64) string { return kit.Grouped(int(v)) }
	columns := []kit.Column{
		{Title: "code", Text: func(row int) string { return t.FullName(end(row)) }},
		{Title: "kind", Text: func(row int) string { return t.Nodes[end(row)].Kind.String() }},
		{Title: "level", Format: count,
			Number: func(row int) (float64, bool) { return float64(lines[row].depth), true }},
		{Title: "functions", Format: count,
			Number: func(row int) (float64, bool) { return float64(t.Nodes[end(row)].Functions), true }},
		{Title: "lines", Format: count, Number: func(row int) (float64, bool) {
			n := t.Nodes[end(row)].Lines
			return float64(n), n >= 0
		}}}
	for _, q := range quantitiesOf(t) {
		number := func(title string, of func(node int) (int64, bool)) {
			c := kit.Column{Title: q.label + " " + title, Format: count,
				Number: func(row int) (float64, bool) {
					v, ok := of(end(row))
					return float64(v), ok
				}}
			if q.timed {
				c.Unit, c.Format = unit, func(v float64) string { return geom.FormatValue(v, unit) }
			}
			columns = append(columns, c)
		}
		sides := sidesOf(t)
		for _, s := range sides {
			number(s.String(), func(node int) (int64, bool) { return t.Value(q.metric, s, node) })
		}
		if len(sides) == 2 {
			number("B − A", func(node int) (int64, bool) { return t.Change(q.metric, node) })
		}
	}
	return columns
}

// sidesOf returns the sides that the tree has calls of.
func sidesOf(t *structure.Tree) (sides []pair.Side) {
	for _, s := range []pair.Side{pair.A, pair.B} {
		if t.Sums[s] != nil {
			sides = append(sides, s)
		}
	}
	return sides
}
