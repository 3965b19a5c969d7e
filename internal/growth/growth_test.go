//go:build unix

package growth

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sync/errgroup"

	"diptych/internal/account/explain"
	"diptych/internal/aggregate"
	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/peers"
	"diptych/internal/scene/matches"
	"diptych/internal/structure"
	"diptych/internal/synth"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

var least = flag.Int("calls", 100_000, "calls a side of the smallest pair")

// rounds is how often each work is done; the fastest counts.
const rounds = 3

// subject is a pair at one size, and what later work needs of earlier.
type subject struct {
	dir     string // of the files a and b; "" if it has none
	pair    *pair.Pair
	aligned []*align.Result
}

func (s *subject) calls() float64 { return float64(s.pair.A.Calls() + s.pair.B.Calls()) }

var ctx = context.Background()

// works is what is measured. The order matters: diff takes what align leaves. The first is what
// loading is held against: a recording in uftrace's form has a file for each thread, and opening
// and reading thousands of them costs what it costs.
var works = []struct {
	name string
	do   func(s *subject) error
}{
	{"files", readFiles},
	{"load", func(s *subject) error {
		for _, name := range []string{"a", "b"} {
			if _, err := traceio.Load(ctx, filepath.Join(s.dir, name), input.Options{}); err != nil {
				return err
			}
		}
		return nil
	}},
	{"match", func(s *subject) error {
		g, err := match.Classify(ctx, s.pair, match.Process(), nil)
		if err == nil {
			_, err = g.Match(ctx, match.DefaultTau, nil)
		}
		return err
	}},
	{"align", func(s *subject) (err error) {
		s.aligned, err = align.All(ctx, s.pair, s.pair.Threads, align.Options{}, nil)
		return err
	}},
	{"diff", func(s *subject) error {
		_, err := explain.Compare(ctx, s.pair, s.aligned, nil)
		return err
	}},
	{"waits", func(s *subject) error {
		_, err := wait.Find(ctx, s.pair.A, nil)
		return err
	}},
	{"aggregate", func(s *subject) error {
		spans := [2]aggregate.Span{{To: s.pair.A.Duration}, {To: s.pair.B.Duration}}
		_, err := aggregate.New(ctx, s.pair, spans, aggregate.Options{Slices: 50}, nil)
		return err
	}},
	{"structure", func(s *subject) error {
		_, err := structure.New(ctx, s.pair, structure.Options{}, nil)
		return err
	}},
}

// readFiles reads all files of both recordings, several at once, and looks at nothing.
func readFiles(s *subject) error {
	var group errgroup.Group
	group.SetLimit(4)
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && filepath.Ext(path) != ".json" {
			group.Go(func() error { return readFile(path) })
		}
		return err
	})
	return cmp.Or(err, group.Wait())
}

func readFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

// scenes builds the scene of all threads 20 times.
func scenes(s *subject) error {
	st := matches.State{Palette: palette.Light(), Scale: 1}
	for k, t := range []*trace.Trace{s.pair.A, s.pair.B} {
		st.Sides[k].Trace, st.Sides[k].Headers = t, true
		st.Sides[k].Focus = geom.Span{End: float64(t.Duration)}
		for i := range t.Threads {
			st.Sides[k].Tracks = append(st.Sides[k].Tracks, i)
		}
	}
	var a matches.Arena
	for range 20 {
		matches.Build(&st, geom.Size{W: 1600, H: 1000}, &a)
	}
	return nil
}

