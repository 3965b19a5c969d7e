package threads

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// TestPickIsExact holds picking on the ring against point in polygon on the arcs as many straight
// lines: what is picked is what is drawn there, and nothing is where nothing is drawn.
func TestPickIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := someState(t, someTrace(t))
		v := Build(&st, someSize(t), nil)
		if v.Ring.Outer == 0 {
			return
		}
		shapes := outlines(v)
	points:
		for range 20 {
			p := somePlace(t, v)
			var h Hit
			picked := v.pickRing(p, &h)
			found, there := false, false
			for k := range v.sections {
				for i := v.sections[k].first; i < v.sections[k].last; i++ {
					b := &v.bent[i]
					inside, border := shapes[i].within(p)
					if border < .05 {
						continue points // on a border either may be right
					}
					there = there || inside
					found = found || inside && h.Place == k && h.Thread == b.cell.Thread &&
						h.From == b.cell.From && h.To == b.cell.To && h.Aggregate == b.cell.Run
				}
			}
			if picked != there || picked && !found {
				t.Fatalf("at %v: picked %v %+v, drawn there %v", p, picked, h, there)
			}
			if picked && h.Aggregate && (h.Call < h.From || h.Call >= h.To) {
				t.Fatalf("call %d is not of the run %d to %d", h.Call, h.From, h.To)
			}
		}
	})
}

// shape is an arc as a polygon, and the box around that.
type shape struct {
	poly []geom.Point
	box  geom.Rect
}

// outlines returns the shapes of a view's arcs.
func outlines(v *View) []shape {
	out := make([]shape, len(v.bent))
	for i := range v.bent {
		s := shape{polygon(&v.bent[i].arc), nothing}
		for _, p := range s.poly {
			s.box = include(s.box, p)
		}
		out[i] = s
	}
	return out
}

// within reports whether a shape holds p, and how far p is from its border: 1 for what is further.
func (s *shape) within(p geom.Point) (inside bool, border float32) {
	if p.X < s.box.X0-1 || p.X > s.box.X1+1 || p.Y < s.box.Y0-1 || p.Y > s.box.Y1+1 {
		return false, 1
	}
	return within(s.poly, p)
}

// TestCallsLieAtTheirTimes holds arcs against the definition: a share of the time in sight is the
// same share of the section's angle, and a level a ring.
func TestCallsLieAtTheirTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someTrace(t)
		st := someState(t, a)
		v := Build(&st, someSize(t), nil)
		for k := range v.sections {
			p, view := &v.sections[k], st.view(k)
			for i := p.first; i < p.last; i++ {
				s := &v.bent[i]
				if s.cell.Run {
					continue
				}
				th := a.Trace.Threads[s.cell.Thread]
				at := func(ns int64) float64 {
					share := (float64(ns) - view.Start) / view.Len()
					return p.left - min(max(share, 0), 1)*(p.left-p.right)
				}
				to, from := at(th.Start(s.cell.From)), at(th.End(s.cell.From))
				if math.Abs(to-float64(s.to)) > 1e-3 || math.Abs(from-float64(s.from)) > 1e-3 {
					t.Fatalf("call %d lies at %v to %v, not %v to %v", s.cell.From, s.from, s.to,
						from, to)
				}
				depth := int(th.Depth(s.cell.From))
				r0 := v.Ring.Zero + p.plot.offset(depth)
				if math.Abs(float64(r0-s.arc.R0)) > .01 {
					t.Fatalf("level %d begins at %v, not %v", depth, s.arc.R0, r0)
				}
				if px := (s.arc.To - s.arc.From) * (s.arc.R0 + s.arc.R1) / 2; px < .99 {
					t.Fatalf("an arc is %v px wide", px)
				}
				ref := trace.CallRef{Thread: int32(s.cell.Thread), Call: int32(s.cell.From)}
				box, ok := v.CallRect(ref)
				if mid := v.Ring.point((s.arc.R0+s.arc.R1)/2, float64(s.to+s.from)/2); !ok ||
					mid.X < box.X0-1 || mid.X > box.X1+1 || mid.Y < box.Y0-1 || mid.Y > box.Y1+1 {
					t.Fatalf("%v: the box %v does not hold the middle %v", ok, box, mid)
				}
			}
		}
	})
}

