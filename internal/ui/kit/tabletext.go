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
	if whole {
		return t.content.Text(f, t.shown, true)
	}
	if at := t.Cursor(); slices.Contains(t.shown, at) {
		return t.content.Text(f, []int{at}, false)
	}
	return ""
}

// Text writes rows, in the given order, below the heads if these are wanted; a table in Markdown
// needs them. It is "" for no rows.
func (c *Content) Text(f TextFormat, rows []int, heads bool) string {
	var b strings.Builder
	if len(rows) == 0 {
		return ""
	}
	if heads || f == Markdown {
		c.writeHeads(&b, f)
	}
	for _, row := range rows {
		c.writeRow(&b, f, row)
	}
	return b.String()
}

// writeHeads writes the titles of the columns.
func (c *Content) writeHeads(b *strings.Builder, f TextFormat) {
	var heads, rule []string
	for i := range c.Columns {
		x := &c.Columns[i]
		head, line := x.about(), "---"
		if x.Number != nil {
			line = "---:"
			if f == TSV && x.Unit != "" {
				head += " (" + x.Unit + ")"
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
func (c *Content) writeRow(b *strings.Builder, f TextFormat, row int) {
	var cells []string
	for i := range c.Columns {
		x := &c.Columns[i]
		if x.Number == nil {
			cells = append(cells, f.escape(x.Text(row)))
			continue
		}
		cell := ""
		if v, ok := x.Number(row); ok && f == TSV {
			cell = strconv.FormatFloat(v, 'f', -1, 64)
		} else if ok {
			cell = f.escape(x.Format(v))
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
