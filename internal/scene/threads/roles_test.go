package threads

import (
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/wait"
)

// someRoles draws a state in which threads of one role may share a section, while one of them is
// the focus thread or hidden, and a builder that has built it.
func someRoles(t *rapid.T) *builder {
	p := alone(t, someTrace(t))
	line := rapid.IntRange(-1, len(p.lines)-1)
	o := Options{Focus: line.Draw(t, "focus"), Most: 1, Idle: rapid.Bool().Draw(t, "idle"),
		Hidden: map[int]bool{line.Draw(t, "hidden"): true}}
	st := wholeOf(p, o.Focus, o)
	return built(&st, geom.Size{W: 900, H: 700})
}

// built builds a view, and returns a builder that can draw more into it.
func built(st *State, size geom.Size) *builder {
	a := &Arena{}
	v := Build(st, size, a)
	b := &builder{st: st, v: v, a: a, dp: v.dp, pal: st.Palette, cols: st.Palette.Waits(),
		ready: &st.Prepared.sides[st.Side]}
	b.where = places(nil, len(v.trace.Threads), &st.Focus, st.Sections)
	return b
}

// TestStatesOfRoles: a section's states are the sums over its threads, one by one.
func TestStatesOfRoles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := someRoles(t)
		from := rapid.Int64Range(0, b.v.trace.Duration).Draw(t, "from")
		to := from + rapid.Int64Range(1, 400).Draw(t, "length")
		for k := range b.st.Sections {
			s := &b.st.Sections[k]
			var want [wait.NumStates]int64
			for _, th := range s.Threads {
				for state, ns := range b.ready.states.Of(th).Within(from, to) {
					want[state] += ns
				}
			}
			b.spenders(s)
			if got := b.spent(from, to); got != want {
				t.Fatalf("threads %v: %v ns, want %v", s.Threads, got, want)
			}
		}
	})
}

// TestStripOfARole: the strip of a section shows which share of its threads is in which state.
func TestStripOfARole(t *testing.T) {
	s := newSketch()
	for k := range 4 {
		w := s.named(string(rune('1'+k)), "worker "+string(rune('1'+k)))
		w.call(0, 100, "run", func() { w.wait(float64(20*k), float64(20*k+20), "sem_wait", "sem") })
	}
	post := s.named("9", "post")
	post.call(0, 100, "main", func() {
		for k := range 4 {
			post.release(float64(20*k+19), "sem_post", "sem")
		}
	})
	st := whole(t, s.find(t), 4, Options{Most: 1})
	if len(st.Sections) != 1 || len(st.Sections[0].Threads) != 4 {
		t.Fatalf("sections %+v", st.Sections)
	}
	v := Build(&st, geom.Size{W: 900, H: 700}, nil)
	strip := func(at float64) (heights [wait.NumStates]float32) {
		angle := float32(v.sections[0].angle(at * ms))
		for _, l := range v.Scene.Layers {
			for _, a := range l.Arcs {
				if a.R1 > v.Ring.Zero || a.From > angle || a.To < angle {
					continue
				}
				for state, fill := range StateColours(st.Palette) {
					if a.Fill == fill {
						heights[state] += a.R1 - a.R0
					}
				}
			}
		}
		return heights
	}
	for at, want := range map[float64][wait.NumStates]float32{
		10: {wait.Running: .75, wait.Blocked: .25}, 70: {wait.Running: .75, wait.Blocked: .25},
		90: {wait.Running: 1}} {
		for state, h := range strip(at) {
			if abs(h-roleStrip*want[state]) > .05 {
				t.Errorf("at %v ms %s is %v px high", at, wait.State(state), h)
			}
		}
	}
}

// bandKey is where a role's band leads from and to.
type bandKey struct {
	place  int
	column int64
}

// TestBandsOfRoles: the bands of a section begin in the columns in which waits of its threads ended,
// and lead to the first and the last of their releases, as a look at all waits finds.
func TestBandsOfRoles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := someRoles(t)
		ws := &b.v.waits.Waits
		for place := range b.st.Sections {
			c := b.st.Sections[place].crowd
			if c == nil {
				continue
			}
			const most = 1000
			b.v.ribbons, b.ended = nil, most
			lists, view := b.placesOfEndings(c), b.st.view(place)
			width := b.columns(view, b.width(place)/view.Len(), len(lists), most/2)
			b.roleCompounds(0, place, most, 0)
			want := map[bandKey][2]int64{}
			for w := range ws.Len() {
				by := int(ws.By[w].Thread)
				if !ws.Outermost(w) || ws.How[w] == wait.Passed || by < 0 || float64(ws.At[w]) >= view.End ||
					b.placeOf(int(ws.Thread[w])) != place || b.placeOf(by) == Nowhere {
					continue
				}
				key := bandKey{b.placeOf(by), ws.At[w] / width}
				ends, ok := want[key]
				if !ok {
					ends = [2]int64{ws.At[w], ws.At[w]}
				}
				want[key] = [2]int64{min(ends[0], ws.At[w]), max(ends[1], ws.At[w])}
			}
			if len(b.v.ribbons) != 2*len(want) {
				t.Fatalf("%d halves of bands, want %d", len(b.v.ribbons), 2*len(want))
			}
			for k := 0; k < len(b.v.ribbons); k += 2 {
				r := &b.v.ribbons[k]
				key := bandKey{b.placeOf(int(r.release.Thread)), r.at / width}
				ends := want[key]
				first := b.anchor(key.place, float64(ends[0]))
				if !near(r.shape.Edges[0][3], first) || r.at != ends[1] {
					t.Fatalf("%+v: a band to %v ns at %v, want %v", key, r.at, r.shape.Edges[0][3], ends)
				}
				delete(want, key)
			}
		}
	})
}

// TestBandsOfManyThreadsAreFew: however many threads share a section and however often they wait,
// its bands are no more than the view has room for, and they reach to the end of what is in sight.
func TestBandsOfManyThreadsAreFew(t *testing.T) {
	_, st := frame(t, pool(t, 200, 0, 50), 40)
	v := Build(&st, pane, nil)
	bands, last := 0, int64(0)
	for k := range v.ribbons {
		if v.ribbons[k].wait < 0 {
			bands, last = bands+1, max(last, v.ribbons[k].at)
		}
	}
	if !v.Compounds || bands < 20 || bands > 2*mostCompound {
		t.Errorf("%d bands for %d waits", bands, v.Total)
	}
	if float64(last) < st.View.End-period {
		t.Errorf("the last band ends at %d of %v", last, st.View)
	}
	under := geom.Point{}
	for k := range v.ribbons {
		if r := &v.ribbons[k]; r.wait < 0 {
			under = insideOf(&r.shape)
		}
	}
	if h, ok := v.Pick(under); ok && h.Part == OnCompound && (h.From >= 0 || h.Release.Thread != 0) {
		t.Errorf("a band picks %+v", h)
	}
}

// insideOf returns a point in the middle of a shape.
func insideOf(s *scene.Ribbon) geom.Point {
	return mid(s.At(0, .5), s.At(1, .5))
}
