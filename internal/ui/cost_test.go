package ui

import (
	"context"
	"fmt"
	"image"
	"testing"
	"time"

	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// crowded builds a trace of so many threads that wait so many times each, for a thread that releases
// them one after the other.
func crowded(t testing.TB, threads, waits int) *trace.Trace {
	b := trace.NewBuilder("crowd")
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	run, waiting, post := fn("run"), fn("wait"), fn("post")
	const period = 1000
	process, end := b.Process("p"), int64(waits+1)*period
	main := b.Thread("1", process)
	main.SetName("dispatcher")
	main.Begin(0, run)
	var posts []trace.Ref
	at := func(k, w int) int64 { return int64(k)*period + int64(w)*period/2/int64(threads) }
	for k := range waits {
		for w := range threads {
			r := main.Begin(at(k, w)+400, post)
			main.Block(r, trace.Release)
			main.End(at(k, w) + 400)
			posts = append(posts, r)
		}
	}
	main.End(end)
	for w := range threads {
		th := b.Thread(fmt.Sprint(w+2), process)
		th.SetName(fmt.Sprint("worker ", w))
		th.Begin(0, run)
		for k := range waits {
			r := th.Begin(at(k, w), waiting)
			th.Block(r, trace.Wait)
			th.End(at(k, w) + 402)
			b.Correspond(r, posts[k*threads+w], trace.NoObject)
		}
		th.End(end)
	}
	return testtrace.Build(t, b)
}

// crowd shows two crowded traces in four panes, at rest.
func crowd(t testing.TB, threads, waits int) (*App, *host.Picture) {
	t.Helper()
	s := session.New(func() {})
	for side := range 2 {
		s.Put(pair.Side(side), "crowd", crowded(t, threads, waits))
	}
	app := fourPanes(t, s)
	pic, err := host.NewPicture(app, image.Pt(1600, 1000), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pic.Close)
	for range 2 {
		pic.Settle()
		s.Settle(context.Background())
	}
	pic.Settle()
	return app, pic
}

// frames are what a frame may have to do, by name.
var frames = map[string]func(app *App, pic *host.Picture, k int){
	"still": func(_ *App, pic *host.Picture, _ int) { pic.Layout() },
	"hover": func(_ *App, pic *host.Picture, k int) {
		pic.Move(image.Pt(100+k*37%900, 300+k*53%600), 0)
		pic.Layout()
	},
	"zoom": func(app *App, pic *host.Picture, k int) {
		f := app.S.State().Sides[pair.A].Whole()
		app.S.SetFocus(pair.A, f.ZoomAt(f.Len()*float64(k%7)/7, .5))
		pic.Layout()
	},
	"scroll": func(app *App, pic *host.Picture, k int) {
		app.S.Scroll(pair.A, float32(k%40))
		pic.Layout()
	},
	"step": func(app *App, pic *host.Picture, _ int) {
		app.S.StepPair(1)
		pic.Layout()
	},
}

// TestFramesCostWhatIsVisible: with ten times as many threads and waits a frame allocates little more: it
// walks none of them. Allocations stand for work since they do not depend on the machine.
func TestFramesCostWhatIsVisible(t *testing.T) {
	few, fewPic := crowd(t, 30, 10)
	many, manyPic := crowd(t, 300, 10)
	for name, frame := range frames {
		cost := func(app *App, pic *host.Picture) float64 {
			k := 0
			return testing.AllocsPerRun(8, func() { frame(app, pic, k); k++ })
		}
		a, b := cost(few, fewPic), cost(many, manyPic)
		if b > 3*a+2000 {
			t.Errorf("%s: %.0f allocations with few threads, %.0f with ten times as many", name, a, b)
		}
	}
}

// TestProgressIsDrawnOnceItIsTold: a job that waits for the view to rest, and one that is not slow yet,
// ask for no frame before the status bar would tell them.
func TestProgressIsDrawnOnceItIsTold(t *testing.T) {
	now := time.Now()
	began := func(ago time.Duration) *session.Job { return &session.Job{Started: now.Add(-ago)} }
	rests, young, old := began(-400*time.Millisecond), began(0), began(time.Minute)
	for _, c := range []struct {
		jobs []*session.Job
		want time.Duration // 0: never
	}{
		{nil, 0},
		{[]*session.Job{rests}, 400*time.Millisecond + slow},
		{[]*session.Job{rests, young}, slow},
		{[]*session.Job{rests, young, old}, progressEvery},
	} {
		at, ok := progressAt(c.jobs, now)
		if ok != (c.want > 0) || ok && at.Sub(now) != c.want {
			t.Errorf("%d jobs: the next frame is due after %v, %t; want %v", len(c.jobs), at.Sub(now), ok, c.want)
		}
	}
}

// BenchmarkLayout measures a frame of four panes at 2,000 threads and 200,000 correspondences a side; the
// aim is 4 ms.
func BenchmarkLayout(b *testing.B) {
	app, pic := crowd(b, 2000, 100)
	for name, frame := range frames {
		b.Run(name, func(b *testing.B) {
			k, began := 0, time.Now()
			for b.Loop() {
				frame(app, pic, k)
				k++
			}
			b.ReportMetric(time.Since(began).Seconds()*1e3/float64(k), "ms/frame")
		})
	}
}
