package match

import (
	"cmp"
	"math/bits"
	"slices"

	"diptych/internal/progress"
)

// Comparing all kinds of A with all of B need not look at every pair. Kinds of B with similar cores
// are put beside each other and cut into blocks. What a row shares with the union of a block's
// cores bounds what it shares with each of them. If the bound is too small for a match, the block
// is skipped for this row. For example, at τ = 0.2 a set of 20 identities must share at least 6
// with one of 12. If all kinds of a block have 12 or more, and the row shares 5 with their union,
// the block holds no match.
//
// A panel is 512 kinds beside each other, which are compared with a row at once (lanes.go,
// panels.go). Before, sieve.go finds out which rows may match something in which panels of a tile.

const (
	inBlock    = 16 // kinds
	usualTiles = 16 // where that makes them smaller, for all processors to have work
)

// blocks are the kinds of B, ordered so that similar ones are neighbours.
type blocks struct {
	*Classes
	core  []uint32 // by kind: members
	order []uint32 // kinds; the blocks are inBlock of them each
}

// newBlocks orders the kinds of y. x is the side that they are compared with.
func newBlocks(x, y *Classes, identities int) *blocks {
	return &blocks{y, y.members(), bySimilarity(y, x.ranks(identities))}
}

// number returns how many panels there are.
func (b *blocks) number() int { return (len(b.order) + inLanes - 1) / inLanes }

// panel returns the kinds of panel k.
func (b *blocks) panel(k int) []uint32 {
	return b.order[k*inLanes : min((k+1)*inLanes, len(b.order))]
}

// tiles divides the panels. The number of tiles does not depend on that of the processors.
func (b *blocks) tiles() []interval {
	n := b.number()
	width := min(max(n/usualTiles, 1), mostInTile)
	var out []interval
	for from := 0; from < n; from += width {
		out = append(out, interval{uint32(from), uint32(min(from+width, n))})
	}
	return out
}

// ranks numbers the identities by how many classes contain them, the most frequent first.
func (c *Classes) ranks(identities int) []uint16 {
	classes := make([]uint64, identities)
	for k, end := range c.End {
		for _, id := range c.added[c.from[k]:c.from[k+1]] {
			classes[id] += uint64(end) - uint64(k)
		}
	}
	list := make([]uint32, identities)
	for id := range list {
		list[id] = uint32(id)
	}
	slices.SortFunc(list, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(classes[y], classes[x]), cmp.Compare(x, y))
	})
	rank := make([]uint16, identities)
	for k, id := range list {
		rank[id] = uint16(min(k, lastRank))
	}
	return rank
}

const lastRank = 1<<16 - 1 // also that of no identity

// place is where a kind goes among those of its step: by its most frequent members.
type place struct {
	first, rest uint64 // the lowest ranks, four in a word, ascending
	kind        uint32
}

func (p *place) compare(q *place) int {
	return cmp.Or(cmp.Compare(p.first, q.first), cmp.Compare(p.rest, q.rest),
		cmp.Compare(p.kind, q.kind))
}

// bySimilarity orders classes by size, doubling from step to step, and then by their places. Sizes
// are kept apart because the smallest set of a block says how much a row must share with it.
func bySimilarity(c *Classes, rank []uint16) []uint32 {
	var from, next [bits.UintSize + 1]int // by step
	for _, size := range c.Size {
		from[bits.Len32(size)+1]++
	}
	for step := 1; step < len(from); step++ {
		from[step] += from[step-1]
	}
	next = from
	lowest, places := make([][8]uint16, len(c.Base)), make([]place, len(c.Base))
	for k, base := range c.Base {
		low := &lowest[k]
		if base != none {
			*low = lowest[base]
		} else {
			*low = [8]uint16{lastRank, lastRank, lastRank, lastRank, lastRank, lastRank, lastRank, lastRank}
		}
		for _, id := range c.added[c.from[k]:c.from[k+1]] {
			insertRank(low, rank[id])
		}
		at := &next[bits.Len32(c.Size[k])]
		places[*at] = newPlace(uint32(k), low)
		*at++
	}
	var work progress.Group
	for step, to := range from[1:] {
		of := places[from[step]:to]
		work.Do(func() { slices.SortFunc(of, func(p, q place) int { return p.compare(&q) }) })
	}
	_ = work.Wait()
	order := make([]uint32, len(places))
	for k := range places {
		order[k] = places[k].kind
	}
	return order
}

func newPlace(kind uint32, low *[8]uint16) place {
	p := place{kind: kind}
	for i := range 4 {
		p.first = p.first<<16 | uint64(low[i])
		p.rest = p.rest<<16 | uint64(low[4+i])
	}
	return p
}

// insertRank inserts a rank into ascending ones and drops the greatest.
func insertRank(low *[8]uint16, rank uint16) {
	for i := range low {
		if rank < low[i] {
			rank, low[i] = low[i], rank
		}
	}
}
