package trace

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"diptych/internal/spill"
	"diptych/internal/testtrace/deepeq"
)

// manySteps are so many records of the given kinds that columns have several pieces. Times mostly
// advance, and go back as often as disorder says.
func manySteps(kinds []stepKind, n, disorder int, noise *rand.Rand) []step {
	steps := make([]step, n)
	now := int64(1 << 20)
	for i := range steps {
		if now += noise.Int64N(5); disorder > 0 && noise.IntN(disorder) == 0 {
			now -= noise.Int64N(50)
		}
		s := step{kind: kinds[noise.IntN(len(kinds))], at: now, fn: FuncID(noise.IntN(fns))}
		if s.to = now + noise.Int64N(40); noise.IntN(3) == 0 {
			s.text = "argument " + strconv.Itoa(i)
		}
		steps[i] = s
	}
	return steps
}

// fed gives steps to a builder one by one, or in batches with a hint of how many there will be.
func fed(b *Builder, th *ThreadBuilder, steps []step, batches bool) {
	if !batches {
		for _, r := range feed(th, steps) {
			if r.ord%5 == 0 {
				th.Flag(r, Sampled)
				th.Instant(int64(r.ord), 1)
			}
		}
		return
	}
	kind := map[stepKind]RecordKind{begin: Enter, end: Leave, endNamed: LeaveNamed, complete: Whole}
	for from := 0; from < len(steps); from += 1000 {
		var e Records
		for _, s := range steps[from:min(from+1000, len(steps))] {
			r := Record{At: s.at, End: s.to, Fn: s.fn, Kind: kind[s.kind], From: uint32(len(e.Text))}
			e.Text = append(e.Text, s.text...)
			r.To = uint32(len(e.Text))
			e.List = append(e.List, r)
		}
		th.Append(e)
		th.ExpectCalls(len(steps) * 2 / 3)
	}
}

// TestSpilled: a trace is the same wherever its columns lie, and those that have no room on the heap
// lie in the file.
func TestSpilled(t *testing.T) {
	noise := rand.New(rand.NewPCG(3, 9))
	for name, kinds := range mixtures {
		disorders := []int{0, 300}
		one := noise.IntN(len(disorders))
		for _, disorder := range sized(disorders[one:one+1], disorders) {
			heap := noise.Int64N(2) << 19
			steps, batches := manySteps(kinds, 2*chunkLen+chunkLen/2, disorder, noise), noise.IntN(2) == 0
			plain, th := newTestBuilder()
			fed(plain, th, steps, batches)
			file := spill.New(0)
			spilled, th := newTestBuilder()
			spilled.Spill(file, heap)
			fed(spilled, th, steps, batches)
			want, got := mustBuild(t, plain), mustBuild(t, spilled)
			if !deepeq.Equal(want.Form(), got.Form()) {
				t.Errorf("%s, disorder %d, %d bytes on the heap: not the same", name, disorder, heap)
			}
			if runtime.GOOS == "linux" && file.Size() == 0 {
				t.Errorf("%s: nothing in the file", name)
			}
		}
	}
}

// TestDeepStacksSpill: in a thread with deep stacks each call has a level beside its columns, and all
// calls that last longer than columns have room for a number. They lie in the file like the columns,
// are weighed, and are the same.
func TestDeepStacksSpill(t *testing.T) {
	const calls, levels = 300_000, deep + 45
	fns := make([]FuncID, levels)
	make1 := func(b *Builder, th *ThreadBuilder, expect int) *Trace {
		th.Expect(calls, expect)
		if err := b.AffordExpected(); err != nil {
			t.Fatal(err)
		}
		for k := range int64(calls / levels) {
			th.Turn(3e9*k, int(min(k, 1))*levels, fns)
		}
		return mustBuild(t, b)
	}
	b, th := newTestBuilder()
	want := make1(b, th, levels)
	for _, expect := range []int{levels, 1} { // with 1, room for levels is made while they come
		b, th = newTestBuilder()
		b.Spill(spill.New(0), 0)
		var weighed int64
		b.Weigh(func(bytes, _ int64) error { weighed = bytes; return nil })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := make1(b, th, expect)
		runtime.ReadMemStats(&after)
		if per := (after.TotalAlloc - before.TotalAlloc) / calls; spill.Supported && per > 1 {
			t.Errorf("%d bytes of the heap for each call", per)
		}
		if takes := got.Footprint().Columns; weighed < takes*9/10 {
			t.Errorf("%d bytes were weighed of %d", weighed, takes)
		}
		if !deepeq.Equal(want.Form(), got.Form()) {
			t.Error("another trace")
		}
	}
}
