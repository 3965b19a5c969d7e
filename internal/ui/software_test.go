package ui

import (
	"image"
	"strconv"
	"syscall"
	"testing"
	"time"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/uitest/viewtest"
)

// BenchmarkSoftware measures what drawing costs where the CPU draws: a pair of builds in a window of
// 1600 × 1000 px, without a display. "ms/event" is the time that all threads of the process run for one
// event, those of the rasteriser included; "share" is that time as a part of what it takes where every
// frame is drawn from scratch, in the same run.
func BenchmarkSoftware(b *testing.B) {
	for _, v := range []string{"matches", "alignment", "threads", "structure", "aggregate"} {
		b.Run("hover/"+v, func(b *testing.B) {
			_, pic := software(b, v)
			measure(b, pic, func(k int) {
				pic.Point(image.Pt(60+k*37%900, 330+k*53%560))
				pic.Layout()
			})
		})
	}
	b.Run("hover/threads apart", func(b *testing.B) {
		s := session.New(func() {})
		s.Whole = true
		register(s, views())
		for side := range pair.Side(2) {
			s.Put(side, side.String(), workers(b, 10_000))
		}
		s.Settle(b.Context())
		s.SetWaitStyle(func(w *session.WaitStyle) { w.Apart = true })
		app := New(s)
		share(b, app)
		s.SetView("threads")
		pic := pictured(b, app, func() { s.Settle(b.Context()) })
		measure(b, pic, func(k int) {
			pic.Point(image.Pt(60+k*37%900, 330+k*53%560))
			pic.Layout()
		})
	})
	b.Run("zoom", func(b *testing.B) {
		app, pic := software(b, "matches")
		app.S.ShowProcess(true)
		f := app.S.State().Sides[pair.A].Whole()
		measure(b, pic, func(k int) {
			for side := range pair.Side(2) {
				app.S.SetFocus(side, f.ZoomAt(f.Len()*float64(k%7)/7, 1-.05*float64(k%9)))
			}
			pic.LayoutAt(time.Now())
		})
	})
	b.Run("caret", func(b *testing.B) {
		_, pic := software(b, "matches")
		pic.Press("/", 0)
		now := time.Unix(1000, 0)
		measure(b, pic, func(k int) { pic.LayoutAt(now.Add(time.Duration(k) * time.Second / 2)) })
	})
}

// software shows a view of the pair.
func software(b *testing.B, v string) (*App, *host.Picture) {
	b.Helper()
	s := opened(b, "chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz")
	app := New(s)
	share(b, app)
	s.SetView(session.View(v))
	return app, pictured(b, app, func() { s.Settle(b.Context()) })
}

// workers is a trace of n threads that each run once and wait once.
func workers(b *testing.B, n int) *trace.Trace {
	t := trace.NewBuilder("workers")
	run := t.Function(trace.Function{Name: "run"})
	wait := t.Function(trace.Function{Name: "wait"})
	for k := range n {
		th := t.Thread(strconv.Itoa(k), -1)
		th.SetName("worker " + strconv.Itoa(k))
		th.Begin(int64(k), run)
		th.Block(th.Begin(int64(k+n), wait), trace.Wait)
		th.End(int64(k + 2*n))
		th.End(int64(k + 3*n))
	}
	tr, err := t.Build(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return tr
}

// pictured shows an app at rest in a window of 1600 × 1000 px.
func pictured(b *testing.B, app host.App, settle func()) *host.Picture {
	b.Helper()
	pic, err := host.NewPicture(app, image.Pt(1600, 1000), 1)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pic.Close)
	for range 3 {
		pic.Settle()
		settle()
	}
	pic.Settle()
	return pic
}

// cpu is how long all threads of the process have run.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure reports what the event k costs, for many k.
func measure(b *testing.B, pic *host.Picture, event func(k int)) {
	const events = 12
	var took [2]time.Duration
	for b.Loop() {
		for scratch := range took {
			for k := range events + 1 {
				before := cpu()
				event(k)
				if scratch == 1 {
					pic.Forget()
				}
				if err := pic.Draw(); err != nil {
					b.Fatal(err)
				}
				if k > 0 { // the first frame differs from another event's
					took[scratch] += cpu() - before
				}
			}
		}
	}
	b.ReportMetric(took[0].Seconds()*1e3/float64(events*b.N), "ms/event")
	b.ReportMetric(float64(took[0])/float64(took[1]), "share")
}

// labelled shows labels that move, over nothing else.
type labelled struct {
	kit   *kit.Kit
	texts kit.Texts
	scene scene.Scene
	gio   bool // they are drawn by Gio
	at    float32
	count int
}

func (a *labelled) Layout(f host.Frame) {
	a.kit.Begin(f.Metric, f.Size)
	a.scene.Reset(geom.Size{W: float32(f.Size.X), H: float32(f.Size.Y)})
	l := a.scene.Layer(geom.Rect{})
	for i := range a.count {
		x, y := a.at+float32(i%12)*130, float32(i/12)*38
		l.Write(scene.Text{Rect: geom.Rect{X0: x, Y0: y, X1: x + 120, Y1: y + 16}, Fill: a.kit.Pal.Text,
			Text: "pkg.(*Type).Method" + kit.Grouped(i), Size: 11})
	}
	if a.gio {
		kit.At(f.Context(), image.Rectangle{Max: f.Size}, func(gtx layout.Context) {
			a.texts.DrawAll(a.kit, gtx, &a.scene)
		})
	}
}

func (a *labelled) Paint(s *host.Scenes) error {
	s.Ground = a.kit.Pal.Pane
	if !a.gio {
		s.Type = a.kit.Setter()
		s.Add(&a.scene, image.Rect(0, 0, 1600, 1000))
	}
	return nil
}

func (a *labelled) Drop([]string) {}

func (a *labelled) Heed() {}

// BenchmarkLabels compares what 300 labels cost that all move, drawn from the atlas and by Gio: beyond
// what the empty window costs, drawn from scratch.
func BenchmarkLabels(b *testing.B) {
	for _, gio := range []bool{false, true} {
		b.Run(map[bool]string{false: "atlas", true: "gio"}[gio], func(b *testing.B) {
			app := &labelled{kit: viewtest.Kit(b), gio: gio, count: 300}
			pic := pictured(b, app, func() {})
			if err := pic.Draw(); err != nil {
				b.Fatal(err)
			}
			const frames = 20
			var took [2]time.Duration
			for b.Loop() {
				for k := range 2 * frames {
					before := cpu()
					app.at, app.count = float32(k%5), k%2*300
					pic.Layout()
					pic.Forget()
					if err := pic.Draw(); err != nil {
						b.Fatal(err)
					}
					took[k%2] += cpu() - before
				}
			}
			b.ReportMetric((took[1]-took[0]).Seconds()*1e3/float64(frames*b.N), "ms/300labels")
		})
	}
}
