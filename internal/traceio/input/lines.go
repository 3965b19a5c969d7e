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

// Lines yields the lines of a text file, each with the newline that ends it. It stops at the end
// and at an error; a line over the limit ends the whole load.
func Lines(f io.Reader) iter.Seq[string] {
	most := lineMost
	limit, limited := f.(lineLimit)
	if limited {
		most = limit.longestLine()
	}
	return func(yield func(string) bool) {
		in := bufio.NewScanner(f)
		in.Buffer(nil, most)
		in.Split(wholeLines)
		for in.Scan() {
			if !yield(in.Text()) {
				return
			}
		}
		if in.Err() == bufio.ErrTooLong && limited {
			limit.lineTooLong()
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
