package explain

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// sampledRun has threads whose calls are runs of samples, 1 ms each: hot is met so often, in between
// other functions, and fresh so often at the end.
func sampledRun(t testtrace.TB, threads, hot, fresh int) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Symbols = true
	for k := range threads {
		th, now := b.Thread(string(rune('1'+k)), -1), int64(0)
		th.SetName("worker")
		th.SetSampled()
		th.Begin(0, b.Function(trace.Function{Name: "main"}))
		run := func(name string) {
			th.Begin(now, b.Function(trace.Function{Name: name}))
			now += 1_000_000
			th.End(now)
		}
		for i := range 2 * hot {
			run([]string{"hot", "step"}[i%2])
		}
		for range fresh {
			run("fresh")
		}
		th.End(now)
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestSampledCallsAreNotCounted: the number of runs of samples is no number of calls, so no sentence
// tells it; what is told is time.
func TestSampledCallsAreNotCounted(t *testing.T) {
	counted := regexp.MustCompile(`\b(calls?|called|runs \d+ times?)\b`)
	for _, threads := range []int{1, 2} {
		d := differenceOf(t, sampledRun(t, threads, 40, 0), sampledRun(t, 2, 160, 90))
		holdsAccount(t, d)
		told := ""
		for i := range d.Findings {
			f := &d.Findings[i]
			told += f.Kind + " " + f.Text + "\n"
			if text := strings.ReplaceAll(f.Text, "in no call", ""); counted.MatchString(text) {
				t.Errorf("%d threads: calls are counted: %s", threads, text)
			}
		}
		for _, want := range []string{"fresh is sampled in B only: +180 ms", "hot takes 320 ms of self time instead of "} {
			if !strings.Contains(told, want) {
				t.Errorf("%d threads: no %q in\n%s", threads, want, told)
			}
		}
	}
}
