package aggregate

import (
	"context"
	"image"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	scene "diptych/internal/scene/aggregate"
)

// TestFirstPicture holds that a picture is shown before the best p is known, that nothing claims to
// know it, and that the best one takes its place in the end, with all else where it was.
func TestFirstPicture(t *testing.T) {
	b := wide(t, queue...)
	want := b.overview().best
	defer func(was time.Duration) { patience = was }(patience)
	patience = 0

	b.Hasty = true
	b.set("slices", "13") // other models
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if b.Frame(0); time.Now().After(until) {
			t.Fatal("there is no picture")
		}
		if o := overviewIn(b.State()); o.cut.of.slices == 13 && !o.searched {
			break
		}
	}
	first, shown := b.overview(), b.shown()
	for k, pic := range shown {
		p, err := first.parts[k].quality.Best(t.Context(), firstP)
		if err != nil || !reflect.DeepEqual(pic.Partition, p) {
			t.Errorf("%s is not the partition for %v: %v", plotNames[k], firstP, err)
		}
	}
	if n := len(first.worst) + len(b.pane.Findings(b.State())); n > 0 {
		t.Errorf("%d differences are told", n)
	}
	step(b.C.S, 1)
	if o := b.own(); o.Fixed || first.p(o) != firstP {
		t.Errorf("p is %v, and a key led to %+v", first.p(o), o)
	}
	plots := rooms(b)

	b.Hasty = false
	b.Settle()
	if o := b.overview(); !o.searched || o.parts != first.parts || len(o.worst) == 0 {
		t.Errorf("the best p is not known: %+v", o.best)
	}
	if now := rooms(b); !reflect.DeepEqual(now, plots) {
		t.Errorf("plots moved from %v to %v", plots, now)
	}
	if b.shown() != b.overview().shown {
		t.Error("the partitions for the best p are not shown")
	}
	b.set("slices", "12") // as at first
	for k, x := range b.overview().best {
		if math.Abs(x.P-want[k].P) > 1e-12 {
			t.Errorf("the best p is %v, want %v", x.P, want[k].P)
		}
	}
}

// TestSearchGoesOn: what was found for the best p before patience was lost is not searched again, and
// leads to the same.
func TestSearchGoesOn(t *testing.T) {
	b := newBench(t, queue...)
	want := b.overview()
	o := &overview{cut: want.cut, parts: want.parts}
	o.begin(t.Context())
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.search(over); err == nil {
		t.Fatal("the search was not given up")
	}
	got, err := o.search(t.Context())
	if err != nil || got.curves != o.begun || got.curves[sides] == nil {
		t.Fatalf("it searches in other curves: %v", err)
	}
	for k := range got.best {
		if got.best[k].P != want.best[k].P {
			t.Errorf("the best p is %v, want %v", got.best[k].P, want.best[k].P)
		}
	}
}

// TestDraft: while a wheel turns, the picture is the one from before, at its place in time, and says
// that it is a draft. What it does not cover is not white, which would say that nothing runs there.
// It is aggregated anew only after the pause between two notches.
func TestDraft(t *testing.T) {
	b := zoomed(t, queue...)
	const pause = 250 * time.Millisecond // between two notches
	was, at, whole := b.overview(), b.in(middle(b.plot(scene.A).Plot)), covered(b)
	b.Hasty = true
	for n := range 3 {
		began := time.Now()
		b.Scroll(at, 0, 1, 0)
		b.Frame(0)
		if overviewIn(b.State()) != was {
			t.Fatalf("step %d is aggregated", n)
		}
		if got := counts(b.State()); !strings.Contains(got, "draft") {
			t.Errorf("step %d says %q", n, got)
		}
		for _, j := range b.C.S.Jobs() {
			if j.Label == models.Label && j.Started.Sub(began) < pause {
				t.Errorf("step %d is aggregated after %v", n, j.Started.Sub(began))
			}
		}
	}
	if n := covered(b); whole > 0 || n < 4 { // before and behind, on both sides
		t.Errorf("%d margins are covered, %d before", n, whole)
	}
	b.Hasty = false
	b.Settle()
	if b.overview() == was || covered(b) > 0 || strings.Contains(counts(b.State()), "draft") {
		t.Errorf("at rest: %q", counts(b.State()))
	}
}

// covered counts the stretches of time that are marked as not yet known.
func covered(b *bench) (n int) {
	v := b.pane.Shown()
	for _, l := range v.Scene.Layers {
		for _, q := range l.Quads {
			for k := range v.Plots {
				if r := v.Plots[k].Plot; q.Fill == b.C.Kit.Pal.Ground && q.Rect.H() == r.H() &&
					q.Rect.W() < r.W() && q.Rect.Y0 == r.Y0 {
					n++
				}
			}
		}
	}
	return n
}

// rooms returns where the plots are.
func rooms(b *bench) (list []image.Rectangle) {
	for _, of := range []int{scene.A, scene.B, scene.Difference} {
		r := b.plot(of).Plot
		list = append(list, image.Rect(int(r.X0), int(r.Y0), int(r.X1), int(r.Y1)))
	}
	return list
}
