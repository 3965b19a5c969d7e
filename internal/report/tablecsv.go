package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"diptych/internal/escape"
)

// csvRows writes rows as CSV.
type csvRows struct {
	*csv.Writer
	line []string
}

func newCSV(w io.Writer) *csvRows {
	c := &csvRows{Writer: csv.NewWriter(w)}
	c.UseCRLF = true
	return c
}

func (c *csvRows) begin(t *Table) error {
	var names []string
	for _, column := range t.Columns {
		names = append(names, column.Name)
	}
	return c.Write(names)
}

func (c *csvRows) row(cells []cell) error {
	c.line = c.line[:0]
	for i := range cells {
		c.line = append(c.line, cells[i].csv())
	}
	return c.Write(c.line)
}

// csv returns a cell's text. Texts from a file are such that no spreadsheet computes them.
func (c *cell) csv() string {
	switch {
	case c.empty:
		return ""
	case c.kind == numeric:
		return strconv.FormatInt(c.n, 10)
	case c.kind == fractional:
		return strconv.FormatFloat(c.x, 'g', -1, 64)
	}
	return escape.Cell(c.text)
}

func (c *csvRows) end() error {
	c.Flush()
	return c.Error()
}
