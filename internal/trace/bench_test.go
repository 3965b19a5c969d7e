package trace

import "testing"

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
