package kit

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"gioui.org/io/clipboard"
	"gioui.org/layout"

	"diptych/internal/escape"
)

// Copy puts text on the clipboard.
func Copy(gtx layout.Context, text string) {
	data := io.NopCloser(strings.NewReader(text))
	gtx.Execute(clipboard.WriteCmd{Type: "application/text", Data: data})
}

// TextFormat is how rows are written as text.
type TextFormat uint8

const (
	// TSV separates cells by tabs, and has numbers with all their digits and without units, which
	// stand in the heads: what a spreadsheet or a script wants.
	TSV TextFormat = iota
	// Markdown has numbers as the table shows them: what a reader of a comment wants.
	Markdown
	// Plain has them so, too, and no markup.
	Plain
)

// Text writes the row that the cursor is on, or the whole table: all columns, the rows that are
// listed in their order, below the heads. It is "" if there is no such row.
func (t *Table) Text(f TextFormat, whole bool) string {
	var b strings.Builder
	at := t.Cursor()
	if whole || f == Markdown {
		t.writeHeads(&b, f)
	}
	switch {
	case whole:
		for _, row := range t.shown {
			t.writeRow(&b, f, row)
		}
	case slices.Contains(t.shown, at):
		t.writeRow(&b, f, at)
	default:
		return ""
	}
	return b.String()
}

// writeHeads writes the titles of the columns.
func (t *Table) writeHeads(b *strings.Builder, f TextFormat) {
	var heads, rule []string
	for i := range t.content.Columns {
		c := &t.content.Columns[i]
		head, line := c.about(), "---"
		if c.Number != nil {
			line = "---:"
			if f == TSV && c.Unit != "" {
				head += " (" + c.Unit + ")"
			}
		}
		heads, rule = append(heads, f.escape(head)), append(rule, line)
	}
	f.write(b, heads)
	if f == Markdown {
		f.write(b, rule)
	}
}

// writeRow writes all cells of a row.
func (t *Table) writeRow(b *strings.Builder, f TextFormat, row int) {
	var cells []string
	for i := range t.content.Columns {
		c := &t.content.Columns[i]
		if c.Number == nil {
			cells = append(cells, f.escape(c.Text(row)))
			continue
		}
		cell := ""
		if v, ok := c.Number(row); ok && f == TSV {
			cell = strconv.FormatFloat(v, 'f', -1, 64)
		} else if ok {
			cell = f.escape(c.Format(v))
		}
		cells = append(cells, cell)
	}
	f.write(b, cells)
}

func (f TextFormat) escape(text string) string {
	if f == Markdown {
		return escape.Markdown(text)
	}
	return escape.Cell(text)
}

// write writes a line of cells that are escaped.
func (f TextFormat) write(b *strings.Builder, cells []string) {
	if f == Markdown {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		return
	}
	b.WriteString(strings.Join(cells, "\t") + "\n")
}
