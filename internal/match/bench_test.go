package match

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// simulate builds a trace of n calls: random walks over a static call graph of 3,000 functions, in
// which a function calls a few others, unevenly often.
func simulate(t testing.TB, seed uint64, n int) *trace.Trace {
	const functions, callees, deepest = 3000, 4, 60
	rnd := rand.New(rand.NewPCG(seed, 1))
	graph := rand.New(rand.NewPCG(7, 7))
	var calls [functions][callees]trace.FuncID
	b := trace.NewBuilder("test")
	for f := range calls {
		b.Function(trace.Function{Name: fmt.Sprint("f", f)})
		for k := range calls[f] {
			calls[f][k] = trace.FuncID(min(f+1+graph.IntN(1000), functions-1))
		}
	}
	th := b.Thread("1", -1)
	var stack []trace.FuncID
	now := int64(0)
	for done := 0; done < n; now += int64(1 + rnd.IntN(9)) {
		if len(stack) > 0 && (len(stack) == deepest || rnd.IntN(100) < 48) {
			th.End(now)
			stack = stack[:len(stack)-1]
			continue
		}
		next := trace.FuncID(0)
		if len(stack) > 0 {
			next = calls[stack[len(stack)-1]][rnd.IntN(1+rnd.IntN(callees))]
		}
		stack = append(stack, next)
		th.Begin(now, next)
		done++
	}
	return build(t, b)
}

func simulated(t testing.TB, n int) *Graph {
	p := pair.New(simulate(t, 1, n), simulate(t, 2, n), pair.Rules{})
	g, err := Classify(context.Background(), p, Process())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// quadratic compares call with call by bit sets and returns the matches and Σs.
func quadratic(g *Graph, tau Tau) (pairs uint64, sum float64) {
	words := (len(g.Pair.Names) + 63) / 64
	var sets [2][]uint64
	for s, c := range g.Sides {
		sets[s] = make([]uint64, words*c.Len())
		for i, class := range c.Of {
			c.Members(int(class), func(id uint32) bool {
				sets[s][i*words+int(id/64)] |= 1 << (id % 64)
				return true
			})
		}
	}
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	for i := range a.Of {
		for j := range b.Of {
			common := 0
			for k, w := range sets[pair.A][i*words : (i+1)*words] {
				common += bits.OnesCount64(w & sets[pair.B][j*words+k])
			}
			x, y := a.Size[a.Of[i]], b.Size[b.Of[j]]
			if tau.Exceeded(uint32(common), x, y) {
				pairs++
				sum += float64(common) / float64(x+y-uint32(common))
			}
		}
	}
	return pairs, sum
}

// BenchmarkMatch measures classes, matches and row sums of two traces of a million calls, the
// change of τ alone, and how many times as long comparing call with call would take, extrapolated from
// 3,000 calls a side.
func BenchmarkMatch(b *testing.B) {
	const large, small = 1_000_000, 3_000
	few := simulated(b, small)
	began := time.Now()
	pairs, sum := quadratic(few, DefaultTau)
	plain := time.Since(began).Seconds() * (large / small) * (large / small)
	if r, err := few.Match(context.Background(), DefaultTau, nil); err != nil || r.Pairs != pairs ||
		!near(r.SimilaritySum, sum) {
		b.Fatalf("%v, %v; plain: %d, %v", r, err, pairs, sum)
	}
	g := simulated(b, large)
	var moving time.Duration
	for b.Loop() {
		g, err := Classify(context.Background(), g.Pair, g.Scope)
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		if _, err := g.Match(context.Background(), DefaultTau, nil); err != nil {
			b.Fatal(err)
		}
		moving += time.Since(began)
	}
	var held, of int64
	for s, c := range g.Sides {
		held += c.Bytes()
		of += g.Pair.Trace(pair.Side(s)).Footprint().Columns
	}
	b.ReportMetric(float64(moving.Milliseconds())/float64(b.N), "ms/τ")
	b.ReportMetric(plain/(b.Elapsed().Seconds()/float64(b.N)), "×plain")
	b.ReportMetric(float64(len(g.Sides[pair.A].Base)), "classes")
	b.ReportMetric(100*float64(held)/float64(of), "%memory")
}
