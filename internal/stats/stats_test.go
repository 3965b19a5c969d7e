package stats

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// TestCountsByHand counts a range that cuts calls at both ends, with recursion, a call without time,
// and a wait within a wait.
func TestCountsByHand(t *testing.T) {
	a := texttest.Parse(t, `
thread 1
  0+40 main
    5+19 work
      10+7 work
        13+3 lock wait=m
          14+1 lock wait=m
    30+0 point
    32+7 f
      34+2 f
`)
	p := pair.New(a, nil, pair.Rules{})
	table, err := Count(context.Background(), p, Window{Ranges: [2]Range{{12, 33}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Amount{
		// main runs from 12 to 33, less work until 24 and f from 32
		"main":  {Calls: 1, Self: 21 - 12 - 1, Total: 21, Wait: 3},
		"work":  {Calls: 2, Self: 12 - 3, Total: 12, Wait: 3}, // the inner one is part of the outer
		"lock":  {Calls: 2, Self: 3, Total: 3, Wait: 3},
		"point": {Calls: 1},
		"f":     {Calls: 1, Self: 1, Total: 1}, // the inner one begins after the range
	}
	for _, f := range table.Functions {
		got := f.Sides[pair.A]
		got.First = trace.CallRef{}
		if name := p.Names[f.ID]; got != want[name] {
			t.Errorf("%s: %+v, want %+v", name, got, want[name])
		}
	}
	if sum := (Amount{Calls: 7, Self: 21, Total: 21, Wait: 3}); len(table.Functions) != len(want) || table.Sums[pair.A] != sum {
		t.Errorf("%d functions, in all %+v", len(table.Functions), table.Sums[pair.A])
	}
}

// plainly counts from the definition: moment by moment and call by call.
func plainly(p *pair.Pair, w Window) []Function {
	rows := make([]Function, len(p.Names))
	for side, r := range w.Ranges {
		tr, ids := p.Trace(pair.Side(side)), p.IDs(pair.Side(side))
		for k, th := range tr.Threads {
			if w.One && w.Threads.On(pair.Side(side)) != k {
				continue
			}
			waits := map[int]bool{}
			for _, b := range th.Blocks {
				waits[int(b.Call)] = waits[int(b.Call)] || b.Kind == trace.Wait
			}
			for i := range th.Len() {
				if r.From < r.To && th.Start(i) < r.To && (th.End(i) > r.From || th.Start(i) >= r.From) {
					f := &rows[ids[th.Fn[i]]].Sides[side]
					if f.Calls++; f.Calls == 1 {
						f.First = trace.CallRef{Thread: int32(k), Call: int32(i)}
					}
				}
			}
			for at := r.From; at < r.To; at++ {
				stack := stackAt(th, at)
				waiting := slices.ContainsFunc(stack, func(i int) bool { return waits[i] })
				seen := map[uint32]bool{}
				for k, i := range stack {
					f := &rows[ids[th.Fn[i]]].Sides[side]
					if k == len(stack)-1 {
						f.Self++
					}
					if seen[ids[th.Fn[i]]] {
						continue
					}
					seen[ids[th.Fn[i]]] = true
					f.Total++
					if waiting {
						f.Wait++
					}
				}
			}
		}
	}
	var out []Function
	for id := range rows {
		if rows[id].ID = uint32(id); rows[id].Sides[0].Calls+rows[id].Sides[1].Calls > 0 {
			out = append(out, rows[id])
		}
	}
	return out
}

// stackAt returns the calls that run at a moment, the outermost first.
func stackAt(th *trace.Thread, at int64) (stack []int) {
	for i := range th.Len() {
		if th.Start(i) <= at && at < th.End(i) {
			stack = append(stack, i)
		}
	}
	return stack
}

// shape is small enough to be looked at moment by moment.
var shape = testtrace.Shape{Threads: testtrace.Range{1, 2}, Records: testtrace.Range{1, 24},
	Functions: []string{"f", "g", "h"}, Step: testtrace.Range{0, 4}, Objects: testtrace.Range{1, 2}}

func drawWindow(t *rapid.T, p *pair.Pair) Window {
	return Window{Ranges: [2]Range{drawRange(t, p.A, "A"), drawRange(t, p.B, "B")},
		One:     rapid.Bool().Draw(t, "one pair of threads"),
		Threads: rapid.SampledFrom(p.Threads).Draw(t, "threads")}
}

func drawRange(t *rapid.T, tr *trace.Trace, label string) Range {
	from := rapid.Int64Range(-1, tr.Duration+1).Draw(t, label+" from")
	return Range{from, from + rapid.Int64Range(0, tr.Duration+2).Draw(t, label+" length")}
}

// TestCountIsWhatTheDefinitionSays holds the walk against the moments of the range.
func TestCountIsWhatTheDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pair.New(shape.Draw(t, "A"), shape.Draw(t, "B"), pair.Rules{})
		w := drawWindow(t, p)
		got, err := Count(context.Background(), p, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := plainly(p, w); !slices.Equal(got.Functions, want) {
			t.Fatalf("%v:\n got %+v\nwant %+v", w, got.Functions, want)
		}
		for side, sum := range got.Sums {
			self, calls := int64(0), 0
			for _, f := range got.Functions {
				self += f.Sides[side].Self
				calls += f.Sides[side].Calls
			}
			if sum.Self != self || sum.Calls != calls || sum.Wait > self {
				t.Fatalf("the sums are %+v of self %d and %d calls", sum, self, calls)
			}
		}
	})
}

// TestWholeIsWhatTheTraceCounts holds that the table of all time agrees with trace.Count.
func TestWholeIsWhatTheTraceCounts(t *testing.T) {
	tr := shape.Random(t, 1)
	p := pair.New(tr, nil, pair.Rules{})
	got, err := Count(context.Background(), p, Everything(p), nil)
	if err != nil || len(got.Functions) == 0 {
		t.Fatal(got, err)
	}
	want := trace.Count(context.Background(), tr)
	for _, f := range got.Functions {
		for fn, id := range p.IDA {
			a := f.Sides[pair.A]
			if id == f.ID && (a.Calls != want.Calls[fn] || a.Self != want.Self[fn] || a.Total != want.Total[fn]) {
				t.Errorf("%s: %+v, want %d calls, %d, %d", p.Names[id], a, want.Calls[fn], want.Self[fn],
					want.Total[fn])
			}
		}
	}
}

// TestWhatRepeatsIsNotCounted: sums that a tool wrote repeat the time of other threads, and what a
// heap profile says is in use it says was allocated, too. Alone, such a thread has its functions.
func TestWhatRepeatsIsNotCounted(t *testing.T) {
	for kind, repeats := range map[trace.ThreadKind]string{trace.Sums: "Total main", trace.SampleType: "main"} {
		b := trace.NewBuilder("test")
		if kind == trace.SampleType {
			b.Kind = trace.Profile
		}
		for k, name := range []string{"main", repeats} {
			th := b.Thread([]string{"inuse", "alloc"}[k], -1)
			th.SetRole([]string{"inuse", "alloc"}[k], false)
			if k == 1 || kind == trace.SampleType {
				th.SetKind(kind)
			}
			th.Complete(0, 100, b.Function(trace.Function{Name: name}))
		}
		tr := testtrace.Build(t, b)
		p := pair.New(tr, tr, pair.Rules{})
		w := Everything(p)
		got, err := Count(t.Context(), p, w, nil)
		if err != nil || len(got.Functions) != 1 || p.Names[got.Functions[0].ID] != "main" ||
			got.Functions[0].Sides[pair.A].Self != 100 || got.Sums[pair.A].Total != 100 {
			t.Errorf("%v: %+v, %v", kind, got, err)
		}
		k := slices.IndexFunc(tr.Threads, func(th *trace.Thread) bool { return th.ID == "alloc" })
		w.One, w.Threads = true, pair.ThreadPair{A: k, B: k}
		if got, err = Count(t.Context(), p, w, nil); err != nil || len(got.Functions) != 1 ||
			p.Names[got.Functions[0].ID] != repeats || got.Sums[pair.A].Total != 100 {
			t.Errorf("%v, alone: %+v, %v", kind, got, err)
		}
	}
}

func TestCancelledCountEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tr := shape.Random(t, 1)
	p := pair.New(tr, tr, pair.Rules{})
	if _, err := Count(ctx, p, Everything(p), nil); err == nil {
		t.Error("it goes on")
	}
	if _, err := Measure(ctx, p, 0, Everything(p), nil); err == nil {
		t.Error("it goes on")
	}
}
