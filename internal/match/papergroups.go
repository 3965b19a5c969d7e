package match

import (
	"context"
	"fmt"
	"math/bits"
	"sort"

	"diptych/internal/pair"
)

// PaperGroup is a group by TraceDiff's literal rule: its root, and how many matches it has.
type PaperGroup struct {
	Group
	Matches uint64
}

// PaperGroups are the groups by the literal rule, in the order in which it finds them.
type PaperGroups struct {
	List []PaperGroup
	Why  string // why the list is not complete, or ""
}

// maxPaper is the limit for the literal rule, in pairs of calls.
const maxPaper = 1e10

// PaperGroups applies TraceDiff's literal rule. It goes through the calls of A breadth-first, and
// for each through its matches in breadth-first order of B. A match outside the subtrees of the
// current group starts a new group. Threads count as siblings, in order.
//
// Only matches that start a group are visited one by one. What a call matches is a set of bits in
// breadth-first order of B, the same for all calls of a class. The calls of a subtree that are on
// one level are next to one another in that order, so the matches that stay in the current group
// are counted a level at a time.
//
// If the roots of the threads match, there is one group; if they do not, nearly every match may
// start its own. So the search ends when there are more groups than the budget allows.
func (g *Graph) PaperGroups(ctx context.Context, tau Tau, budget Budget) (*PaperGroups, error) {
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	if n := float64(a.Len()) * float64(b.Len()); n > maxPaper {
		return nil, fmt.Errorf("groups by the paper's rule: %d × %d calls are more than %.0e pairs",
			a.Len(), b.Len(), maxPaper)
	}
	var (
		out    PaperGroups
		as, bs span // the subtrees of the current group
		m      = g.newPaperMatches(tau)
		most   = budget.withDefaults().Roots
	)
	order, _ := a.breadthFirst()
	for _, u := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hits := m.of(a.Class(u))
		for at := hits.next(0); at < len(m.order); at = hits.next(at) {
			v := m.order[at]
			if as.holds(u) && bs.holds(v) {
				end := m.levelEnd(at, bs.to)
				out.List[len(out.List)-1].Matches += hits.count(at, end)
				at = end
				continue
			}
			if len(out.List) == most {
				out.Why = fmt.Sprintf("more than %d groups by the paper's rule", most)
				return &out, nil
			}
			out.List = append(out.List, PaperGroup{Group{u, v}, 1})
			as, bs = span{u, a.Next(u)}, span{v, b.Next(v)}
			at++
		}
	}
	return &out, nil
}

// paperMatches finds which calls of B a class of A matches.
type paperMatches struct {
	*hits
	order []int    // the calls of B, breadth-first
	class []uint32 // their classes
	ends  []int    // by level: the end of its calls in order
	known map[uint32]bitset
}

func (g *Graph) newPaperMatches(tau Tau) *paperMatches {
	b := g.Sides[pair.B]
	m := &paperMatches{hits: g.newHits(tau), known: map[uint32]bitset{}}
	m.order, m.ends = b.breadthFirst()
	for _, v := range m.order {
		m.class = append(m.class, b.Class(v))
	}
	return m
}

// maxKnown is how many words of matches are kept.
const maxKnown = 1 << 25

// of returns the matches of a class of A by their places in the order.
func (m *paperMatches) of(class uint32) bitset {
	set, ok := m.known[class]
	if ok {
		return set
	}
	if set = make(bitset, len(m.order)/64+1); len(m.known)*len(set) > maxKnown {
		clear(m.known)
	}
	m.seekClass(int(class))
	for at, y := range m.class {
		if m.hit[y] {
			set[at/64] |= 1 << (at % 64)
		}
	}
	m.known[class] = set
	return set
}

// levelEnd returns the first place behind one that is on another level, or whose call is not before
// some end in pre-order.
func (m *paperMatches) levelEnd(at, end int) int {
	level := m.order[at:m.ends[sort.SearchInts(m.ends, at+1)]]
	return at + sort.SearchInts(level, end)
}

// bitset is a set of small numbers.
type bitset []uint64

// next returns the first number of the set from some on, one beyond all if there is none.
func (s bitset) next(from int) int {
	for k := from / 64; k < len(s); k++ {
		word := s[k]
		if k == from/64 {
			word &= ^uint64(0) << (from % 64)
		}
		if word != 0 {
			return k*64 + bits.TrailingZeros64(word)
		}
	}
	return len(s) * 64
}

// count returns how many numbers of the set are in from..to-1.
func (s bitset) count(from, to int) (n uint64) {
	for k := from / 64; k*64 < to; k++ {
		word := s[k]
		if k == from/64 {
			word &= ^uint64(0) << (from % 64)
		}
		if k == to/64 {
			word &= 1<<(to%64) - 1
		}
		n += uint64(bits.OnesCount64(word))
	}
	return n
}

// breadthFirst returns the calls level by level, and where each level ends. Within a level, they
// are in pre-order.
func (c *Calls) breadthFirst() (order, ends []int) {
	var next []int // by depth: where the next call goes
	for _, th := range c.Threads {
		for i := range th.Len() {
			d := th.Depth(i)
			for int(d)+1 >= len(next) {
				next = append(next, 0)
			}
			next[d+1]++
		}
	}
	for d := 1; d < len(next); d++ {
		next[d] += next[d-1]
	}
	order = make([]int, c.Len())
	for k, th := range c.Threads {
		for i := range th.Len() {
			d := th.Depth(i)
			order[next[d]] = c.First[k] + i
			next[d]++
		}
	}
	return order, next
}

// hits is which classes of B one class of A matches.
type hits struct {
	row *row
	y   *Classes
	tau Tau
	hit []bool
}

func (g *Graph) newHits(tau Tau) *hits {
	y := g.Sides[pair.B]
	r := newRow(g.Sides[pair.A], newColumns(y, len(g.Pair.Names)))
	return &hits{r, y, tau, make([]bool, len(y.Base))}
}

// seekClass makes the hits those of class k of A.
func (h *hits) seekClass(k int) {
	if h.row.at == int32(k) {
		return
	}
	h.row.seekClass(k)
	size, common := h.row.x.Size[k], int32(0)
	for c := range h.hit {
		common += h.row.diff[c]
		h.hit[c] = h.tau.Exceeded(uint32(common), size, h.y.Size[c])
	}
}
