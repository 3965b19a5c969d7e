package matches

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/scenetest"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func small(t testing.TB, seed uint64) *trace.Trace {
	t.Helper()
	tr, err := synthetic(400, 2, seed)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func pairState(t testing.TB) State {
	a, b := small(t, 1), small(t, 2)
	st := State{Palette: palette.Light(), Scale: 1}
	st.Sides[A] = Side{Trace: a, Tracks: []int{0}, Focus: geom.Span{End: float64(a.Duration)}}
	st.Sides[B] = Side{Trace: b, Tracks: []int{1}, Focus: geom.Span{End: float64(b.Duration)}}
	return st
}

// dump writes a scene as text, a line a primitive.
func dump(s *scene.Scene) string {
	var b strings.Builder
	rect := func(r geom.Rect) string {
		return fmt.Sprintf("%.1f,%.1f %.1f,%.1f", r.X0, r.Y0, r.X1, r.Y1)
	}
	fmt.Fprintf(&b, "scene %gx%g\n", s.Size.W, s.Size.H)
	for _, l := range s.Layers {
		fmt.Fprintf(&b, "layer %s\n", rect(l.Clip))
		for _, q := range l.Quads {
			c := q.Fill
			fmt.Fprintf(&b, "  quad %s shade %d #%02x%02x%02x%02x u %.2f %.2f\n",
				rect(q.Rect), q.Shade, c.R, c.G, c.B, c.A, q.U0, q.U1)
		}
		for _, t := range l.Texts {
			fmt.Fprintf(&b, "  text %s %q size %g align %d bold %v\n",
				rect(t.Rect), t.Text, t.Size, t.Align, t.Bold)
		}
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	whole := pairState(t)
	process := pairState(t)
	for k := range process.Sides {
		process.Sides[k].Tracks, process.Sides[k].Headers = []int{0, 1}, true
		process.Sides[k].Levels = 3
		process.Sides[k].Scroll = 20
	}
	process.Detail = icicle.Lighter
	deep := pairState(t)
	deep.Palette = palette.Dark()
	deep.Sides[A].Focus = geom.Span{Start: 4000, End: 9000}
	deep.Sides[B].Focus = geom.Span{Start: 20000, End: 21000}
	deep.Sides[A].Selected = []trace.CallRef{{Thread: 0, Call: 3}}
	deep.Sides[A].Hover = []trace.CallRef{{Thread: 0, Call: 5}}
	alone := pairState(t)
	alone.Sides[A] = Side{}
	alone.Sides[B].Emphasis = func(_, from, to int) icicle.Emphasis {
		if from%2 == 0 {
			return icicle.Strong
		}
		return icicle.Pale
	}
	states := map[string]State{"whole": whole, "process": process, "deep": deep, "alone": alone}
	for name, st := range states {
		t.Run(name, func(t *testing.T) {
			got := dump(Build(&st, geom.Size{W: 500, H: 300}, nil).Scene)
			path := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the scene differs from %s; -update rewrites it:\n%s", path, got)
			}
		})
	}
}

// TestAnySizeFits: whatever the size, scale, focus and scroll, with matches or without, the view
// stays within its rectangle and its texts apart, from nothing to the whole window.
func TestAnySizeFits(t *testing.T) {
	real := recorded(t, "uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz")
	states := []State{pairState(t), joined(t, real),
		joined(t, [2]*trace.Trace{interpreter(t, 40), interpreter(t, 30)})}
	states[1].Links.All = true
	var a Arena
	rapid.Check(t, func(t *rapid.T) {
		st := states[rapid.IntRange(0, len(states)-1).Draw(t, "state")]
		st.Scale = rapid.SampledFrom([]float32{0, 1, 1.5, 2}).Draw(t, "scale")
		size := drawSize(t, max(st.Scale, 1))
		st.Split = rapid.SampledFrom([]float32{0, .15, .85, 1.2}).Draw(t, "split")
		st.Rows = rapid.Float32Range(0, 2).Draw(t, "rows")
		st.Links.Band, st.Links.Budget = rapid.Float32Range(0, .9).Draw(t, "band"), 300
		k := rapid.IntRange(0, 1).Draw(t, "side")
		if rapid.IntRange(0, 3).Draw(t, "alone") == 0 {
			st.Sides[1-k].Trace = nil
		}
		f := st.Sides[k].Focus
		st.Sides[k].Focus = f.ZoomAt(f.Len()*rapid.Float64Range(-.5, 1.5).Draw(t, "at"),
			rapid.SampledFrom([]float64{-1, 0, .001, .1, 1, 3}).Draw(t, "zoom"))
		st.Sides[k].Scroll = rapid.Float32Range(-10, 1e4).Draw(t, "scroll")
		v := Build(&st, size, &a)
		scenetest.Fits(t, v.Scene)
		if v.Hint != nil && !v.Hint.Rect.Empty() && (v.Hint.Rect.Y0 < v.Sides[A].Icicle.Y1 ||
			v.Hint.Rect.Y1 > v.Sides[B].Icicle.Y0) {
			t.Fatalf("the hint at %v lies over stacks", v.Hint.Rect)
		}
		v.Pick(geom.Point{X: size.W / 2, Y: size.H / 2})
		k = v.Sides.At(geom.Point{X: size.W / 2, Y: 1})
		if k >= 0 && v.Sides[k].Drawing == nil {
			t.Fatal("a side that is not drawn is under the pointer")
		}
	})
}

