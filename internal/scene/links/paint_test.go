package links

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

// painted builds links of a random situation in the given state and returns the arena that holds
// what was picked, with the tubes.
func painted(t *rapid.T, tb *testing.T, set func(s *situation)) (*situation, *Arena, *scene.Tubes) {
	s := drawSituation(t, tb)
	s.st.All = rapid.Bool().Draw(t, "all")
	set(s)
	a := new(Arena)
	_, tubes := s.build(a)
	return s, a, tubes
}

// TestPlacesOrderAsTheirParts: a packed key orders tubes as comparing nearness, rank, width and
// index one after the other does. Of the width the lowest two bits do not count.
func TestPlacesOrderAsTheirParts(t *testing.T) {
	type parts struct {
		near, width float32
		rank        uint8
		pick        int
	}
	draw := func(t *rapid.T, label string) parts {
		return parts{
			near:  rapid.SampledFrom([]float32{.1, .25, .5, .9}).Draw(t, label+" near"),
			width: rapid.SampledFrom([]float32{1, 1.5, 8, 320, 2000}).Draw(t, label+" width"),
			rank:  rapid.SampledFrom([]uint8{plainRank, brushedRank, markedRank}).Draw(t, label+" rank"),
			pick:  rapid.IntRange(0, 3).Draw(t, label+" pick"),
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := draw(t, "x"), draw(t, "y")
		got := place(x.near, x.rank, x.width, x.pick).compare(place(y.near, y.rank, y.width, y.pick))
		want := cmp.Or(cmp.Compare(x.near, y.near), cmp.Compare(x.rank, y.rank),
			cmp.Compare(y.width, x.width), cmp.Compare(x.pick, y.pick))
		if got != want {
			t.Fatalf("%+v and %+v compare as %d, want %d", x, y, got, want)
		}
	})
}

// TestOpacityFollowsTheThinEnd: a tube of a pixel is translucent, one of eight is opaque, and none
// is fainter than a thinner one. All of it goes by dp.
func TestOpacityFollowsTheThinEnd(t *testing.T) {
	for _, scale := range []float32{1, 1.5, 2} {
		p := painter{builder: &builder{pane: Pane{Scale: scale}}}
		for _, tt := range []struct {
			dp   float32
			want uint8
		}{{.2, 89}, {1, 89}, {4.5, 172}, {8, 255}, {100, 255}} {
			if got := p.opacity(tt.dp * scale); got != tt.want {
				t.Errorf("%g dp at scale %g: opacity %d, want %d", tt.dp, scale, got, tt.want)
			}
		}
		for w := float32(0); w < 12*scale; w += .1 {
			if p.opacity(w) > p.opacity(w+.1) {
				t.Errorf("%g px is more opaque than what is wider", w)
			}
		}
	}
}

func TestWideTubesAreCalm(t *testing.T) {
	p := painter{builder: &builder{pane: Pane{Scale: 2}}}
	for px, want := range map[float32]float32{0: 0, 96: 0, 368: calm / 2, 640: calm, 5000: calm} {
		if got := p.calmness(px); math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("%g px: %g paler, want %g", px, got, want)
		}
	}
}

// TestSimilarityShows: on a thick tube as a highlight, on a thin one as opacity, from τ to 1.
func TestSimilarityShows(t *testing.T) {
	p := painter{builder: &builder{pane: Pane{Scale: 1}}}
	for _, tt := range []struct {
		strength, width, gloss float32
		alpha                  uint8
	}{
		{0, thick, 0, 255}, {.5, thick, .5, 255}, {1, 400, 1, 255},
		{0, thick - 1, 0, 51}, {.5, 2, 0, 153}, {1, 2, 0, 255},
	} {
		var out look
		if p.shade(&out, tt.strength, tt.width); out.gloss != tt.gloss || out.fill.A != tt.alpha {
			t.Errorf("strength %g, %g px: highlight %g, opacity %d; want %g, %d", tt.strength, tt.width,
				out.gloss, out.fill.A, tt.gloss, tt.alpha)
		}
	}
}

// TestShiftsGiveTheColour holds the colour of each tube of a plain scene against the definition: how
// far apart in time its calls start, as a share of a third of the longer focus.
func TestShiftsGiveTheColour(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, a, tubes := painted(rt, t, func(*situation) {})
		far := max(s.sides[0].Axis.Span.Len(), s.sides[1].Axis.Span.Len()) * farShare
		if a.links.Drawn > 0 && a.links.Far != far {
			rt.Fatalf("the farthest colour is at %g, want %g", a.links.Far, far)
		}
		for k := range tubes.Tubes {
			l, tube := a.links.Link(k), tubes.Tubes[k]
			share := float32(min(math.Abs(l.Shift)/far, 1))
			fill := s.pane.Palette.Shift(share)
			wide := max(tube.W0, tube.W1)
			fill = palette.Mix(fill, s.pane.Palette.Pane, calm*min(max((wide-calmFrom)/(calmTo-calmFrom), 0), 1))
			fill.A = tube.Fill.A
			if tube.Fill != fill {
				rt.Fatalf("a shift of %g ns of %g is %v, want %v", l.Shift, far, tube.Fill, fill)
			}
		}
	})
}

