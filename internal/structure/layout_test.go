package structure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/structure/source"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// randomTree makes a tree of random functions that are called at random, and of some files that
// never ran.
func randomTree(t testtrace.TB, r *rand.Rand, functions int) *Tree {
	var sides [2]*trace.Trace
	for s := range sides {
		b := trace.NewBuilder("test")
		th := b.Thread("1", -1)
		now := int64(0)
		for range 2 * functions {
			p, q := r.IntN(1+functions/50), r.IntN(5)
			name := fmt.Sprintf("p%d::q%d::f%d", p, q, r.IntN(functions))
			th.Begin(now, b.Function(trace.Function{Name: name}))
			now += r.Int64N(1 << r.IntN(12))
			th.End(now)
		}
		sides[s] = testtrace.Build(t, b)
	}
	folder := &source.Folder{Name: "src"}
	for i := range r.IntN(1 + functions/10) {
		file := source.File{Path: fmt.Sprintf("d%d/%d.c", i%3, i), Lines: r.Int32N(999)}
		folder.Files = append(folder.Files, file)
	}
	return treeOf(t, sides[0], sides[1], Options{Source: folder})
}

// TestLayout holds that cells tile their parents, that areas are what they stand for, and that two
// layouts are alike.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		tree := randomTree(t, r, 1+r.IntN(60))
		w, h := float32(1+r.IntN(900)), float32(1+r.IntN(900))
		l := Layout{Root: r.IntN(len(tree.Nodes)), Area: Area(r.IntN(4)), Middle: r.IntN(2) == 0,
			Rect: geom.Rect{X0: 10, Y0: 20, X1: 10 + w, Y1: 20 + h}}
		rects := tree.Rects(l)
		if d := cmp.Diff(rects, tree.Rects(l)); d != "" {
			t.Fatal("two layouts differ", d)
		}
		checkLayout(t, tree, l, rects)
	})
}

func checkLayout(t testtrace.TB, tree *Tree, l Layout, rects []geom.Rect) {
	t.Helper()
	weight := tree.weights(l.Root, l.Area)
	whole := float64(l.Rect.W()) * float64(l.Rect.H())
	for i, r := range rects {
		if !tree.Contains(l.Root, i) || weight[i] == 0 {
			if !r.Empty() {
				t.Fatal(tree.Path(i), "has a place", r)
			}
			continue
		}
		want := weight[i] / weight[l.Root] * whole
		slack := .02*float64(l.Rect.W()+l.Rect.H()) + .01*want // float32 borders
		if got := float64(r.W()) * float64(r.H()); math.Abs(got-want) > slack {
			t.Fatal(tree.Path(i), "has area", got, "want", want)
		}
		if i == l.Root {
			continue
		}
		if p := rects[tree.Nodes[i].Parent]; r.Intersect(p) != r {
			t.Fatal(tree.Path(i), r, "is not in", p)
		}
		for _, k := range tree.Busiest(int(tree.Nodes[i].Parent)) {
			if int(k) != i && !r.Intersect(rects[k]).Empty() && !rects[k].Empty() && !r.Empty() {
				t.Fatal(tree.Path(i), r, "overlaps", tree.Path(int(k)), rects[k])
			}
		}
	}
}

// TestOrder holds where the busiest cells are.
func TestOrder(t *testing.T) {
	var fns []trace.Function
	for i := range 100 {
		for range 100 - i {
			fns = append(fns, trace.Function{Name: fmt.Sprintf("f%02d", i)})
		}
	}
	a := calls(t, true, fns...)
	tree := treeOf(t, a, nil, Options{})
	rect := geom.Rect{X1: 100, Y1: 100}
	down := tree.Rects(Layout{Rect: rect})
	mid := tree.Rects(Layout{Rect: rect, Middle: true})
	for i := 2; i < len(tree.Nodes); i++ { // siblings by name are siblings by γ here
		if down[i].Y0 > down[i-1].Y0 {
			t.Fatalf("%s is below %s, which is busier", tree.Nodes[i].Name, tree.Nodes[i-1].Name)
		}
	}
	if down[1].Y1 != 100 || mid[1].Y0 > 50 || mid[1].Y1 < 50 {
		t.Errorf("the busiest is at %v and %v", down[1], mid[1])
	}
	off := func(i int) float64 { return math.Abs(float64(mid[i].Y0+mid[i].Y1)/2 - 50) }
	if off(100) < off(1) {
		t.Error("the least busy is nearer to the middle")
	}
}

// plainCut cuts areas into strips as the paper says it.
func plainCut(area []float64, width float64) (ends []int) {
	aspect := func(strip []float64) float64 {
		sum, total := 0.0, 0.0
		for _, a := range strip {
			total += a
		}
		h := total / width
		for _, a := range strip {
			sum += max(a/h/h, h/(a/h))
		}
		return sum / float64(len(strip))
	}
	for from := 0; from < len(area); {
		to := from + 1
		for to < len(area) && aspect(area[from:to+1]) <= aspect(area[from:to])+1e-12 {
			to++
		}
		ends = append(ends, to)
		from = to
	}
	return ends
}

