package scene_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// drawTubes draws tubes between y = 0 and y = 100, each with axes monotone in y.
func drawTubes(t *rapid.T, most int) *scene.Tubes {
	share := rapid.Float32Range(0, 1)
	s := &scene.Tubes{
		Lambda: share.Draw(t, "lambda"), Morph: share.Draw(t, "morph"),
		Line: rapid.Float32Range(1, 4).Draw(t, "line"), Spine: share.Draw(t, "spine"),
	}
	x, step := rapid.Float32Range(-10, 110), rapid.Float32Range(0.5, 10)
	for range rapid.IntRange(1, most).Draw(t, "tubes") {
		n := rapid.IntRange(2, 9).Draw(t, "knots")
		first := len(s.Knots)
		var y, way float32
		for i := range n {
			k := scene.Knot{X: x.Draw(t, "x"), Y: y}
			if i > 0 {
				before := s.Knots[len(s.Knots)-1]
				way += float32(math.Hypot(float64(k.X-before.X), float64(k.Y-before.Y)))
			}
			k.At = way
			y += step.Draw(t, "step")
			s.Knots = append(s.Knots, k)
		}
		upward := rapid.Bool().Draw(t, "upward")
		for i := range s.Knots[first:] {
			k := &s.Knots[first+i]
			k.At /= way
			if upward {
				k.Y = 100 - k.Y
			}
		}
		width, z := rapid.Float32Range(0, 40), rapid.Float32Range(0, 1)
		s.Tubes = append(s.Tubes, scene.Tube{
			First: uint32(first), Count: uint32(n),
			W0: width.Draw(t, "w0"), W1: width.Draw(t, "w1"),
			Z0: z.Draw(t, "z0"), Z1: z.Draw(t, "z1"),
		})
	}
	return s
}

// plainAxis is the axis from its definition: the sum of the knots, the end ones thrice, weighed
// with the basis functions of the uniform cubic B-spline by the recursion of Cox and de Boor.
func plainAxis(knots []scene.Knot, u float64) (x, y, at float64) {
	points := []scene.Knot{knots[0], knots[0]}
	points = append(points, knots...)
	last := knots[len(knots)-1]
	points = append(points, last, last)
	var basis func(i, degree int, v float64) float64
	basis = func(i, degree int, v float64) float64 {
		if degree == 0 {
			if v >= float64(i) && v < float64(i+1) {
				return 1
			}
			return 0
		}
		d := float64(degree)
		return (v-float64(i))/d*basis(i, degree-1, v) +
			(float64(i)+d+1-v)/d*basis(i+1, degree-1, v)
	}
	// The spline is defined where four basis functions overlap.
	v := 3 + min(u, 1-1e-12)*float64(len(points)-3)
	for i, p := range points {
		b := basis(i, 3, v)
		x, y, at = x+b*float64(p.X), y+b*float64(p.Y), at+b*float64(p.At)
	}
	return x, y, at
}

func TestAxisIsTheSpline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTubes(t, 2)
		u := rapid.Float32Range(0, 1).Draw(t, "u")
		for i, b := range s.Tubes {
			x, y, at := s.Axis(i, u)
			wx, wy, wat := plainAxis(s.Knots[b.First:b.First+b.Count], float64(u))
			if math.Abs(float64(x)-wx)+math.Abs(float64(y)-wy)+math.Abs(float64(at)-wat) > 1e-3 {
				t.Fatalf("tube %d at %v: (%v, %v, %v), want (%v, %v, %v)",
					i, u, x, y, at, wx, wy, wat)
			}
		}
	})
}

