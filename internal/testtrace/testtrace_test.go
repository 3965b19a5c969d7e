package testtrace_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

var busy = testtrace.Shape{Threads: testtrace.Range{1, 3}, Records: testtrace.Range{0, 60},
	Step: testtrace.Range{0, 3}, Start: testtrace.Range{0, 9},
	Depth: 4, Close: true, Objects: testtrace.Range{1, 3}, Stated: true}

// TestShape holds what a Shape promises of its traces.
func TestShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := busy.Draw(t, "a")
		if n := len(tr.Threads); n > 3 || len(tr.Objects) > 3 || len(tr.Diagnostics) > 0 {
			t.Fatalf("%d threads, objects %v, %v", n, tr.Objects, tr.Diagnostics)
		}
		for _, th := range tr.Threads {
			if th.Len() > 60 || th.MaxDepth() > 4 {
				t.Fatalf("%d calls, %d levels", th.Len(), th.MaxDepth())
			}
		}
	})
}

// startsOf returns the starts of the calls of the first thread.
func startsOf(tr *trace.Trace) (starts []int64) {
	for i := range tr.Threads[0].Len() {
		starts = append(starts, tr.Threads[0].Start(i))
	}
	return starts
}

// TestRandom holds that a seed gives one trace and another seed another, with everything in it that
// was asked for.
func TestRandom(t *testing.T) {
	large := busy
	large.Threads, large.Records = testtrace.Exactly(3), testtrace.Exactly(2000)
	again := large.Random(t, 1)
	if d := cmp.Diff(startsOf(large.Random(t, 1)), startsOf(again)); d != "" {
		t.Error(d)
	}
	a, b := large.Random(t, 1), large.Random(t, 2)
	if slices.Equal(startsOf(a), startsOf(b)) {
		t.Error("two seeds give one trace")
	}
	kinds := map[trace.BlockKind]int{}
	for _, th := range a.Threads {
		for _, m := range th.Blocks {
			kinds[m.Kind]++
		}
	}
	if len(kinds) != 3 || a.Calls() < 2000 {
		t.Errorf("%d calls, marks %v", a.Calls(), kinds)
	}
	stray := testtrace.Shape{Records: testtrace.Exactly(50), Stray: true, Ends: 1}.Random(t, 1)
	if len(stray.Diagnostics) == 0 || stray.Calls() != 0 {
		t.Errorf("only ends give %d calls, %v", stray.Calls(), stray.Diagnostics)
	}
	late := testtrace.Shape{Start: testtrace.Exactly(9), Origin: true, Records: testtrace.Exactly(2)}.Random(t, 1)
	if start := late.Threads[0].Start(0); start != 9 {
		t.Errorf("starts at %d, want 9", start)
	}
}

// TestScales holds that steps of all magnitudes occur.
func TestScales(t *testing.T) {
	th := testtrace.Shape{Records: testtrace.Exactly(2000), Scales: 20}.Random(t, 1).Threads[0]
	short, long := 0, 0
	for i := 1; i < th.Len(); i++ {
		switch d := th.Start(i) - th.Start(i-1); {
		case d < 2:
			short++
		case d > 1<<18:
			long++
		}
	}
	if short < 50 || long < 50 {
		t.Errorf("%d short steps, %d long ones", short, long)
	}
}

// TestTrees holds that a recorded forest is the forest, and that edits happen at their rate.
func TestTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		calls, deep := rapid.IntRange(1, 60).Draw(t, "calls"), rapid.Float64Range(0, .9).Draw(t, "deep")
		list := testtrace.Grow(r, calls, 4, deep)
		n := testtrace.Number(list)
		for _, clock := range []func() testtrace.Clock{nil, func() testtrace.Clock { return testtrace.Halting(r) }} {
			th := testtrace.Record(t, clock, list).Threads[0]
			if n != calls || th.Len() != n {
				t.Fatalf("%d calls, want %d", th.Len(), n)
			}
			same(t, th, list)
		}
		twin := testtrace.Edit(r, list, 4, 0)
		if testtrace.Number(twin); spelled(twin) != spelled(list) {
			t.Fatalf("%s was edited to %s", spelled(list), spelled(twin))
		}
	})
	list := testtrace.Grow(rand.New(rand.NewPCG(1, 2)), 300, 5, .5)
	twin := testtrace.Edit(rand.New(rand.NewPCG(3, 4)), list, 5, .5)
	if testtrace.Number(list); testtrace.Number(twin) == 0 || spelled(twin) == spelled(list) {
		t.Error("nothing was edited")
	}
}

func same(t *rapid.T, th *trace.Thread, list []*testtrace.Tree) {
	for _, x := range list {
		if int(th.Size(x.At)) != x.Size {
			t.Fatalf("call %d has %d calls, want %d", x.At, th.Size(x.At), x.Size)
		}
		same(t, th, x.Below)
	}
}

func spelled(list []*testtrace.Tree) (text string) {
	for _, x := range list {
		text += x.Text
	}
	return text
}

func TestFlat(t *testing.T) {
	list := testtrace.Flat("a c b")
	if testtrace.Number(list); spelled(list) != "0()2()1()" {
		t.Error(spelled(list))
	}
}
