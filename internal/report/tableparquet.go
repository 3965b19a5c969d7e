package report

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// Parquet keeps a column's values of some rows together, which is called a row group, and says at
// the end of the file where each lies. A group is in memory until it is written, so groups are kept
// small; but each costs a query one step, and a dictionary of its own for each column of texts.
const (
	rowsPerGroup = 1 << 16
	rowsAtOnce   = 1 << 8 // rows handed to the library at a time
)

// parquetRows writes rows as Parquet. Columns of texts are dictionaries, since names repeat; all
// are compressed by Snappy, which every reader knows.
type parquetRows struct {
	file    *parquet.GenericWriter[any]
	columns []Column
	rows    []parquet.Row // as many as are waiting
	group   int           // rows in the group that has not been written
	most    int           // rows from which on a group is written
}

func newParquet(w io.Writer, t *Table) *parquetRows {
	p := &parquetRows{columns: t.Columns, most: rowsPerGroup}
	// The largest group is set beyond what row lets come together, so that row alone begins one.
	p.file = parquet.NewGenericWriter[any](w, parquet.NewSchema(t.Name, schemaOf(t)),
		parquet.Compression(&parquet.Snappy), parquet.CreatedBy("diptych", "", ""),
		parquet.DataPageStatistics(true), parquet.MaxRowsPerRowGroup(2*rowsPerGroup))
	for _, c := range t.Columns {
		p.file.SetKeyValueMetadata("diptych."+c.Name, c.About)
	}
	return p
}

// inOrder is a group of columns that keeps their order; the library's own sorts them by name.
type inOrder struct {
	parquet.Group
	fields []parquet.Field
}

func (g *inOrder) Fields() []parquet.Field { return g.fields }

// schemaOf returns the columns of a table as Parquet has them.
func schemaOf(t *Table) parquet.Node {
	g := &inOrder{Group: parquet.Group{}}
	for _, c := range t.Columns {
		var node parquet.Node
		switch c.kind {
		case numeric:
			node = parquet.Int(64)
		case fractional:
			node = parquet.Leaf(parquet.DoubleType)
		default:
			node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		}
		if c.optional {
			node = parquet.Optional(node)
		}
		g.Group[c.Name] = node
	}
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	for _, c := range t.Columns {
		g.fields = append(g.fields, byName[c.Name])
	}
	return g
}

func (p *parquetRows) begin(*Table) error { return nil }

func (p *parquetRows) row(cells []cell) error {
	if len(p.rows) < cap(p.rows) {
		p.rows = p.rows[:len(p.rows)+1] // with the memory of a row that has been written
	} else {
		p.rows = append(p.rows, nil)
	}
	last := &p.rows[len(p.rows)-1]
	*last = (*last)[:0]
	for i := range cells {
		*last = append(*last, p.value(&cells[i], i))
	}
	if len(p.rows) < rowsAtOnce {
		return nil
	}
	return p.hand()
}

// value returns a cell as a value of column i. The definition level says whether there is one.
func (p *parquetRows) value(c *cell, i int) parquet.Value {
	level := 0
	if p.columns[i].optional {
		level = 1
	}
	switch {
	case c.empty:
		return parquet.NullValue().Level(0, 0, i)
	case c.kind == numeric:
		return parquet.Int64Value(c.n).Level(0, level, i)
	case c.kind == fractional:
		return parquet.DoubleValue(c.x).Level(0, level, i)
	}
	return parquet.ValueOf(c.text).Level(0, level, i)
}

// hand hands the rows that are waiting to the library, and ends the group if it is large enough.
func (p *parquetRows) hand() error {
	n, err := p.file.WriteRows(p.rows)
	p.rows = p.rows[:0]
	if p.group += n; err == nil && p.group >= p.most {
		p.group = 0
		err = p.file.Flush()
	}
	return err
}

func (p *parquetRows) end() error {
	if err := p.hand(); err != nil {
		return err
	}
	return p.file.Close()
}
