package aligned

import (
	"context"
	"fmt"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

// call is a call of a constructed trace, with times in ms.
type call struct {
	name     string
	from, to int64
	below    []call
}

// failer is what a plain test and a property test have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// recorded builds a trace of one thread.
func recorded(t failer, calls []call) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("constructed")
	th := b.Thread("1", -1)
	var add func(calls []call)
	add = func(calls []call) {
		for _, c := range calls {
			th.Begin(c.from*1e6, b.Function(trace.Function{Name: c.name}))
			add(c.below)
			th.End(c.to * 1e6)
		}
	}
	add(calls)
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// prepared aligns the first threads of two traces.
func prepared(t failer, a, b *trace.Trace) *Prepared {
	t.Helper()
	return preparedPair(t, pair.New(a, b, pair.Rules{}))
}

// preparedPair aligns the threads that are paired first.
func preparedPair(t failer, both *pair.Pair) *Prepared {
	t.Helper()
	ctx := context.Background()
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := align.Align(ctx, both, both.Threads[0].A, both.Threads[0].B,
		align.Options{}, nil)
	fail(err)
	v, err := r.Virtual(ctx)
	fail(err)
	line, err := v.Timeline(ctx, Samples)
	fail(err)
	moves, err := v.Moved(ctx)
	fail(err)
	p, err := Prepare(ctx, v, line, moves)
	fail(err)
	return p
}

// drawnTrace draws a thread of few functions, so that much of two of them is equal.
func drawnTrace(t *rapid.T, name string) *trace.Trace {
	b := trace.NewBuilder(name)
	th := b.Thread("1", -1)
	at, depth := rapid.Int64Range(0, 50).Draw(t, "start"), 0
	for _, s := range rapid.SliceOfN(rapid.Uint32(), 2, 200).Draw(t, name) {
		at += int64(s>>8) & (1<<(s>>4&7) - 1)
		if depth == 0 || depth < 6 && s&1 == 0 {
			th.Begin(at, b.Function(trace.Function{Name: fmt.Sprint("f", s>>1&3)}))
			depth++
		} else {
			th.End(at)
			depth--
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
