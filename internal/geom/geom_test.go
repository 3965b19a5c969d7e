package geom

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/quantity"
)

// drawRect draws a rectangle on whole pixels, so that sums are exact. It may be empty or inside out.
func drawRect(t *rapid.T, label string) Rect {
	c := func(name string) float32 {
		return float32(rapid.IntRange(-200, 200).Draw(t, label+" "+name))
	}
	return Rect{c("x0"), c("y0"), c("x1"), c("y1")}
}

// points are corners, and points half a pixel and a pixel beside them, of some rectangles.
func points(rects ...Rect) (out []Point) {
	for _, r := range rects {
		for _, x := range []float32{r.X0, r.X1} {
			for _, y := range []float32{r.Y0, r.Y1} {
				for _, d := range []float32{-1, -.5, 0, .5, 1} {
					out = append(out, Point{x + d, y}, Point{x, y + d}, Point{x + d, y + d})
				}
			}
		}
	}
	return out
}

func TestIntersectionHasTheCommonPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, s := drawRect(t, "r"), drawRect(t, "s")
		both := r.Intersect(s)
		if both != s.Intersect(r) {
			t.Fatalf("%v and %v meet in %v, the other way round in %v", r, s, both, s.Intersect(r))
		}
		for _, p := range points(r, s) {
			if got, want := both.Contains(p), r.Contains(p) && s.Contains(p); got != want {
				t.Fatalf("%v in %v: %v, in both %v and %v: %v", p, both, got, r, s, want)
			}
		}
		if both.Empty() && both.Contains(Point{both.X0, both.Y0}) {
			t.Fatalf("%v is empty and has its corner", both)
		}
	})
}

func TestOffsetMovesAllPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRect(t, "r")
		dx := float32(rapid.IntRange(-50, 50).Draw(t, "dx"))
		dy := float32(rapid.IntRange(-50, 50).Draw(t, "dy"))
		moved := r.Offset(dx, dy)
		if moved.W() != r.W() || moved.H() != r.H() {
			t.Fatalf("%v became %v", r, moved)
		}
		for _, p := range points(r) {
			if r.Contains(p) != moved.Contains(Point{p.X + dx, p.Y + dy}) {
				t.Fatalf("%v in %v, and moved by %g, %g in %v, differ", p, r, dx, dy, moved)
			}
		}
	})
}

func TestInset(t *testing.T) {
	r := Rect{10, 20, 50, 40}
	for _, tt := range []struct {
		d     float32
		want  Rect
		empty bool
	}{
		{0, r, false},
		{4, Rect{14, 24, 46, 36}, false},
		{-3, Rect{7, 17, 53, 43}, false},
		{10, Rect{20, 30, 40, 30}, true},
		{30, Rect{40, 50, 20, 10}, true},
	} {
		got := r.Inset(tt.d)
		if got != tt.want || got.Empty() != tt.empty {
			t.Errorf("%v less %g is %v, empty: %v; want %v", r, tt.d, got, got.Empty(), tt.want)
		}
	}
}

// TestBordersAreHalfOpen: of two panes side by side exactly one has the points of their border.
func TestBordersAreHalfOpen(t *testing.T) {
	left, right := Rect{0, 0, 10, 10}, Rect{10, 0, 20, 10}
	for _, tt := range []struct {
		p        Point
		inL, inR bool
	}{
		{Point{0, 0}, true, false},
		{Point{9.99, 9.99}, true, false},
		{Point{10, 5}, false, true},
		{Point{10, 10}, false, false},
		{Point{20, 5}, false, false},
		{Point{-.01, 5}, false, false},
	} {
		if left.Contains(tt.p) != tt.inL || right.Contains(tt.p) != tt.inR {
			t.Errorf("%v: left %v, right %v", tt.p, left.Contains(tt.p), right.Contains(tt.p))
		}
	}
}

// drawSpan draws a span of a trace of up to a day, and at least 1 ns long.
func drawSpan(t *rapid.T, label string) Span {
	start := rapid.Float64Range(-1e12, 8.64e13).Draw(t, label+" start")
	return Span{start, start + math.Exp2(rapid.Float64Range(0, 46).Draw(t, label+" log2 length"))}
}