// TestLinksSayWhatTheyJoin: each link's ends are drawn calls, its shift is how much later the call
// of B starts, s exceeds τ, and its tube is as wide as its ends are.
func TestLinksSayWhatTheyJoin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, a, tubes := painted(rt, t, func(*situation) {})
		p := newPlain(s, a)
		for k, tube := range tubes.Tubes {
			l := a.links.Link(k)
			var start [2]int64
			for side, e := range l.Ends {
				start[side] = s.sides[side].Trace.Threads[e.Ref.Thread].Start(int(e.Ref.Call))
				if e.Calls < 1 || e.Rect.Empty() {
					rt.Fatalf("side %d ends at %+v", side, e)
				}
			}
			if l.Shift != float64(start[1]-start[0]) {
				rt.Fatalf("calls start at %v, the shift is %g", start, l.Shift)
			}
			alike := p.similarity(p.gamma(0, l.Ends[0].Ref), p.gamma(1, l.Ends[1].Ref))
			if math.Abs(l.S-alike) > 1e-12 || l.S <= s.st.Tau.Float()-1e-12 {
				rt.Fatalf("s is %g, want %g", l.S, alike)
			}
			if tube.W0 != l.Ends[0].Rect.W() || tube.W1 != l.Ends[1].Rect.W() {
				rt.Fatalf("a tube of %g and %g px joins %v", tube.W0, tube.W1, l.Ends)
			}
		}
		if len(tubes.Tubes) == 0 {
			return
		}
		defer func() {
			if recover() == nil {
				rt.Fatal("there is a link after the last one")
			}
		}()
		a.links.Link(len(tubes.Tubes))
	})
}

// TestTubesLieBackToFront: a tube is not drawn before one that is farther away.
func TestTubesLieBackToFront(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, _, tubes := painted(rt, t, func(*situation) {})
		near := func(x scene.Tube) float32 { return (x.Z0 + x.Z1) / 2 }
		if !slices.IsSortedFunc(tubes.Tubes, func(x, y scene.Tube) int {
			return cmp.Compare(near(x), near(y))
		}) {
			rt.Fatal("a near tube is drawn before a far one")
		}
		for _, x := range tubes.Tubes {
			if x.Z0 <= 0 || x.Z0 >= 1 || x.Z1 <= 0 || x.Z1 >= 1 {
				rt.Fatalf("nearness %g, %g", x.Z0, x.Z1)
			}
		}
	})
}

// someCall draws a call of a side.
func someCall(t *rapid.T, s *situation, side int) trace.CallRef {
	threads := s.sides[side].Trace.Threads
	thread := rapid.IntRange(0, len(threads)-1).Draw(t, "thread")
	if threads[thread].Len() == 0 {
		t.Skip("a thread without calls")
	}
	call := rapid.IntRange(0, threads[thread].Len()-1).Draw(t, "call")
	return trace.CallRef{Thread: int32(thread), Call: int32(call)}
}

// TestBrushGreysTheRest: with a call brushed, the matches of it and of what is below keep their
// colour, and all others are set aside.
func TestBrushGreysTheRest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var brush Brush
		s, a, tubes := painted(rt, t, func(s *situation) {
			side := rapid.IntRange(0, 1).Draw(rt, "side")
			brush = Brush{side, someCall(rt, s, side)}
			s.st.Brush = []Brush{brush}
			s.st.Colour = Plain
		})
		th := s.sides[brush.Side].Trace.Threads[brush.Ref.Thread]
		aside := s.pane.Palette.Aside()
		for k, tube := range tubes.Tubes {
			end := a.links.Link(k).Ends[brush.Side].Ref
			below := end.Thread == brush.Ref.Thread && end.Call >= brush.Ref.Call &&
				int(end.Call) < th.Next(int(brush.Ref.Call))
			want := aside
			wide := max(tube.W0, tube.W1)
			if below {
				want = s.pane.Palette.Tube
			} else {
				want = palette.Mix(want, s.pane.Palette.Pane,
					calm*min(max((wide-calmFrom)/(calmTo-calmFrom), 0), 1))
			}
			if want.A = tube.Fill.A; tube.Fill != want {
				rt.Fatalf("%v, below the brushed call: %v, is %v, want %v", end, below, tube.Fill, want)
			}
		}
	})
}

