// Package plural writes numbers of things, so that one thing is never "1 calls". It is for numbers
// as digits alone; geom.FormatThings also parts thousands.
package plural

import "fmt"

// integer is what things are counted in.
type integer interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64
}

// Of writes a number of things: "0 calls", "1 call", "2 calls". What does not only take an s is
// given, too: Of(n, "batch", "batches").
func Of[N integer](n N, one string, many ...string) string {
	return fmt.Sprint(n) + " " + Noun(n, one, many...)
}

// Noun returns what stands behind a number.
func Noun[N integer](n N, one string, many ...string) string {
	switch {
	case n == 1:
		return one
	case many != nil:
		return many[0]
	}
	return one + "s"
}
