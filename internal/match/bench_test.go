package match

import (
	"context"
	"flag"
	"math"
	"math/bits"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"diptych/internal/pair"
	"diptych/internal/synth"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// The acceptance run is
//
//	go test ./internal/match -run '^$' -bench Engine -benchtime 3x -calls 10000000 -plain 20000
var (
	benchCalls = flag.Int("calls", 300_000, "calls a side of the pair that benchmarks generate")
	benchEdit  = flag.Float64("edit", 0.001, "calls deleted from its side B, as a rate")
	benchPlain = flag.Int("plain", 3_000, "calls a side that are compared one by one")
	benchPair  = flag.String("pair", "", "two traces to measure with instead, as A,B")
)

// generated returns a pair of the given size.
func generated(t testing.TB, calls int) *pair.Pair {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	edits := map[synth.Kind]float64{synth.Delete: *benchEdit}
	o := synth.Options{Calls: calls, Seed: 1, Edits: edits}
	if _, err := synth.Generate(context.Background(), o, a, b, nil); err != nil {
		t.Fatal(err)
	}
	return pair.New(load(t, a), load(t, b), pair.Rules{})
}

// measured returns the pair named on the command line, or one that is generated.
func measured(t testing.TB) *pair.Pair {
	if a, b, ok := strings.Cut(*benchPair, ","); ok {
		return pair.New(load(t, a), load(t, b), pair.Rules{})
	}
	return generated(t, *benchCalls)
}

func load(t testing.TB, path string) *trace.Trace {
	tr, err := traceio.Load(context.Background(), path, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// graphs are the classes of generated pairs, by number of calls a side. They are immutable, so all
// tests share them.
var graphs sync.Map

func simulated(t testing.TB, calls int) *Graph {
	if g, ok := graphs.Load(calls); ok {
		return g.(*Graph)
	}
	g := mustClassify(t, generated(t, calls))
	graphs.Store(calls, g)
	return g
}

func mustClassify(t testing.TB, p *pair.Pair) *Graph {
	g, err := Classify(context.Background(), p, Process(), nil)
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
		for i := range c.Len() {
			c.Members(int(c.Class(i)), func(id uint32) bool {
				sets[s][i*words+int(id/64)] |= 1 << (id % 64)
				return true
			})
		}
	}
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	for i := range a.Len() {
		for j := range b.Len() {
			common := 0
			for k, w := range sets[pair.A][i*words : (i+1)*words] {
				common += bits.OnesCount64(w & sets[pair.B][j*words+k])
			}
			x, y := a.Size[a.Class(i)], b.Size[b.Class(j)]
			if tau.Exceeded(uint32(common), x, y) {
				pairs++
				sum += float64(common) / float64(x+y-uint32(common))
			}
		}
	}
	return pairs, sum
}

// perPair returns how many seconds comparing call with call takes for one pair.
func perPair(b *testing.B) float64 {
	few := simulated(b, *benchPlain)
	began := time.Now()
	pairs, sum := quadratic(few, DefaultTau)
	spent := time.Since(began).Seconds()
	r, err := few.Match(context.Background(), DefaultTau, nil)
	if err != nil || r.Pairs != pairs || !near(r.SimilaritySum, sum) {
		b.Fatalf("%v, %v; plain: %d, %v", r, err, pairs, sum)
	}
	return spent / float64(few.Sides[pair.A].Len()) / float64(few.Sides[pair.B].Len())
}

// BenchmarkEngine measures a pair that is loaded: classes, matches at one τ, all
// hundredths of τ at once with bars, and then the look-up of another τ. ×plain is how many times as
// long it would take to compare call with call, extrapolated from a pair of -plain calls a side.
func BenchmarkEngine(b *testing.B) {
	ctx, bars := context.Background(), [2]int{160, 160}
	plain, p := perPair(b), measured(b)
	var spent [4]time.Duration
	step := func(k int, work func() error) {
		began := time.Now()
		if err := work(); err != nil {
			b.Fatal(err)
		}
		spent[k] += time.Since(began)
	}
	var g *Graph
	var l *Ladder
	for b.Loop() {
		step(0, func() (err error) { g, err = Classify(ctx, p, Process(), nil); return err })
		step(1, func() error { _, err := g.Match(ctx, DefaultTau, nil); return err })
		step(2, func() (err error) { l, err = g.Ladder(ctx, bars, nil); return err })
		step(3, func() error {
			for n := range levels {
				if r := l.At(n); math.IsNaN(r.Bars[pair.A][0].Weight + r.Bars[pair.B][0].Weight) {
					b.Fatal(r)
				}
			}
			return nil
		})
	}
	of, classes, ladder := int64(0), int64(0), int64(0)
	for s, c := range g.Sides {
		of += p.Trace(pair.Side(s)).Footprint().Columns
		classes += bytesOf(c.of) + 8*int64(cap(c.Count)+cap(c.Start)) +
			4*int64(cap(c.Base)+cap(c.End)+cap(c.Size)+cap(c.from)+cap(c.added))
		iv := l.Intervals[s]
		ladder += 16*int64(cap(iv.entries)) + 4*int64(cap(iv.first)) + 32*int64(len(l.rungs)*bars[s])
		b.ReportMetric(float64(len(c.Base)), "classes"+pair.Side(s).String())
	}
	ms := func(k int) float64 { return spent[k].Seconds() * 1000 / float64(b.N) }
	b.ReportMetric(ms(0), "ms/classes")
	b.ReportMetric(ms(1), "ms/match")
	b.ReportMetric(ms(2), "ms/ladder")
	b.ReportMetric(ms(3)/levels*1e6, "ns/τ")
	calls := float64(g.Sides[pair.A].Len()) * float64(g.Sides[pair.B].Len())
	b.ReportMetric(plain*calls*1000/(ms(0)+ms(1)), "×plain")
	b.ReportMetric(100*float64(classes)/float64(of), "%classes")
	b.ReportMetric(100*float64(classes+ladder)/float64(of), "%all")
}

// bytesOf returns the memory that labels hold.
func bytesOf(l labels) int64 { return 2*int64(cap(l.low)) + int64(cap(l.high)+cap(l.top)) }

// BenchmarkFocus measures the groups of whole traces, the summaries of the largest, the groups of a
// hundredth of the time, and the bars that hovering the first call lights, each as a multiple of
// one pass over the calls.
func BenchmarkFocus(b *testing.B) {
	g := mustClassify(b, generated(b, *benchCalls))
	ctx, tau := context.Background(), Hundredths(80)
	var part, whole [2]Window
	var ivs [2]*Intervals
	for s, c := range g.Sides {
		for _, th := range c.Threads {
			_, end := th.Span()
			whole[s].To = max(whole[s].To, end)
		}
		part[s] = Window{From: whole[s].To / 2, To: whole[s].To/2 + whole[s].To/100}
		iv, err := c.Intervals(ctx, 0, whole[s].To, 192)
		if err != nil {
			b.Fatal(err)
		}
		ivs[s] = iv
	}
	var spent [5]time.Duration
	measure := func(k int, work func() error) {
		began := time.Now()
		if err := work(); err != nil {
			b.Fatal(err)
		}
		spent[k] += time.Since(began)
	}
	var groups *Groups
	for b.Loop() {
		measure(0, func() error {
			for _, c := range g.Sides {
				count := make([]int, len(c.Size))
				for i := range c.Len() {
					count[c.Class(i)]++
				}
			}
			return nil
		})
		measure(1, func() (err error) {
			groups, err = g.GroupsIn(ctx, tau, whole, Budget{})
			return err
		})
		measure(2, func() error {
			top, err := g.TopGroups(ctx, groups, whole, 500)
			if err == nil {
				_, err = g.SumUp(ctx, tau, top)
			}
			return err
		})
		measure(3, func() error { _, err := g.GroupsIn(ctx, tau, part, Budget{}); return err })
		measure(4, func() error { _, err := g.HoverIntervals(ctx, tau, pair.A, 0, ivs); return err })
	}
	for k, unit := range []string{"ms/pass", "groups", "top500", "part", "lit"} {
		if k == 0 {
			b.ReportMetric(spent[0].Seconds()*1000/float64(b.N), unit)
			continue
		}
		b.ReportMetric(spent[k].Seconds()/spent[0].Seconds(), unit+"/pass")
	}
}
