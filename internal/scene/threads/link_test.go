package threads

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

var pane = geom.Size{W: 700, H: 720}

// near reports whether two points are less than a pixel apart.
func near(p, q geom.Point) bool { return abs(p.X-q.X) < 1 && abs(p.Y-q.Y) < 1 }

// call returns the n-th call of a function on a thread.
func call(t testing.TB, a *wait.Analysis, thread int, name string, n int) trace.CallRef {
	t.Helper()
	th := a.Trace.Threads[thread]
	for i := range th.Len() {
		if a.Trace.FunctionOf(th, i).Name == name {
			if n--; n < 0 {
				return trace.CallRef{Thread: int32(thread), Call: int32(i)}
			}
		}
	}
	t.Fatalf("thread %d has no such call of %s", thread, name)
	return trace.CallRef{}
}

// hover makes a call what the pointer is over.
func (st *State) hover(ref trace.CallRef) {
	st.Hover = []trace.CallRef{ref}
	st.Under = Hit{Part: OnCall, Place: Main, Thread: int(ref.Thread), Call: int(ref.Call),
		Wait: -1}
	for k := range st.Sections {
		if st.Sections[k].Threads[0] == int(ref.Thread) {
			st.Under.Place = k
		}
	}
}

// TestThreeAnchors: a correspondence runs from the start and the end of the wait to the moment of
// the release, which a circle marks; on the focus thread a marker covers the wait and shades its
// start.
func TestThreeAnchors(t *testing.T) {
	a := lesson(t)
	st := whole(t, a, 0, Options{})
	v := Build(&st, pane, nil)
	if v.Shown != 2 || v.Total != 2 || len(v.ribbons) != 2 {
		t.Fatalf("%d of %d waits, %d shapes", v.Shown, v.Total, len(v.ribbons))
	}
	w := call(t, a, 3, "sem_wait", 0)
	for _, r := range v.ribbons {
		ws := &a.Waits
		th := int(ws.Thread[r.wait])
		place := -1
		for k := range st.Sections {
			if st.Sections[k].Threads[0] == th {
				place = k
			}
		}
		at := func(ns int64) geom.Point {
			return v.Ring.point(v.Ring.Zero, v.sections[place].angle(float64(ns)))
		}
		e := r.shape.Edges
		if !near(e[0][0], at(ws.Start[r.wait])) || !near(e[1][0], at(ws.End[r.wait])) ||
			e[0][3] != e[1][3] {
			t.Errorf("a correspondence runs along %v", e)
		}
		hue := st.Palette.Waits().Thread(st.Sections[place].Hue)
		if c := r.shape.Fill; palette.WithAlpha(c, 255) != hue || c.A > 0x80 {
			t.Errorf("its colour is %v, not a translucent %v", c, hue)
		}
		if th != int(w.Thread) {
			continue
		}
		end := geom.Point{X: v.Axis.X(62e6), Y: v.Stacks.Y1}
		if !near(e[0][3], end) {
			t.Errorf("it ends at %v, not %v", e[0][3], end)
		}
		if h, ok := v.Pick(end); !ok || h.Part != OnRelease || h.Wait != r.wait || h.Thread != th ||
			h.Release != r.release {
			t.Errorf("at the release %+v is picked", h)
		}
		body := geom.Rect{X0: v.Axis.X(30e6), X1: v.Axis.X(64e6), Y0: v.Stacks.Y0, Y1: v.Stacks.Y1}
		if !hasQuad(v.Scene, hue, func(q scene.Quad) bool { return q.Rect == body }) ||
			!hasQuad(v.Scene, hue, func(q scene.Quad) bool { return q.Shade == scene.GradientX }) {
			t.Error("the wait is not marked on the focus thread")
		}
	}
}

// hasQuad reports whether a scene has a quad of a colour, whatever its opacity, that is right.
func hasQuad(s *scene.Scene, c color.NRGBA, right func(scene.Quad) bool) bool {
	for _, l := range s.Layers {
		for _, q := range l.Quads {
			if palette.WithAlpha(q.Fill, 255) == c && right(q) {
				return true
			}
		}
	}
	return false
}

