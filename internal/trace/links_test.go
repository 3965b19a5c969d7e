package trace_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestLinksOfCalls holds causes and effects of every call against all links looked at one by one.
func TestLinksOfCalls(t *testing.T) {
	s := testtrace.Shape{Threads: testtrace.Range{1, 3}, Records: testtrace.Range{0, 40}, Flows: testtrace.Range{0, 8}}
	found := 0
	testtrace.CheckUntil(t, func() bool { return found > 0 }, func(t *rapid.T) {
		tr := s.Draw(t, "trace")
		for k, th := range tr.Threads {
			for i := range th.Len() {
				ref := trace.CallRef{Thread: int32(k), Call: int32(i)}
				within := func(c trace.CallRef) bool {
					return c.Thread == ref.Thread && c.Call >= ref.Call && c.Call < ref.Call+int32(th.Size(i))
				}
				var causes, effects []int
				for n, l := range tr.Links {
					switch from, to := within(l.From), within(l.To); {
					case from && !to:
						effects = append(effects, n)
					case to && !from:
						causes = append(causes, n)
					}
				}
				found += len(causes)
				if got := slices.Sorted(tr.Causes(ref)); fmt.Sprint(got) != fmt.Sprint(causes) {
					t.Fatalf("%v is caused by %v, want %v", ref, got, causes)
				}
				if got := slices.Sorted(tr.Effects(ref)); fmt.Sprint(got) != fmt.Sprint(effects) {
					t.Fatalf("%v causes %v, want %v", ref, got, effects)
				}
			}
		}
	})
}
