package trace

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

// BenchmarkBuilder gathers and builds calls in each of the three ways; read ns/op as ns a call.
func BenchmarkBuilder(b *testing.B) {
	for name, call := range map[string]func(th *ThreadBuilder, i int64){
		"nested": func(th *ThreadBuilder, i int64) {
			if i%8 == 0 {
				for k := int64(8); th.Depth() > 0; k-- {
					th.End(16*i - k)
				}
			}
			th.Begin(16*i, FuncID(i%fns))
		},
		"whole": func(th *ThreadBuilder, i int64) { th.Complete(i&^7, i|7, FuncID(i%fns)) },
		"whole by end": func(th *ThreadBuilder, i int64) { // 7 calls in an eighth, which comes last
			if i%8 < 7 {
				th.Complete(16*i, 16*i+9, FuncID(i%fns))
			} else {
				th.Complete(16*(i-7), 16*i, FuncID(i%fns))
			}
		},
		"staircase": func(th *ThreadBuilder, i int64) { th.Complete(i, 1<<32+i, 0) },
		"logged": func(th *ThreadBuilder, i int64) {
			th.Begin(8*(i^1), FuncID(i%fns))
			th.End(8*(i^1) + 4)
		},
	} {
		b.Run(name, func(b *testing.B) {
			builder, th := newTestBuilder()
			for i := range int64(b.N) {
				call(th, i)
			}
			mustBuild(b, builder)
		})
	}
}

// BenchmarkTinyThreads gathers and builds threads of four calls; read ns/op and B/op as those of a
// thread.
func BenchmarkTinyThreads(b *testing.B) {
	for name, fill := range map[string]func(th *ThreadBuilder, at int64){
		"nested": func(th *ThreadBuilder, at int64) {
			th.Begin(at, 0)
			for k := range int64(3) {
				th.Begin(at+2*k+1, 1)
				th.End(at + 2*k + 2)
			}
			th.End(at + 9)
		},
		"whole": func(th *ThreadBuilder, at int64) {
			for k := range int64(3) {
				th.Complete(at+2*k+1, at+2*k+2, 1)
			}
			th.Complete(at, at+9, 0)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			builder, _ := newTestBuilder()
			for i := range int64(b.N) {
				fill(builder.Thread(strconv.FormatInt(i, 10), -1), i)
			}
			mustBuild(b, builder)
		})
	}
}

// BenchmarkPyramid compares finding the one wide call of a million with a scan for it.
func BenchmarkPyramid(b *testing.B) {
	builder, th := newTestBuilder()
	const calls = 1 << 20
	for i := range int64(calls) {
		th.Complete(2*i, 2*i+1, 0)
	}
	th.Complete(2*calls, 3*calls, 1)
	built := mustBuild(b, builder).Threads[0]
	b.Run("NextWide", func(b *testing.B) {
		for b.Loop() {
			if built.NextWide(1, calls+1, 1000) != calls {
				b.Fatal("not found")
			}
		}
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			i := 1
			for built.Dur(i) < 1000 {
				i++
			}
		}
	})
}

// BenchmarkAppend gathers and builds the calls of random stacks, handed over in batches; it reports
// both by the call.
func BenchmarkAppend(b *testing.B) {
	const calls = 1 << 20
	rnd := rand.New(rand.NewPCG(7, 7))
	var list []Record
	at, depth, begun := int64(0), 0, 0
	for begun < calls || depth > 0 {
		at += int64(rnd.IntN(100))
		v := Record{At: at, Kind: Leave}
		if depth == 0 || depth < 20 && begun < calls && rnd.IntN(2) == 0 {
			v.Kind, v.Fn = Enter, FuncID(rnd.IntN(fns))
			begun, depth = begun+1, depth+2
		}
		depth--
		list = append(list, v)
	}
	var appending, building time.Duration
	for b.Loop() {
		builder, th := newTestBuilder()
		start := time.Now()
		th.ExpectCalls(begun)
		for from := 0; from < len(list); from += 512 {
			th.Append(Records{List: list[from:min(from+512, len(list))]})
		}
		appending += time.Since(start)
		start = time.Now()
		mustBuild(b, builder)
		building += time.Since(start)
	}
	all := float64(b.N) * float64(begun)
	b.ReportMetric(float64(appending.Nanoseconds())/all, "ns/append")
	b.ReportMetric(float64(building.Nanoseconds())/all, "ns/build")
}
