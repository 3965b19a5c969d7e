package threads

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/testtrace"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/wait"
)

// someTrace draws a trace of a few threads with waits and releases. Some threads have no role, some
// share one.
func someTrace(t *rapid.T) *wait.Analysis {
	tr := testtrace.Shape{Threads: testtrace.Range{1, 7}, Records: testtrace.Range{0, 80},
		Start: testtrace.Range{0, 500}, Step: testtrace.Range{0, 150}, Ends: 2, Close: true,
		Objects: testtrace.Range{1, 3}, Marks: 4, Stated: true, Flows: testtrace.Range{0, 9},
		Functions: []string{"main", "pkg.work", "ns::lock", "a.very.long.name.Indeed"}}.Draw(t, "trace")
	for _, th := range tr.Threads {
		th.Role = rapid.SampledFrom([]string{"", "main", "pool"}).Draw(t, "role")
	}
	return find(t, tr)
}

// someState draws a state that shows a trace, or a part of it.
func someState(t *rapid.T, a *wait.Analysis) State {
	focus := rapid.IntRange(-1, len(a.Trace.Threads)-1).Draw(t, "focus")
	st := whole(t, a, focus, Options{Idle: rapid.Bool().Draw(t, "idle"),
		Most: rapid.IntRange(1, 20).Draw(t, "most")})
	some := func(name string) geom.Span {
		d := float64(max(a.Trace.Duration, 1))
		from := rapid.Float64Range(0, .9*d).Draw(t, name)
		length := rapid.Float64Range(.05*d, d).Draw(t, name+" length")
		return geom.Span{Start: from, End: from + length}
	}
	if rapid.Bool().Draw(t, "part") {
		st.View = some("view")
	}
	for k := range st.Sections {
		if rapid.IntRange(0, 3).Draw(t, "own") == 0 {
			st.Sections[k].View = some("section")
			st.Sections[k].Weight = rapid.Float32Range(0, 5).Draw(t, "weight")
			st.Sections[k].Fold = rapid.IntRange(-1, 3).Draw(t, "fold")
		}
	}
	st.Zero = rapid.SampledFrom([]float32{0, .3, .6, .9}).Draw(t, "zero")
	st.All = rapid.Bool().Draw(t, "all")
	return st
}

func someSize(t *rapid.T) geom.Size {
	return geom.Size{W: rapid.Float32Range(300, 1200).Draw(t, "w"),
		H: rapid.Float32Range(300, 1000).Draw(t, "h")}
}

// somePlace draws a point of a view, on the ring most of the time.
func somePlace(t *rapid.T, v *View) geom.Point {
	if rapid.IntRange(0, 3).Draw(t, "anywhere") == 0 {
		return geom.Point{X: rapid.Float32Range(0, v.size.W).Draw(t, "x"),
			Y: rapid.Float32Range(0, v.size.H).Draw(t, "y")}
	}
	return v.Ring.point(rapid.Float32Range(v.Ring.Zero, v.Ring.Outer).Draw(t, "radius"),
		rapid.Float64Range(0, math.Pi).Draw(t, "angle"))
}

// polygon is an arc as many short straight lines.
func polygon(a *scene.Arc) []geom.Point {
	const n = 400
	var out []geom.Point
	add := func(radius float32, k int) {
		angle := float64(a.From) + (float64(a.To)-float64(a.From))*float64(k)/n
		out = append(out, geom.Point{
			X: a.Centre.X + radius*float32(math.Cos(angle)),
			Y: a.Centre.Y + radius*float32(math.Sin(angle))})
	}
	for k := 0; k <= n; k++ {
		add(a.R0, k)
	}
	for k := n; k >= 0; k-- {
		add(a.R1, k)
	}
	return out
}

// within reports whether a polygon holds p, and how far p is from its border.
func within(poly []geom.Point, p geom.Point) (inside bool, border float32) {
	border = math.MaxFloat32
	for k := range poly {
		a, b := poly[k], poly[(k+1)%len(poly)]
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < (b.X-a.X)*(p.Y-a.Y)/(b.Y-a.Y)+a.X {
			inside = !inside
		}
		border = min(border, distance(p, a, b))
	}
	return inside, border
}

// distance returns how far p is from the line between a and b.
func distance(p, a, b geom.Point) float32 {
	x, y := float64(b.X-a.X), float64(b.Y-a.Y)
	px, py := float64(p.X-a.X), float64(p.Y-a.Y)
	along := min(max((px*x+py*y)/max(x*x+y*y, 1e-12), 0), 1)
	return float32(math.Hypot(px-along*x, py-along*y))
}

// parse reads a trace in the form that tests are written in.
func parse(t testing.TB, lines string) *wait.Analysis {
	t.Helper()
	return find(t, texttest.Parse(t, lines))
}

// dump writes a scene as text, a line a primitive.
func dump(s *scene.Scene) string {
	var b strings.Builder
	for _, l := range s.Layers {
		fmt.Fprintf(&b, "layer %v\n", l.Clip)
		for _, r := range l.Ribbons {
			fmt.Fprintf(&b, "ribbon %.1f %v %v %v\n", r.Edges, r.Fill, r.Line, r.Ink)
		}
		for _, a := range l.Arcs {
			fmt.Fprintf(&b, "arc %.1f %.1f-%.1f %.3f-%.3f %v %d\n", a.Centre, a.R0, a.R1, a.From,
				a.To, a.Fill, a.Shade)
		}
		for _, q := range l.Quads {
			fmt.Fprintf(&b, "quad %.1f %v %d\n", q.Rect, q.Fill, q.Shade)
		}
		for _, x := range l.Texts {
			fmt.Fprintf(&b, "text %.1f %q %.2f\n", x.Rect, x.Text, x.Turn)
		}
	}
	return b.String()
}
