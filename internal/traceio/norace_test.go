//go:build !race

package traceio_test

// damages is how many cuts and how many corruptions of each file are tried, and mutations of each
// format; the long run tries more, and takes ten minutes.
const (
	damages     = 64
	manyDamages = 1700 // 10,000 a format
	manyMutants = 20_000
)
