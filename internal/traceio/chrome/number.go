package chrome

import (
	"errors"
	"strconv"

	"diptych/internal/trace"
)

// instant is a time in ns with the part below a nanosecond, so that the end of a call can be
// rounded once, as a whole: rounding is monotone then, and a call that ended within its caller
// still does.
type instant struct {
	ns   int64
	frac int32 // 10⁻⁶ ns, |frac| < fracUnit, of the sign of the number
}

const fracUnit = 1_000_000

// rounded returns the nearest ns, halves up.
func (t instant) rounded() int64 {
	switch {
	case t.frac >= fracUnit/2:
		return t.ns + 1
	case t.frac < -fracUnit/2:
		return t.ns - 1
	}
	return t.ns
}

// plus returns t + d. The fraction of the sum lies below fracUnit again, whatever the signs.
func (t instant) plus(d instant) instant {
	sum := int64(t.frac) + int64(d.frac)
	return instant{t.ns + d.ns + sum/fracUnit, int32(sum % fracUnit)}
}

// micros parses a decimal number of µs. Nothing goes through floating point: epoch times in µs have
// more digits than a float64 holds. It fails on what is no finite number or lies beyond
// trace.Limit.
func micros(b []byte) (instant, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	var d decimal
	point := -1
	i := 0
	for ; i < len(b); i++ {
		if c := b[i] - '0'; c <= 9 {
			d.digit(c, point >= 0)
		} else if b[i] == '.' && point < 0 {
			point = i
			d.weight = onePoint
		} else {
			break
		}
	}
	if i == 0 || i == 1 && point == 0 {
		return instant{}, false
	}
	if i < len(b) {
		if b[i]|0x20 != 'e' {
			return instant{}, false
		}
		exp, err := strconv.Atoi(string(b[i+1:]))
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return instant{}, false
		}
		d = shifted(b[:i], point, exp)
	}
	return d.instant(negative)
}

// shifted returns a mantissa, with its point at index point or −1 for none, times 10^exp.
func shifted(mantissa []byte, point, exp int) decimal {
	digits := mantissa
	if point >= 0 {
		digits = append(mantissa[:point:point], mantissa[point+1:]...)
	} else {
		point = len(digits)
	}
	point += max(min(exp, 1000), -1000) // beyond, it is 0 or too large anyway
	d := decimal{weight: onePoint}
	for ; point < 0; point++ {
		d.digit(0, true)
	}
	for k := range max(len(digits), point) {
		c := byte(0)
		if k < len(digits) {
			c = digits[k] - '0'
		}
		d.digit(c, k >= point)
	}
	return d
}

// onePoint is 1 µs in the unit of decimal.part.
const onePoint = 1_000_000_000

// decimal gathers the digits of a number of µs.
type decimal struct {
	whole  uint64 // µs, saturating
	part   uint64 // 10⁻⁹ µs
	weight uint64 // of the last digit after the point
}

func (d *decimal) digit(c byte, afterPoint bool) {
	if afterPoint {
		d.weight /= 10
		d.part += d.weight * uint64(c)
	} else if d.whole <= trace.Limit {
		d.whole = d.whole*10 + uint64(c)
	}
}

func (d decimal) instant(negative bool) (instant, bool) {
	if d.whole >= trace.Limit/1000 {
		return instant{}, false
	}
	t := instant{int64(d.whole*1000 + d.part/fracUnit), int32(d.part % fracUnit)}
	if negative {
		t.ns, t.frac = -t.ns, -t.frac
	}
	return t, true
}
