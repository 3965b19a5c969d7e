package ui

import (
	"context"
	"fmt"
	"image"
	"os"
	"syscall"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/uitest/viewtest"
)

// cpu is the time that all threads of the process have run so far, those of the rasteriser included.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// software shows a pair of builds in a window of 1600 × 1000 px.
func software(b *testing.B, v string) (*App, *host.Picture) {
	b.Helper()
	s := viewtest.Opened(b, "chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz")
	app := New(s)
	app.kit = viewtest.Kit(b)
	app.context.Kit = app.kit
	pic, err := host.NewPicture(app, image.Pt(1600, 1000), 1)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pic.Close)
	s.SetView(session.View(v))
	s.ShowProcess(os.Getenv("PROC") != "")
	for range 3 {
		pic.Settle()
		s.Settle(context.Background())
	}
	pic.Settle()
	if err := pic.Draw(); err != nil {
		b.Fatal(err)
	}
	return app, pic
}

// BenchmarkSoftware measures what the processors do for one event.
func BenchmarkSoftware(b *testing.B) {
	for _, v := range []string{"matches", "alignment", "threads", "structure", "aggregate"} {
		b.Run("hover/"+v, func(b *testing.B) {
			app, pic := software(b, v)
			_ = app
			events(b, pic, func(k int) {
				pic.Point(image.Pt(60+k*37%900, 330+k*53%560))
				pic.Layout()
			})
		})
	}
	b.Run("zoom/matches", func(b *testing.B) {
		app, pic := software(b, "matches")
		f := app.S.State().Sides[pair.A].Whole()
		events(b, pic, func(k int) {
			for side := range pair.Side(2) {
				app.S.SetFocus(side, f.ZoomAt(f.Len()*float64(k%7)/7, 1-.05*float64(k%9)))
			}
			pic.LayoutAt(time.Now())
		})
	})
	_ = geom.Span{}
}

// events reports the time a thing takes.
func events(b *testing.B, pic *host.Picture, do func(k int)) {
	do(0)
	if err := pic.Draw(); err != nil {
		b.Fatal(err)
	}
	const n = 30
	var layout, all time.Duration
	for b.Loop() {
		for k := range n {
			t0 := cpu()
			do(k + 1)
			t1 := cpu()
			if err := pic.Draw(); err != nil {
				b.Fatal(err)
			}
			layout += t1 - t0
			all += cpu() - t0
		}
	}
	per := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(n*b.N) }
	b.ReportMetric(per(all), "ms/event")
	b.ReportMetric(per(layout), "ms/layout")
	_ = fmt.Sprint
}
