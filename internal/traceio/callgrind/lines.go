package callgrind

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
)

// lines reads a text line by line.
type lines struct {
	in *bufio.Reader
	at int64 // offset of the line that was read last
	to int64 // and of its end
}

// longestLine is how long a line may be. Names of C++ functions can take a tenth of it.
const longestLine = 1 << 20

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, longestLine)} }

var errLongLine = errors.New("a line that is longer than 1 MiB")

// next returns the next line, which is good until the next call. A line that is too long is read
// over; it is an errLongLine.
func (l *lines) next() ([]byte, error) {
	l.at = l.to
	line, err := l.in.ReadSlice('\n')
	l.to += int64(len(line))
	if err != bufio.ErrBufferFull {
		return line, err
	}
	for err == bufio.ErrBufferFull {
		var more []byte
		more, err = l.in.ReadSlice('\n')
		l.to += int64(len(more))
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	return nil, errLongLine
}

// position reads the positions that a line begins with. Relative ones are relative to the last line
// with costs.
func (p *parser) position(s []byte) (at [2]uint64, rest []byte, ok bool) {
	for i := range p.positions {
		s = bytes.TrimLeft(s, " \t")
		if len(s) == 0 {
			return at, s, false
		}
		switch sign := s[0]; sign {
		case '*':
			at[i], s = p.last[i], s[1:]
		case '+', '-':
			n, after, ok := number(s[1:])
			if !ok {
				return at, s, false
			}
			if sign == '-' {
				n = -n // as two's complement: a position that cannot be is never used
			}
			at[i], s = p.last[i]+n, after
		default:
			if at[i], s, ok = number(s); !ok {
				return at, s, false
			}
		}
	}
	return at, s, true
}

// number reads a number, decimal or with 0x.
func number(s []byte) (v uint64, rest []byte, ok bool) {
	s = bytes.TrimLeft(s, " \t")
	base := uint64(10)
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		base, s = 16, s[2:]
	}
	i := 0
	for ; i < len(s); i++ {
		d := digit(s[i])
		if d >= base {
			break
		}
		if v > (math.MaxUint64-d)/base {
			return 0, s, false
		}
		v = v*base + d
	}
	return v, s[i:], i > 0
}

func digit(c byte) uint64 {
	switch {
	case isDigit(c):
		return uint64(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return uint64(c|0x20-'a') + 10
	}
	return math.MaxUint64
}
