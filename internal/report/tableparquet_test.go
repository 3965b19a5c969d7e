package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"diptych/internal/escape"
	"diptych/internal/testtrace"
)

// parquetOf opens a file that a table was written to.
func parquetOf(t fataler, file []byte) *parquet.File {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// readParquet reads all rows in the form of CSV's.
func readParquet(t fataler, f *parquet.File) (out []map[string]string) {
	t.Helper()
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		for {
			buffer := make([]parquet.Row, 100)
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				m := map[string]string{}
				for _, v := range row {
					m[names[v.Column()]] = parquetCell(v)
				}
				out = append(out, m)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func parquetCell(v parquet.Value) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() == parquet.Int64:
		return fmt.Sprint(v.Int64())
	case v.Kind() == parquet.Double:
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	}
	return escape.Cell(string(v.ByteArray()))
}

// TestParquetIsCSV holds that a table has the same columns in the same order and the same rows in
// both forms.
func TestParquetIsCSV(t *testing.T) {
	testtrace.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		ctx, results := context.Background(), drawAligned(t, 0)
		for _, table := range Tables {
			var file bytes.Buffer
			if err := table.WriteParquet(ctx, &file, results, nil); err != nil {
				t.Fatal(err)
			}
			f := parquetOf(t, file.Bytes())
			for k, field := range f.Schema().Fields() {
				if c := table.Columns[k]; field.Name() != c.Name || field.Optional() != c.optional {
					t.Fatalf("column %d of %s is %s", k, table.Name, field)
				}
			}
			want := rowsOf(t, func(w io.Writer) error { return table.WriteCSV(ctx, w, results, nil) })
			if got := readParquet(t, f); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s\n%v\nwant\n%v", table.Name, got, want)
			}
		}
	})
}

// TestParquetGroups holds that rows are written in groups of a bounded size, and none is lost
// between them.
func TestParquetGroups(t *testing.T) {
	const most, rows = 8 * rowsAtOnce, 20 * rowsAtOnce
	var file bytes.Buffer
	p := newParquet(&file, &callTable)
	p.most = most
	written := 0
	for k := range int64(rows) {
		r := rowsTo(p)
		r.ints(k, k/2)
		r.optional(nil)
		r.text("thread", "onlyB")
		r.none(1)
		r.ints(k)
		r.none(1)
		r.text(fmt.Sprint("function ", k%100))
		r.none(3)
		r.ints(k, 1, 1, k, k+1)
		if err := r.end(); err != nil {
			t.Fatal(err)
		}
		if k == most {
			written = file.Len()
		}
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	f := parquetOf(t, file.Bytes())
	for _, g := range f.RowGroups() {
		if g.NumRows() > most {
			t.Errorf("a group of %d rows", g.NumRows())
		}
	}
	got := readParquet(t, f)
	if len(got) != rows || len(f.RowGroups()) != 3 || written == 0 {
		t.Fatalf("%d rows in %d groups; %d bytes after the first", len(got), len(f.RowGroups()), written)
	}
	for k, row := range got {
		if row["row"] != fmt.Sprint(k) || row["functionB"] != fmt.Sprint("function ", k%100) {
			t.Fatalf("row %d is %v", k, row)
		}
	}
}

func rowsTo(to rowWriter) *rows { return &rows{to: to} }

// TestTablesAreDescribed holds that columns have names of their own, and words for --help.
func TestTablesAreDescribed(t *testing.T) {
	for _, table := range Tables {
		names := map[string]bool{}
		for _, c := range table.Columns {
			if c.About == "" || names[c.Name] {
				t.Errorf("column %s of %s: %q", c.Name, table.Name, c.About)
			}
			names[c.Name] = true
		}
		if TableNamed(table.Name) != table {
			t.Errorf("no table %s", table.Name)
		}
	}
	if TableNamed("none") != nil {
		t.Error("a table of no name")
	}
}
