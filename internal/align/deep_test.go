package align

import (
	"context"
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// chain is a thread that calls 1000 functions deep into each other, again and again.
func chain(t *testing.T, depth int) *trace.Trace {
	b := trace.NewBuilder("test")
	th := b.Thread("0", -1)
	names := make([]trace.FuncID, 1000)
	for k := range names {
		names[k] = b.Function(trace.Function{Name: string(rune('α' + k))})
	}
	for k := range depth {
		th.Begin(int64(k), names[k%len(names)])
	}
	for k := range depth {
		th.End(int64(depth + 3*k))
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestDeep holds that stacks of any depth are measured, paired or not.
func TestDeep(t *testing.T) {
	const depth = 100_000
	p := pair.New(chain(t, depth), chain(t, depth), pair.Rules{})
	for _, paired := range []bool{true, false} {
		r := &Result{Pair: p}
		for s := range r.Threads {
			r.Threads[s] = p.Trace(pair.Side(s)).Threads[0]
			r.Partner[s] = slices.Repeat([]int32{None}, depth)
			for i := range r.Partner[s] {
				if paired {
					r.Partner[s][i] = int32(i)
				}
			}
		}
		nodes := 0
		for range r.Walk {
			nodes++
		}
		v := laid(t, r)
		line, err := v.Timeline(context.Background(), Samples)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := v.Moved(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		took := v.Threads[pair.A].Dur(0)
		switch {
		case paired && (nodes != depth || v.Length != took || slices.Max(line.Dissimilarity) != 0):
			t.Errorf("paired: %d nodes, %d ns", nodes, v.Length)
		case !paired && (nodes != 2*depth || v.Length != 2*took || len(moves) != 1 ||
			slices.Min(line.Dissimilarity) != 1):
			t.Errorf("not paired: %d nodes, %d ns, %d moves", nodes, v.Length, len(moves))
		}
	}
}
