package input

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// lineMost is the longest line of a text that comes from no limited reader.
const lineMost = 1 << 20

// lineLimit is implemented by what Source.Dir opens.
type lineLimit interface {
	longestLine() int
	lineTooLong()
}

// Lines yields the lines of a text file, each with the newline that ends it, and last the error
// that ended reading, if it was not the end of the file. A line over the limit ends the whole load.
func Lines(f io.Reader) iter.Seq2[string, error] {
	if limit, ok := f.(lineLimit); ok {
		return lines(f, limit.longestLine(), limit.lineTooLong)
	}
	return LinesUpTo(f, lineMost)
}

// LinesUpTo yields the same of a reader whose lines have at most so many bytes. A longer one is an
// error.
func LinesUpTo(f io.Reader, most int) iter.Seq2[string, error] { return lines(f, most, func() {}) }

func lines(f io.Reader, most int, tooLong func()) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in := bufio.NewScanner(f)
		in.Buffer(nil, most)
		in.Split(wholeLines)
		for in.Scan() {
			if !yield(in.Text(), nil) {
				return
			}
		}
		if in.Err() == bufio.ErrTooLong {
			tooLong()
		}
		if in.Err() != nil {
			yield("", in.Err())
		}
	}
}

// wholeLines splits after newlines and keeps them.
func wholeLines(data []byte, atEnd bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