// TestReleaseOutOfSight: a correspondence whose release is not in sight is fainter, has no circle,
// and ends at the border; a marker that begins out of sight has no shaded start.
func TestReleaseOutOfSight(t *testing.T) {
	a := lesson(t)
	st := whole(t, a, 0, Options{})
	seen := Build(&st, pane, nil)
	full, circles := seen.ribbons[1].shape.Fill.A, len(seen.releases)
	st.Focus.View = geom.Span{Start: 10e6, End: 58e6}
	v := Build(&st, pane, nil)
	if len(v.releases) != circles-1 {
		t.Errorf("%d circles of %d are left", len(v.releases), circles)
	}
	faint := false
	for _, r := range v.ribbons {
		faint = faint || r.shape.Fill.A < full/2 && near(r.shape.Edges[0][3],
			geom.Point{X: v.Stacks.X1, Y: v.Stacks.Y1})
	}
	if !faint {
		t.Error("no correspondence fades towards the border")
	}
	st.Focus.View = geom.Span{Start: 40e6, End: 100e6}
	v = Build(&st, pane, nil)
	hue := st.Palette.Waits().Thread(st.Sections[v.ribbons[1].place].Hue)
	if hasQuad(v.Scene, hue, func(q scene.Quad) bool { return q.Shade == scene.GradientX }) {
		t.Error("a start that is out of sight is shaded")
	}
}

// TestRunsShowTheirWaitsWhenHovered: compound shapes are there for the thread under the pointer
// alone, opaque, and beneath all others.
func TestRunsShowTheirWaitsWhenHovered(t *testing.T) {
	a := office(t)
	st := whole(t, a, 0, Options{})
	compounds := func(v *View) (n int) {
		for k, r := range v.ribbons {
			if r.wait >= 0 {
				continue
			}
			if n++; r.shape.Fill.A != 255 || k > n {
				t.Errorf("compound %d is of opacity %d", k, r.shape.Fill.A)
			}
			if p := mid(r.shape.Edges[0][3], r.shape.Edges[1][3]); p == (geom.Point{}) {
				t.Error("a compound ends nowhere")
			}
		}
		return n
	}
	if n := compounds(Build(&st, pane, nil)); n != 0 {
		t.Errorf("%d compounds where nothing is hovered", n)
	}
	pool := call(t, a, 3, "process", 0)
	st.hover(pool)
	if n := compounds(Build(&st, pane, nil)); n == 0 {
		t.Error("a hovered thread has no compounds")
	}
	st.Under = Hit{Part: OnSplitter, Place: Nowhere}
	if n := compounds(Build(&st, pane, nil)); n != 0 {
		t.Errorf("%d compounds over the splitter", n)
	}
}

// TestNarrowWaitsAreDrawnTogether: where all waits are too narrow to draw, faint bands stand for
// them, and the foot says so.
func TestNarrowWaitsAreDrawnTogether(t *testing.T) {
	s := newSketch()
	w, r := s.thread("waiter"), s.thread("releaser")
	w.call(0, 1e5, "run", func() {
		for k := range 20 {
			at := 1e4 + 3*float64(k)
			w.wait(at, at+2, "sem_wait", "job")
		}
	})
	r.call(0, 1e5, "serve", func() {
		for k := range 20 {
			r.release(1e4+3*float64(k)+1, "sem_post", "job")
		}
	})
	st := whole(t, s.find(t), 1, Options{})
	told := func(v *View) bool {
		for k := range v.Scene.Layers {
			if slices.ContainsFunc(v.Scene.Layers[k].Texts, func(x scene.Text) bool {
				return strings.HasSuffix(x.Text, together)
			}) {
				return true
			}
		}
		return false
	}
	if v := Build(&st, pane, nil); v.Shown != 0 || v.Total == 0 || !told(v) {
		t.Errorf("%d of %d waits, and told is %v", v.Shown, v.Total, told(v))
	}
	st.View = geom.Span{Start: 1e4 * ms, End: (1e4 + 60) * ms}
	if v := Build(&st, pane, nil); v.Shown == 0 || told(v) {
		t.Errorf("zoomed in %d of %d waits, and told is %v", v.Shown, v.Total, told(v))
	}
}

