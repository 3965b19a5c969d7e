//go:build unix

package growth

import (
	"bufio"
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
	"slices"
	"strings"
	"testing"
	"time"

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
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

var (
	least = flag.Int("calls", 100_000, "calls a side of the smallest pair")
	only  = flag.String("works", "", "which works are measured, as load,diff, instead of all")
)

// rounds is how often each work is done at each size; the fastest counts.
const rounds = 5

// subject is a pair at one size, and what later work needs of earlier.
type subject struct {
	dir     string // of the files a and b
	pair    *pair.Pair
	aligned []*align.Result
	arena   matches.Arena // of its scenes
	parts   int           // what the work that was done last says of its parts; 0 for nothing
}

func (s *subject) calls() float64 { return float64(s.pair.A.Calls() + s.pair.B.Calls()) }

var ctx = context.Background()

// work is something that is measured.
type work struct {
	name string
	do   func(s *subject) error
	// parts names what there can be more of where there are as many calls, and what the work has to
	// look at then; "" for works that only look at calls. How many there are is told beside the cost:
	// where they grow as fast as it, it is not the calls that cost more.
	parts string
}

// works is what is measured. The order matters: diff takes what align leaves. The first is what
// loading is held against: a recording in uftrace's form has a file for each thread, and opening
// and reading thousands of them costs what it costs.
var works = []work{
	{"files", readFiles, "threads"},
	{"load", func(s *subject) error {
		s.parts = len(s.pair.A.Threads) + len(s.pair.B.Threads)
		for _, name := range []string{"a", "b"} {
			if _, err := traceio.Load(ctx, filepath.Join(s.dir, name), input.Options{}); err != nil {
				return err
			}
		}
		return nil
	}, "threads"},
	{"pair", func(s *subject) error {
		s.parts = len(pair.New(s.pair.A, s.pair.B, pair.Rules{}).Threads)
		return nil
	}, "pairs of threads"},
	{"match", func(s *subject) error {
		g, err := match.Classify(ctx, s.pair, match.Process(), nil)
		if err == nil {
			s.parts = int(g.ClassPairs())
			_, err = g.Match(ctx, match.DefaultTau, nil)
		}
		return err
	}, "pairs of classes"},
	{"align", func(s *subject) (err error) {
		s.parts = len(s.pair.Threads)
		s.aligned, err = align.All(ctx, s.pair, s.pair.Threads, align.Options{}, nil)
		return err
	}, "pairs of threads"},
	{"diff", func(s *subject) error {
		d, err := explain.Compare(ctx, s.pair, s.aligned, nil)
		if err == nil {
			s.parts = len(d.Balance.Cells)
		}
		return err
	}, "cells of the account"},
	{"waits", func(s *subject) error {
		a, err := wait.Find(ctx, s.pair.A, nil)
		if err == nil {
			s.parts = a.Waits.Len() + a.Releases.Len()
		}
		return err
	}, "waits and releases"},
	{"aggregate", func(s *subject) error {
		spans := [2]aggregate.Span{{To: s.pair.A.Duration}, {To: s.pair.B.Duration}}
		m, err := aggregate.New(ctx, s.pair, spans, aggregate.Options{Slices: 50}, nil)
		if err == nil {
			s.parts = cells(m.Sides[pair.A]) + cells(m.Sides[pair.B])
		}
		return err
	}, "cells of the models"},
	{"structure", func(s *subject) error {
		_, err := structure.New(ctx, s.pair, structure.Options{}, nil)
		return err
	}, ""},
	{"scenes", scenes, "primitives"},
}

// cells returns how many cells a model of aggregation has.
func cells(m *aggregate.Model) (n int) {
	for _, leaf := range m.Cells {
		n += len(leaf)
	}
	return n
}

// perScene is what is reported by scene and not by call, since it follows what is visible.
const perScene, scenesAtOnce = "scenes", 20

// readFiles reads all files of both recordings, several at once, and looks at nothing.
func readFiles(s *subject) error {
	s.parts = len(s.pair.A.Threads) + len(s.pair.B.Threads)
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

// scenes builds the scene of all threads several times. Where each thread is drawn is found when the
// first scene is built, in time that grows with the threads; it counts in the first round only.
func scenes(s *subject) error {
	st := matches.State{Palette: palette.Light(), Scale: 1}
	for k, t := range []*trace.Trace{s.pair.A, s.pair.B} {
		st.Sides[k].Trace, st.Sides[k].Headers = t, true
		st.Sides[k].Focus = geom.Span{End: float64(t.Duration)}
		for i := range t.Threads {
			st.Sides[k].Tracks = append(st.Sides[k].Tracks, i)
		}
	}
	for range scenesAtOnce {
		s.parts = matches.Build(&st, geom.Size{W: 1600, H: 1000}, &s.arena).Scene.Count()
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
// side B every hundredth call is another function's: so most descents of 10 levels are identical to
// one of side A, and none of more.
func deep(b *testing.B, calls, depth, functions int) *subject {
	s := &subject{dir: b.TempDir()}
	var sides [2]*trace.Trace
	for k, name := range []string{"a", "b"} {
		path := filepath.Join(s.dir, name)
		if err := writeDeep(path, calls, depth, functions, k); err != nil {
			b.Fatal(err)
		}
		var err error
		if sides[k], err = traceio.Load(ctx, path, input.Options{}); err != nil {
			b.Fatal(err)
		}
		if got := sides[k].Threads[0].MaxDepth(); got != depth {
			b.Fatalf("%d levels were read, and %d written", got, depth)
		}
	}
	s.pair = pair.New(sides[0], sides[1], pair.Rules{})
	return s
}

// writeDeep writes a side of a deep pair in Chrome's form, of so many functions.
func writeDeep(path string, calls, depth, functions, side int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, at := bufio.NewWriter(f), 0
	record := func(phase, name string) {
		at++
		fmt.Fprintf(w, `{"ph":"%s","pid":1,"tid":1,"ts":%d%s},`+"\n", phase, at, name)
	}
	fmt.Fprintln(w, `{"traceEvents":[`)
	for n := 0; n < calls; n += depth {
		for d := range depth {
			fn := d
			if (n+d)%100 == 99 {
				fn += side
			}
			record("B", fmt.Sprintf(`,"name":"f%d"`, fn%functions))
		}
		for range depth {
			record("E", "")
		}
	}
	fmt.Fprintln(w, `{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"deep"}}]}`)
	return cmp.Or(w.Flush(), f.Close())
}

// growth is what works cost at each size: ns per call, or of scenes ns per scene, since their cost
// follows what is visible.
type growth struct {
	sizes []int
	cost  map[string][]float64 // by work
	parts map[string][]int     // the same: how many there are of what work.parts names
}

// grown measures every work at each size and reports how the cost per call grows. The machine has
// others to serve, now more and now less. So each round goes through all sizes, and of several
// rounds the least time counts; all subjects are in memory, so that each finds the same heap.
func grown(b *testing.B, works []work, sizes []int, make func(size int) *subject) {
	if *only != "" {
		names := strings.Split(*only, ",")
		works = slices.DeleteFunc(slices.Clone(works), func(w work) bool {
			return !slices.Contains(names, w.name)
		})
	}
	var subjects []*subject
	for _, size := range sizes {
		subjects = append(subjects, make(size))
	}
	g := &growth{sizes, map[string][]float64{}, map[string][]int{}}
	for range rounds {
		for k, s := range subjects {
			for _, w := range works {
				per := s.calls()
				if w.name == perScene {
					per = scenesAtOnce
				}
				s.parts = 0
				g.note(w.name, k, spent(b, s, w.do)/per, s.parts)
			}
		}
	}
	for _, w := range works {
		b.Run(w.name, func(b *testing.B) { g.report(b, w) })
	}
}

// note keeps the least cost of a work at a size, and how many parts there are.
func (g *growth) note(work string, size int, cost float64, parts int) {
	if g.cost[work] == nil {
		g.cost[work] = slices.Repeat([]float64{math.Inf(1)}, len(g.sizes))
		g.parts[work] = make([]int, len(g.sizes))
	}
	g.cost[work][size] = min(g.cost[work][size], cost)
	g.parts[work][size] = parts
}

// report reports the cost of a work at the largest size, and how it has grown: by a doubling of the
// size at the worst step, and how many times as many parts came with that doubling. Loading is also
// held against reading the same files, which is the least that it can cost.
func (g *growth) report(b *testing.B, w work) {
	unit := "ns/call"
	if w.name == perScene {
		unit = "ns/scene"
	}
	cost, files, last := g.cost[w.name], g.cost["files"], len(g.sizes)-1
	worst, at := 0., 0
	for i := range last {
		if x := g.doubled(i, cost[i], cost[i+1]); x > worst {
			worst, at = x, i
		}
	}
	b.Logf("at %d: %.1f", g.sizes, cost)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(cost[last], unit)
	b.ReportMetric(worst, "×doubling")
	b.ReportMetric(cost[last]/cost[0], "×all")
	if parts := g.parts[w.name]; w.parts != "" && parts[0] > 0 {
		b.Logf("%s: %d", w.parts, parts)
		b.ReportMetric(g.doubled(at, float64(parts[at]), float64(parts[at+1])), "×parts-then")
		b.ReportMetric(float64(parts[last])/float64(parts[0]), "×parts-all")
	}
	if w.name == "load" {
		b.ReportMetric(cost[last]/cost[0]/(files[last]/files[0]), "×all÷files")
	}
}

// doubled returns by how much something grew between two sizes, by a doubling of the size.
func (g *growth) doubled(step int, from, to float64) float64 {
	return math.Pow(to/from, 1/math.Log2(float64(g.sizes[step+1])/float64(g.sizes[step])))
}

// longEnough is how long a measured time must be for chance to have little part in it, and mostTimes
// how often a work is done at most that takes less.
const (
	longEnough = 20 * time.Millisecond
	mostTimes  = 16
)

// spent returns the processor time of a work, ns. A short one is done several times.
func spent(b *testing.B, s *subject, do func(*subject) error) float64 {
	cpu := func(times int) time.Duration {
		runtime.GC()
		return peers.Measure(func() {
			for range times {
				if err := do(s); err != nil {
					b.Fatal(err)
				}
			}
		}).CPU
	}
	once := cpu(1)
	if times := min(longEnough/max(once, 1), mostTimes); times > 1 {
		return float64(cpu(int(times))) / float64(times)
	}
	return float64(once)
}

// BenchmarkCalls doubles the calls four times.
func BenchmarkCalls(b *testing.B) {
	grown(b, works, []int{*least, *least * 2, *least * 4, *least * 8, *least * 16},
		func(n int) *subject { return simulated(b, n, 8) })
}

// BenchmarkMoreThreads doubles threads of 80 calls four times, and with them the calls.
func BenchmarkMoreThreads(b *testing.B) {
	grown(b, works, []int{625, 1250, 2500, 5000, 10_000},
		func(n int) *subject { return simulated(b, *least/1250*n, n) })
}

// BenchmarkThreads has as many calls in ever more threads, as a program that runs so many makes
// them. That is not the same work at all sizes: what threads ask of each other grows with them. At
// 10,000 threads 4.7 times as many calls block as at one, on 33,517 objects instead of 24, stretches
// of 80 calls are cut off in so many places that there are nine times as many pairs of classes, and
// the model of aggregation has 331,000 cells instead of 1,103. BenchmarkDealt holds all but the last
// of that equal.
func BenchmarkThreads(b *testing.B) {
	grown(b, works, []int{1, 10, 100, 1000, 10_000},
		func(n int) *subject { return simulated(b, *least*8, n) })
}

// BenchmarkDepth has as many calls in ever deeper stacks.
func BenchmarkDepth(b *testing.B) {
	grown(b, works, []int{10, 100, 1000, 10_000, 100_000},
		func(n int) *subject { return deep(b, *least*8, n, 50) })
}
