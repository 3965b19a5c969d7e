package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// Table yields all rows of one of the Tables in the order of the manifest: from the merged file, if
// there is one, and else part by part. A slice is the reader's again after its turn. An error names
// the file, and is the last that is yielded; a part that is missing is one, too (see Missing).
func Table[T any](d *Directory, table string) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		merged := d.Merged(table)
		switch _, err := os.Stat(merged); {
		case err == nil:
			readMarked[T](merged, d.mark())(yield)
		case errors.Is(err, fs.ErrNotExist):
			partByPart(d, table, yield)
		default:
			yield(nil, err)
		}
	}
}

// partByPart yields the rows of a table from the parts.
func partByPart[T any](d *Directory, table string, yield func([]T, error) bool) {
	for part := range d.Parts() {
		for rows, err := range readMarked[T](d.table(part, table), d.mark()) {
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("the batch is not complete: %w", err)
			}
			if !yield(rows, err) || err != nil {
				return
			}
		}
	}
}

// Merged returns the path of a table of the whole batch, which is there once the parts are merged.
func (d *Directory) Merged(table string) string { return filepath.Join(d.Path, table+".parquet") }
