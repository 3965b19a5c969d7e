package finding

import (
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// uneven is which functions have strays on which levels of a result: all other calls have nothing
// to count and nothing to straighten. A level is that of a pair, by A's call plus 1, or 0 for that
// of the roots. Keys are a level and an identity each, in order.
type uneven []uint64

// sorted returns the keys in order.
func (u uneven) sorted() uneven {
	slices.Sort(u)
	return slices.Compact(u)
}

// add adds the level of a call of a side, and its function. Calls of subtrees without partners are
// on no level.
func (u *uneven) add(r *align.Result, sd pair.Side, i int32, id uint32) {
	level := caller(r, sd, i)
	if level != align.None {
		other := r.Partner[sd][level]
		if other == align.None {
			return
		}
		if sd == pair.B {
			level = other
		}
	}
	if key := pair.KeyOf(uint32(level+1), id); len(*u) == 0 || (*u)[len(*u)-1] != key {
		*u = append(*u, key)
	}
}

// levels calls yield for the pair of each such level, in order, with None for that of the roots.
// among is its functions with strays.
func (u uneven) levels(r *align.Result, yield func(a, b int32, among []uint64) error) error {
	for from, to := 0, 0; from < len(u); from = to {
		for to < len(u) && u[to]>>32 == u[from]>>32 {
			to++
		}
		a, b := int32(u[from]>>32)-1, int32(align.None)
		if a != align.None {
			if b = r.Partner[pair.A][a]; b == align.None ||
				r.Threads[pair.A].Size(int(a)) == 1 && r.Threads[pair.B].Size(int(b)) == 1 {
				continue
			}
		}
		if err := yield(a, b, u[from:to]); err != nil {
			return err
		}
	}
	return nil
}
