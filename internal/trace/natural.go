package trace

import "strings"

// naturalLess orders ids so that 9 comes before 10 and 3.9 before 3.10: runs of digits compare as
// numbers and before anything else, all other bytes as they are. Equal numbers written differently
// fall back on the text, so that the order is total.
func naturalLess(a, b string) bool {
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		switch {
		case m > 0 && n > 0:
			p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
			if len(p) != len(q) {
				return len(p) < len(q)
			}
			if p != q {
				return p < q
			}
			x, y = x[m:], y[n:]
		case m > 0 || n > 0:
			return m > 0
		case x[0] != y[0]:
			return x[0] < y[0]
		default:
			x, y = x[1:], y[1:]
		}
	}
	if x != "" || y != "" {
		return x == ""
	}
	return a < b
}

// digits returns the length of the run of digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
