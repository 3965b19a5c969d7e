package threads

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// period is the time between two waits of a worker, ns.
const period = 1000

// pool is a dispatcher that ends the waits of workers, each of which waits so many times, one worker
// after the other; idle threads only run. The recording states all correspondences.
func pool(t testing.TB, workers, idle, waits int) *wait.Analysis {
	b := trace.NewBuilder("pool")
	run := b.Function(trace.Function{Name: "run"})
	waiting := b.Function(trace.Function{Name: "wait"})
	post := b.Function(trace.Function{Name: "post"})
	end := int64(waits+1) * period
	main := b.Thread("main", -1)
	main.SetName("main")
	main.Begin(0, run)
	var posts []trace.Ref
	step := int64(period / 2)
	for k := range waits {
		for w := range workers {
			at := int64(k)*period + 400 + int64(w)*step/int64(workers)
			r := main.Begin(at, post)
			main.Block(r, trace.Release)
			main.End(at)
			posts = append(posts, r)
		}
	}
	main.End(end)
	for w := range workers + idle {
		th := b.Thread(fmt.Sprintf("w%d", w), -1)
		th.SetName(fmt.Sprintf("worker %d", w))
		th.Begin(0, run)
		for k := range waits {
			if w >= workers {
				break
			}
			from := int64(k)*period + int64(w)*step/int64(workers)
			r := th.Begin(from, waiting)
			th.Block(r, trace.Wait)
			th.End(from + 402)
			b.Correspond(r, posts[k*workers+w], trace.NoObject)
		}
		th.End(end)
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return find(t, tr)
}

// frame is a state that shows so many periods in the middle of a pool, whose workers share a
// section.
func frame(t testing.TB, a *wait.Analysis, periods float64) (*Prepared, State) {
	p := alone(t, a)
	r := Arrange(p, Options{Most: 5})
	st := wholeOf(p, 0, Options{Most: 5})
	st.Places = r.Places[0]
	mid := float64(a.Trace.Duration) / 2
	st.View = geom.Span{Start: mid - periods*period/2, End: mid + periods*period/2}
	return p, st
}

// TestFrameCostsWhatIsVisible: with five times as many threads, each of which waits ten times as
// often, little more is looked at to draw as much; the waits in sight are counted all the same.
func TestFrameCostsWhatIsVisible(t *testing.T) {
	sizes := [2]*wait.Analysis{pool(t, 40, 10, 20), pool(t, 200, 10, 200)}
	var states [2]State
	for k, a := range sizes {
		if _, states[k] = frame(t, a, 4); len(states[k].Sections) != 1 {
			t.Fatal(len(states[k].Sections), "sections")
		}
	}
	looked := func(k int, u Hit, all bool) (steps int, v *View) {
		st := states[k]
		st.Under, st.All, st.Budget = u, all, 200
		var arena Arena
		v = Build(&st, pane, &arena)
		return arena.search.steps, v
	}
	for _, u := range []Hit{{}, {Part: OnLabel, Place: 0}} {
		for _, all := range []bool{false, true} {
			few, v := looked(0, u, all)
			many, w := looked(1, u, all)
			if v.Shown == 0 || w.Shown == 0 || w.Shown > 2*v.Shown {
				t.Errorf("%d waits are shown of few, %d of many", v.Shown, w.Shown)
			}
			if w.Total < 5*v.Total {
				t.Errorf("%d waits are in sight of few threads, %d of five times as many", v.Total,
					w.Total)
			}
			if many > 3*few {
				t.Errorf("%d steps for few waits, %d for fifty times as many", few, many)
			}
		}
	}
}

// TestNarrowSectionsShareALine: the lines beneath the stacks of sections that are narrower than a
// pixel are few, and every section stands on one of them. Wide sections have a line of their own.
func TestNarrowSectionsShareALine(t *testing.T) {
	for _, threads := range []int{20, 4000} {
		p := alone(t, pool(t, threads, 0, 1))
		st := wholeOf(p, 0, Options{Most: threads + 1})
		if len(st.Sections) != threads {
			t.Fatalf("%d sections", len(st.Sections))
		}
		v := Build(&st, pane, nil)
		var rims []scene.Arc
		for k := range v.Scene.Layers {
			for _, a := range v.Scene.Layers[k].Arcs {
				if a.R1 == v.Ring.Zero && a.Fill == st.Palette.Line {
					rims = append(rims, a)
				}
			}
		}
		if want := map[int]int{20: 20, 4000: 1}[threads]; len(rims) != want {
			t.Errorf("%d lines for %d sections, want %d", len(rims), threads, want)
		}
		for k, s := range v.sections {
			if !slices.ContainsFunc(rims, func(a scene.Arc) bool {
				return float64(a.From) <= s.right+1e-6 && float64(a.To) >= s.left-1e-6
			}) {
				t.Fatalf("of %d sections the %dth stands on no line", threads, k)
			}
		}
	}
}

// BenchmarkFrame arranges and draws 2,000 threads with 200,000 correspondences, and as many threads
// that are idle, and reports the time of each in ms.
func BenchmarkFrame(b *testing.B) {
	for name, a := range map[string]*wait.Analysis{
		"workers": pool(b, 2000, 0, 100), "idle": pool(b, 20, 2000, 10_000),
	} {
		b.Run(name+"/prepare", func(b *testing.B) {
			for b.Loop() {
				alone(b, a)
			}
		})
		for _, periods := range []float64{2, 40, 1e5} {
			b.Run(fmt.Sprintf("%s/%v", name, periods), func(b *testing.B) {
				p, st := frame(b, a, periods)
				if periods == 1e5 {
					st.View = geom.Span{End: float64(a.Trace.Duration)}
				}
				spent := func(name string, do func()) {
					began := time.Now()
					for range 10 {
						do()
					}
					b.ReportMetric(time.Since(began).Seconds()*1e3/10, name)
				}
				var arena Arena
				for b.Loop() {
					spent("ms-arrange", func() { Arrange(p, Options{}) })
					st.Under, st.All = Hit{}, false
					spent("ms-build", func() { Build(&st, pane, &arena) })
					st.All = true
					spent("ms-all", func() { Build(&st, pane, &arena) })
					st.All, st.Under = false, Hit{Part: OnLabel, Place: 0, Thread: 1}
					spent("ms-hovered", func() { Build(&st, pane, &arena) })
					st.Under = Hit{Part: OnSection, Place: Main, Thread: 0}
					spent("ms-main", func() { Build(&st, pane, &arena) })
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// TestStrand holds what a strand finds against a look at all waits.
func TestStrand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someTrace(t)
		p := alone(t, a)
		ws := &a.Waits
		var list []int32
		for w := range ws.Len() {
			if ws.Outermost(w) && ws.How[w] != wait.Passed {
				list = append(list, int32(w))
			}
		}
		strands := append(p.sides[0].strands, newCrowd(ws, list))
		from := rapid.Int64Range(0, a.Trace.Duration).Draw(t, "from")
		to := rapid.Int64Range(from, a.Trace.Duration).Draw(t, "to")
		least, most := rapid.Int64Range(0, 300).Draw(t, "least"), rapid.IntRange(0, 5).Draw(t, "most")
		for k, s := range strands {
			var durs []int64
			n := 0
			for _, w := range list {
				if k < len(strands)-1 && int(ws.Thread[w]) != k || ws.Start[w] > to || ws.End[w] < from {
					continue
				}
				n++
				if d := ws.Dur(int(w)); d >= least {
					durs = append(durs, d)
				}
			}
			if got := s.count(from, to); got != n {
				t.Fatalf("strand %d has %d waits in sight, want %d", k, got, n)
			}
			slices.Sort(durs)
			slices.Reverse(durs)
			durs = durs[:min(len(durs), most)]
			var got []int64
			var q search
			for _, w := range q.longest(s, from, to, func(d int64) bool { return d >= least }, most,
				nil) {
				got = append(got, ws.Dur(int(w)))
			}
			if !slices.Equal(got, durs) {
				t.Fatalf("strand %d: waits of %v, want %v", k, got, durs)
			}
		}
	})
}

// TestPlacesAreThoseOfTheSections: the picture is the same whether Arrange's places are used or not.
func TestPlacesAreThoseOfTheSections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := alone(t, someTrace(t))
		o := Options{Focus: rapid.IntRange(-1, len(p.lines)-1).Draw(t, "focus"),
			Most: rapid.IntRange(1, 5).Draw(t, "most"), Idle: rapid.Bool().Draw(t, "idle")}
		st := wholeOf(p, o.Focus, o)
		want := dump(Build(&st, pane, nil).Scene)
		st.Places = Arrange(p, o).Places[0]
		if dump(Build(&st, pane, nil).Scene) != want {
			t.Fatal("another picture")
		}
	})
}

// TestCrowdsShowWhatTheirThreadsShow: a section that several threads share counts and draws the same
// waits one by one whether those of their role are looked up together or thread by thread.
func TestCrowdsShowWhatTheirThreadsShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := someState(t, someTrace(t))
		size := someSize(t)
		v := Build(&st, size, nil)
		want := waitsDrawn(v)
		for k := range st.Sections {
			st.Sections[k].crowd = nil
		}
		w := Build(&st, size, nil)
		if w.Total != v.Total || !slices.Equal(waitsDrawn(w), want) {
			t.Fatalf("%d waits in sight, not %d, or others are drawn", v.Total, w.Total)
		}
	})
}

// waitsDrawn returns the shapes of waits that are drawn one by one.
func waitsDrawn(v *View) (shapes []scene.Ribbon) {
	for k := range v.ribbons {
		if v.ribbons[k].wait >= 0 {
			shapes = append(shapes, v.ribbons[k].shape)
		}
	}
	return shapes
}
