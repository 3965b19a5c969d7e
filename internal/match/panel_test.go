package match

import (
	"slices"
	"testing"
)

// engines are engines that this processor can run, by name. Those for some processors only
// add themselves.
var engines = map[string]func(*comparison) engine{"two steps": newTwoSteps}

// plainMatches compares all kinds by rows of whole numbers, in the order in which every engine adds,
// so that sums agree to the last bit.
func (c *comparison) plainMatches() (rows [][]bool, columns []matched) {
	columns = make([]matched, len(c.columns))
	for range c.rows {
		rows = append(rows, make([]bool, len(c.x.Base)))
	}
	for i, common := range c.plainRows() {
		calls, size := c.x.Count[i], c.x.Size[i]
		for k, tile := range c.tiles {
			for b := tile.from; b < tile.to; b++ {
				for _, kind := range c.y.block(int(b)) {
					n, both := common[kind], size+c.y.Size[kind]
					if n < c.least[both] {
						continue
					}
					rows[k%len(rows)][i] = true
					columns[kind].calls += float64(calls)
					columns[kind].similarity += float64(uint64(n)*calls) / float64(both-n)
				}
			}
		}
	}
	return rows, columns
}

// TestEngines checks that every engine adds the same numbers in the same order as a plain
// comparison of all kinds. The sets of a tall tower share more than a byte counts.
func TestEngines(t *testing.T) {
	comparisons(t, func(name string, c *comparison) { checkEngines(t, name, c) })
	tall := mustClassify(t, towers(t, 10, 14))
	comparisonsOf(tall, "tall tower", func(name string, c *comparison) { checkEngines(t, name, c) })
}

func checkEngines(t *testing.T, name string, c *comparison) {
	rows, columns := c.plainMatches()
	for which, newEngine := range engines {
		e, blocks := newEngine(c), 0
		clear(c.columns)
		for part := range c.rows {
			own := make([]bool, len(c.x.Base))
			for k := part; k < len(c.tiles); k += len(c.rows) {
				err := e.compareTile(c.tiles[k], own, func(n int) error { blocks += n; return nil })
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(own, rows[part]) {
				t.Errorf("%s: rows of part %d by %s: %v, want %v", name, part, which, own, rows[part])
			}
		}
		if !slices.Equal(c.columns, columns) {
			t.Errorf("%s: columns by %s: %v, want %v", name, which, c.columns, columns)
		}
		if blocks != c.y.number() {
			t.Errorf("%s: %d of %d blocks by %s", name, blocks, c.y.number(), which)
		}
	}
}
