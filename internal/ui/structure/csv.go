package structure

import (
	"encoding/csv"
	"strconv"
	"strings"

	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/structure"
)

// csvOf writes the listed lines with all quantities: of one trace a column for each, of two A, B
// and B − A. What is not known is empty.
func csvOf(t *structure.Tree, lines []line) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.WriteAll(recordsOf(t, lines)) // a Builder takes everything
	return b.String()
}

// markdownOf writes the same as a table for a reader.
func markdownOf(t *structure.Tree, lines []line) string {
	var b strings.Builder
	for i, record := range recordsOf(t, lines) {
		for k := range record {
			record[k] = escape.Markdown(record[k])
		}
		b.WriteString("| " + strings.Join(record, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(record)) + "|\n")
		}
	}
	return b.String()
}

// recordsOf returns a head, and a record of each line.
func recordsOf(t *structure.Tree, lines []line) [][]string {
	head := []string{"code", "kind", "level", "functions", "lines"}
	sides := sidesOf(t)
	for _, q := range quantities {
		for _, s := range sides {
			head = append(head, q.key+"_"+strings.ToLower(s.String()))
		}
		if len(sides) == 2 {
			head = append(head, q.key+"_change")
		}
	}
	records := [][]string{head}
	for _, l := range lines {
		records = append(records, record(t, l, sides))
	}
	return records
}

func record(t *structure.Tree, l line, sides []pair.Side) []string {
	end := t.ChainEnd(l.node)
	n := &t.Nodes[end]
	row := []string{escape.Cell(t.FullName(end)), n.Kind.String(), strconv.Itoa(l.depth),
		strconv.Itoa(int(n.Functions)), known(int64(n.Lines), n.Lines >= 0)}
	for _, q := range quantities {
		for _, s := range sides {
			row = append(row, known(t.Value(q.metric, s, end)))
		}
		if len(sides) == 2 {
			row = append(row, known(t.Change(q.metric, end)))
		}
	}
	return row
}

func known(v int64, ok bool) string {
	if !ok {
		return ""
	}
	return strconv.FormatInt(v, 10)
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
