package aggregate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestOnlyTheRangeIsPassedOver holds that the state is asked for of no calls but those of the range
// and those around its beginning.
func TestOnlyTheRangeIsPassedOver(t *testing.T) {
	b := trace.NewBuilder("test")
	th, f := b.Thread("1", -1), b.Function(trace.Function{Name: "f"})
	th.Begin(0, f)
	for i := range int64(1000) {
		th.Begin(10*i, f)
		th.Begin(10*i+2, f)
		th.End(10*i + 4)
		th.End(10*i + 8)
	}
	th.End(10000)
	tr := testtrace.Build(t, b)
	var asked []int
	p := newPass(pair.A, 0, tr.Threads[0], states{of: func(call int, _ int32) int32 {
		asked = append(asked, call)
		return 0
	}}, []int64{5003, 5020, 5043})
	s := newSlicer(1, progress.Ticker{Meter: progress.NewMeter(nil, 1)})
	if err := s.thread(context.Background(), &p); err != nil {
		t.Fatal(err)
	}
	// Call 0, the two that begin at 5000 and 5002, and all until 5042.
	if want := []int{0, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010}; len(asked) !=
		len(want) || !slices.Equal(asked, want) || p.calls() != 8 {
		t.Errorf("%d calls, asked for %d", p.calls(), asked)
	}
	if want := []Cell{{0, 0, 17}, {1, 0, 23}}; !slices.Equal(s.cells, want) {
		t.Error(s.cells)
	}
}

// TestCellsAscend holds that the cells of a slice are in the order of their states, whatever came
// first, also of so many states that they are in several words.
func TestCellsAscend(t *testing.T) {
	b := trace.NewBuilder("test")
	th, f := b.Thread("1", -1), b.Function(trace.Function{Name: "f"})
	for i := range int64(3) {
		th.Begin(10*i, f)
		th.End(10*i + 10)
	}
	p := newPass(pair.A, 0, testtrace.Build(t, b).Threads[0], states{of: func(call int, _ int32) int32 {
		return []int32{130, 1, 70}[call]
	}}, []int64{0, 30})
	s := newSlicer(131, progress.Ticker{Meter: progress.NewMeter(nil, 1)})
	if err := s.thread(context.Background(), &p); err != nil {
		t.Fatal(err)
	}
	if want := []Cell{{0, 1, 10}, {0, 70, 10}, {0, 130, 10}}; !slices.Equal(s.cells, want) {
		t.Error(s.cells)
	}
}

// TestByCodeIsTheSumOfThreads holds the rows of functions against those of the threads.
func TestByCodeIsTheSumOfThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		if tr.Duration < 2 {
			return
		}
		code, cells := &Code{}, make([]int32, len(tr.Functions))
		for i, f := range tr.Functions {
			cells[i] = int32(i)
			code.Places = append(code.Places, Place{Keys: []string{f.Name}, Names: []string{f.Name}})
		}
		code.Cells = func(pair.Side, int) []int32 { return cells }
		o := Options{Slices: rapid.IntRange(8, 20).Draw(t, "slices")}
		from := rapid.Int64Range(0, tr.Duration-1).Draw(t, "from")
		spans := [2]Span{{from, rapid.Int64Range(from+1, tr.Duration).Draw(t, "to")}}
		p := pair.New(tr, nil, pair.Rules{})
		threads := modelsOf(t, p, spans, o).Sides[0]
		o.Code = code
		m := modelsOf(t, p, spans, o)
		got, sum := make([]float64, o.Slices), make([]float64, len(threads.States()))
		for i := range o.Slices {
			clear(sum)
			for leaf := range threads.Tree().Leaves {
				threads.Add(leaf, i, i, sum)
			}
			for leaf, place := range m.Places[0] {
				m.Sides[0].Row(leaf, got)
				name := code.Places[place].Names[0]
				if k := slices.Index(threads.States(), name); !near(got[i], sum[k]) {
					t.Fatalf("%s, slice %d: %g, want %g", name, i, got[i], sum[k])
				}
			}
		}
	})
}

// wide makes a trace of many threads, most of which live for a short time.
func wide(t testing.TB, threads, calls, functions int) *trace.Trace {
	r := rand.New(rand.NewPCG(1, 1))
	b := trace.NewBuilder("test")
	fns := make([]trace.FuncID, functions)
	for i := range fns {
		fns[i] = b.Function(trace.Function{Name: fmt.Sprint("f", i)})
	}
	for i := range threads {
		th := b.Thread(fmt.Sprint("1/", i), b.Process("1"))
		th.SetName(fmt.Sprint("worker", i%40, " ", i))
		at, length := int64(i)*1000, int64(1+r.IntN(20))
		for range calls {
			th.Begin(at, fns[r.IntN(functions)])
			at += length
			th.End(at)
		}
	}
	return testtrace.Build(t, b)
}

// TestModelsNeedWhatIsNotZero counts all bytes that New takes, those that it gives back included: 16
// for each state of a thread and timeslice that is not 0, and some for each thread. Where many states
// become Other, a thread's row is copied to a smaller one, and the larger one is given back.
func TestModelsNeedWhatIsNotZero(t *testing.T) {
	for _, functions := range []int{20, 60} { // with few, all states keep their names
		tr := wide(t, 600, testtrace.Sized(400, 1200), functions)
		p := pair.New(tr, nil, pair.Rules{})
		o := Options{Slices: 100}
		span := Span{To: tr.Duration}
		borders := span.borders(o.Slices)
		cells := 0
		for _, th := range tr.Threads {
			seen := map[[2]int]bool{}
			for i := range th.Len() {
				first, _ := slices.BinarySearch(borders[1:], th.Start(i)+1) // that ends after the start
				for at := first; at < o.Slices && borders[at] < th.End(i); at++ {
					seen[[2]int{at, int(th.Fn[i])}] = true
				}
			}
			cells += len(seen)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m := modelsOf(t, p, [2]Span{span}, o)
		runtime.ReadMemStats(&after)
		got, want := after.TotalAlloc-before.TotalAlloc, uint64(16*cells+2100*len(tr.Threads))
		if functions > mostStates {
			for _, row := range m.Sides[0].Cells {
				want += 16 * uint64(len(row))
			}
		}
		t.Logf("%d cells, %d bytes, %d allowed", cells, got, want)
		if got > want {
			t.Errorf("%d functions: %d bytes, want at most %d", functions, got, want)
		}
	}
}
