//go:build race

package traceio_test

// damages is how many cuts and how many corruptions of each file are tried, and mutations of each
// format; the long run tries more, and takes some minutes. The race detector makes each some ten times
// slower, and changes nothing about what they show.
const (
	damages     = 2
	manyDamages = 100
	manyMutants = 1000
)
