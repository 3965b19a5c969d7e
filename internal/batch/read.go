package batch

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/parquet-go/parquet-go"

	"diptych/internal/output"
)

// rowsAtOnce is how many rows are read or written at a time.
const rowsAtOnce = 1 << 10

// ReadTable yields the rows of a table, a few at a time; a slice is the reader's again after its
// turn. An error names the file, and is the last that is yielded.
func ReadTable[T any](path string) iter.Seq2[[]T, error] { return readMarked[T](path, "") }

// readMarked yields the rows of a table of the batch that has this mark; "" stands for any.
func readMarked[T any](path, mark string) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		for rows, err := range readFile[T](path, mark) {
			if err != nil {
				err = fmt.Errorf("%s: %w", path, output.Cause(err))
			}
			if !yield(rows, err) {
				return
			}
		}
	}
}

// readFile is readMarked with errors that do not name the file.
func readFile[T any](path, mark string) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		if err := readRows(f, mark, yield); err != nil {
			yield(nil, err)
		}
	}
}

// open opens a table.
func open[T any](f *os.File, mark string) (r *parquet.GenericReader[T], err error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	err = guarded(func() error {
		file, err := parquet.OpenFile(f, st.Size())
		if err != nil {
			return err
		}
		if !parquet.EqualNodes(parquet.SchemaOf(new(T)), file.Schema()) {
			return errors.New("its columns are not those that this version writes and reads")
		}
		if of, _ := file.Lookup(markedBy); mark != "" && of != mark {
			return errors.New("it belongs to another batch")
		}
		r = parquet.NewGenericReader[T](file)
		return nil
	})
	return r, err
}

// readRows yields the rows of a file.
func readRows[T any](f *os.File, mark string, yield func([]T, error) bool) error {
	r, err := open[T](f, mark)
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