// TestObjectColours: grey is what only one thread waits for; of a hovered wait red is what waits
// for the same, brown for some of it.
func TestObjectColours(t *testing.T) {
	a := parse(t, `
thread 1 name=main
  0+99 main
    40+1 post release=0xa
    41+1 post release=0xb
    42+1 post release=0xc
thread 2 name=two
  1+80 wait wait=0xa
thread 3 name=three
  2+80 wait wait=0xa,0xb
thread 4 name=four
  3+80 wait wait=0xc
thread 5 name=five
  4+80 wait wait=0xb,0xa
`)
	st := whole(t, a, 0, Options{})
	st.Mode = ByObject
	cols := st.Palette.Waits()
	colours := func() (out [4]color.NRGBA) {
		for _, r := range Build(&st, pane, nil).ribbons {
			out[a.Waits.Thread[r.wait]-1] = palette.WithAlpha(r.shape.Fill, 255)
		}
		return out
	}
	hue := func(k int) color.NRGBA { return cols.Thread(st.Sections[k].Hue) }
	if got := colours(); got != [4]color.NRGBA{hue(0), hue(1), cols.Other, hue(3)} {
		t.Errorf("at rest %v", got)
	}
	st.hover(trace.CallRef{Thread: 2, Call: 0})
	if got := colours(); got != [4]color.NRGBA{cols.Shared, cols.Same, cols.Other, cols.Same} {
		t.Errorf("hovered %v", got)
	}
}

// TestHoverStandsOut: what is hovered stands out, and where it has no correspondence nothing fades.
func TestHoverStandsOut(t *testing.T) {
	a := lesson(t)
	st := whole(t, a, 0, Options{})
	alphas := func() (out []uint8) {
		for _, r := range Build(&st, pane, nil).ribbons {
			out = append(out, r.shape.Ink.A)
		}
		return out
	}
	rest := alphas()
	v := Build(&st, pane, nil)
	st.Under = Hit{Part: OnRibbon, Wait: v.ribbons[0].wait, Place: v.ribbons[0].place}
	if got := alphas(); got[0] >= rest[0] || got[1] <= rest[1] {
		t.Errorf("a hovered correspondence: %v, at rest %v", got, rest)
	}
	st.Under = Hit{}
	st.hover(call(t, a, 0, "parse", 0))
	if got := alphas(); got[0] != rest[0] || got[1] != rest[1] {
		t.Errorf("a call that does not block: %v, at rest %v", got, rest)
	}
	st.hover(call(t, a, 0, "sem_post", 0))
	if got := alphas(); got[0] >= rest[0] || got[1] <= rest[1] {
		t.Errorf("a hovered release: %v, at rest %v", got, rest)
	}
}

// TestWaitsAreCounted holds the counts against a plain look at all waits, and the budget.
func TestWaitsAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someTrace(t)
		st := someState(t, a)
		st.All = false
		st.Budget = rapid.IntRange(1, 8).Draw(t, "budget")
		v := Build(&st, someSize(t), nil)
		if v.Ring.Outer == 0 {
			return
		}
		n := 0
		count := func(place int) {
			view := st.view(place)
			for _, thread := range st.section(place).Threads {
				for w := range a.Waits.Len() {
					if int(a.Waits.Thread[w]) == thread && a.Waits.Outermost(w) &&
						a.Waits.How[w] != wait.Passed && a.Waits.End[w] >= int64(view.Start) &&
						a.Waits.Start[w] <= int64(view.End) {
						n++
					}
				}
			}
		}
		if len(st.Focus.Threads) > 0 {
			count(Main)
		}
		for k := range st.Sections {
			count(k)
		}
		one := slices.DeleteFunc(slices.Clone(v.ribbons), func(r ribbon) bool { return r.wait < 0 })
		if v.Total != n || v.Shown > min(n, st.Budget) || len(one) != v.Shown {
			t.Fatalf("%d of %d with %d shapes, budget %d, %d waits are in sight", v.Shown, v.Total,
				len(one), st.Budget, n)
		}
	})
}

