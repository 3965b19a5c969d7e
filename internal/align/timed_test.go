package align

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// clocked makes a trace of one thread of a forest, with times drawn from a clock that often stands
// still.
func clocked(t fataler, r *rand.Rand, list []*tree) *trace.Trace {
	b := trace.NewBuilder("test")
	th, now := b.Thread("0", -1), int64(r.IntN(50))
	pass := func() int64 {
		if r.IntN(3) > 0 {
			now += int64(r.IntN(20))
		}
		return now
	}
	var visit func(list []*tree)
	visit = func(list []*tree) {
		for _, x := range list {
			th.Begin(pass(), b.Function(trace.Function{Name: fmt.Sprintf("f%d", x.fn)}))
			visit(x.kids)
			th.End(pass())
		}
	}
	visit(list)
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// someVirtual draws two threads with times and lays out their alignment.
func someVirtual(t *rapid.T) *Virtual {
	xs, ys := someForests(t)
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "clock"), 0))
	p := pair.New(clocked(t, r, xs), clocked(t, r, ys), pair.Rules{})
	grain := rapid.SampledFrom([]int{1, 7, 50, usualGrain}).Draw(t, "grain")
	v, err := aligned(t, p, Options{}).virtual(context.Background(), grain)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func laid(t fataler, r *Result) *Virtual {
	v, err := r.Virtual(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// told makes a trace of one thread from its calls, each as a name and its start and end in ms.
func told(t testing.TB, calls ...said) *trace.Trace {
	b := trace.NewBuilder("test")
	th := b.Thread("0", -1)
	for _, c := range calls {
		th.Complete(c.start*ms, c.end*ms, b.Function(trace.Function{Name: c.name}))
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

type said struct {
	name       string
	start, end int64
}

const ms = 1_000_000

// compared returns the alignment of two such traces.
func compared(t testing.TB, a, b []said) *Virtual {
	p := pair.New(told(t, a...), told(t, b...), pair.Rules{})
	return laid(t, aligned(t, p, Options{}))
}
