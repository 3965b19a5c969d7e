package match

import (
	"cmp"
	"context"
	"math"
	"slices"

	"diptych/internal/pair"
)

// Which match of a call is its best. Similarity alone does not say: it compares sets of functions,
// so in a loop every iteration is as similar as the others, and a leaf that is called often is more
// similar to all its repetitions than a call is to its own counterpart that calls one function
// more. So identity comes first. For example, of the matches of load in A
//
//	load  in B, aligned with it      s = 0.6   first
//	load  in B, ten seconds later    s = 1.0   second
//	parse in B, which calls the same s = 1.0   third

// Rank is what decides between two matches of one call. Compare is the one rule: it says which
// match is drawn, which one a click slides to, and in which order a tooltip lists them.
type Rank struct {
	Same    bool    // both calls are of one function
	Aligned bool    // the alignment pairs the two calls
	S       float64 // their similarity
	Below   bool    // it is in the subtree where it is expected
	Apart   float64 // its start from the expected one, ns
	Index   int     // of the matching call, on the other side
}

// Compare is negative if r is a better match than o: of the same function; then the one that is
// aligned; then the more similar one; then the one in the expected subtree; then the one nearest to
// the expected start; then the first.
func (r Rank) Compare(o Rank) int {
	return cmp.Or(before(r.Same, o.Same), before(r.Aligned, o.Aligned), cmp.Compare(o.S, r.S),
		before(r.Below, o.Below), cmp.Compare(r.Apart, o.Apart), cmp.Compare(r.Index, o.Index))
}

func before(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// Place is where the match of a call would be if both sides ran alike.
type Place struct {
	From, To int     // of the indices of the subtree
	At       float64 // start, ns
}

// Rank returns the rank of a call that starts at a time, as far as its place decides.
func (p Place) Rank(index int, start float64) Rank {
	return Rank{Below: p.From <= index && index < p.To, Apart: math.Abs(start - p.At), Index: index}
}

// Across returns the time that lies in one stretch of time where at lies in another; both are given
// by their start and length.
func Across(at, start, length, toStart, toLength float64) float64 {
	if !(length > 0) {
		return toStart
	}
	return toStart + (at-start)/length*toLength
}

// Query asks for the best matches of a call.
type Query struct {
	Tau  Tau
	Side pair.Side
	Call int // index in the scope
	// Shown is what is visible, by side, as start and length in ns. A call whose callers have no
	// match is expected at the same share of it.
	Shown [2][2]float64
	// Aligned returns the call across that the alignment pairs a call with, or a negative number;
	// nil if nothing is aligned.
	Aligned func(side pair.Side, call int) int
}

// mostCallers is how many callers are asked for their own best match, so that the cost does not
// grow with the depth of the stack.
const mostCallers = 32

// Best returns the n best matches of a call, the best first; none if it has no match. It is
// expected below the best match of its nearest caller that has one, at the same share of its time.
// The cost is a pass over the calls of the other side, and one for each caller that is not aligned.
func (g *Graph) Best(ctx context.Context, q Query, n int) ([]Rank, error) {
	chain := []int{q.Call} // and its callers up to the first whose best match is known
	for p := g.Sides[q.Side].Caller(q.Call); p >= 0; p = g.Sides[q.Side].Caller(p) {
		chain = append(chain, p)
		if _, ok := g.certain(q, p); ok || len(chain) > mostCallers {
			break
		}
	}
	caller, across := -1, -1
	for k := len(chain) - 1; k > 0; k-- {
		best, ok := g.certain(q, chain[k])
		if !ok {
			list, err := g.rank(ctx, q, chain[k], g.expected(q, chain[k], caller, across), 1)
			if err != nil {
				return nil, err
			}
			if len(list) == 0 {
				continue
			}
			best = list[0].Index
		}
		caller, across = chain[k], best
	}
	return g.rank(ctx, q, q.Call, g.expected(q, q.Call, caller, across), n)
}

// certain returns the best match of a call where it needs no search: it is aligned with a call of
// the same function.
func (g *Graph) certain(q Query, call int) (across int, ok bool) {
	across = q.aligned(call)
	if across < 0 || g.identity(q.Side, call) != g.identity(q.Side.Other(), across) {
		return 0, false
	}
	ends := [2]int{call, across}
	if q.Side == pair.B {
		ends = [2]int{across, call}
	}
	return across, g.matches(q.Tau, ends[pair.A], ends[pair.B])
}

// aligned returns the call that the alignment pairs a call of the query's side with, or −1.
func (q *Query) aligned(call int) int {
	if q.Aligned == nil {
		return none
	}
	return q.Aligned(q.Side, call)
}

// identity returns what is compared of the function of a call.
func (g *Graph) identity(side pair.Side, call int) uint32 {
	c := g.Sides[side]
	thread, i := c.At(call)
	return g.Pair.IDs(side)[c.Threads[thread].Fn[i]]
}

// expected returns where the match of a call is expected: below across, which is the best match of
// its caller, or, if the caller is −1, at the same share of what is visible.
func (g *Graph) expected(q Query, call, caller, across int) Place {
	own, other := g.Sides[q.Side], g.Sides[q.Side.Other()]
	at := float64(own.Calls.Start(call))
	if caller >= 0 {
		from, length := own.span(caller)
		to, toLength := other.span(across)
		return Place{across + 1, other.Next(across), Across(at, from, length, to, toLength)}
	}
	here, there := q.Shown[q.Side], q.Shown[q.Side.Other()]
	p := Place{0, other.Len(), Across(at, here[0], here[1], there[0], there[1])}
	if g.Scope.Process {
		thread, _ := own.At(call)
		if p.From, p.To = 0, 0; g.Pair.Partner(q.Side, thread) >= 0 {
			k := g.Pair.Partner(q.Side, thread)
			p.From, p.To = other.First[k], other.First[k+1]
		}
	}
	return p
}

// rank returns the n best matches of a call that is expected at a place.
func (g *Graph) rank(ctx context.Context, q Query, call int, at Place, n int) ([]Rank, error) {
	other, id := g.Sides[q.Side.Other()], g.identity(q.Side, call)
	alike, ids := g.alike(q.Tau, q.Side, call), g.Pair.IDs(q.Side.Other())
	aligned := q.aligned(call)
	var best []Rank
	for k, th := range other.Threads {
		first := other.First[k]
		for i, fn := range th.Fn {
			if i%checkEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s := alike[other.Class(first+i)]
			if s < 0 {
				continue
			}
			r := at.Rank(first+i, float64(th.Start(i)))
			r.Same, r.Aligned, r.S = ids[fn] == id, first+i == aligned, s
			if len(best) == n && r.Compare(best[n-1]) > 0 {
				continue
			}
			where, _ := slices.BinarySearchFunc(best, r, Rank.Compare)
			best = slices.Insert(best[:min(len(best), n-1)], where, r)
		}
	}
	return best, ctx.Err()
}

// alike returns the similarity of a call to each class across, −1 where they do not match.
func (g *Graph) alike(tau Tau, side pair.Side, call int) []float64 {
	class, other := g.Sides[side].Class(call), g.Sides[side.Other()]
	size := g.Sides[side].Size[class]
	out := make([]float64, len(other.Size))
	for k, common := range g.commonWith(side, class) {
		out[k] = -1
		if tau.Exceeded(common, size, other.Size[k]) {
			out[k] = float64(common) / float64(size+other.Size[k]-common)
		}
	}
	return out
}