// TestZoomHoldsItsPoint: the time under the pointer stays under the pointer, and zooming back
// returns to the span, both within a billionth of the length.
func TestZoomHoldsItsPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpan(t, "s")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		at := s.Start + share*s.Len()
		factor := rapid.Float64Range(.1, 10).Draw(t, "factor")
		z := s.ZoomAt(at, factor)
		near := func(x, y float64) bool {
			return math.Abs(x-y) <= 1e-9*max(s.Len(), z.Len())+1e-15*8.64e13*64
		}
		if !near(z.Len(), s.Len()*factor) {
			t.Fatalf("%v zoomed by %g is %g long", s, factor, z.Len())
		}
		if !near(at, z.Start+share*z.Len()) {
			t.Fatalf("%v zoomed by %g at %g of it: %v", s, factor, share, z)
		}
		if back := z.ZoomAt(at, 1/factor); !near(back.Start, s.Start) || !near(back.End, s.End) {
			t.Fatalf("%v zoomed in and out is %v", s, back)
		}
		if m := s.ZoomAt(s.Mid(), factor).Mid(); !near(m, s.Mid()) || !near(s.Mid()-s.Start, s.Len()/2) {
			t.Fatalf("%v has its middle at %g, and at %g if zoomed there", s, s.Mid(), m)
		}
	})
}

// TestClampStaysInside: the result lies in the limit, is as long as before where that fits, and is
// the span itself if it lies inside already.
func TestClampStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := func(label string, least int) Span {
			start := rapid.IntRange(-1000, 1000).Draw(t, label)
			length := rapid.IntRange(least, 1000).Draw(t, label+" length")
			return Span{float64(start), float64(start + length)}
		}
		s, limit := whole("s", 0), whole("limit", 1)
		c := s.Clamp(limit)
		if c.Start < limit.Start || c.End > limit.End {
			t.Fatalf("%v clamped to %v is %v", s, limit, c)
		}
		if c.Len() != min(s.Len(), limit.Len()) {
			t.Fatalf("%v clamped to %v is %v: its length changed", s, limit, c)
		}
		if inside := limit.Contains(s.Start) && limit.Contains(s.End); inside && c != s {
			t.Fatalf("%v lies in %v and became %v", s, limit, c)
		}
	})
}

// TestAxisMapsBothWays: a pixel's time is drawn at that pixel again, and time runs to the right.
func TestAxisMapsBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Span: drawSpan(t, "span"), X0: float32(rapid.IntRange(0, 500).Draw(t, "x0"))}
		a.X1 = a.X0 + float32(rapid.IntRange(1, 4000).Draw(t, "width"))
		// A float64 holds times of a day to 2^-7 ns; a pixel may be less.
		slack := .01 + .02/a.NsPerPx()
		last := math.Inf(-1)
		for k := range 20 {
			x := a.X0 + (a.X1-a.X0)*float32(k)/19
			at := a.T(x)
			if at < last {
				t.Fatalf("time falls from %g to %g", last, at)
			}
			last = at
			if back := a.X(at); math.Abs(float64(back-x)) > slack {
				t.Fatalf("pixel %g is at %g ns, which is drawn at pixel %g", x, at, back)
			}
		}
		if a.X(a.Span.Start) != a.X0 || math.Abs(float64(a.X(a.Span.End)-a.X1)) > slack {
			t.Fatalf("%v is drawn from %g to %g", a, a.X(a.Span.Start), a.X(a.Span.End))
		}
	})
}

// TestNeighboursKeepTheirOrder: two times 1 ns apart, late in a long trace, are drawn in order at a
// zoom where they are a pixel apart.
func TestNeighboursKeepTheirOrder(t *testing.T) {
	const day = 24 * quantity.Hour
	a := Axis{Span: Span{day, day + 1000}, X0: 0, X1: 1000}
	for ns := range 1000 {
		x, next := a.X(day+float64(ns)), a.X(day+float64(ns+1))
		if math.Abs(float64(next-x-1)) > 1e-3 {
			t.Fatalf("%d ns is drawn at %g, the next at %g", ns, x, next)
		}
	}
}

func TestFormatRatio(t *testing.T) {
	for r, want := range map[float64]string{1: "1.00×", 1.786: "1.79×", 0.0995: "0.10×", 0.012345: "0.012×",
		9.994: "9.99×", 9.995: "10.0×", 99.94: "99.9×", 1234.5: "1234×", 99999.4: "99999×", 1.36e5: ">99999×", 0: "0×",
		0.001: "0.001×", 6.04e-6: "<0.001×", math.Inf(1): "∞×"} {
		if got := FormatRatio(r); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
}
