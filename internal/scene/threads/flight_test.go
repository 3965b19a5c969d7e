package threads

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

var (
	calls = flag.Int("calls", 1_000_000, "calls in BenchmarkBuild")
	waits = flag.Int("waits", 3000, "waits in BenchmarkBuild")
)

// strewn builds threads whose stacks hover around 12 levels, with waits and releases of a few locks
// strewn over them.
func strewn(t testing.TB, threads, calls, waits int) *wait.Analysis {
	rng := rand.New(rand.NewPCG(7, 7))
	b := trace.NewBuilder("crowd")
	var fns []trace.FuncID
	for i := range 400 {
		fns = append(fns, b.Function(trace.Function{Name: fmt.Sprintf("pkg%d.F%d", i%20, i)}))
	}
	var locks []trace.ObjectID
	for i := range 8 {
		locks = append(locks, b.Object(fmt.Sprintf("lock %d", i)))
	}
	every := max(calls/max(waits, 1), 2)
	for k := range threads {
		th := b.Thread(fmt.Sprint(k+1), -1)
		at, depth, n := int64(rng.IntN(1000)), 0, calls/threads
		for n > 0 || depth > 0 {
			at += 1 + rng.Int64N(2000)
			if depth > 0 && (n <= 0 || rng.IntN(24) >= 24-depth) {
				th.End(at)
				depth--
				continue
			}
			r := th.Begin(at, fns[rng.IntN(len(fns))])
			depth++
			n--
			switch rng.IntN(every) {
			case 0:
				th.Block(r, trace.Wait, locks[rng.IntN(len(locks))])
				at += rng.Int64N(1_000_000)
			case 1:
				th.Block(r, trace.Release, locks[rng.IntN(len(locks))])
			}
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return find(t, tr)
}

type failer interface{ Fatal(...any) }

func find(t failer, tr *trace.Trace) *wait.Analysis {
	a, err := wait.Find(context.Background(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// prepare prepares one side or two.
func prepare(t failer, p *pair.Pair, sides ...*wait.Analysis) *Prepared {
	var known [2]*wait.Analysis
	copy(known[:], sides)
	out, err := Prepare(context.Background(), p, known)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// alone prepares one trace.
func alone(t failer, a *wait.Analysis) *Prepared {
	return prepare(t, pair.New(a.Trace, nil, pair.Rules{}), a)
}

// whole is the state that shows a trace whole, a line in the main view.
func whole(t failer, a *wait.Analysis, focus int, o Options) State {
	return wholeOf(alone(t, a), focus, o)
}

// wholeOf is the same of a trace that is prepared.
func wholeOf(p *Prepared, focus int, o Options) State {
	o.Focus = focus
	r := Arrange(p, o)
	view := geom.Span{End: float64(max(p.Sides[0].Trace.Duration, 1))}
	return State{Prepared: p, Palette: palette.Light(), Scale: 1, View: view,
		Focus: r.Focus[0], Sections: r.Sections[0], Folded: r.Folded[0]}
}

// plain draws every call of the threads on the ring, one by one.
func plain(st *State, v *View, l *scene.Layer) {
	l.Arcs = l.Arcs[:0]
	for k := range v.sections {
		p := &v.sections[k]
		th := v.trace.Threads[st.Sections[k].Threads[0]]
		for i := range th.Len() {
			a := scene.Arc{Centre: v.Ring.Centre, From: float32(p.angle(float64(th.End(i)))),
				To: float32(p.angle(float64(th.Start(i)))), Fill: st.Palette.SubPixel}
			if float64(a.From) < p.left && float64(a.To) > p.right {
				l.Arcs = append(l.Arcs, a)
			}
		}
	}
}

// BenchmarkBuild flies from the whole of a trace into single calls, hovering threads on the way,
// and reports the median and the longest time that Build takes, and how many times as long it
// takes to merely list the arcs of all calls in sight.
func BenchmarkBuild(b *testing.B) {
	st := whole(b, strewn(b, 43, *calls, *waits), 0, Options{Most: 100})
	if len(st.Sections) != 42 {
		b.Fatal(len(st.Sections), "sections")
	}
	full := st.View
	var arena Arena
	var layer scene.Layer
	var fast, slow []time.Duration
	most := 0
	for b.Loop() {
		for k := range 60 {
			at := full.Len() * float64(k*37%60) / 60
			st.View = full.ZoomAt(at, 1/float64(int(1)<<(k/4))).Clamp(full)
			st.Under = Hit{Part: OnSection, Place: k % len(st.Sections)}
			if k%2 == 0 {
				st.Under = Hit{}
			}
			from := time.Now()
			v := Build(&st, geom.Size{W: 1000, H: 900}, &arena)
			fast = append(fast, time.Since(from))
			most = max(most, v.Scene.Count())
			if k%20 == 0 {
				from = time.Now()
				plain(&st, v, &layer)
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
	b.ReportMetric(float64(most), "primitives")
	b.ReportMetric(0, "ns/op")
}
