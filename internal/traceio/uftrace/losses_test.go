package uftrace

import (
	"strings"
	"testing"

	"diptych/internal/traceio/input"
)

// TestLosses: no more records are lost than the time allows, and numbers never wrap around.
func TestLosses(t *testing.T) {
	const huge = 140_081_644_852_740_096
	for _, c := range []struct {
		name         string
		lost         []uint64
		since, until uint64
		want         string
	}{
		{"none", nil, 10, 20, ""},
		{"some", []uint64{3, 4}, 10, 20, "lost-records 7: x: after 10 ns"},
		{"as many as can be", []uint64{10}, 10, 20, "lost-records 10: x: after 10 ns"},
		{"too many", []uint64{huge}, 10, 20, "bad-record 1: x: implausible: 140081644852740096 records " +
			"lost in 10 ns, of which 10 count; lost-records 10: x: after 10 ns"},
		{"a sum that does not fit", []uint64{1 << 63, 1 << 63}, 10, 20, "bad-record 1: x: implausible: " +
			"18446744073709551615 records lost in 10 ns, of which 10 count; lost-records 10: x: after 10 ns"},
		{"time goes back", []uint64{2}, 20, 10, "bad-record 1: x: implausible: 2 records lost in 1 ns, " +
			"of which 1 count; lost-records 1: x: after 20 ns"},
		{"at the end", []uint64{15}, 20, never, "lost-records 15: x: after 20 ns"},
		{"too many at the end", []uint64{16}, 20, never, "bad-record 1: x: implausible: 16 records " +
			"lost in 15 ns, of which 15 count; lost-records 15: x: after 20 ns"},
	} {
		l, f := losses{began: 5}, input.Faults{}
		for _, n := range c.lost {
			l.add(n)
		}
		l.tell(&f, "x", c.since, c.until)
		l.tell(&f, "x", c.since, c.until) // nothing is told twice
		if got := strings.Join(lines(f), "; "); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
