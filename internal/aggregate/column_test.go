package aggregate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLogarithms holds the table's logarithms to those of the library, over all sizes that sums of
// shares have, and that a full timeslice has none.
func TestLogarithms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1_000_000 {
		v := math.Exp(60 * (r.Float64() - .5))
		got, want := fastLog(v), math.Log(v)
		if math.Abs(got-want) > 4e-16*max(1, math.Abs(want)) {
			t.Fatalf("ln %g: %g, want %g", v, got, want)
		}
	}
	for _, v := range []float64{1, math.Nextafter(1, 2), math.Nextafter(1, 0), 1.0 / 3, 1e-18} {
		if got, want := fastLog(v), math.Log(v); math.Abs(got-want) > 3e-16*max(1, math.Abs(want)) {
			t.Errorf("ln %g: %g, want %g", v, got, want)
		}
	}
	if fastLog(1) != 0 || xlog(0) != 0 {
		t.Error("the logarithm of 1 is not 0")
	}
}

// TestColumnsAreShared holds which nodes have no column and which share one.
func TestColumnsAreShared(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(1, 2)), 6, 10, 2)
	s.tree, _ = NewTree([]Place{{Keys: []string{"a", "1"}, Names: []string{"a", "1"}},
		{Keys: []string{"a", "2"}, Names: []string{"a", "2"}},
		{Keys: []string{"b", "1"}, Names: []string{"b", "1"}},
		{Keys: []string{"b", "2"}, Names: []string{"b", "2"}},
		{Keys: []string{"c", "1"}, Names: []string{"c", "1"}},
		{Keys: []string{"c", "2"}, Names: []string{"c", "2"}}})
	for leaf := range s.v {
		clear(s.v[leaf])
	}
	s.v[0][2*3], s.v[0][2*7+1] = 1, .5 // slices 3 and 7
	s.v[2][2*3], s.v[2][2*7+1] = -1, .5
	s.v[3][2*4] = .25
	c := measured(t, s, Sum).columns
	// Nodes: root, a, a 1, a 2, b, b 1, b 2, c, c 1, c 2.
	if c[3] != nil || c[7] != nil || c[8] != nil || c[9] != nil {
		t.Error("nodes without values have a column")
	}
	if c[1] != c[2] || c[2] != c[5] {
		t.Error("equal columns are not shared")
	}
	if len(c[2].gain) != 3 || len(c[0].gain) != 6 || c[4] == c[5] {
		t.Errorf("%d and %d pairs of active slices", len(c[2].gain), len(c[0].gain))
	}
}

// TestEqualHashesAreCompared holds that values with the hash of others have their own column.
func TestEqualHashesAreCompared(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(1, 3)), 2, 8, 1)
	s.v = [][]float64{{1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1}}
	g := newGauge(s)
	g.known[g.read(1, &rows{v: make([]float64, 8)})] = example{0, &column{}}
	if got := g.leaf(1); len(got.column.gain) != 36 {
		t.Error(got.column)
	}
}
