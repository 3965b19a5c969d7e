package match

import (
	"context"
	"math"
	"math/bits"
)

// Classes are one side's calls grouped by Γ. They are numbered in pre-order of a forest in which a
// class's parent, its base, is a subset of it: the classes [c, End[c]) all contain Γ(c). Memory is
// 4 bytes a call and what the classes themselves need.
type Classes struct {
	Calls
	Of []uint32 // class by call

	Base  []int32   // a class that is a proper subset, or −1
	End   []uint32  // after the last class below
	Size  []uint32  // |Γ|
	Count []uint64  // number of calls
	Start []float64 // sum of the calls' start times, ns

	from, added []uint32 // added[from[c]:from[c+1]] is Γ(c) without its base
}

// checkEvery is how many calls pass between two looks at the context.
const checkEvery = 1 << 20

// classify groups calls. Scanning pre-order backwards, a call is complete when it is reached, so Of
// holds the unions so far and no stack is needed.
func classify(ctx context.Context, calls Calls, ids []uint32, identities int) (*Classes, error) {
	c := &Classes{Calls: calls, Of: make([]uint32, calls.Len())}
	s := newSets(identities)
	single := make([]uint32, len(ids)) // by function
	for fn, id := range ids {
		single[fn] = s.single(id)
	}
	for k, th := range c.Threads {
		of := c.Of[c.First[k]:c.First[k+1]]
		for i, fn := range th.Fn {
			of[i] = single[fn]
		}
		for i := len(of) - 1; i >= 0; i-- {
			if i%checkEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if p := th.Parent[i]; p >= 0 {
				of[p] = s.union(of[p], of[i])
			}
		}
	}
	c.number(s)
	c.sum()
	return c, ctx.Err()
}

// number makes the sets that calls have the classes.
func (c *Classes) number(s *sets) {
	used := make([]bool, len(s.base))
	for _, set := range c.Of {
		used[set] = true
	}
	base := usedBases(s.base, used)
	to, span, n := preorder(base, used)
	c.Base, c.End, c.Size = make([]int32, n), make([]uint32, n), make([]uint32, n)
	from := make([]int32, n) // the set of a class
	for set, b := range base {
		if !used[set] {
			continue
		}
		k := to[set]
		from[k], c.Base[k], c.End[k], c.Size[k] = int32(set), none, k+span[set], s.size[set]
		if b != none {
			c.Base[k] = int32(to[b])
		}
	}
	c.copyMembers(s, base, from)
	for i, set := range c.Of {
		c.Of[i] = to[set]
	}
}

// copyMembers copies what each class adds to its base, given the sets of the classes.
func (c *Classes) copyMembers(s *sets, base, from []int32) {
	n := 0
	for k, b := range c.Base {
		n += int(c.Size[k])
		if b != none {
			n -= int(c.Size[b])
		}
	}
	c.from, c.added = make([]uint32, 1, len(from)+1), make([]uint32, 0, n)
	for _, set := range from {
		for k := set; k != base[set]; k = s.base[k] {
			c.added = append(c.added, s.added[s.from[k]:s.from[k+1]]...)
		}
		c.from = append(c.from, uint32(len(c.added)))
	}
}

// usedBases returns for each set the nearest used one along its bases.
func usedBases(base []int32, used []bool) []int32 {
	out := make([]int32, len(base))
	for set, b := range base {
		if b != none && !used[b] {
			b = out[b]
		}
		out[set] = b
	}
	return out
}

// preorder numbers the used sets of the forest in which bases, which have smaller numbers, are
// parents. It returns the numbers, how many used sets each subtree has, and how many there are.
func preorder(base []int32, used []bool) (to, span []uint32, n int) {
	span = make([]uint32, len(base))
	for set := len(base) - 1; set >= 0; set-- {
		if !used[set] {
			continue
		}
		n++
		span[set]++
		if b := base[set]; b != none {
			span[b] += span[set]
		}
	}
	to = make([]uint32, len(base))
	next, nextRoot := make([]uint32, len(base)), uint32(0) // where the next child goes
	for set, b := range base {
		if !used[set] {
			continue
		}
		at := &nextRoot
		if b != none {
			at = &next[b]
		}
		to[set] = *at
		*at += span[set]
		next[set] = to[set] + 1
	}
	return to, span, n
}

// sum counts the classes' calls and adds up their start times, in 128 bits: ten million calls in
// the course of an hour overflow 64.
func (c *Classes) sum() {
	n := len(c.Base)
	c.Count, c.Start = make([]uint64, n), make([]float64, n)
	lo, hi := make([]uint64, n), make([]uint64, n)
	for k, th := range c.Threads {
		for i, class := range c.Of[c.First[k]:c.First[k+1]] {
			c.Count[class]++
			var carry uint64
			lo[class], carry = bits.Add64(lo[class], uint64(th.Start[i]), 0)
			hi[class] += carry
		}
	}
	for k := range n {
		c.Start[k] = math.Ldexp(float64(hi[k]), 64) + float64(lo[k])
	}
}

// Members calls yield for each identity in Γ of class k, in no order, until it returns false.
func (c *Classes) Members(k int, yield func(id uint32) bool) {
	for k := int32(k); k != none; k = c.Base[k] {
		for _, id := range c.added[c.from[k]:c.from[k+1]] {
			if !yield(id) {
				return
			}
		}
	}
}

// Bytes returns the memory the classes hold, from the capacities of their slices.
func (c *Classes) Bytes() int64 {
	return 4*int64(cap(c.Of)+cap(c.Base)+cap(c.End)+cap(c.Size)+cap(c.from)+cap(c.added)) +
		8*int64(cap(c.Count)+cap(c.Start))
}
