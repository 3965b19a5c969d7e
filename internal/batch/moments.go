package batch

import (
	"math"
	"math/big"
)

// moments gathers whole numbers one by one. Their sum and the sum of their squares are exact, so
// neither the order of the numbers nor large ones that cancel show in the mean and the deviation.
type moments struct {
	n            int64
	sum, squares big.Int
	min, max     extreme
}

// extreme is a smallest or largest number and the pair that it is of: the first of several.
type extreme struct {
	value  int64
	number int64
	pair   string
}

// add adds the number of a pair. x is room for what is computed on the way.
func (m *moments) add(e extreme, x *big.Int) {
	if m.n == 0 || e.value < m.min.value {
		m.min = e
	}
	if m.n == 0 || e.value > m.max.value {
		m.max = e
	}
	m.n++
	m.sum.Add(&m.sum, x.SetInt64(e.value))
	m.squares.Add(&m.squares, x.Mul(x, x))
}

// total returns the sum; the largest int64 stands for all above it, and the smallest for all below.
func (m *moments) total() int64 {
	switch {
	case m.sum.IsInt64():
		return m.sum.Int64()
	case m.sum.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// mean returns the mean, 0 if there are no numbers.
func (m *moments) mean() float64 { return quotient(&m.sum, big.NewInt(m.n)) }

// deviation returns the standard deviation of the numbers as a sample: the root of
// Σ(x−mean)² / (n−1) = (n·Σx² − (Σx)²) / (n·(n−1)). It is 0 for fewer than two.
func (m *moments) deviation() float64 {
	if m.n < 2 {
		return 0
	}
	n := big.NewInt(m.n)
	above := new(big.Int).Mul(n, &m.squares)
	above.Sub(above, new(big.Int).Mul(&m.sum, &m.sum))
	return math.Sqrt(quotient(above, n.Mul(n, big.NewInt(m.n-1))))
}

// quotient returns a/b as the nearest float64, and 0 if b is 0.
func quotient(a, b *big.Int) float64 {
	if b.Sign() == 0 {
		return 0
	}
	q, _ := new(big.Rat).SetFrac(a, b).Float64()
	return q
}

// Plus adds without overflow: what does not fit is the largest or smallest int64.
func Plus(a, b int64) int64 {
	switch s := a + b; {
	case a > 0 && b > 0 && s < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && s >= 0:
		return math.MinInt64
	default:
		return s
	}
}
