package trace

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestArgumentsByCall holds byCallOf against a stable sort: with any arguments, and with two parts
// that are in order, as the texts of begins and of ends mostly are.
func TestArgumentsByCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls := rapid.IntRange(1, 2000).Draw(t, "calls")
		args := make([]arg, rapid.IntRange(0, 300).Draw(t, "arguments"))
		for i := range args {
			args[i] = arg{int32(rapid.IntRange(0, calls-1).Draw(t, "call")), uint32(i), uint32(i)}
		}
		if rapid.Bool().Draw(t, "two parts") {
			half := rapid.IntRange(0, len(args)).Draw(t, "begins")
			slices.SortStableFunc(args[:half], byCall)
			slices.SortStableFunc(args[half:], byCall)
		}
		want := slices.Clone(args)
		slices.SortStableFunc(want, byCall)
		if got := byCallOf(nil, args, calls); !slices.Equal(got, want) {
			t.Fatalf("%v, wanted %v", got, want)
		}
	})
}
