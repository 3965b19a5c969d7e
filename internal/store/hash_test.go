package store

import (
	"fmt"
	"runtime"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// example is what a small trace is built from.
type example struct {
	fn, pkg, id, name string
	start, dur        int64
	swap, deeper      bool
	calls             int
}

func (r example) build(t testing.TB) *trace.Trace {
	b := trace.NewBuilder("test")
	f := b.Function(trace.Function{Name: r.fn, Package: r.pkg})
	g := b.Function(trace.Function{Name: "g"})
	th, other := b.Thread(r.id, -1), b.Thread("2", -1)
	th.SetName(r.name)
	if r.swap {
		f, g = g, f
	}
	other.Begin(0, f)
	other.End(5)
	for i := range r.calls {
		at := int64(10*i) + r.start
		th.Begin(at, f)
		if !r.deeper {
			th.End(at + 4)
		}
		th.Begin(at+4, g)
		th.End(at + 4)
		if r.deeper {
			th.End(at + 4)
		}
	}
	th.Begin(1e9, f)
	th.End(1e9 + r.dur)
	return testtrace.Build(t, b)
}

// TestTraceHash checks that a hash is the same for a trace that is built again and for any number
// of processors, and differs if anything in the trace does. Its columns have several pieces.
func TestTraceHash(t *testing.T) {
	plain := example{fn: "f", pkg: "p", id: "1", name: "main", dur: 7, calls: 1000}
	seen := map[[16]byte]string{}
	for name, change := range map[string]func(*example){
		"plain": func(*example) {}, "function": func(r *example) { r.fn = "F" },
		"package": func(r *example) { r.pkg = "q" }, "id": func(r *example) { r.id = "7" },
		"name": func(r *example) { r.name = "worker" }, "start": func(r *example) { r.start = 1 },
		"end": func(r *example) { r.dur = 8 }, "functions": func(r *example) { r.swap = true },
		"nesting": func(r *example) { r.deeper = true }, "calls": func(r *example) { r.calls++ },
	} {
		r := plain
		change(&r)
		h := hashInPieces(r.build(t), 1<<12)
		if was, ok := seen[h]; ok {
			t.Errorf("%s and %s have one hash", was, name)
		}
		seen[h] = name
		n := runtime.GOMAXPROCS(1)
		again := hashInPieces(r.build(t), 1<<12)
		runtime.GOMAXPROCS(n)
		if again != h {
			t.Errorf("%s: two hashes", name)
		}
	}
	if h := TraceHash(plain.build(t)); h == hashInPieces(plain.build(t), 1<<12) {
		t.Error("the pieces are not part of the hash")
	}
}

// BenchmarkTraceHash measures the rate of hashing, in calls.
func BenchmarkTraceHash(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprint(2*n), func(b *testing.B) {
			tr := example{calls: n}.build(b)
			for b.Loop() {
				TraceHash(tr)
			}
			b.ReportMetric(float64(tr.Calls())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
		})
	}
}