// TestMarkedAndPointed: matches of a marked call are opaque and shine; the one under the pointer is
// opaque and nearer to the colour of text.
func TestMarkedAndPointed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, t)
		var a Arena
		l, _ := s.build(&a)
		if l.Drawn == 0 {
			return
		}
		k := rapid.IntRange(0, l.Drawn-1).Draw(rt, "link")
		ends := l.Link(k).Ends
		pointed := [2]trace.CallRef{ends[0].Ref, ends[1].Ref}
		s.st.Marked = []Brush{{0, pointed[0]}}
		s.st.Pointed = &pointed
		l, tubes := s.build(&a)
		if l.Changed {
			rt.Fatal("a mark changes which links there are")
		}
		for k, tube := range tubes.Tubes {
			ends := l.Link(k).Ends
			marked := ends[0].Ref == pointed[0]
			if marked != (tube.Gloss >= markedGloss) {
				rt.Fatalf("marked: %v, highlight %g", marked, tube.Gloss)
			}
			if marked && tube.Fill.A != 255 {
				rt.Fatalf("a marked tube has opacity %d", tube.Fill.A)
			}
		}
	})
}

// TestNearestIsOutside: what is found lies outside its side's focus and matches a call drawn across
// or a caller of one, and no call that does is nearer.
func TestNearestIsOutside(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, a, _ := painted(rt, t, func(*situation) {})
		found, ok := a.Nearest(&s.st)
		p := newPlain(s, a)
		best := int64(-1)
		for k := range s.sides {
			for _, thread := range s.sides[k].Threads {
				if Offset(&s.graph.Sides[k].Calls, s.sides[k].Trace, thread) < 0 {
					continue
				}
				for i := range s.sides[k].Trace.Threads[thread].Len() {
					ref := trace.CallRef{Thread: int32(thread), Call: int32(i)}
					apart := s.apart(k, ref)
					if apart >= 0 && (best < 0 || apart < best) && p.matchesAny(k, ref) {
						best = apart
					}
				}
			}
		}
		if ok != (best >= 0) {
			rt.Fatalf("found: %v, the nearest is %d ns away", ok, best)
		}
		if !ok {
			return
		}
		if got := s.apart(found.Side, found.Ref); got != best {
			rt.Fatalf("%+v is %d ns away, the nearest %d", found, got, best)
		}
		if !p.matchesAny(found.Side, found.Ref) {
			rt.Fatalf("%+v matches nothing that is drawn", found)
		}
	})
}

// apart returns how far from its side's focus a call of side k starts in ns, or −1 if it starts in
// the focus or reaches into it.
func (s *situation) apart(k int, ref trace.CallRef) int64 {
	focus, th := s.sides[k].Axis.Span, s.sides[k].Trace.Threads[ref.Thread]
	switch start := th.Start(int(ref.Call)); {
	case float64(start) >= focus.End:
		return start - int64(focus.End)
	case float64(start) < focus.Start && float64(th.End(int(ref.Call))) <= focus.Start:
		return int64(focus.Start) - start
	}
	return -1
}

// matchesAny reports whether a call of side k matches a cell of the other side.
func (p *plain) matchesAny(k int, ref trace.CallRef) bool {
	x := p.gamma(k, ref)
	return slices.ContainsFunc(p.cells[1-k], func(c cell) bool {
		return p.similarity(x, p.gamma(1-k, c.ref())) >= 0
	})
}

func TestCallersOutOfViewLieOnTheBorder(t *testing.T) {
	view := geom.Rect{X0: 20, Y0: 100, X1: 320, Y1: 200}
	for _, tt := range []struct{ r, want geom.Rect }{
		{geom.Rect{X0: 50, Y0: 110, X1: 90, Y1: 120}, geom.Rect{X0: 50, Y0: 110, X1: 90, Y1: 120}},
		{geom.Rect{X0: -50, Y0: 110, X1: 900, Y1: 120}, geom.Rect{X0: 20, Y0: 110, X1: 320, Y1: 120}},
		{geom.Rect{X0: 50, Y0: 60, X1: 90, Y1: 70}, geom.Rect{X0: 50, Y0: 100, X1: 90, Y1: 100}},
		{geom.Rect{X0: 50, Y0: 260, X1: 90, Y1: 270}, geom.Rect{X0: 50, Y0: 200, X1: 90, Y1: 200}},
		{geom.Rect{X0: -50, Y0: 110, X1: -20, Y1: 120}, geom.Rect{X0: 20, Y0: 110, X1: 21, Y1: 120}},
		{geom.Rect{X0: 400, Y0: 110, X1: 410, Y1: 120}, geom.Rect{X0: 319, Y0: 110, X1: 320, Y1: 120}},
	} {
		if got := within(tt.r, view); got != tt.want {
			t.Errorf("%v is moved to %v, want %v", tt.r, got, tt.want)
		}
	}
}