// drawSize draws the size of a pane: sometimes less than anything fits into, mostly at least the
// 300 × 200 dp that every view must live with.
func drawSize(t *rapid.T, scale float32) geom.Size {
	if rapid.IntRange(0, 4).Draw(t, "tiny") == 0 {
		return geom.Size{W: rapid.Float32Range(0, 300).Draw(t, "w"), H: rapid.Float32Range(0, 200).Draw(t, "h")}
	}
	return geom.Size{W: scale * rapid.Float32Range(300, 1600).Draw(t, "w"),
		H: scale * rapid.Float32Range(200, 1000).Draw(t, "h")}
}

// TestSmallestPane: 300 × 200 dp are enough to see both sides and their matches.
func TestSmallestPane(t *testing.T) {
	for name, files := range realPairs {
		for _, scale := range []float32{1, 2} {
			st := joined(t, recorded(t, files[0], files[1]))
			st.Scale = scale
			v := Build(&st, geom.Size{W: 300 * scale, H: 200 * scale}, nil)
			free := v.Sides[B].Icicle.Y0 - v.Sides[A].Icicle.Y1
			if v.Links.Drawn == 0 || free < leastBand*scale {
				t.Errorf("%s, %v px per dp: %d matches in %v px", name, scale, v.Links.Drawn, free)
			}
			for k := range v.Sides {
				if h := v.Sides[k].Icicle.H(); h < 2*labelRow*scale {
					t.Errorf("%s, %v px per dp: side %d is %v px high", name, scale, k, h)
				}
			}
		}
	}
}

// TestArenaDoesNotLeakFrames: a reused arena gives the scene a fresh one gives.
func TestArenaDoesNotLeakFrames(t *testing.T) {
	st := pairState(t)
	size := geom.Size{W: 700, H: 300}
	var a Arena
	for i := range 20 {
		st.Sides[A].Focus.Start = float64(i) * 300
		st.Sides[B].Headers = i%2 == 0
		if dump(Build(&st, size, &a).Scene) != dump(Build(&st, size, nil).Scene) {
			t.Fatalf("step %d differs with a reused arena", i)
		}
	}
}

func TestSidesAreMirrored(t *testing.T) {
	st := pairState(t)
	st.Sides[B] = st.Sides[A]
	v := Build(&st, geom.Size{W: 700, H: 400}, nil)
	a, b := v.Sides[A].Drawing, v.Sides[B].Drawing
	for call := range st.Sides[A].Trace.Threads[0].Len() {
		ref := trace.CallRef{Call: int32(call)}
		ra, okA := a.CallRect(ref)
		rb, okB := b.CallRect(ref)
		if !okA || !okB || math.Abs(float64(ra.Y0-(400-rb.Y1))) > 1e-3 || ra.X0 != rb.X0 {
			t.Fatalf("call %d: %v and %v are not mirrored", call, ra, rb)
		}
	}
}

func TestPickKnowsTheSide(t *testing.T) {
	st := pairState(t)
	v := Build(&st, geom.Size{W: 700, H: 400}, nil)
	for k := range v.Sides {
		r, ok := v.Sides[k].Drawing.CallRect(trace.CallRef{Thread: int32(st.Sides[k].Tracks[0])})
		if !ok {
			t.Fatal("the first call is not drawn")
		}
		hit, ok := v.Pick(geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2})
		if !ok || hit.Side != k || hit.Call != 0 || hit.Thread != st.Sides[k].Tracks[0] {
			t.Errorf("side %d: %+v", k, hit)
		}
	}
	if v.Sides.At(geom.Point{X: 5, Y: 5}) != A || v.Sides.At(geom.Point{X: 5, Y: 395}) != B {
		t.Error("the halves are not where their traces are")
	}
}
