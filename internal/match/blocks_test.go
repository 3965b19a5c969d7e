package match

import (
	"slices"
	"testing"

	"diptych/internal/pair"
)

// comparisons are pairs of few and of many kinds, of small sets and of sets that a byte does not
// count, at several τ.
func comparisons(t testing.TB, use func(name string, c *comparison)) {
	comparisonsOf(simulated(t, 5_000), "simulated", use)
	comparisonsOf(mustClassify(t, towers(t, 60, 140)), "tower", use)
}

func comparisonsOf(g *Graph, name string, use func(name string, c *comparison)) {
	of, _ := g.kinds()
	for _, tau := range []Tau{{}, Hundredths(1), DefaultTau, {1, 3}, Hundredths(80), {1, 1}} {
		use(name+", τ = "+tau.String(), newComparison(of[pair.A].Classes, of[pair.B].Classes, tau,
			len(g.Pair.Names)))
	}
}

// plainRows returns how much each kind of A shares with each of B, by rows of whole numbers.
func (c *comparison) plainRows() (common [][]uint32) {
	r := newRow(c.x.Classes, newColumns(c.y.Classes, c.identities))
	for i := range c.x.Base {
		common = append(common, make([]uint32, len(c.y.Base)))
		r.seekClass(i)
		r.writeCommon(common[i])
	}
	return common
}

// TestTiles checks that the tiles hold each kind of B once.
func TestTiles(t *testing.T) {
	comparisons(t, func(name string, c *comparison) {
		var kinds []uint32
		for _, tile := range c.y.tiles() {
			for k := tile.from; k < tile.to; k++ {
				kinds = append(kinds, c.y.panel(int(k))...)
			}
		}
		slices.Sort(kinds)
		for k, kind := range kinds {
			if int(kind) != k {
				t.Fatalf("%s: kind %d is at %d of all", name, kind, k)
			}
		}
		if len(kinds) != len(c.y.Base) {
			t.Errorf("%s: %d of %d kinds", name, len(kinds), len(c.y.Base))
		}
	})
}
