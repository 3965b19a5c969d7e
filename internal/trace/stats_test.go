package trace_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestCountMatchesDefinition holds calls and times against what each call says of itself, also where
// several functions are counted as one.
func TestCountMatchesDefinition(t *testing.T) {
	shape := testtrace.Shape{Threads: testtrace.Range{1, 3}, Records: testtrace.Range{0, 40},
		Step: testtrace.Range{0, 4}}
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		as := make([]uint32, len(tr.Functions))
		for f := range as {
			as[f] = uint32(f)
		}
		st := trace.Count(context.Background(), tr)
		if rapid.Bool().Draw(t, "as others") {
			for f := range as {
				as[f] = rapid.Uint32Range(0, uint32(len(as)-1)).Draw(t, "as")
			}
			st = trace.CountAs(context.Background(), tr, as, len(as), func(int) bool { return true })
		}
		for f := range tr.Functions {
			calls, self, total := 0, int64(0), int64(0)
			for _, th := range tr.Threads {
				for i, fn := range th.Fn {
					if int(as[fn]) != f {
						continue
					}
					calls++
					self += th.Self(i)
					outermost := true
					for up := th.Parent(i); up >= 0; up = th.Parent(int(up)) {
						outermost = outermost && int(as[th.Fn[up]]) != f
					}
					if outermost {
						total += th.Dur(i)
					}
				}
			}
			if st.Calls[f] != calls || st.Self[f] != self || st.Total[f] != total {
				t.Fatalf("%s: %d calls, %d, %d ns, want %d, %d, %d", tr.Functions[f].Name,
					st.Calls[f], st.Self[f], st.Total[f], calls, self, total)
			}
		}
	})
}
