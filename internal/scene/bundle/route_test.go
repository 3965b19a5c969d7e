package bundle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

func (f *facing) route(a *Arena) ([]scene.Knot, []Path) {
	return Route(f.o, f.sides, f.groups, f.edges, nil, a)
}

// drawFacing leaves the shape to rapid, which can make it smaller, and the numbers to a generator,
// so that distances hardly ever tie.
func drawFacing(t *rapid.T) facing {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := rapid.IntRange(1, 80).Draw(t, "cells")
	groups := rapid.IntRange(1, 4).Draw(t, "groups")
	return someFacing(rnd, n, n, groups, rapid.IntRange(1, 60).Draw(t, "edges"))
}

func TestRouteIsThePlainOne(t *testing.T) {
	var a Arena
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacing(t)
		checkPlain(t, &f, &a)
	})
	compared := 0
	for seed := range uint64(200) {
		f := someFacing(rand.New(rand.NewPCG(seed, 2)), 200, 10, 3, 200)
		if checkPlain(t, &f, &a) {
			compared++
		}
	}
	if compared < 50 {
		t.Errorf("only %d large scenes are without ties", compared)
	}
}

func checkPlain(t fataler, f *facing, a *Arena) bool {
	t.Helper()
	knots, paths := f.route(a)
	all, sure := plain(f.o, f.sides, f.groups, f.edges)
	if !sure {
		return false
	}
	for i, want := range all {
		got := knots[paths[i].First:][:paths[i].Count]
		if len(got) != len(want) {
			t.Fatalf("edge %d has %d knots, want %d", i, len(got), len(want))
		}
		for k := range want {
			dx, dy, at := got[k].X-want[k].X, got[k].Y-want[k].Y, got[k].At-want[k].At
			if !near(dx, 0, .02) || !near(dy, 0, .02) || !near(at, 0, 1e-3) {
				t.Fatalf("edge %d, knot %d: %v, want %v", i, k, got, want)
			}
		}
	}
	return true
}

func near(a, b, eps float32) bool { return a-b <= eps && b-a <= eps }

// TestPaths holds what every path promises, for any ends and any strength.
func TestPaths(t *testing.T) {
	var a Arena
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacing(t)
		for i := range f.edges { // ends anywhere, groups that do not exist
			for s := range f.sides {
				f.edges[i].Ends[s] = int32(rapid.IntRange(0, len(f.sides[s])-1).Draw(t, "end"))
			}
			f.edges[i].Group = int32(rapid.IntRange(-1, len(f.groups)).Draw(t, "group"))
		}
		f.o.Original = rapid.Bool().Draw(t, "original")
		knots, paths := f.route(&a)
		for i, p := range paths {
			path := knots[p.First:][:p.Count]
			checkPath(t, &f, i, path)
			if !f.o.Original {
				checkCalm(t, &f, i, path)
			}
		}
	})
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// checkPath holds that a path joins its cells' centres and that At rises from 0 to 1.
func checkPath(t fataler, f *facing, edge int, path []scene.Knot) {
	t.Helper()
	e := f.edges[edge]
	for s, k := range []scene.Knot{path[0], path[len(path)-1]} {
		r := f.sides[s][e.Ends[s]].Rect
		if x, y := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2; k.X != x || !near(k.Y, y, 1e-3) {
			t.Fatalf("edge %d ends at %v, its cell's centre is %v, %v", edge, k, x, y)
		}
	}
	if path[0].At != 0 || path[len(path)-1].At != 1 {
		t.Fatalf("edge %d: At does not run from 0 to 1: %v", edge, path)
	}
	for k := 1; k < len(path); k++ {
		if p, q := path[k-1], path[k]; !(p.At <= q.At) || math.IsNaN(float64(q.X+q.Y)) {
			t.Fatalf("edge %d: knots %v, %v", edge, p, q)
		}
	}
}

// checkCalm holds that a path turns neither in x nor in y and that its halves stay on their sides.
func checkCalm(t fataler, f *facing, edge int, path []scene.Knot) {
	t.Helper()
	const eps = 1e-3
	p, q := path[0], path[len(path)-1]
	for k := 1; k < len(path); k++ {
		dx, dy := path[k].X-path[k-1].X, path[k].Y-path[k-1].Y
		if dx*sign(q.X-p.X) < -eps || dy*sign(q.Y-p.Y) < -eps {
			t.Fatalf("edge %d turns at knot %d: %v", edge, k, path)
		}
	}
	if e := f.edges[edge]; p.Y < f.o.Mid && f.o.Mid < q.Y && e.Group >= 0 && len(path) > 2 {
		for i := range path {
			past := path[i].Y > f.o.Mid+eps
			if beyond := path[i].Y < f.o.Mid-eps; i == 1 && past || i == len(path)-2 && beyond {
				t.Fatalf("edge %d is on the wrong side at knot %d: %v", edge, i, path)
			}
		}
	}
}

func sign(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// TestHalvesMeetAtTheMidLine: A's knots are at or above it, B's at or below, whatever the strength
// and however unlike the halves.
func TestHalvesMeetAtTheMidLine(t *testing.T) {
	var a Arena
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacing(t)
		f.edges = slices.DeleteFunc(f.edges, func(e Edge) bool { return e.Group != 0 })
		knots, paths := f.route(&a)
		for i, p := range paths {
			path := knots[p.First:][:p.Count]
			if path[0].Y >= f.o.Mid || path[p.Count-1].Y <= f.o.Mid {
				continue
			}
			up := a.trees[0].steps(f.edges[i].Ends[0])
			for k := range path {
				if k <= up && path[k].Y > f.o.Mid+1e-3 || k > up && path[k].Y < f.o.Mid-1e-3 {
					t.Fatalf("edge %d leaves its side at knot %d: %v", i, k, path)
				}
			}
		}
	})
}

