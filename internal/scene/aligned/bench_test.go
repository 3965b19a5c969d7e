package aligned

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

var calls = flag.Int("calls", 1_000_000, "calls a side in BenchmarkBuild")

// busy builds a thread whose stacks hover around 12 levels. Of two with the same seed the edited
// one has one call in a thousand under another name, left out, or twice.
func busy(b *testing.B, n int, edited bool) *trace.Trace {
	rng, edits := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(2, 2))
	tb := trace.NewBuilder("busy")
	th := tb.Thread("1", -1)
	var fns []trace.FuncID
	for i := range 400 {
		fns = append(fns, tb.Function(trace.Function{Name: fmt.Sprintf("pkg%d.F%d", i%20, i)}))
	}
	at, depth := int64(0), 0
	for n > 0 || depth > 0 {
		at += 1 + rng.Int64N(2000)
		if depth == 0 || n > 0 && rng.IntN(24) < 24-depth {
			f := fns[rng.IntN(len(fns))]
			if n--; edited && edits.IntN(1000) == 0 {
				f = fns[edits.IntN(len(fns))]
				th.Complete(at, at, f)
			}
			th.Begin(at, f)
			depth++
		} else {
			th.End(at)
			depth--
		}
	}
	tr, err := tb.Build(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return tr
}

// plain draws what Build draws of the calls, one by one.
func plain(p *Prepared, ax geom.Axis, l *scene.Layer) {
	l.Quads = l.Quads[:0]
	fill := palette.Light().SubPixel
	for _, tr := range []*trace.Trace{p.Sides[0], p.Sides[1], p.Status} {
		th := tr.Threads[0]
		for i := range th.Len() {
			r := geom.Rect{X0: ax.X(float64(th.Start(i))), X1: ax.X(float64(th.End(i))),
				Y0: float32(th.Depth(i)) * 19, Y1: float32(th.Depth(i)+1) * 19}
			if r.X1 >= ax.X0 && r.X0 <= ax.X1 {
				l.Fill(r, fill)
			}
		}
	}
}

// BenchmarkBuild flies from the whole of a pair into single calls and reports the median and the
// longest time that Build takes, and how many times as long a plain walk takes at the same steps.
func BenchmarkBuild(b *testing.B) {
	p := prepared(b, busy(b, *calls, false), busy(b, *calls, true))
	st := stateOfWhole(p)
	whole := st.Focus
	var arena Arena
	var layer scene.Layer
	var fast, slow []time.Duration
	for b.Loop() {
		for k := range 60 {
			at := whole.Len() * float64(k*37%60) / 60
			st.Focus = whole.ZoomAt(at, 1/float64(int(1)<<(k/4)))
			from := time.Now()
			v := Build(&st, geom.Size{W: 1600, H: 1000}, &arena)
			fast = append(fast, time.Since(from))
			if k%12 == 0 {
				from = time.Now()
				plain(p, v.Axis, &layer)
				slow = append(slow, time.Since(from))
			}
		}
	}
	slices.Sort(fast)
	slices.Sort(slow)
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	median := fast[len(fast)/2]
	b.ReportMetric(ms(median), "ms-median")
	b.ReportMetric(ms(fast[len(fast)-1]), "ms-max")
	b.ReportMetric(float64(slow[len(slow)/2])/float64(median), "×plain")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkPrepare reports the time by node.
func BenchmarkPrepare(b *testing.B) {
	p := prepared(b, busy(b, *calls, false), busy(b, *calls, true))
	for b.Loop() {
		if _, err := Prepare(context.Background(), p.Virtual, p.Timeline, p.Moves); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*p.Len()), "ns/node")
}
