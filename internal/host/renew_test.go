package host_test

import (
	"errors"
	"image"
	"sync"
	"testing"

	"diptych/internal/host"
	"diptych/internal/render"
)

// A window whose context is lost, also several times in a row, draws on in another one: at the same
// place and of the same size, with what was typed into it, and it takes input. Other goroutines may
// end its wait at any time, also while it has neither window nor context.
func TestWindowLosesItsContext(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	xdo(t, "windowmove", "--sync", w.id, "70", "40")
	xdo(t, "windowsize", "--sync", w.id, "700", "450")
	xdo(t, "mousemove", "270", "175", "click", "1", "type", "before")
	until(t, "the text", func() bool { return w.typed() == "before" })
	c := dial(t) // after typing, whose changes of the keyboard all clients are told
	place := xdo(t, "getwindowgeometry", w.id)
	wakeAlways(t)
	for _, times := range []int{1, 3} {
		old := w.id
		w.frame(t, func(a *testApp) { a.lose = times })
		until(t, "new contexts", func() bool {
			return see(w.testApp, func(a *testApp) bool { return a.lose == 0 })
		})
		drawn := w.draws()
		host.Wake()
		until(t, "a frame in another window", func() bool { return w.draws() > drawn })
		if w.id = xdo(t, "search", "--sync", "--onlyvisible", "--name", "^host test$"); w.id == old {
			t.Fatal("the window is the same")
		}
		until(t, "the scene in it", func() bool {
			return c.pixel(t, w.number(t), image.Pt(30, 30)) == steel &&
				c.pixel(t, w.number(t), image.Pt(50, 50)) == rust
		})
	}
	if got := xdo(t, "getwindowgeometry", w.id)[len("Window "+w.id):]; got != place[len("Window "+w.id):] {
		t.Errorf("the window is at %s, was at %s", got, place)
	}
	xdo(t, "windowfocus", "--sync", w.id)
	xdo(t, "mousemove", "400", "175", "click", "1", "type", " and after")
	until(t, "more text", func() bool { return w.typed() == "before and after" })
}

// wakeAlways ends the wait for events as often as it can until the test ends.
func wakeAlways(t *testing.T) {
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				host.Nudge()
			}
		}
	})
	t.Cleanup(func() {
		close(done)
		all.Wait()
	})
}

// Where every new context is lost, too, the window gives up.
func TestWindowGivesUp(t *testing.T) {
	display(t)
	app := newTestApp()
	app.lose = 100
	var err error
	<-onMain(func() { err = host.Run(host.Options{Scale: 1}, app) })
	if !errors.Is(err, render.ErrContextLost) || app.lose < 90 {
		t.Errorf("%v, %d frames left to lose", err, app.lose)
	}
}