// TestRouteByHand routes single edges between hierarchies of two or three cells. The band is from
// 300 to 500 and bundling is full.
func TestRouteByHand(t *testing.T) {
	rect := func(x0, y0, x1 float32) geom.Rect { return geom.Rect{X0: x0, Y0: y0, X1: x1, Y1: y0 + 20} }
	o := Options{Bottom: 800, Mid: 400, Band: 200, Strength: 1, Least: 1}
	up := []Node{
		{Rect: rect(0, 0, 1000), Parent: -1},
		{Rect: rect(600, 20, 1000), Parent: 0},
		{Rect: rect(650, 40, 650.5), Parent: 1},                      // too narrow
		{Rect: rect(0, 20, 200), Parent: 0, Minor: true},             // an aggregate
		{Rect: geom.Rect{X0: 0, Y0: 280, X1: 9, Y1: 310}, Parent: 0}, // reaches into the band
	}
	down := []Node{
		{Rect: rect(0, 780, 1000), Parent: -1},
		{Rect: rect(600, 760, 1000), Parent: 0},
	}
	tests := []struct {
		name   string
		ends   [2]int32
		change func(*Options)
		want   string
	}{
		{"roots", [2]int32{0, 0}, nil, "500,10 500,388 500,412 500,790"},
		{"below the roots", [2]int32{1, 1}, nil,
			"800,30 800,300 800,388 800,412 800,500 800,770"},
		{"under the nearest key node", [2]int32{2, 1}, nil,
			"650,50 650,300 650,388 800,412 800,500 800,770"},
		{"aggregate", [2]int32{3, 0}, nil, "100,30 100,388 500,412 500,790"},
		{"from within the band", [2]int32{4, 0}, nil, "4,295 4,389 500,412 500,790"},
		{"straight", [2]int32{3, 0}, func(o *Options) { o.Strength = 0 },
			"100,30 230,277 363,530 500,790"},
		{"a band as high as the view", [2]int32{1, 1}, func(o *Options) { o.Band = 800 },
			"800,30 800,217 800,583 800,770"},
		{"no band", [2]int32{1, 1}, func(o *Options) { o.Band = 0 },
			"800,30 800,400 800,400 800,400 800,400 800,770"},
		{"original", [2]int32{2, 1}, func(o *Options) { o.Original = true },
			"650,50 800,381 500,387 500,413 800,770"},
	}
	for _, c := range tests {
		o := o
		if c.change != nil {
			c.change(&o)
		}
		f := facing{o, [2][]Node{up, down}, []Group{{}}, []Edge{{Ends: c.ends}}}
		knots, _ := f.route(new(Arena))
		got := ""
		for i, k := range knots {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprintf("%.0f,%.0f", k.X, k.Y)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestDegenerate: nothing that is empty, flat or missing stops Route or leaves it with a NaN.
func TestDegenerate(t *testing.T) {
	point := []Node{{Parent: -1}}
	flat := []Node{{Rect: geom.Rect{X0: 5, Y0: 7, X1: 5, Y1: 7}, Parent: -1}, {Parent: 0}, {Parent: 7}}
	tests := []struct {
		name string
		facing
		knots int
	}{
		{"nothing", facing{}, 0},
		{"no edges", facing{sides: [2][]Node{point, point}, groups: []Group{{}}}, 0},
		{"no groups", facing{sides: [2][]Node{point, point}, edges: []Edge{{}}}, 2},
		{"no such root", facing{sides: [2][]Node{point, point},
			groups: []Group{{[2]int32{0, -1}}, {[2]int32{4, 0}}}, edges: []Edge{{}, {Group: 1}}}, 4},
		{"no such cells", facing{sides: [2][]Node{point, nil}, groups: []Group{{}},
			edges: []Edge{{}, {Ends: [2]int32{-1, 3}, Group: 5}}}, 0},
		{"points on one spot", facing{sides: [2][]Node{point, point}, groups: []Group{{}},
			edges: []Edge{{}, {}}}, 8},
		{"flat, with a parent that comes later", facing{o: Options{Bottom: 10, Mid: 8, Band: 100},
			sides: [2][]Node{flat, flat}, groups: []Group{{}}, edges: []Edge{{Ends: [2]int32{2, 1}}}}, 4},
	}
	for _, c := range tests {
		for _, original := range []bool{false, true} {
			c.o.Original = original
			var a Arena
			knots, paths := c.route(&a)
			if !original && len(knots) != c.knots {
				t.Errorf("%s: %d knots, want %d", c.name, len(knots), c.knots)
			}
			for i, p := range paths {
				if p.Count > 0 {
					checkPath(t, &c.facing, i, knots[p.First:][:p.Count])
				}
			}
		}
	}
}

// TestArenaIsKept: routing again allocates nothing, and another scene in between changes nothing.
func TestArenaIsKept(t *testing.T) {
	f := someFacing(rand.New(rand.NewPCG(1, 2)), 300, 40, 5, 500)
	other := someFacing(rand.New(rand.NewPCG(3, 4)), 400, 40, 9, 900)
	var a Arena
	knots, paths := f.route(&a)
	first, where := slices.Clone(knots), slices.Clone(paths)
	other.route(&a)
	if knots, paths = f.route(&a); !slices.Equal(knots, first) || !slices.Equal(paths, where) {
		t.Error("the same scene is routed differently the second time")
	}
	if n := testing.AllocsPerRun(3, func() {
		Route(f.o, f.sides, f.groups, f.edges, knots[:0], &a)
	}); n != 0 {
		t.Errorf("%v allocations a frame, want none", n)
	}
}
