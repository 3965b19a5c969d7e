package match

import (
	"context"
	"math/bits"

	"diptych/internal/pair"
)

// Sizes returns the number of matches in each group, at most 2⁶⁴−1. Groups in the order of Groups
// are cheapest, since neighbours begin with the same class of A.
func (g *Graph) Sizes(ctx context.Context, groups []Group, tau Tau) ([]uint64, error) {
	as, bs := newCensus(g.Sides[pair.A]), newCensus(g.Sides[pair.B])
	h := g.newHits(tau)
	out := make([]uint64, len(groups))
	for i, group := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		as.take(group.A)
		bs.take(group.B)
		out[i] = h.matches(as, bs)
	}
	return out, nil
}

// census counts the calls of a subtree by class.
type census struct {
	*Classes
	calls []uint64 // by class
	found []uint32 // the classes that calls is not 0 for
}

func newCensus(c *Classes) *census {
	return &census{Classes: c, calls: make([]uint64, len(c.Base))}
}

// take counts the subtree of call i instead of what was counted before.
func (c *census) take(i int) {
	for _, k := range c.found {
		c.calls[k] = 0
	}
	c.found = c.found[:0]
	for _, k := range c.Of[i:c.Next(i)] {
		if c.calls[k] == 0 {
			c.found = append(c.found, k)
		}
		c.calls[k]++
	}
}

// matches returns how many matches there are between the calls counted, at most 2⁶⁴−1.
func (h *hits) matches(as, bs *census) uint64 {
	var total uint64
	for _, a := range as.found {
		h.seek(int(a))
		var of uint64
		for _, b := range bs.found {
			if h.hit[b] {
				of += bs.calls[b]
			}
		}
		hi, lo := bits.Mul64(as.calls[a], of)
		sum, carry := bits.Add64(total, lo, 0)
		if hi != 0 || carry != 0 {
			return 1<<64 - 1
		}
		total = sum
	}
	return total
}