func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		area := rapid.SliceOfN(rapid.Float64Range(1, 1000), 1, 80).Draw(t, "areas")
		width := rapid.Float64Range(1, 500).Draw(t, "width")
		x := strips{area: area}
		x.cut(width)
		if want := plainCut(area, width); !slices.Equal(x.ends, want) {
			t.Fatal(x.ends, want)
		}
	})
}

// TestLines holds that the lines of a file are shared by its functions.
func TestLines(t *testing.T) {
	folder := &source.Folder{Name: "src",
		Files: []source.File{{Path: "a.c", Lines: 30}, {Path: "b.c", Lines: 10}}}
	a := calls(t, true, trace.Function{Name: "f", File: "/x/a.c"},
		trace.Function{Name: "g", File: "/x/a.c"})
	tree := treeOf(t, a, nil, Options{Source: folder})
	w := tree.Weights(LinesArea)
	for path, want := range map[string]float64{"f": 15, "g": 15} {
		if got := w[tree.Find([]string{"src", "a.c", path})]; got != want {
			t.Errorf("%s has %g lines", path, got)
		}
	}
	if w[0] != 40 || tree.Nodes[0].Lines != 40 {
		t.Errorf("%g lines in all", w[0])
	}
	for name, ok := range map[string]bool{"self": true, "none": false} {
		if _, got := ParseArea(name); got != ok {
			t.Errorf("area %q", name)
		}
	}
}

// large is a tree of the given number of functions.
func large(b *testing.B, functions int) *Tree {
	r := rand.New(rand.NewPCG(1, 1))
	builder := trace.NewBuilder("test")
	th := builder.Thread("1", -1)
	now := int64(0)
	for i := range functions {
		name := fmt.Sprintf("p%d::q%d::C%d::f%d", i%17, i%301, i%4001, i)
		fn := builder.Function(trace.Function{Name: name})
		for range 1 + r.IntN(1+i%9) {
			th.Begin(now, fn)
			now += r.Int64N(1 << (i % 20))
			th.End(now)
		}
	}
	return treeOf(b, testtrace.Build(b, builder), nil, Options{})
}

// BenchmarkLayout lays out 100,000 cells. It reports how much longer that takes than a
// slice-and-dice layout, which does the least that a treemap needs: to add up weights and to cut
// rectangles.
func BenchmarkLayout(b *testing.B) {
	tree := large(b, 100_000)
	for _, area := range []Area{EqualArea, CallsArea, SelfArea} {
		l := Layout{Rect: geom.Rect{X1: 1600, Y1: 1000}, Area: area}
		b.Run(area.String(), func(b *testing.B) {
			for b.Loop() {
				tree.Rects(l)
			}
			plain := time.Now()
			for range b.N {
				slice(tree, l)
			}
			b.ReportMetric(b.Elapsed().Seconds()/time.Since(plain).Seconds(), "of-slicing")
		})
	}
}

// BenchmarkFlat lays out one node with very many children in a very wide rectangle, so that a few
// strips hold them all. It reports how the time grows with four times as many: 4 is linear.
func BenchmarkFlat(b *testing.B) {
	var area [2][]float64
	for k, n := range []int{25_000, 100_000} {
		r := rand.New(rand.NewPCG(1, 1))
		for range n {
			area[k] = append(area[k], 1+r.Float64())
		}
	}
	var took [2]time.Duration
	for b.Loop() {
		for k := range area {
			began := time.Now()
			x := strips{area: area[k]}
			x.cut(1e6)
			took[k] += time.Since(began)
		}
	}
	b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "growth")
}

// slice cuts cells into vertical slices.
func slice(t *Tree, l Layout) []geom.Rect {
	rects := make([]geom.Rect, len(t.Nodes))
	w := t.weights(l.Root, l.Area)
	rects[0] = l.Rect
	for i := range t.Nodes {
		x := rects[i].X0
		for _, c := range t.Busiest(i) {
			r := rects[i]
			r.X0 = x
			x += float32(w[c]/w[i]) * rects[i].W()
			r.X1 = x
			rects[c] = r
		}
	}
	return rects
}

// BenchmarkSums says what part of the time a plain walk over the calls takes that adds up durations
// by function: the least that any table of functions costs.
func BenchmarkSums(b *testing.B) {
	shape := testtrace.Shape{Threads: testtrace.Exactly(4), Records: testtrace.Exactly(400_000),
		Step: testtrace.Range{0, 9}, Depth: 30, Functions: nil}
	for i := range 2000 {
		shape.Functions = append(shape.Functions, fmt.Sprintf("p%d::q%d::f%d", i%7, i%41, i))
	}
	a := shape.Random(b, 1)
	p := pair.New(a, nil, pair.Rules{})
	for b.Loop() {
		if _, err := New(b.Context(), p, Options{}, nil); err != nil {
			b.Fatal(err)
		}
	}
	plain := time.Now()
	for range b.N {
		durations := make([]int64, len(a.Functions))
		for _, th := range a.Threads {
			for i, fn := range th.Fn {
				durations[fn] += th.Dur(i)
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/time.Since(plain).Seconds(), "of-walk")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(a.Calls())*1e9, "ns/call")
}
