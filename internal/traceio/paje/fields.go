package paje

import (
	"bytes"
	"math"
	"strconv"

	"diptych/internal/trace"
)

// split appends the fields of a line to list. Fields are parted by blanks, and one in quotation
// marks may hold blanks; they point into the line. It returns false if a quotation does not end.
func split(list [][]byte, line []byte) ([][]byte, bool) {
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case blank(c):
			i++
		case c == '"':
			n := bytes.IndexByte(line[i+1:], '"')
			if n < 0 {
				return append(list, line[i+1:]), false
			}
			list = append(list, line[i+1:i+1+n])
			i += n + 2
		default:
			from := i
			for i < len(line) && !blank(line[i]) {
				i++
			}
			list = append(list, line[from:i])
		}
	}
	return list, true
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// nanoseconds reads a time in seconds as whole ns. Decimals are taken as they are written, since a
// float64 of a time since 1970 has only quarters of a microsecond.
func nanoseconds(s []byte) (int64, bool) {
	var n uint64 // of at most 19 digits
	digits, decimals := 0, -1
	for _, c := range s {
		switch {
		case c == '.' && decimals < 0:
			decimals = 0
		case c < '0' || c > '9':
			return roundedTime(s)
		case decimals == 9: // finer than ns
			if digits++; digits > 19 {
				return roundedTime(s)
			}
			decimals = 10
			if c >= '5' {
				n++
			}
		case decimals > 9:
		default:
			if digits++; digits > 19 {
				return roundedTime(s)
			}
			n = 10*n + uint64(c-'0')
			if decimals >= 0 {
				decimals++
			}
		}
	}
	if digits == 0 {
		return 0, false
	}
	for d := max(decimals, 0); d < 9; d++ {
		if n > trace.Limit/10 {
			return 0, false
		}
		n *= 10
	}
	return int64(n), n <= trace.Limit
}

// roundedTime reads what is written in another way: with a sign, with an exponent, very long.
func roundedTime(s []byte) (int64, bool) {
	t, err := strconv.ParseFloat(string(s), 64)
	t = math.Round(t * 1e9)
	return int64(t), err == nil && math.Abs(t) <= trace.Limit
}