// TestUnreleased: a wait that nobody ended is a spike that ends in a square.
func TestUnreleased(t *testing.T) {
	a := office(t)
	st := whole(t, a, 1, Options{})
	v := Build(&st, pane, nil)
	last := -1
	for k, r := range v.ribbons {
		if r.place == Main {
			last = k
		}
	}
	if last < 0 || v.ribbons[last].release.Thread != -1 {
		t.Fatalf("the hang monitor's wait is not shown: %+v", v.ribbons)
	}
	tip := v.ribbons[last].shape.Edges[0][3]
	if tip.Y <= v.Stacks.Y1 || !hasQuad(v.Scene, st.Palette.Waits().Thread(st.Focus.Hue),
		func(q scene.Quad) bool {
			return q.Shade == scene.Outline && q.Rect.Contains(tip)
		}) {
		t.Error("its end is not marked")
	}
}

// TestChanged: waits that differ from the other side's have heavier lines.
func TestChanged(t *testing.T) {
	a := lesson(t)
	st := whole(t, a, 0, Options{})
	st.Changed = func(_, releaser int) bool { return releaser == 0 }
	for _, r := range Build(&st, pane, nil).ribbons {
		if heavy := r.shape.Line > 1; heavy != (r.release.Thread == 0) {
			t.Errorf("a correspondence with thread %d has a line of %v", r.release.Thread,
				r.shape.Line)
		}
	}
}

// TestHoveredThreadStandsOut: a call that is hovered in another view lights its thread's label, whether
// the call is in sight here or not; in the middle, where there is no label, the stacks are outlined.
func TestHoveredThreadStandsOut(t *testing.T) {
	a := lesson(t)
	st := whole(t, a, 0, Options{})
	st.Under = Hit{Place: Nowhere, Thread: -1, Call: -1, Wait: -1}
	halos := func() (n int) {
		for _, s := range st.Sections {
			c := st.Palette.Waits().Thread(s.Hue)
			if hasQuad(Build(&st, pane, nil).Scene, c, func(q scene.Quad) bool { return q.Fill.A == 0x50 }) {
				n++
			}
		}
		return n
	}
	outlined := func() bool {
		v := Build(&st, pane, nil)
		return hasQuad(v.Scene, palette.WithAlpha(st.Palette.Hover, 255), func(q scene.Quad) bool {
			return q.Rect == v.Stacks
		})
	}
	if n := halos(); n > 0 || outlined() {
		t.Fatalf("%d labels are lit, stacks %v, and nothing is hovered", n, outlined())
	}
	th := st.Sections[0].Threads[0]
	st.Sections[0].View = geom.Span{Start: 1e12, End: 2e12} // nothing of it is in sight
	st.Hover = []trace.CallRef{{Thread: int32(th)}}
	if n := halos(); n != 1 || outlined() {
		t.Errorf("a call of a section: %d labels are lit, stacks %v", n, outlined())
	}
	main := st.Focus.Threads[0]
	st.Hover = []trace.CallRef{{Thread: int32(main)}}
	if n := halos(); n > 0 || outlined() {
		t.Errorf("a call in sight in the middle: %d labels are lit, stacks %v", n, outlined())
	}
	st.View = geom.Span{Start: 1e12, End: 2e12}
	if n := halos(); n > 0 || !outlined() {
		t.Errorf("a call out of sight in the middle: %d labels are lit, stacks %v", n, outlined())
	}
}
