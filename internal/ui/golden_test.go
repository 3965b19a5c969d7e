package ui

import (
	"image"
	"image/draw"
	"testing"

	"diptych/internal/host"
	"diptych/internal/session"
	"diptych/internal/testpic"
	aggview "diptych/internal/ui/aggregate"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/uitest/viewtest"
)

// pairs are what the goldens show.
var pairs = map[string][]string{
	"queue":    {"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"},
	"pipeline": {"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"},
	"profile":  {"pprof/pipeline-mutex.heap.pprof", "pprof/pipeline-chan.heap.pprof"},
	// A browser's threads: a hang monitor that waits all its life, an idle worker, one that polls, a
	// compositor, and one for I/O.
	"situations": {"generated/situations-a.json.gz", "generated/situations-b.json.gz"},
}

func snapshot(t *testing.T, app host.App, size image.Point, scale float32) *image.RGBA {
	t.Helper()
	return testpic.Snapshot(t, app, size, scale)
}

// atRest returns the window of an app once all is computed that its frames have asked for.
func atRest(t *testing.T, app *App, size image.Point, scale float32) *image.RGBA {
	t.Helper()
	pic, err := host.NewPicture(app, size, scale)
	if err != nil {
		t.Fatal(err)
	}
	defer pic.Close()
	b := &bench{t, app, pic}
	b.rest()
	return b.image()
}

func single(t *testing.T, s *session.Session, view string) *Picture {
	t.Helper()
	v, err := NewPicture(s, view)
	if err != nil {
		t.Fatal(err)
	}
	v.kit = viewtest.Kit(t)
	s.Settle(t.Context()) // what the view needs
	return v
}

var viewSizes = map[string]image.Point{"matches": {X: 600, Y: 400}, "overview": {X: 600, Y: 150},
	"alignment": {X: 700, Y: 460}, "threads": {X: 900, Y: 520}, "structure": {X: 700, Y: 460},
	"aggregate": {X: 900, Y: 520}}

func TestSituationsGolden(t *testing.T) {
	s := opened(t, pairs["situations"]...)
	golden(t, "threads-situations", snapshot(t, single(t, s, "threads"), image.Pt(1000, 640), 1))
}

// TestViewGoldens shows each view in both themes, most of them of another pair in the dark one, and checks that the golden
// picture tells the sides' colours apart.
func TestViewGoldens(t *testing.T) {
	for _, view := range PictureNames() {
		t.Run(view, func(t *testing.T) {
			show := "pipeline"
			if view == string(aggview.View) {
				show = "queue" // aggregating another pair takes seconds
			}
			pic := viewOf(t, view, show)
			pic.s.SetDark(true)
			golden(t, view+"-"+show+"-dark", snapshot(t, pic, viewSizes[view], 1))
		})
		t.Run(view+" with exchanged colours", func(t *testing.T) {
			pic := viewOf(t, view, "queue")
			want := snapshot(t, pic, viewSizes[view], 1)
			golden(t, view+"-queue-light", want)
			exchange(pic.kit)
			defer exchange(pic.kit) // other tests use the kit, too
			if difference(snapshot(t, pic, viewSizes[view], 1), rounded(want)) == "" {
				t.Error("not told from the golden")
			}
		})
	}
}

// viewOf returns a view of one of the pairs, alone.
func viewOf(t *testing.T, view, show string) *Picture {
	t.Helper()
	if view == string(aggview.View) {
		return single(t, aggregation(t, show), view)
	}
	return single(t, opened(t, pairs[show]...), view)
}

func TestWindowGoldens(t *testing.T) {
	for name, w := range map[string]struct {
		show  string
		size  image.Point
		scale float32
	}{
		"window-queue":      {"queue", image.Pt(840, 520), 1},
		"window-profile@2x": {"profile", image.Pt(1280, 800), 2}, // the smallest window
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, name, atRest(t, windowOf(t, pairs[w.show]...), w.size, w.scale))
		})
	}
}

// windowOf returns a window that shows files of testdata.
func windowOf(t *testing.T, files ...string) *App {
	t.Helper()
	app := New(opened(t, files...))
	share(t, app)
	return app
}

// TestGoldenTellsApart checks that the tolerances let no fault pass that matters.
func TestGoldenTellsApart(t *testing.T) {
	queue := pairs["queue"]
	window := func(t *testing.T, width int, change func(a *App), files ...string) *image.RGBA {
		a := windowOf(t, files...)
		change(a)
		return atRest(t, a, image.Pt(width, 600), 1)
	}
	var want *image.RGBA
	t.Run("the same window twice", func(t *testing.T) {
		first := window(t, 900, func(*App) {}, queue...)
		want = rounded(first)
		if why := difference(window(t, 900, func(*App) {}, queue...), want); why != "" {
			t.Error(why)
		}
	})
	for what, draw := range map[string]func(t *testing.T) *image.RGBA{
		"sides swapped": func(t *testing.T) *image.RGBA {
			return window(t, 900, func(*App) {}, queue[1], queue[0])
		},
		"colours exchanged": func(t *testing.T) *image.RGBA {
			return window(t, 900, func(a *App) {
				exchange(a.kit)
				t.Cleanup(func() { exchange(a.kit) }) // other tests use the kit, too
			}, queue...)
		},
		"no dock": func(t *testing.T) *image.RGBA {
			return window(t, 900, func(a *App) { a.dock.Open = false }, queue...)
		},
		"dark": func(t *testing.T) *image.RGBA {
			return window(t, 900, func(a *App) { a.S.SetDark(true) }, queue...)
		},
		"another size": func(t *testing.T) *image.RGBA {
			return window(t, 890, func(*App) {}, queue...)
		},
		"an icon is missing":  func(*testing.T) *image.RGBA { return blank(want, image.Rect(12, 12, 28, 28)) },
		"overview is missing": func(*testing.T) *image.RGBA { return blank(want, image.Rect(20, 60, 500, 140)) },
	} {
		t.Run(what, func(t *testing.T) {
			if difference(draw(t), want) == "" {
				t.Error("not told from the golden")
			}
		})
	}
}

// exchange gives each side the other's colours.
func exchange(k *kit.Kit) {
	p := k.Pal
	p.A, p.B, p.AFaint, p.BFaint = p.B, p.A, p.BFaint, p.AFaint
}

// blank returns m with nothing in r.
func blank(m *image.RGBA, r image.Rectangle) *image.RGBA {
	out := image.NewRGBA(m.Rect)
	copy(out.Pix, m.Pix)
	draw.Draw(out, r, image.White, image.Point{}, draw.Src)
	return out
}

// golden compares m with the picture of that name under testdata.
func golden(t *testing.T, name string, m *image.RGBA) {
	t.Helper()
	testpic.Window.Golden(t, name, m)
}

// difference tells in what got differs from want beyond the tolerances, or "".
func difference(got, want *image.RGBA) string { return testpic.Window.Compare(got, want).Beyond }

// rounded returns m with its channels rounded, as a golden has them.
func rounded(m *image.RGBA) *image.RGBA { return testpic.Window.Rounded(m) }
