package fleet

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainHeights joins groups of points as Ward defines it: in each step the two of all whose union
// raises the sum of squares least. It returns by how much each step raised it.
func plainHeights(points []point) (heights []float64) {
	groups := make([][]point, len(points))
	for k, p := range points {
		groups[k] = []point{p}
	}
	for len(groups) > 1 {
		x, y, least := 0, 0, math.Inf(1)
		for i := range groups {
			for j := range i {
				d := plainSquares(slices.Concat(groups[i], groups[j])) - plainSquares(groups[i]) - plainSquares(groups[j])
				if d < least {
					x, y, least = j, i, d
				}
			}
		}
		heights = append(heights, least)
		groups[x] = slices.Concat(groups[x], groups[y])
		groups = slices.Delete(groups, y, y+1)
	}
	return heights
}

func plainSquares(points []point) (sum float64) {
	var mean point
	for _, p := range points {
		for k := range p {
			mean[k] += p[k] / float64(len(points))
		}
	}
	for _, p := range points {
		sum += p.squared(&mean)
	}
	return sum
}

func randomPoints(seed uint64, n int) []point {
	dice := rand.New(rand.NewPCG(seed, 1))
	points := make([]point, n)
	for k := range points {
		for c := range 3 {
			points[k][c] = dice.NormFloat64()
		}
	}
	return points
}

func TestHierarchyIsWards(t *testing.T) {
	for seed := range uint64(5) {
		points := randomPoints(seed, 24)
		h, err := newHierarchy(t.Context(), points)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, g := range h.groups[len(points):] {
			got = append(got, g.height)
		}
		slices.Sort(got)
		want := plainHeights(points)
		slices.Sort(want)
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-9 {
				t.Errorf("seed %d: join %d raises the squares by %g, want %g", seed, k, got[k], want[k])
			}
		}
		if last := h.groups[len(h.groups)-1]; math.Abs(last.squares-plainSquares(points)) > 1e-9 {
			t.Errorf("seed %d: sum of squares %g, want %g", seed, last.squares, plainSquares(points))
		}
	}
}

func TestOneCloudIsOneCluster(t *testing.T) {
	for seed := range uint64(20) {
		h, err := newHierarchy(t.Context(), randomPoints(seed, 200))
		if err != nil {
			t.Fatal(err)
		}
		if list := h.cut(); len(list) != 1 {
			t.Errorf("seed %d: %d clusters", seed, len(list))
		}
	}
}

func TestCloudsAreClusters(t *testing.T) {
	points := randomPoints(3, 90)
	for k := range points {
		points[k][k%3] += 30
	}
	points = append(points, make([]point, 40)...) // all in one place
	h, err := newHierarchy(t.Context(), points)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []float64
	for _, g := range h.cut() {
		sizes = append(sizes, h.groups[g].size)
	}
	if !slices.Equal(sizes, []float64{40, 30, 30, 30}) {
		t.Errorf("clusters of %v", sizes)
	}
	points = make([]point, 5000) // equal pairs neither form a chain nor divide
	if h, err = newHierarchy(t.Context(), points); err != nil || len(h.groups) != 1 || len(h.cut()) != 1 {
		t.Errorf("%d groups of one place: %v", len(h.groups), err)
	}
}

func TestQuantile(t *testing.T) {
	sorted := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, .25: 1.75, .5: 3, .75: 5, 1: 8} {
		if got := quantile(p, sorted); got != want {
			t.Errorf("quantile %g is %g, want %g", p, got, want)
		}
	}
	if m, spread := medianAndSpread([]float64{9, 1, 2}); m != 2 || spread != 1 {
		t.Errorf("median %g, spread %g", m, spread)
	}
	if got := quantile(.5, nil); got != 0 {
		t.Errorf("median of nothing: %g", got)
	}
}
