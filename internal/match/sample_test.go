package match

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// manySets draws a trace whose calls have more different Γ than a first round compares.
func manySets(t *rapid.T, side string) *trace.Trace {
	return testtrace.Shape{
		Threads: testtrace.Range{1, 3}, Records: testtrace.Range{0, 400},
		Start: testtrace.Range{0, 9}, Step: testtrace.Range{0, 3},
		Functions: strings.Split("abcdefghijkl", ""),
	}.Draw(t, side)
}

// TestSampleLeadsToTheLadder refines samples to the end. Bars only grow, a settled bar is that of
// the ladder in every round, the calls compared are those of the definition, and in the end all
// bars are settled.
func TestSampleLeadsToTheLadder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pair.New(manySets(t, "A"), manySets(t, "B"), pair.Rules{})
		g, _ := mustMatch(t, p, Process(), DefaultTau)
		h := rapid.IntRange(0, 99).Draw(t, "τ")
		n := [2]int{rapid.IntRange(1, 20).Draw(t, "a"), rapid.IntRange(1, 20).Draw(t, "b")}
		l, err := g.Ladder(context.Background(), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := mustSample(t, g, Hundredths(h), n, math.MaxInt32, g.Scope)
		for {
			checkSample(t, s, l.At(h))
			if s.Complete() {
				break
			}
			s = refined(t, s)
		}
		for side := range s.Sides {
			for k := range s.Sides[side].Bars {
				if !s.Settled(pair.Side(side), k) {
					t.Fatalf("bar %d of side %d is not settled in the end", k, side)
				}
			}
		}
	})
}

// checkSample holds a sample against the bars that it leads to.
func checkSample(t *rapid.T, s *Sample, r *Rung) {
	for side := range s.Sides {
		of, count := &s.Sides[side], s.callsCompared(pair.Side(side))
		for k, got := range of.Bars {
			want := r.Bars[side][k]
			if of.Compared[k] != count[k] || of.Compared[k] > of.Calls[k] {
				t.Fatalf("round %d: %d of %d calls compared, want %d", s.Rounds, of.Compared[k], of.Calls[k], count[k])
			}
			if got.Matches > want.Matches || got.Weight > want.Weight*(1+1e-9) {
				t.Fatalf("round %d: a bar %+v beyond %+v", s.Rounds, got, want)
			}
			if s.Settled(pair.Side(side), k) && (got.Matches != want.Matches ||
				!near(got.Weight, want.Weight) || !near(got.Shift, want.Shift)) {
				t.Fatalf("round %d: a settled bar %+v, want %+v", s.Rounds, got, want)
			}
		}
	}
}

// callsCompared counts, by bar, the calls of the classes that have been compared, call by call.
func (s *Sample) callsCompared(side pair.Side) []uint64 {
	c, iv, in := s.of.graph.Sides[side], s.of.intervals[side], map[uint32]bool{}
	for _, class := range s.of.order[side][:s.compared(side)] {
		in[class] = true
	}
	out := make([]uint64, iv.n)
	for i := range c.Len() {
		k := iv.n - 1
		if at := c.Calls.Start(i) - iv.from; at < iv.to-iv.from {
			k = int(at * int64(iv.n) / (iv.to - iv.from))
		}
		if in[c.Class(i)] {
			out[k]++
		}
	}
	return out
}

