package pair

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkThreads pairs 10,000 threads that differ, by how many have the same name, and in how many
// processes of one name. The worst case are as many of one name as assign takes.
func BenchmarkThreads(b *testing.B) {
	for _, c := range []struct{ perName, processes int }{
		{1, 1}, {16, 1}, {maxAssigned, 1}, {10_000, 1}, {16, 10}, {16, maxAssigned},
	} {
		lines := func(salt int) (out []string) {
			for i := range 10_000 {
				s := fmt.Sprintf("p#%d|w%d: run{", i%c.processes, i/c.perName/c.processes)
				for k := range 30 {
					if x := (i*31 + k*salt) % 97; x%3 > 0 {
						s += strings.Repeat(fmt.Sprintf(" f%d", x), 1+x%4)
					}
				}
				out = append(out, s)
			}
			return out
		}
		x, y := traceOf(lines(7)...), traceOf(lines(11)...)
		b.Run(fmt.Sprintf("%d of a name in %d processes", c.perName, c.processes), func(b *testing.B) {
			for b.Loop() {
				New(x, y, Rules{})
			}
		})
	}
}
