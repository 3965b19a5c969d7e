package icicle

import (
	"fmt"
	"slices"
	"testing"

	"diptych/internal/scene"
	"diptych/internal/trace"
)

// TestTrackTitles holds that a track tells its thread, and its process where that says more.
func TestTrackTitles(t *testing.T) {
	of := func(process int32, name string) *trace.Thread { return &trace.Thread{Name: name, Process: process} }
	tr := &trace.Trace{Processes: []trace.Process{{ID: "1", Name: "P#1"}, {ID: "2", Name: "gateway"}},
		Threads: []*trace.Thread{of(0, "P#1T#0"), of(1, "gateway"), of(1, "gateway · 2"), of(1, "worker"), of(-1, "lone")}}
	d := &Drawing{Plot: Plot{Trace: tr, Threads: []int{0, 1, 2, 3, 4}}}
	for k, want := range []string{"P#1T#0", "gateway", "gateway · 2", "worker  ·  gateway", "lone"} {
		if got := d.trackTitle(k); got != want {
			t.Errorf("track %d is %q, want %q", k, got, want)
		}
	}
}

// TestHeadersInSight: each track whose header is wholly in sight has its name, whichever lie above.
func TestHeadersInSight(t *testing.T) {
	b := trace.NewBuilder("threads")
	f := b.Function(trace.Function{Name: "f"})
	for k := range 6 {
		th := b.Thread(fmt.Sprint(k), -1)
		th.SetName(fmt.Sprintf("thread %c", 'a'+k))
		th.Complete(0, 100, f)
	}
	p := plotOf(built(t, b))
	p.View.Y1 = 120 // of 6 × 34
	for _, p.Dir = range []Direction{Down, Up} {
		for p.Scroll = 0; p.Scroll < 100; p.Scroll++ {
			d, l := draw(p)
			for k := range d.Threads {
				y0, y1 := d.band(d.offsets[k], d.offsets[k]+d.Header)
				named := slices.ContainsFunc(l.Texts, func(x scene.Text) bool {
					return x.Text == d.trackTitle(k) && x.Rect.Y0 == y0 && x.Rect.Y1 == y1
				})
				if inSight := y0 >= d.View.Y0 && y1 <= d.View.Y1; named != inSight {
					t.Fatalf("scrolled by %v, thread %d is named %v, in sight %v", p.Scroll, k, named, inSight)
				}
			}
		}
	}
}