// simulated is a generated pair and its files.
func simulated(b *testing.B, calls, threads int) *subject {
	s := &subject{dir: b.TempDir()}
	o := synth.Options{Calls: calls, Threads: threads, Seed: 7,
		Edits: map[synth.Kind]float64{synth.Slow: .01, synth.Insert: .001}}
	at := func(name string) string { return filepath.Join(s.dir, name) }
	if _, err := synth.Generate(ctx, o, at("a"), at("b"), nil); err != nil {
		b.Fatal(err)
	}
	var sides [2]*trace.Trace
	for k, name := range []string{"a", "b"} {
		var err error
		if sides[k], err = traceio.Load(ctx, at(name), input.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	s.pair = pair.New(sides[0], sides[1], pair.Rules{})
	return s
}

// deep is a pair whose threads go down to a depth and up again, as often as makes so many calls. On
// side B every hundredth call is another function's.
func deep(b *testing.B, calls, depth int) *subject {
	var sides [2]*trace.Trace
	for k := range sides {
		builder := trace.NewBuilder("deep")
		var fns []trace.FuncID
		for i := range 50 {
			fns = append(fns, builder.Function(trace.Function{Name: fmt.Sprint("f", i)}))
		}
		th, at := builder.Thread("1", -1), int64(0)
		for n := 0; n < calls; n += depth {
			for d := range depth {
				at++
				fn := d
				if k == 1 && (n+d)%100 == 99 {
					fn++
				}
				th.Begin(at, fns[fn%len(fns)])
			}
			for range depth {
				at++
				th.End(at)
			}
		}
		sides[k] = testtrace.Build(b, builder)
	}
	return &subject{pair: pair.New(sides[0], sides[1], pair.Rules{})}
}

// grown measures every work at each size and reports how the cost per call grows. Subjects are made
// one after the other, so that only one is in memory.
func grown(b *testing.B, sizes []int, make func(size int) *subject) {
	spent := map[string][]float64{} // by work: ns per call at each size
	for _, size := range sizes {
		s := make(size)
		for _, w := range works {
			if fromFiles := w.name == "load" || w.name == "files"; !fromFiles || s.dir != "" {
				spent[w.name] = append(spent[w.name], fastest(b, s, w.do)/s.calls())
			}
		}
		// A scene's cost follows what is visible, so it is not divided by the calls.
		spent["scenes"] = append(spent["scenes"], fastest(b, s, scenes)/20)
	}
	for name, cost := range spent {
		b.Run(name, func(b *testing.B) {
			worst := 0.
			for i := range cost[1:] {
				doublings := math.Log2(float64(sizes[i+1]) / float64(sizes[i]))
				worst = max(worst, math.Pow(cost[i+1]/cost[i], 1/doublings))
			}
			unit := "ns/call"
			if name == "scenes" {
				unit = "ns/scene"
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(cost[len(cost)-1], unit)
			b.ReportMetric(worst, "×doubling")
			b.ReportMetric(cost[len(cost)-1]/cost[0], "×all")
		})
	}
}

// fastest returns the least processor time of a few rounds, ns.
func fastest(b *testing.B, s *subject, do func(*subject) error) float64 {
	best := 1e18
	for range rounds {
		runtime.GC()
		spent := peers.Measure(func() {
			if err := do(s); err != nil {
				b.Fatal(err)
			}
		})
		best = min(best, float64(spent.CPU))
	}
	return best
}

// BenchmarkCalls doubles the calls four times.
func BenchmarkCalls(b *testing.B) {
	grown(b, []int{*least, *least * 2, *least * 4, *least * 8, *least * 16},
		func(n int) *subject { return simulated(b, n, 8) })
}

// BenchmarkMoreThreads doubles threads of 80 calls four times, and with them the calls.
func BenchmarkMoreThreads(b *testing.B) {
	grown(b, []int{625, 1250, 2500, 5000, 10_000},
		func(n int) *subject { return simulated(b, *least/1250*n, n) })
}

// BenchmarkThreads has as many calls in ever more threads.
func BenchmarkThreads(b *testing.B) {
	grown(b, []int{1, 10, 100, 1000, 10_000},
		func(n int) *subject { return simulated(b, *least*8, n) })
}

// BenchmarkDepth has as many calls in ever deeper stacks.
func BenchmarkDepth(b *testing.B) {
	grown(b, []int{10, 100, 1000, 10_000, 100_000},
		func(n int) *subject { return deep(b, *least*8, n) })
}