// An axis begins and ends at its end knots, to the bit, and runs monotonously from one to the other.
func TestAxisEndsAndMonotony(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTubes(t, 2)
		for i, b := range s.Tubes {
			first, last := s.Knots[b.First], s.Knots[b.First+b.Count-1]
			if x, y, at := s.Axis(i, 0); (scene.Knot{X: x, Y: y, At: at}) != first {
				t.Fatalf("tube %d begins at (%v, %v, %v), want %v", i, x, y, at, first)
			}
			if x, y, at := s.Axis(i, 1); (scene.Knot{X: x, Y: y, At: at}) != last {
				t.Fatalf("tube %d ends at (%v, %v, %v), want %v", i, x, y, at, last)
			}
			down := float32(1)
			if last.Y < first.Y {
				down = -1
			}
			const rounding = 1e-4
			before, way := first.Y, float32(0)
			for k := range 101 {
				_, y, at := s.Axis(i, float32(k)/100)
				if (y-before)*down < -rounding || at < way-rounding {
					t.Fatalf("tube %d turns back at %d %%: y %v after %v, share %v after %v",
						i, k, y, before, at, way)
				}
				before, way = y, at
			}
		}
	})
}

func TestHalf(t *testing.T) {
	tests := []struct {
		lambda, morph, at, want float32
	}{
		{0.5, 1, 0, 20}, {0.5, 1, 1, 10}, {0, 1, 0, 20}, // the ends are as wide as their cells
		{1, 1, 0.5, 15}, {0.5, 1, 0.5, 7.5}, {0.25, 1, 0.5, 3.75}, // lambda thins the middle
		{0, 1, 0.5, 1},                                   // what is thinner than a line is a line
		{0.5, 0, 0, 1}, {0.5, 0, 0.5, 1}, {0, 0, 0.3, 1}, // lines
		{0.5, 0.5, 0, 10.5}, {0.5, 0.5, 1, 5.5}, {0, 0.5, 0.5, 1}, // half-way
		{1, 1, 0.25, 17.5}, {0, 1, 0.25, 8.75},
	}
	for _, test := range tests {
		s := scene.Tubes{
			Knots: []scene.Knot{{}, {Y: 9, At: 1}},
			Tubes: []scene.Tube{{Count: 2, W0: 40, W1: 20}},
			Line:  2, Lambda: test.lambda, Morph: test.morph,
		}
		if got := s.Half(0, test.at, 1); math.Abs(float64(got-test.want)) > 1e-4 {
			t.Errorf("lambda %v, morph %v, at %v: %v, want %v",
				test.lambda, test.morph, test.at, got, test.want)
		}
	}
}

// A line is as thick across wherever it leads.
func TestLineAcross(t *testing.T) {
	for _, run := range []float32{0, 30, 100, 500} { // px aside per 100 px of height
		s := scene.Tubes{
			Knots: []scene.Knot{{}, {X: run, Y: 100, At: 1}},
			Tubes: []scene.Tube{{Count: 2}}, Line: 2, Morph: 1,
		}
		want := math.Hypot(float64(run), 100) / 100
		for _, u := range []float32{0, 0.1, 0.5, 1} {
			if _, _, half := s.Span(0, u); math.Abs(float64(half)-want) > 1e-3 {
				t.Errorf("a line %v px aside at %v: half-width %v along x, want %v", run, u, half, want)
			}
		}
	}
}

// Pick returns what a plain rasteriser with a depth buffer shows.
func TestPickAgreesWithPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTubes(t, 6)
		for _, y := range []float32{0.5, 5.5, 20.5, 50.5, 80.5, 97.5} {
			row := plainRow(s, y)
			for x, want := range row {
				if want == unclear {
					continue
				}
				got, ok := s.Pick(geom.Point{X: float32(x) + 0.5, Y: y})
				if ok != (want >= 0) || got != want {
					t.Fatalf("pixel (%d, %v): picked %d, %v, drawn %d", x, y, got, ok, want)
				}
			}
		}
	})
}

// unclear marks a pixel where rounding may decide.
const unclear = -2

