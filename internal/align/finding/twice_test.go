package finding

import (
	"path/filepath"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// TestRecordedTwice compares recordings of one program on one input: two processes of threads that
// share a queue, two of goroutines, two of asynchronous requests, some of them on a busy machine.
// Nothing got slower or faster, and what is missing or new really is called less or more often.
func TestRecordedTwice(t *testing.T) {
	for _, files := range [][2]string{
		{"queue-1.data.tar.gz", "queue-2.data.tar.gz"},
		{"requests-1.json.gz", "requests-2.json.gz"},
		{"pipeline-1.gotrace", "pipeline-2.gotrace"},
	} {
		var sides [2]*trace.Trace
		for sd, name := range files {
			var err error
			path := filepath.Join("..", "..", "..", "testdata", "twice", name)
			if sides[sd], err = traceio.Load(t.Context(), path, input.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, sides := range [][2]*trace.Trace{sides, {sides[1], sides[0]}} {
			p, _, r := compared(t, sides[pair.A], sides[pair.B])
			for _, f := range r.Findings {
				if f.Share > telling && !reallyDiffers(p, &f) {
					t.Errorf("%s: %s", files[0], f.Text)
				}
			}
		}
	}
}

// reallyDiffers reports whether a finding is one that may be told of recordings of the same: calls
// of which there are more on one side. Their order may differ, too.
func reallyDiffers(p *pair.Pair, f *Finding) bool {
	switch f.Kind {
	case Slower, Faster:
		return false
	case Missing, New:
		more := callsOf(p, pair.B, f.Function) - callsOf(p, pair.A, f.Function)
		return (more > 0) == (f.Kind == New) && more != 0
	}
	return true
}

// callsOf returns how often a function is called on threads that both sides have.
func callsOf(p *pair.Pair, sd pair.Side, function string) (n int) {
	t := p.Trace(sd)
	for k, th := range t.Threads {
		for i := range th.Fn {
			n += bit(p.Partner(sd, k) >= 0 && t.FunctionOf(th, i).Name == function)
		}
	}
	return n
}
