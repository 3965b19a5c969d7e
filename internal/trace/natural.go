package trace

import (
	"cmp"
	"strings"
)

// naturalOrder compares ids so that 9 comes before 10 and 3.9 before 3.10: runs of digits compare
// as numbers and before anything else, all other bytes as they are. Equal numbers written
// differently fall back on the text, so that the order is total.
func naturalOrder(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		switch {
		case m > 0 && n > 0:
			p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q)); c != 0 {
				return c
			}
			x, y = x[m:], y[n:]
		case m > 0:
			return -1
		case n > 0:
			return 1
		case x[0] != y[0]:
			return cmp.Compare(x[0], y[0])
		default:
			x, y = x[1:], y[1:]
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

// digits returns the length of the run of digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