// TestRibbonsArePickedWhereTheyAre: along its middle each correspondence is picked, or one that
// lies over it.
func TestRibbonsArePickedWhereTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := someState(t, someTrace(t))
		v := Build(&st, someSize(t), nil)
		for k := range v.ribbons {
			shape := &v.ribbons[k].shape
			for _, at := range []float32{.2, .5, .8} {
				p := mid(shape.At(0, at), shape.At(1, at))
				if inside, border := within(outline(shape), p); !inside || border < 1 {
					continue // sides may cross, and the middle lie outside
				}
				var h Hit
				if !v.pickRibbon(p, &h) {
					t.Fatalf("ribbon %d is not picked at %v", k, p)
				}
				if r := &v.ribbons[k]; h.Wait != r.wait {
					inside := false
					for j := k + 1; j < len(v.ribbons); j++ {
						o := &v.ribbons[j]
						inside = inside || o.wait == h.Wait && o.shape.Contains(p, reach)
					}
					if !inside {
						t.Fatalf("wait %d is picked, not %d", h.Wait, r.wait)
					}
				}
			}
		}
		for _, d := range v.releases {
			if h, ok := v.Pick(d.at); !ok || h.Part != OnRelease && h.Part != OnLabel {
				t.Fatalf("a release's circle: %+v", h)
			}
		}
		for _, d := range v.labels {
			if h, ok := v.Pick(d.at); !ok || h.Part != OnLabel {
				t.Fatalf("a label: %+v", h)
			}
		}
	})
}

func outline(r *scene.Ribbon) []geom.Point {
	var out []geom.Point
	for k := 0; k <= 100; k++ {
		out = append(out, r.At(0, float32(k)/100))
	}
	for k := 100; k >= 0; k-- {
		out = append(out, r.At(1, float32(k)/100))
	}
	return out
}

// TestAnySizeIsSafe: whatever the size and state, primitives are finite, texts are no wider than
// the pane and not upside down, and picking does not fail.
func TestAnySizeIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someTrace(t)
		st := someState(t, a)
		st.Scale = rapid.SampledFrom([]float32{0, 1, 1.5, 3}).Draw(t, "scale")
		st.Split = rapid.Float32Range(0, 1.1).Draw(t, "split")
		st.Mode = Mode(rapid.IntRange(0, 1).Draw(t, "mode"))
		if rapid.Bool().Draw(t, "moving") {
			st.Before = st.Sections[:len(st.Sections)/2]
			st.Progress = rapid.Float32Range(0, 1).Draw(t, "progress")
		}
		size := geom.Size{W: rapid.Float32Range(0, 900).Draw(t, "w"),
			H: rapid.Float32Range(0, 900).Draw(t, "h")}
		for range 3 {
			v := Build(&st, size, nil)
			checkScene(t, v.Scene, size)
			p := geom.Point{X: rapid.Float32Range(-10, 900).Draw(t, "x"),
				Y: rapid.Float32Range(-10, 900).Draw(t, "y")}
			h, ok := v.Pick(p)
			st.Under, st.Hover = h, nil
			if ok && h.Part == OnCall {
				st.Hover = []trace.CallRef{h.Ref()}
				v.HitRect(h)
			}
			st.Dragged = nil
			if ok && h.Part == OnLabel {
				st.Dragged = &Drag{Place: h.Place, At: p}
			}
		}
	})
}

func checkScene(t *rapid.T, s *scene.Scene, size geom.Size) {
	finite := func(fs ...float32) {
		for _, f := range fs {
			if math.IsNaN(float64(f)) || math.Abs(float64(f)) > 1e5 {
				t.Fatalf("a primitive lies at %v", fs)
			}
		}
	}
	for _, l := range s.Layers {
		for _, q := range l.Quads {
			finite(q.Rect.X0, q.Rect.X1, q.Rect.Y0, q.Rect.Y1, q.U0, q.U1)
		}
		for _, a := range l.Arcs {
			finite(a.Centre.X, a.Centre.Y, a.R0, a.R1, a.From, a.To)
			if a.To < a.From || a.R1 < a.R0 {
				t.Fatalf("arc %+v", a)
			}
		}
		for _, r := range l.Ribbons {
			for _, e := range r.Edges {
				for _, p := range e {
					finite(p.X, p.Y)
				}
			}
		}
		for _, x := range l.Texts {
			if x.Rect.W() > size.W+2 || math.Abs(float64(x.Turn)) > math.Pi/2+1e-3 {
				t.Fatalf("text %+v", x)
			}
		}
	}
}

// TestArenaDoesNotLeakFrames: a reused arena gives the scene a fresh one gives.
func TestArenaDoesNotLeakFrames(t *testing.T) {
	var a Arena
	rapid.Check(t, func(t *rapid.T) {
		st := someState(t, someTrace(t))
		size := someSize(t)
		if dump(Build(&st, size, &a).Scene) != dump(Build(&st, size, nil).Scene) {
			t.Fatal("a reused arena gives another scene")
		}
	})
}