// plainRow returns which tube shows at each of 100 pixels of the row at y, or −1.
func plainRow(s *scene.Tubes, y float32) []int {
	shown, depth := make([]int, 100), make([]float32, 100)
	for x := range shown {
		shown[x] = -1
	}
	for i, b := range s.Tubes {
		first, last := s.Knots[b.First].Y, s.Knots[b.First+b.Count-1].Y
		if y < min(first, last) || y > max(first, last) {
			continue
		}
		before, after, way := plainCrossing(s, i, y, first < last)
		z := b.Z0 + (b.Z1-b.Z0)*way
		for x := range shown {
			at := float32(x) + 0.5
			least := min(before.beyond(at), after.beyond(at))
			most := max(before.beyond(at), after.beyond(at))
			switch {
			case least > 0.5:
			case most > -0.5, shown[x] != -1 && math.Abs(float64(z-depth[x])) < 0.01:
				shown[x] = unclear
			case shown[x] == -1 || shown[x] >= 0 && z > depth[x]:
				shown[x], depth[x] = i, z
			}
		}
	}
	return shown
}

// span is what a tube covers at one height.
type span struct{ middle, half float32 }

// beyond returns how far x lies outside the span, px; within it, less than 0.
func (s span) beyond(x float32) float32 {
	return float32(math.Abs(float64(x-s.middle))) - max(s.half, 1.5)
}

// plainCrossing samples the axis of tube i evenly and returns the spans on both sides of the first
// sample at y or past it, and the share of the way to the one before. Where an axis is nearly level,
// the two lie apart, and the truth between them.
func plainCrossing(s *scene.Tubes, i int, y float32, down bool) (before, after span, way float32) {
	const steps = 4000
	for k := range steps + 1 {
		u := float32(k) / steps
		x, here, half := s.Span(i, u)
		after = span{x, half}
		if here == y || (here < y) != down {
			if k == 0 {
				before = after
			}
			return before, after, way
		}
		before = after
		_, _, way = s.Axis(i, u)
	}
	return before, after, way
}

// Among tubes equally near, the one drawn last is picked; a thin one has 3 px.
func TestPickOrderAndReach(t *testing.T) {
	s := scene.Tubes{
		Knots: []scene.Knot{{X: 20}, {X: 20, Y: 50, At: 1}, {X: 60}, {X: 60, Y: 50, At: 1}},
		Tubes: []scene.Tube{
			{Count: 2, W0: 20, W1: 20, Z0: 0.5, Z1: 0.5},
			{Count: 2, W0: 10, W1: 10, Z0: 0.5, Z1: 0.5},
			{Count: 2, W0: 30, W1: 30, Z0: 0.1, Z1: 0.1},
			{First: 2, Count: 2, Z0: 0.5, Z1: 0.5},
		},
		Line: 1, Lambda: 1, Morph: 1,
	}
	tests := []struct {
		x, y float32
		want int
	}{
		{20, 25, 1}, {27, 25, 0}, {33, 25, 2}, {36, 25, -1}, {20, -1, -1}, {20, 51, -1},
		{60, 25, 3}, {61.4, 25, 3}, {61.6, 25, -1}, {58.6, 25, 3}, {58.4, 25, -1},
	}
	for _, test := range tests {
		if got, ok := s.Pick(geom.Point{X: test.x, Y: test.y}); got != test.want || ok != (got >= 0) {
			t.Errorf("(%v, %v): picked %d, %v, want %d", test.x, test.y, got, ok, test.want)
		}
	}
}

func BenchmarkPick(b *testing.B) {
	var s scene.Tubes
	s.Lambda, s.Morph, s.Line = 0.35, 1, 1
	for i := range 20_000 {
		x := float32(i%1600) * 1.0
		first := uint32(len(s.Knots))
		for k := range 8 {
			s.Knots = append(s.Knots, scene.Knot{
				X: x + float32(k*(i%23)), Y: float32(100 * k), At: float32(k) / 7})
		}
		z := float32(i) / 20_000
		s.Tubes = append(s.Tubes, scene.Tube{First: first, Count: 8, W0: 20, W1: 20, Z0: z, Z1: z})
	}
	for name, p := range map[string]geom.Point{
		"hit": {X: 800, Y: 350}, "beside": {X: -5, Y: 350}, "far": {X: -60, Y: 350},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Pick(p)
			}
		})
	}
}
