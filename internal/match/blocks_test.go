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
			for b := tile.from; b < tile.to; b++ {
				kinds = append(kinds, c.y.block(int(b))...)
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

// TestFilter checks that no block is skipped that holds a match, that rows come in order, and that
// those are flagged for which a byte may be too small.
func TestFilter(t *testing.T) {
	passed, pairs := 0, 0
	comparisons(t, func(name string, c *comparison) {
		common := c.plainRows()
		f := newFilter(c.x, c.y, c.least, c.identities)
		for _, tile := range c.tiles {
			f.apply(tile)
			for k, rows := range f.rows {
				block := c.y.block(int(tile.from) + k)
				passes, flagged := make([]bool, len(c.x.Base)), make([]bool, len(c.x.Base))
				for n, row := range rows {
					passes[row&^wide], flagged[row&^wide] = true, row&wide != 0
					if n > 0 && rows[n-1]&^wide >= row&^wide {
						t.Fatalf("%s: row %d after %d", name, row&^wide, rows[n-1]&^wide)
					}
				}
				passed, pairs = passed+len(rows), pairs+len(passes)
				for i, of := range common {
					for _, kind := range block {
						matches := of[kind] >= c.least[c.x.Size[i]+c.y.Size[kind]]
						if matches && !passes[i] || passes[i] && of[kind] > mostNarrow && !flagged[i] {
							t.Fatalf("%s: row %d shares %d with kind %d, passes %v, flagged %v", name, i,
								of[kind], kind, passes[i], flagged[i])
						}
					}
				}
			}
		}
	})
	if 2*passed > pairs {
		t.Errorf("%d of %d pairs of a row and a block pass", passed, pairs)
	}
}

// TestCells checks the sums of blocks, for the rows that pass the filter, against comparing whole
// numbers.
func TestCells(t *testing.T) {
	comparisons(t, func(name string, c *comparison) {
		common, f := c.plainRows(), newFilter(c.x, c.y, c.least, c.identities)
		fast := newCells(c.x, c.y, c.least, c.identities)
		for _, tile := range c.tiles {
			f.apply(tile)
			for k, rows := range f.rows {
				block := c.y.block(int(tile.from) + k)
				fast.seekBlock(block)
				var sums [inBlock]matched
				for _, row := range rows {
					i, any := row&^wide, false
					for k, kind := range block {
						n, both := common[i][kind], c.x.Size[i]+c.y.Size[kind]
						if n >= c.least[both] {
							sums[k].calls += float64(c.x.Count[i])
							sums[k].similarity += float64(uint64(n)*c.x.Count[i]) / float64(both-n)
							any = true
						}
					}
					if got := fast.addRow(row); got != any {
						t.Fatalf("%s: row %d in block %v has matches: %v, want %v", name, i, block, got, any)
					}
				}
				if fast.sums != sums {
					t.Fatalf("%s: the kinds %v have %v, want %v", name, block, fast.sums, sums)
				}
			}
		}
	})
}
