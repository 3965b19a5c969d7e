package gotrace

import (
	"context"
	"testing"

	"diptych/internal/trace"
)

// TestWriterKeepsTheOrder: a thread gets its records, flags and instants in the order in which they
// were handed over, however many parcels they take.
func TestWriterKeepsTheOrder(t *testing.T) {
	for _, calls := range []int{3, fewGiven, 10 * parcelRecords} {
		b := trace.NewBuilder("gotrace")
		fn := b.Function(trace.Function{Name: "f"})
		th := b.Thread("1", -1)
		var w writer
		for i := range calls {
			at := int64(10 * i)
			w.hand(th, []trace.Brief{trace.BriefEnter(at, fn, 0, 0), trace.BriefLeave(at + 5)},
				[]flagged{{uint32(i), trace.Sampled}}, []trace.Instant{{At: at, Fn: fn}}, i == calls-1)
		}
		w.finish()
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := tr.Threads[0]
		if got.Len() != calls || len(got.Instants) != calls {
			t.Fatalf("%d calls, %d instants, want %d", got.Len(), len(got.Instants), calls)
		}
		for i := range calls {
			if got.Start(i) != int64(10*i) || got.Flags(i) != trace.Sampled {
				t.Fatalf("call %d at %d has flags %d", i, got.Start(i), got.Flags(i))
			}
		}
	}
}

// TestWriterPanicsWithTheLoader: what the writer's goroutine panics with, the loader panics with.
func TestWriterPanicsWithTheLoader(t *testing.T) {
	var w writer
	if !panics(func() {
		for range fewGiven + 10*parcelItems {
			w.hand(nil, nil, nil, nil, true) // there is no such thread
		}
		w.finish()
	}) {
		t.Error("a panic is hidden")
	}
	if w.stop(); w.full != nil {
		t.Error("the goroutine is left")
	}
}
