package finding

import (
	"reflect"
	"testing"

	"diptych/internal/trace"
)

// TestLongTimes holds pairs of calls that last longer than 32 bits tell.
func TestLongTimes(t *testing.T) {
	sides := [2]*trace.Trace{
		recorded(t, nil, f("f", 5_000_000_000), f("f", 3), f("f", tooLong)),
		recorded(t, nil, f("f", 6_000_000_000), f("f", 7_000_000_000), f("f", 9)),
	}
	s := gathered(t, sides)
	var got [2][]float64
	for c := range s.efforts[onFunction][0].chunks {
		got[0], got[1] = append(got[0], c.a...), append(got[1], c.b...)
	}
	if want := [2][]float64{{5e9, 3, tooLong}, {6e9, 7e9, 9}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestExchangedLongTimes holds long times that are exchanged for short ones, in columns that several
// threads share: of three calls on side A and two on side B, each is long or not.
func TestExchangedLongTimes(t *testing.T) {
	thread := func(name string, calls, long int) *call {
		root := f(name, 1)
		for k := range calls {
			root.kids = append(root.kids, f("f", int64(1+k+5_000_000_000*(long>>k&1))))
		}
		return root
	}
	for a := range 1 << 3 {
		for b := range 1 << 2 {
			checkPairs(t, gathered(t, [2]*trace.Trace{
				recorded(t, nil, thread("one", 3, a), thread("two", 3, a)),
				recorded(t, nil, thread("one", 2, b), thread("two", 2, b)),
			}))
		}
	}
}
