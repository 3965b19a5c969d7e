package trace

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"diptych/internal/testtrace/deepeq"
)

// records returns the steps as records, and a Records without its List that holds their texts.
func records(t *rapid.T, steps []step) Records {
	e := Records{}
	if rapid.Bool().Draw(t, "numbered") {
		e.Functions = []FuncID{0, 1, 2, 3}
	}
	for _, s := range steps {
		r := Record{At: s.at, End: s.to, Fn: s.fn, From: uint32(len(e.Text))}
		r.Kind = map[stepKind]RecordKind{begin: Enter, end: Leave, endNamed: LeaveNamed, complete: Whole}[s.kind]
		e.Text = append(e.Text, s.text...)
		r.To = uint32(len(e.Text))
		e.List = append(e.List, r)
	}
	e.Plain = Plain(e.Text) && rapid.Bool().Draw(t, "plain")
	return e
}

// appended feeds two threads with the steps of each, in pieces and both at once.
func appended(t *rapid.T, all [2][]step) *Builder {
	b, th := newTestBuilder()
	threads := []*ThreadBuilder{th, b.Thread("2", -1)}
	var both sync.WaitGroup
	for k, steps := range all {
		e, piece := records(t, steps), rapid.IntRange(1, 50).Draw(t, "piece")
		expect := rapid.IntRange(-1, 60).Draw(t, "expected")
		both.Go(func() {
			for from := 0; from < len(e.List); from += piece {
				threads[k].Append(Records{e.List[from:min(from+piece, len(e.List))], e.Functions, e.Text, e.Plain})
				threads[k].ExpectCalls(expect)
			}
		})
	}
	for range 3 {
		b.Function(Function{Name: "another"})
		b.Thread("3", b.Process("1"))
	}
	both.Wait()
	return b
}

// TestAppend holds that records in batches are what the methods for single ones make of them,
// whatever the pieces.
func TestAppend(t *testing.T) {
	for name, kinds := range mixtures {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			all := [2][]step{slower(t, someSteps(t, kinds)), someSteps(t, kinds)}
			got := appended(t, all)
			want, th := newTestBuilder()
			feed(th, all[0])
			feed(want.Thread("2", -1), all[1])
			want.Function(Function{Name: "another"})
			want.Thread("3", want.Process("1"))
			x, y := mustBuild(t, got), mustBuild(t, want)
			if deepeq.Equal(y, x) {
				return // a hundred times as fast as looking for what differs
			}
			if diff := cmp.Diff(y, x, everything, cmp.Transformer("count", countOf)); diff != "" {
				t.Fatal(diff)
			}
		}))
	}
}

// TestAppendNested holds the same for so many nested calls that columns have several pieces.
func TestAppendNested(t *testing.T) {
	appendNested(t, 2*chunkLen+100)
}

// TestAppendManyNested holds it for so many that the times that others count from have several pieces,
// also, in the long run of this test, where as many or more were expected.
func TestAppendManyNested(t *testing.T) {
	appendNested(t, chunkLen*baseLen+chunkLen/2, sized([]int{0}, []int{0, 7, 14})...)
}

// appendNested has calls appended, of which others are expected at other times. It may be told which
// of the 15 cases are tried.
func appendNested(t *testing.T, calls int, cases ...int) {
	list := make([]Record, 0, 2*calls)
	for i := range int64(calls) {
		list = append(list, Record{At: 4 * i, Fn: FuncID(i % fns)})
		if i%9 == 8 {
			for range int64(8) {
				list = append(list, Record{At: 4*i + 1, Kind: Leave})
			}
		}
	}
	want, th := newTestBuilder()
	for _, v := range list {
		th.appendOne(&Records{}, &v)
	}
	plain := mustBuild(t, want)
	for k := range 15 {
		if len(cases) > 0 && !slices.Contains(cases, k) {
			continue
		}
		expected := []int{0, calls - 5, calls, calls + 100, 2 * calls}[k/3]
		b, th := newTestBuilder()
		for from := 0; from < len(list); from += 1000 {
			th.Append(Records{List: list[from:min(from+1000, len(list))]})
			if from == []int{10_000, 40_000, 62_000}[k%3] { // in three pieces
				th.ExpectCalls(expected)
			}
		}
		built := mustBuild(t, b)
		if deepeq.Equal(plain, built) {
			continue
		}
		if diff := cmp.Diff(plain, built, everything); diff != "" {
			t.Fatalf("%d expected: %s", expected, diff)
		}
	}
}

// TestAppendSteps holds that steps are what Begin and End make of them, whatever the pieces: also if
// numbers are large, stacks are deep, ends close nothing, or time goes back.
func TestAppendSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Steps
		disorder, ends := rapid.SampledFrom([]int64{0, 0, 1}).Draw(t, "disorder"), rapid.IntRange(1, 9).Draw(t, "ends")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for at := int64(1000); len(s.At) < 2000; {
			fn := FuncID(rnd.IntN(fns))
			if rnd.IntN(10) < ends {
				fn = StepEnd
			}
			if at += rnd.Int64N(100) - disorder; rnd.IntN(300) == 0 {
				at += far
			}
			s.At, s.Fn = append(s.At, at), append(s.Fn, fn)
		}
		b, th := newTestBuilder()
		for from := 0; from < len(s.At); {
			to := min(from+1+rnd.IntN(600), len(s.At))
			th.AppendSteps(Steps{s.At[from:to], s.Fn[from:to]})
			from = to
		}
		want, one := newTestBuilder()
		for i, at := range s.At {
			if s.Fn[i] == StepEnd {
				one.End(at)
			} else {
				one.Begin(at, s.Fn[i])
			}
		}
		if x, y := mustBuild(t, b), mustBuild(t, want); !deepeq.Equal(y, x) {
			t.Fatal(cmp.Diff(y, x, everything))
		}
	})
}

var everything = cmp.Options{cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateEmpty()}

// countOf leaves out the examples of diagnostics: a batch counts negative durations with its
// thread.
func countOf(d Diagnostic) map[Code]uint64 { return map[Code]uint64{d.Code: d.Count} }

// TestCallBefore holds that a call can be named before it is there.
func TestCallBefore(t *testing.T) {
	b, th := newTestBuilder()
	wait := th.Call(1)
	b.Correspond(wait, th.Call(2), NoObject)
	th.Append(Records{List: []Record{{At: 5, End: 6, Kind: Whole}, {At: 2, End: 3, Kind: Whole},
		{At: 0, End: 9, Kind: Whole}}})
	tr := mustBuild(t, b)
	c := tr.Correspondences[0]
	if c.Wait.Call != 1 || c.Release.Call != 0 {
		t.Errorf("wait %v, release %v", c.Wait, c.Release)
	}
}
