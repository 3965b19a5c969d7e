package table

import (
	"context"

	"diptych/internal/pair"
	"diptych/internal/wait"
)

// holders is for how long threads held a lock while others waited for it. It has room for all
// threads, and serves one row after the other: any thread may have held any lock while any other
// waited for it, so the holders of all rows at once may be many times as many as the waits.
type holders struct {
	ns    []int64 // by line, an index into Pair.Threads
	lines []int32 // that have some
	names map[string]int64
}

func newHolders(lines int) *holders {
	return &holders{ns: make([]int64, lines), names: map[string]int64{}}
}

func (h *holders) add(line int32, ns int64) {
	if h.ns[line] == 0 && ns > 0 {
		h.lines = append(h.lines, line)
	}
	h.ns[line] += ns
}

// longest returns who of the holders held the lock longest, by name, and for how long; of those
// that did so equally long, the first by name. It forgets them all.
func (h *holders) longest(name func(line int32) string) (who string, ns int64) {
	for _, line := range h.lines {
		h.names[name(line)] += h.ns[line]
		h.ns[line] = 0
	}
	for n, held := range h.names {
		if held > ns || held == ns && n < who {
			who, ns = n, held
		}
	}
	clear(h.names)
	h.lines = h.lines[:0]
	return who, ns
}

// nameHolders says of the rows by thread and by role who held locks while their waits lasted.
func (t *Table) nameHolders(ctx context.Context, all []wait.Row) {
	of, ofRole := newHolders(len(t.Pair.Threads)), newHolders(len(t.Pair.Threads))
	for i, rows := range t.plain.ofRole {
		role := &t.rows[ByRole][i]
		for side := range t.Sides {
			for _, k := range rows {
				if ctx.Err() != nil {
					return
				}
				t.addHolders(side, &all[k], of, ofRole)
				row := &t.rows[ByThread][k]
				row.Holder[side], row.HeldNs[side] = of.longest(t.name)
			}
			role.Holder[side], role.HeldNs[side] = ofRole.longest(t.roleOrName)
		}
	}
}

// addHolders adds who held the locks that a plain row's waits were for, and adds the same to what
// the row is part of.
func (t *Table) addHolders(side int, r *wait.Row, to, whole *holders) {
	for _, w := range t.plain.waitsOf(side, r) {
		for h := range t.Sides[side].Held(int(w)) {
			to.add(int32(t.Pair.Of(pair.Side(side), int(h.Thread))), h.To-h.From)
		}
	}
	for _, line := range to.lines {
		whole.add(line, to.ns[line])
	}
}
