package match

// Where the processor has vector instructions, panels take the place of both steps. A panel is
// kinds beside each other in the order of the blocks. How much a row shares with each takes a byte,
// and one comparison tells which match.
//
//	panel.go           which engine compares; rows and kinds as the instructions want them
//	panel_simd.go      the panel, and the rows that need more than a byte
//	panel512_simd.go   64 bytes an instruction
//	panel256_simd.go   32 bytes an instruction
//	sieve_simd.go      which rows are worth it, for sixteen panels at once
//
// A row is skipped with all rows below it if none of them may match any kind of a panel. Both
// engines add the same numbers in the same order, so their sums agree to the last bit.

// engine compares all rows with a tile. It sets the columns of the tile's kinds, and rows where a
// row has a match. done counts blocks; its error ends the work.
type engine interface {
	compareTile(t interval, rows []bool, done func(blocks int) error) error
}

// twoSteps is the engine for every processor: filter, then cells.
type twoSteps struct {
	*comparison
	first  *filter
	second *cells
}

func newTwoSteps(c *comparison) engine {
	return &twoSteps{c, newFilter(c.x, c.y, c.least, c.identities),
		newCells(c.x, c.y, c.least, c.identities)}
}

func (s *twoSteps) compareTile(t interval, rows []bool, done func(blocks int) error) error {
	s.first.apply(t)
	for i, some := range s.first.rows {
		s.second.seekBlock(s.y.block(int(t.from) + i))
		for _, row := range some {
			if s.second.addRow(row) {
				rows[row&^wide] = true
			}
		}
		for k, kind := range s.second.block {
			s.columns[kind] = s.second.sums[k]
		}
		if err := done(1); err != nil {
			return err
		}
	}
	return nil
}
