package match

import (
	"context"
	"math"
	"slices"

	"diptych/internal/huge"
)

// Classes are one side's calls grouped by Γ. They are numbered in pre-order of a forest: the parent
// of a class, its base, is a subset of it, so the classes [c, End[c]) all contain Γ(c). They take
// 2 bytes a call (3 with more than 65,536 classes), and what the classes themselves need.
type Classes struct {
	Calls
	of labels // class by call

	Base  []int32   // a class that is a proper subset, or −1
	End   []uint32  // after the last class below
	Size  []uint32  // |Γ|
	Count []uint64  // number of calls
	Start []float64 // sum of the calls' start times, ns

	from, added []uint32 // added[from[c]:from[c+1]] is Γ(c) without its base
}

// checkEvery is how many calls pass between two looks at the context.
const checkEvery = 1 << 18

// classify makes classes of the sets that the shares of a side's calls have found.
func (d *sharing) classify(ctx context.Context) (*Classes, error) {
	j := d.join()
	f, err := newForest(ctx, j.sets, d.calls.Len())
	if err != nil {
		return nil, err
	}
	return newClasses(ctx, f, j)
}

// newClasses makes a class of each set of a forest.
func newClasses(ctx context.Context, f *forest, j *joined) (*Classes, error) {
	n := len(f.list)
	c := &Classes{Calls: j.calls,
		Base: make([]int32, n), End: make([]uint32, n), Size: make([]uint32, n),
		Count: make([]uint64, n), Start: make([]float64, n),
		from: make([]uint32, n+1), added: make([]uint32, len(f.added))}
	to, span := f.preorder()
	class := make([]uint32, len(f.sets.list)) // by set
	for k, set := range f.list {
		is := to[k]
		class[set] = is
		c.Base[is], c.End[is], c.Size[is] = none, is+span[k], f.sets.list[set].size
		if b := f.base[k]; b != none {
			c.Base[is] = int32(to[b])
		}
		c.from[is+1] = f.from[k+1] - f.from[k]
		t := &j.tallies[set]
		c.Count[is], c.Start[is] = t.calls, math.Ldexp(float64(t.high), 64)+float64(t.low)
	}
	for k := range n {
		c.from[k+1] += c.from[k]
	}
	for k, is := range to {
		copy(c.added[c.from[is]:], f.added[f.from[k]:f.from[k+1]])
	}
	var err error
	c.of, err = j.labelClasses(ctx, class)
	return c, err
}

// Class returns the class of call i.
func (c *Classes) Class(i int) uint32 { return c.of.at(i) }

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

// gathering finds which of up to 512 classes, a lane each, have an identity. It looks once at each
// class that is around any of them, and not once for each of them: the classes of a chain of
// 10,000 functions have 5,000 members on average, but each adds one to its base.
type gathering struct {
	*Classes
	path []int32  // the classes looked at: each after its base
	at   []uint32 // by class: 1 + its index in path, or 0
	has  []lanes  // by index in path: the classes that it is around, or one of which it is
}

func newGathering(c *Classes) *gathering {
	return &gathering{Classes: c, at: make([]uint32, len(c.Base))}
}

// gather calls yield with identities and those of some classes that have them. An identity comes
// once for each class that adds it to its base.
func (g *gathering) gather(of []uint32, yield func(id uint32, has *lanes)) {
	g.path, g.has = g.path[:0], g.has[:0]
	for lane, class := range of {
		known := len(g.path)
		for c := int32(class); c != none && g.at[c] == 0; c = g.Base[c] {
			g.path, g.has = append(g.path, c), append(g.has, lanes{})
		}
		slices.Reverse(g.path[known:])
		for i, c := range g.path[known:] {
			g.at[c] = uint32(known+i) + 1
		}
		g.has[g.at[class]-1].set(lane)
	}
	for i, c := range slices.Backward(g.path) {
		has := &g.has[i]
		if base := g.Base[c]; base != none {
			around := &g.has[g.at[base]-1]
			for w, word := range has {
				around[w] |= word
			}
		}
		for _, id := range g.added[g.from[c]:g.from[c+1]] {
			yield(id, has)
		}
		g.at[c] = 0
	}
}

// labels are a number for each call, in two bytes; three or four if the numbers need them.
type labels struct {
	low       []uint16
	high, top []uint8 // nil while all numbers are below 2¹⁶, 2²⁴
}

// newLabels makes labels for so many calls. All labels are less than limit.
func newLabels(calls, limit int) labels {
	l := labels{low: huge.Make[uint16](calls)}
	l.widen(limit)
	return l
}

// widen makes room for all labels below the limit, and reports whether there was less.
func (l *labels) widen(limit int) bool {
	was := *l
	if limit > 1<<16 && l.high == nil {
		l.high = huge.Make[uint8](len(l.low))
	}
	if limit > 1<<24 && l.top == nil {
		l.top = huge.Make[uint8](len(l.low))
	}
	return (was.high == nil) != (l.high == nil) || (was.top == nil) != (l.top == nil)
}

// part returns the labels of calls [from, to).
func (l *labels) part(from, to int) labels {
	p := labels{low: l.low[from:to]}
	if l.high != nil {
		p.high = l.high[from:to]
	}
	if l.top != nil {
		p.top = l.top[from:to]
	}
	return p
}

// narrowed returns the same labels in as few bytes as labels below the limit need.
func (l labels) narrowed(limit int) labels {
	if limit <= 1<<16 {
		l.high = nil
	}
	if limit <= 1<<24 {
		l.top = nil
	}
	return l
}

func (l *labels) at(i int) uint32 {
	label := uint32(l.low[i])
	if l.high != nil {
		label |= uint32(l.high[i]) << 16
	}
	if l.top != nil {
		label |= uint32(l.top[i]) << 24
	}
	return label
}

func (l *labels) set(i int, label uint32) {
	l.low[i] = uint16(label)
	if l.high != nil {
		l.high[i] = uint8(label >> 16)
	}
	if l.top != nil {
		l.top[i] = uint8(label >> 24)
	}
}
