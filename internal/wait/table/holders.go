package table

import (
	"diptych/internal/pair"
	"diptych/internal/wait"
)

// holders is for how long threads held a lock while others waited for it, in ns: by line, an index
// into Pair.Threads.
type holders map[int32]int64

// addHolders adds who held the lock that wait w was for.
func (t *Table) addHolders(side pair.Side, row [3]int32, w int) {
	for _, h := range t.Sides[side].Held(w) {
		of := t.held[side][row]
		if of == nil {
			of = holders{}
			t.held[side][row] = of
		}
		of[int32(t.Pair.Of(side, int(h.Thread)))] += h.To - h.From
	}
}

// longestHeld returns who of the holders held the lock longest, by name, and for how long; of those
// that did so equally long, the first by name.
func longestHeld(of holders, name func(line int32) string) (who string, ns int64) {
	sums := map[string]int64{}
	for line, held := range of {
		sums[name(line)] += held
	}
	for n, held := range sums {
		if held > ns || held == ns && n < who {
			who, ns = n, held
		}
	}
	return who, ns
}

// nameHolders says of a plain row's waits who held the lock meanwhile.
func (t *Table) nameHolders(row *Row, r *wait.Row) {
	for s := range row.Holder {
		row.Holder[s], row.HeldNs[s] = longestHeld(
			t.held[s][[3]int32{r.Waiter, r.Releaser, r.Object}], t.id)
	}
}

// join adds other holders.
func (h holders) join(o holders) {
	for line, ns := range o {
		h[line] += ns
	}
}
