package batch

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/parquet-go/parquet-go"
)

// rowsAtOnce is how many rows are read or written at a time.
const rowsAtOnce = 1 << 10

// ReadTable yields the rows of a table, a few at a time; a slice is the reader's again after its
// turn. An error names the file, and is the last that is yielded.
func ReadTable[T any](path string) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		if err := readRows(f, yield); err != nil {
			yield(nil, fmt.Errorf("%s: %w", path, err))
		}
	}
}

// readRows yields the rows of a file.
func readRows[T any](f *os.File, yield func([]T, error) bool) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	var r *parquet.GenericReader[T]
	err = guarded(func() error {
		file, err := parquet.OpenFile(f, st.Size())
		if err == nil {
			r = parquet.NewGenericReader[T](file)
		}
		return err
	})
	if err != nil {
		return err
	}
	defer r.Close()
	left := max(r.NumRows(), 0)
	rows := make([]T, min(rowsAtOnce, left))
	for left > 0 {
		// Never more than there are: the library seeks for each row that is not.
		rows = rows[:min(int64(len(rows)), left)]
		n := 0
		err := guarded(func() (err error) {
			n, err = r.Read(rows)
			return err
		})
		left -= int64(n)
		switch {
		case n > 0 && !yield(rows[:n], nil):
			return nil
		case left > 0 && (errors.Is(err, io.EOF) || err == nil && n == 0):
			return io.ErrUnexpectedEOF
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
	}
	return nil
}

// guarded makes an error of a panic: the library has some on damaged files.
func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %v", p)
		}
	}()
	return do()
}

// readPairs returns the pairs of a part, or an error if one of its tables cannot be read.
func (d *Directory) readPairs(part int) (pairs []PairRow, err error) {
	for _, table := range Tables {
		if err := checkTable(d.table(part, table)); err != nil {
			return nil, err
		}
	}
	for rows, err := range ReadTable[PairRow](d.table(part, "pairs")) {
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, rows...)
	}
	if from, to := d.span(part); len(pairs) != to-from {
		return nil, fmt.Errorf("%s: %d pairs, want %d", d.Part(part), len(pairs), to-from)
	}
	return pairs, nil
}

// checkTable reads what a table begins and ends with, and so finds those that were cut.
func checkTable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	return guarded(func() error {
		_, err := parquet.OpenFile(f, st.Size())
		return err
	})
}
