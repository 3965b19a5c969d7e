package table

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"diptych/internal/traceio/text/texttest"
)

// TestMemoryOfAConvoy: where every thread waits for a lock that each of the others holds in turn,
// what a table takes grows with the waits and not with their holders, whose number is its square.
func TestMemoryOfAConvoy(t *testing.T) {
	taken := func(threads int) float64 {
		var b strings.Builder
		for k := range threads {
			fmt.Fprintf(&b, "thread %d\n  0+%d pthread_mutex_lock wait=0xa\n", k, 10*k+1)
			fmt.Fprintf(&b, "  %d+1 pthread_mutex_unlock release=0xa\n", 10*k+9)
		}
		tr := texttest.Parse(t, b.String())
		sum := makeTable(t, tr, nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		again, err := New(t.Context(), sum.Pair, sum.Sides, nil, nil)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		last := again.Rows(ByThread, ByTime)[0]
		if last.Holder[0] == "" {
			t.Fatalf("%q knows no holder", last.Title())
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	taken(10) // what is made once
	if few, many := taken(200), taken(1600); many > 16*few {
		t.Errorf("200 threads take %.0f bytes, and 1600 %.0f: %.1f times as much", few, many, many/few)
	}
}
