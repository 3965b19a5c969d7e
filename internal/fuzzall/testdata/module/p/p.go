// Package p has one fuzz target, for the tests of fuzzall.
package p

// F has a block for each of three words.
func F(s string) int {
	switch s {
	case "code":
		return 1
	case "testdata":
		return 2
	case "cache":
		return 3
	}
	return 0
}
