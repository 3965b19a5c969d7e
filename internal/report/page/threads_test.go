package page

import (
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

func TestThreadsAreTold(t *testing.T) {
	threads := func(names ...string) *trace.Trace {
		b := trace.NewBuilder("test")
		for i, name := range names {
			th := b.Thread(string(rune('1'+i)), -1)
			th.SetName(name)
			th.Complete(0, 10, b.Function(trace.Function{Name: "f"}))
		}
		return testtrace.Build(t, b)
	}
	p := pair.New(threads("main", "io", "io", "lone"), threads("io", "io", "main"), pair.Rules{})
	p.Threads = []pair.ThreadPair{{A: 0, B: 2}, {A: 1, B: 1}, {A: 2, B: 0}, {A: 3, B: -1}, {A: -1, B: 1}, {A: 0, B: 1}}
	b := &builder{pair: p}
	b.nameThreads()
	want := []string{"main", "io · 2", "io · 3 | 1", "lone (only in A)", "io · 2 (only in B)", "main | io"}
	if !slices.Equal(b.titles, want) {
		t.Errorf("%q, want %q", b.titles, want)
	}
}
