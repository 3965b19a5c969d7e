package match

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestGrid checks a grid against Γ by definition, of one set of classes after the other.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		grid := NewGrid(g)
		if grid.Graph() != g {
			t.Fatal("the grid is of another graph")
		}
		for range rapid.IntRange(1, 5).Draw(t, "times") {
			var calls [2][]int
			var classes [2][]uint32
			for s := range calls {
				if n := len(m.calls[s]); n > 0 {
					calls[s] = rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(t, "calls")
				}
			}
			slices.SortFunc(calls[pair.B], func(x, y int) int {
				return int(g.Sides[pair.B].Class(x)) - int(g.Sides[pair.B].Class(y))
			})
			for s, list := range calls {
				for _, i := range list {
					classes[s] = append(classes[s], g.Sides[s].Class(i))
				}
			}
			grid.Compare(classes[pair.A], classes[pair.B])
			for at, i := range calls[pair.A] {
				checkRow(t, m, tau, i, grid.Row(at), calls[pair.B])
			}
		}
	})
}

// checkRow holds a row of call i of A against calls of B.
func checkRow(t *rapid.T, m *plain, tau Tau, i int, r GridRow, bs []int) {
	for k, j := range bs {
		common := uint32(0)
		for id := range m.calls[pair.B][j].gamma {
			if m.calls[pair.A][i].gamma[id] {
				common++
			}
		}
		s, _ := m.s[i][j].Float64()
		if r.Common(k) != common || r.Similarity(k) != s || r.Exceeds(tau, k) != m.matches(i, j) {
			t.Fatalf("calls %d, %d: %d shared, s = %v; want %d, %v", i, j, r.Common(k),
				r.Similarity(k), common, s)
		}
	}
}

// BenchmarkGrid compares the classes of as many calls as a view shows, far from each other and beside
// each other, and says how many times as long comparing them two by two takes.
func BenchmarkGrid(b *testing.B) {
	g := simulated(b, 1_000_000)
	const n = 1000
	for name, far := range map[string]bool{"far": true, "beside": false} {
		var calls [2][]int
		var classes [2][]uint32
		for s := range classes {
			for k := range n {
				if far {
					k *= g.Sides[s].Len() / n
				}
				calls[s] = append(calls[s], k)
				classes[s] = append(classes[s], g.Sides[s].Class(k))
			}
		}
		slices.Sort(classes[pair.B])
		began, some := time.Now(), calls[pair.A][:n/100]
		for _, i := range some {
			for _, j := range calls[pair.B] {
				g.Similarity(i, j)
			}
		}
		plain := time.Since(began).Seconds() * n / float64(len(some))
		b.Run(name, func(b *testing.B) {
			grid := NewGrid(g)
			for b.Loop() {
				grid.Compare(classes[pair.A], classes[pair.B])
			}
			b.ReportMetric(plain/(b.Elapsed().Seconds()/float64(b.N)), "×plain")
		})
	}
}