// refined returns the next round, which may only add.
func refined(t *rapid.T, s *Sample) *Sample {
	next, err := s.Refine(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if next.Share() < s.Share() || next.Rounds != s.Rounds+1 {
		t.Fatalf("from %v to %v of the calls", s.Share(), next.Share())
	}
	for side := range s.Sides {
		for k, was := range s.Sides[side].Bars {
			now := next.Sides[side].Bars[k]
			if now.Weight < was.Weight || now.Matches < was.Matches ||
				s.Settled(pair.Side(side), k) && now != was {
				t.Fatalf("a bar goes from %+v to %+v", was, now)
			}
		}
	}
	return next
}

// TestSampleOfSomeThreads: compared within a pair of threads, the bars of all threads are lower
// bounds, and none counts as settled unless it has no calls.
func TestSampleOfSomeThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pair.New(manySets(t, "A"), manySets(t, "B"), pair.Rules{})
		n := [2]int{7, 9}
		whole, _ := mustMatch(t, p, Process(), DefaultTau)
		if len(p.Threads) == 0 {
			t.Skip("no thread has calls")
		}
		some, err := Classify(context.Background(), p, Threads(p.Threads[0].A, p.Threads[0].B), nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := whole.Ladder(context.Background(), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := mustSample(t, some, DefaultTau, n, math.MaxInt32, Process())
		for !s.Complete() {
			s = refined(t, s)
		}
		for side := range s.Sides {
			for k, b := range s.Sides[side].Bars {
				want := l.At(20).Bars[side][k]
				calls := s.Sides[side].Calls[k]
				if b.Matches > want.Matches || s.Settled(pair.Side(side), k) != (calls == 0) {
					t.Fatalf("%d calls: %+v, want at most %+v", calls, b, want)
				}
			}
		}
		if all := whole.Sides[pair.A].Len() + whole.Sides[pair.B].Len(); all > 0 {
			want := float64(some.Sides[pair.A].Len()+some.Sides[pair.B].Len()) / float64(all)
			if !near(s.Share(), want) {
				t.Fatalf("%v of the calls, want %v", s.Share(), want)
			}
		}
	})
}

// TestSampleStopsAtItsRows: no more classes are compared than was said, the most frequent first.
func TestSampleStopsAtItsRows(t *testing.T) {
	g := simulated(t, 3_000)
	s := mustSample(t, g, DefaultTau, [2]int{20, 20}, 50, g.Scope)
	for !s.Complete() {
		next, err := s.Refine(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	for side, order := range s.of.order {
		count := g.Sides[side].Count
		least, in := count[order[len(order)-1]], map[uint32]bool{}
		for k, class := range order {
			in[class] = true
			if k > 0 && count[class] > count[order[k-1]] {
				t.Errorf("side %d: class %d comes too late", side, class)
			}
		}
		for class, n := range count {
			if n > least && !in[uint32(class)] {
				t.Errorf("side %d: class %d has %d calls and is left out", side, class, n)
			}
		}
		if len(order) != 50 || s.compared(pair.Side(side)) != 50 {
			t.Errorf("side %d: %d of %d classes compared", side, s.compared(pair.Side(side)), len(order))
		}
	}
	if share := s.Share(); share <= .5 || share >= 1 || s.Rounds != 2 {
		t.Errorf("%v of the calls in %d rounds", share, s.Rounds)
	}
	if again := s.At(Hundredths(30)); again.Share() != 0 || again.Complete() || again.Tau != Hundredths(30) {
		t.Errorf("at another τ it begins with %v", again.Share())
	}
}

// TestSampleEndsWithItsContext: a cancelled round returns the context's error.
func TestSampleEndsWithItsContext(t *testing.T) {
	g := simulated(t, 3_000)
	s := mustSample(t, g, DefaultTau, [2]int{20, 20}, 50, g.Scope)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := s.Refine(ctx, func(done, _ int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := g.Sample(ctx, DefaultTau, [2]int{20, 20}, 50, g.Scope); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func mustSample(t failer, g *Graph, tau Tau, bars [2]int, rows int, scope Scope) *Sample {
	s, err := g.Sample(context.Background(), tau, bars, rows, scope)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type failer interface{ Fatal(args ...any) }

// BenchmarkFirstBars takes the time from the classes to the first bars, and all that samples cost
// as a share of what comparing everything does.
func BenchmarkFirstBars(b *testing.B) {
	g := mustClassify(b, measured(b))
	bars := [2]int{150, 150}
	var sampling, all float64
	for b.Loop() {
		sampling += spent(b, func(ctx context.Context) error {
			s, err := g.Sample(ctx, DefaultTau, bars, g.SampleRows(), g.Scope)
			for err == nil && !s.Complete() {
				s, err = s.Refine(ctx, nil)
			}
			return err
		})
		all += spent(b, func(ctx context.Context) error {
			_, err := g.Ladder(ctx, bars, nil)
			return err
		})
	}
	b.ReportMetric(100*sampling/all, "%-of-all")
	b.ReportMetric(1e3*sampling/float64(b.N), "ms-cpu")
}

// spent returns how many seconds of processor time work takes.
func spent(b *testing.B, work func(ctx context.Context) error) float64 {
	before := testtrace.Processor().Seconds()
	if err := work(context.Background()); err != nil {
		b.Fatal(err)
	}
	return testtrace.Processor().Seconds() - before
}
