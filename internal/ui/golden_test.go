package ui

import (
	"image"
	"image/draw"
	"path/filepath"
	"testing"

	"diptych/internal/host"
	"diptych/internal/session"
	"diptych/internal/testpic"
	aggview "diptych/internal/ui/aggregate"
	"diptych/internal/ui/kit"
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

// TestViewGoldens shows each view in both themes, and checks that the golden picture tells the
// sides' colours apart.
func TestViewGoldens(t *testing.T) {
	for _, show := range []string{"queue", "pipeline"} {
		for _, view := range PictureNames() {
			s := opened(t, pairs[show]...)
			if view == string(aggview.View) {
				s = aggregation(t, show)
			}
			pic := single(t, s, view)
			for _, dark := range []bool{true, false} {
				name := view + "-" + show + "-" + map[bool]string{false: "light", true: "dark"}[dark]
				t.Run(name, func(t *testing.T) {
					s.SetDark(dark)
					golden(t, name, snapshot(t, pic, viewSizes[view], 1))
				})
			}
			if show != "queue" {
				continue
			}
			t.Run(view+" with exchanged colours", func(t *testing.T) {
				want := testpic.Read(t, filepath.Join("testdata", view+"-queue-light.png"))
				exchange(pic.kit)
				if difference(snapshot(t, pic, viewSizes[view], 1), want) == "" {
					t.Error("not told from the golden")
				}
			})
		}
	}
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
			golden(t, name, atRest(t, New(opened(t, pairs[w.show]...)), w.size, w.scale))
		})
	}
}

// TestGoldenTellsApart checks that the tolerances let no fault pass that matters.
func TestGoldenTellsApart(t *testing.T) {
	size := image.Pt(960, 600)
	queue := pairs["queue"]
	window := func(change func(a *App)) *image.RGBA {
		a := New(opened(t, queue...))
		change(a)
		return atRest(t, a, size, 1)
	}
	want := rounded(window(func(*App) {}))
	if why := difference(window(func(*App) {}), want); why != "" {
		t.Errorf("the same window twice: %s", why)
	}
	for what, m := range map[string]*image.RGBA{
		"sides swapped":       atRest(t, New(opened(t, queue[1], queue[0])), size, 1),
		"colours exchanged":   window(func(a *App) { exchange(a.kit) }),
		"no dock":             window(func(a *App) { a.dock.Open = false }),
		"dark":                window(func(a *App) { a.S.SetDark(true) }),
		"an icon is missing":  blank(want, image.Rect(12, 12, 28, 28)),
		"overview is missing": blank(want, image.Rect(20, 60, 600, 140)),
		"another size":        atRest(t, New(opened(t, queue...)), image.Pt(950, 600), 1),
	} {
		if difference(m, want) == "" {
			t.Errorf("%s: not told from the golden", what)
		}
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
