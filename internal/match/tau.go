package match

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Tau is a threshold of similarity from 0 to 1, as a fraction: small sets often have s = τ exactly,
// and there floating point errs.
type Tau struct{ num, den uint64 }

// maxDen keeps the products in Exceeded within 64 bits for sets of 2³² members.
const maxDen = 1_000_000_000

// DefaultTau is the τ that TraceDiff starts with, DefaultRho the least similarity of repetitions.
var (
	DefaultTau = Hundredths(20)
	DefaultRho = Hundredths(80)
)

// Hundredths returns n/100.
func Hundredths(n int) Tau { return Tau{uint64(min(max(n, 0), 100)), 100} }

// ParseTau reads a decimal such as 0.25, of at most nine places, or a fraction such as 1/3.
func ParseTau(text string) (Tau, error) {
	num, den, ok := strings.Cut(text, "/")
	if !ok {
		whole, places, _ := strings.Cut(text, ".")
		num, den = whole+places, "1"+strings.Repeat("0", len(places))
	}
	p, err := strconv.ParseUint(num, 10, 64)
	if err != nil {
		return Tau{}, fmt.Errorf("threshold %q: want a number like 0.2 or 1/3", text)
	}
	q, err := strconv.ParseUint(den, 10, 64)
	if err != nil || q == 0 || q > maxDen || p > q {
		return Tau{}, fmt.Errorf("threshold %q: want 0 to 1 with at most nine places", text)
	}
	return Tau{p, q}, nil
}

func (t Tau) String() string {
	p, q := t.fraction()
	hi, lo := bits.Mul64(p, maxDen)
	n, rest := bits.Div64(hi, lo, q)
	if rest != 0 {
		return fmt.Sprintf("%d/%d", p, q)
	}
	text := fmt.Sprintf("%d.%09d", n/maxDen, n%maxDen)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Float returns the nearest number.
func (t Tau) Float() float64 {
	p, q := t.fraction()
	return float64(p) / float64(q)
}

// fraction returns the terms of τ; the zero value is 0/1.
func (t Tau) fraction() (num, den uint64) { return t.num, max(t.den, 1) }

// Exceeded reports whether s > τ for two sets of x and y members of which common are shared. With
// τ = p/q, c/(x+y−c) > p/q is c·(q+p) > p·(x+y).
func (t Tau) Exceeded(common, x, y uint32) bool {
	p, q := t.fraction()
	return uint64(common)*(q+p) > p*(uint64(x)+uint64(y))
}

// Reached reports whether s ≥ τ.
func (t Tau) Reached(common, x, y uint32) bool {
	p, q := t.fraction()
	return uint64(common)*(q+p) >= p*(uint64(x)+uint64(y))
}
