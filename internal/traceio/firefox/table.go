package firefox

import (
	"io"
	"math"

	"diptych/internal/traceio/jsonin"
)

// reader reads a document, and counts rows that stand before the schema that says what they mean,
// and entries that a column has less than another one of its table.
type reader struct {
	*jsonin.Reader
	early      uint64
	missing    uint64
	references map[schemaField]bool // fields of markers' data that are numbers of texts
}

func newReader(text io.Reader) *reader {
	return &reader{Reader: jsonin.NewReader(text), references: map[schemaField]bool{}}
}

// column is a column of a table: whole numbers, decimal ones, or what read makes of its values.
type column struct {
	name    string
	whole   []int32
	decimal []float64
	read    func(r *reader, row int)
	text    string // of a member that is no column but one text
	ragged  bool   // the column may be shorter than others: only null is left out
	kind    columnKind
}

type columnKind uint8

const (
	wholes columnKind = iota
	decimals
	values
	single
)

// null is a whole number that is not there; among decimal ones it is NaN.
const null int32 = -1

func whole(name string) *column   { return &column{name: name} }
func decimal(name string) *column { return &column{name: name, kind: decimals} }

// readTable reads the columns that are asked for of a table of either form: {"schema": {"a": 0, …},
// "data": [[…], …]} as Gecko writes it, or {"length": 3, "a": […], …}. It returns the number of
// rows; columns that are shorter than others are filled up with null, but those that are not there
// stay empty.
func readTable(r *reader, columns ...*column) (rows int) {
	byName := map[string]*column{}
	for _, c := range columns {
		byName[c.name] = c
	}
	var at []*column
	for name := range r.Members() {
		c := byName[name]
		switch {
		case name == "schema":
			at = readSchema(r, byName)
		case name == "data" && at != nil:
			readRows(r, at)
		case c != nil:
			c.readAll(r)
		case name == "data":
			for range r.Elements() {
				r.early++
			}
		}
	}
	for _, c := range columns {
		rows = max(rows, c.len())
	}
	for _, c := range columns {
		if n := c.len(); n > 0 {
			if at == nil && !c.ragged { // in rows, what is null at their ends is left out
				r.missing += uint64(rows - n)
			}
			c.fill(rows)
		}
	}
	return rows
}

// mostColumns bounds the numbers that a schema gives columns.
const mostColumns = 64

// readSchema returns the columns of a row.
func readSchema(r *reader, byName map[string]*column) []*column {
	at := make([]*column, mostColumns)
	for name := range r.Members() {
		if n, ok := r.Int(); ok && n >= 0 && n < mostColumns {
			at[n] = byName[name]
		}
	}
	return at
}

func readRows(r *reader, at []*column) {
	for row := range r.Elements() {
		for i := range r.Elements() {
			if i < len(at) && at[i] != nil {
				at[i].fill(row)
				at[i].readOne(r, row)
			}
		}
	}
}

func (c *column) len() int {
	if c.kind == decimals {
		return len(c.decimal)
	}
	return len(c.whole)
}

// fill makes the column as long as that many rows.
func (c *column) fill(rows int) {
	for c.kind == decimals && len(c.decimal) < rows {
		c.decimal = append(c.decimal, math.NaN())
	}
	for c.kind == wholes && len(c.whole) < rows {
		c.whole = append(c.whole, null)
	}
}

func (c *column) readOne(r *reader, row int) {
	switch c.kind {
	case wholes:
		c.whole = append(c.whole, r.wholeNumber(r.Int()))
	case decimals:
		c.decimal = append(c.decimal, decimalNumber(r.Float()))
	case values:
		c.read(r, row)
	}
}

func (c *column) readAll(r *reader) {
	switch c.kind {
	case wholes:
		for n, ok := range r.Ints() {
			c.whole = append(c.whole, r.wholeNumber(n, ok))
		}
		return
	case decimals:
		for f, ok := range r.Floats() {
			c.decimal = append(c.decimal, decimalNumber(f, ok))
		}
		return
	case single:
		c.text = r.Text()
		return
	}
	for row := range r.Elements() {
		c.readOne(r, row)
	}
}

func decimalNumber(f float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return f
}

// wholeNumber returns an entry of a column of whole numbers. Tools write −1 for null; other numbers
// that cannot be are counted, and are null as well.
func (r *reader) wholeNumber(n int64, ok bool) int32 {
	if ok && (n < -1 || n > math.MaxInt32) {
		ok = r.Misfit("%d is no number of a row", n)
	}
	if !ok || n < 0 {
		return null
	}
	return int32(n)
}

// length returns the number of rows of a column of whole numbers, 0 if it is not there.
func (c *column) length() int {
	if c == nil {
		return 0
	}
	return len(c.whole)
}

// at returns an entry of a column of whole numbers, null if it is not there.
func (c *column) at(row int32) int32 {
	if c == nil || row < 0 || int(row) >= len(c.whole) {
		return null
	}
	return c.whole[row]
}

// time returns an entry of a column of decimal numbers, NaN if it is not there.
func (c *column) time(row int) float64 {
	if c == nil || row >= len(c.decimal) {
		return math.NaN()
	}
	return c.decimal[row]
}
