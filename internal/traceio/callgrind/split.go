package callgrind

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"diptych/internal/plural"
	"diptych/internal/trace"
)

// A call graph with costs becomes a tree of calls, whose nodes are functions as called from one
// stack. Functions are taken callers first. When the turn of one comes, the tree has all its calls,
// and the file says what each of them cost; what the function has cost by itself, and what it has
// called, is split among these calls in their ratio. All numbers stay whole, and rounding loses
// nothing: each function's own costs in the tree add up to what the file says, and so do the costs
// of the calls between two functions.
//
//	own cost   main 10, f 30, g 60         main 100
//	calls      main→f 60, main→g 30,         f 60   of which its own 30
//	           f→g 30                          g 30
//	                                         g 30
//
// Functions that call one another in a cycle are taken together. Calls within a cycle cost nothing
// of their own: what they seem to cost has been counted once for each level of recursion. From the
// function by which a cycle is entered, the others are reached by the calls that cost most, and
// each is entered once; ways.go says what each of them gets. In cycles of very many functions, all
// get the same part of what they cost, and are reached by the shortest ways.
//
// A graph may have far more paths than memory. Then calls that cost too little are not followed:
// what they call is shown as one, "(callees)".

// calls is the tree.
type calls struct {
	nodes  []call   // callers first
	shared uint64   // functions whose costs were split by estimate
	merged uint64   // calls that were not followed
	least  int64    // what a call must cost to be followed
	excess []excess // calls that cost more than the records of what was called
}

// call is a function as called from one stack.
type call struct {
	caller int32 // −1 for none
	fn     int32 // a node of the graph, or one of those below
	self   int64
}

// Stand-ins for functions.
const (
	restOfCallees int32 = -1
	notRecorded   int32 = -2
)

// excess is a function of which the file has less than its callers say.
type excess struct {
	fn        int32
	said, has int64
}

// mostNodes and mostSteps are how large a tree may get and how long it may take, before calls that
// cost little are no longer followed.
const (
	mostNodes = 200_000
	mostSteps = 1 << 24
)

// split makes the tree of a graph. It follows calls from the smallest cost on with which the tree
// has at most so many nodes.
// If the file is complete, all cost is that of functions, and no call can cost more. In others,
// calls that cost more by no more than rounding to multiples of a step cost what was recorded, too.
func split(ctx context.Context, g *graph, most int, complete bool, step int64) (*calls, error) {
	s := newSplitter(g, most, complete)
	s.step = step
	for least := int64(1); ; least = s.more(least) {
		done, err := s.try(ctx, least)
		if done || err != nil {
			return &s.calls, err
		}
	}
}

// splitter makes a tree.
type splitter struct {
	calls
	g       *graph
	cycle   []int32   // of a node
	members [][]int32 // of a cycle, callees first
	entries [][]entry // into each cycle, while a tree is made
	hidden  []int64   // what each cycle cost in calls that were not followed
	most    int
	steps   int
	own     int64 // cost of all functions

	tries    int
	complete bool
	step     int64 // of the costs
	all      bool  // follow nothing but what has no caller: that is always possible
}

// entry is one call of a function from outside its cycle, in the tree.
type entry struct {
	caller int32 // in the tree, −1 for none, or unfollowed
	fn     int32
	cost   int64
}

// unfollowed is the caller of what is not in the tree, for it is part of a "(callees)".
const unfollowed int32 = -2

func newSplitter(g *graph, most int, complete bool) *splitter {
	s := &splitter{g: g, most: most, complete: complete}
	s.cycle, s.members = g.cycles()
	called := make([]bool, len(g.nodes))
	for _, e := range g.edges {
		called[e.to] = called[e.to] || e.cost > 0
	}
	roots := 0
	for n := range g.nodes {
		if !called[n] {
			roots++
		}
		s.own += g.nodes[n].own
		slices.SortStableFunc(g.nodes[n].out, func(x, y int32) int {
			return cmp.Compare(g.edges[y].cost, g.edges[x].cost)
		})
	}
	s.all = roots > most/2 // these are always followed
	return s
}

// more returns the next cost to try after one with which the tree was too large.
func (s *splitter) more(least int64) int64 {
	const mostTries = 10
	s.tries++
	switch {
	case least > trace.Limit/4, s.tries == mostTries:
		s.all = true
		return least
	case least == 1:
		return max(2, s.own/int64(s.most+1))
	}
	return 3 * least
}

// try makes the tree. It gives up if that becomes too large.
func (s *splitter) try(ctx context.Context, least int64) (done bool, err error) {
	s.calls = calls{least: least, nodes: s.calls.nodes[:0]}
	s.entries, s.hidden, s.steps = make([][]entry, len(s.members)), make([]int64, len(s.members)), 0
	for c := len(s.members) - 1; c >= 0; c-- {
		s.expand(int32(c))
		s.entries[c] = nil
		if !s.all && (len(s.nodes) > s.most || s.steps > mostSteps) {
			return false, nil
		}
		if c%256 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return true, nil
}

// expand adds the functions of a cycle to the tree, once for each entry.
func (s *splitter) expand(c int32) {
	items, has := s.items(c)
	entries, said := s.entries[c], int64(0)
	if s.hidden[c] > 0 {
		entries = append(entries, entry{unfollowed, s.members[c][0], s.hidden[c]})
	}
	for _, e := range entries {
		said += e.cost
	}
	switch {
	case has > said:
		entries = append(entries, entry{-1, s.costliest(c), has - said})
	case said > has && s.complete:
		entries = shrunk(entries, said, has)
		s.shared++
	case said > has && s.isRounding(c, said-has):
		entries = shrunk(entries, said, has)
	case said > has:
		s.excess = append(s.excess, excess{entries[0].fn, said, has})
		items = append(items, item{from: entries[0].fn, to: notRecorded, left: said - has})
		has = said
	}
	leaf := len(items) == 1 && len(s.members[c]) == 1
	if len(entries) > 1 && !leaf {
		s.shared += uint64(len(s.members[c]))
	}
	ways := s.ways(c, entries)
	rest := ration{items, has}
	var small []entry
	for _, e := range entries {
		switch {
		case e.caller == unfollowed:
			rest.take(e.cost, nil, s.hide)
		case !leaf && e.caller >= 0 && (e.cost < s.least || s.all):
			small = append(small, e)
		default:
			s.enter(c, e, ways[e.fn], &rest)
		}
		if s.tooLarge() {
			return
		}
	}
	s.cut(small, &rest)
}

// isRounding reports whether what the callers of a cycle say too much needs no lost records. All
// numbers are whole, and each may have been rounded by itself. Perl's NYTProf also measures them by
// themselves, and they differ by a few parts in 100,000 of the run.
func (s *splitter) isRounding(c int32, excess int64) bool {
	const least = 10_000
	numbers := int64(0)
	for _, m := range s.members[c] {
		numbers += s.g.nodes[m].said
	}
	return excess/s.step <= numbers || excess <= s.own/least
}

// shrunk returns entries that cost as much as there is. Those that cost nothing are left out.
// Callgrind itself counts the instructions around a system call that does not return to its callers
// only.
func shrunk(entries []entry, said, has int64) (out []entry) {
	before, upTo := int64(0), int64(0)
	for _, e := range entries {
		upTo += e.cost
		sum := share(upTo, has, said)
		if e.cost = sum - before; e.cost > 0 {
			out = append(out, e)
		}
		before = sum
	}
	return out
}

func (s *splitter) tooLarge() bool {
	return !s.all && (len(s.nodes) > s.most || s.steps > mostSteps)
}

// item is what a cycle costs: a member itself, or a member's calls out of the cycle.
type item struct {
	from int32
	to   int32 // what is called, or ownCost, or notRecorded
	left int64 // that is not yet split
	all  int64 // of a member, 0 for what is not recorded
	at   int   // which member it is

	asked int64 // what comes by a way, while a ration is taken
}

const ownCost int32 = -3

// items lists what a cycle costs, and adds it up.
func (s *splitter) items(c int32) (all []item, sum int64) {
	for i, m := range s.members[c] {
		n := &s.g.nodes[m]
		if n.own > 0 {
			all = append(all, item{from: m, to: ownCost, left: n.own, all: n.own, at: i})
			sum += n.own
		}
		for _, e := range n.out {
			if e := s.g.edges[e]; s.cycle[e.to] != c {
				all = append(all, item{from: m, to: e.to, left: e.cost, all: e.cost, at: i})
				sum += e.cost
			}
		}
	}
	s.steps += len(all)
	return all, sum
}

// costliest returns the member of a cycle that costs most, which is where a cycle begins that
// nothing calls.
func (s *splitter) costliest(c int32) int32 {
	members := s.members[c]
	if len(members) == 1 {
		return members[0]
	}
	return slices.MaxFunc(members, func(x, y int32) int { return cmp.Compare(s.outside(c, x), s.outside(c, y)) })
}

// outside returns what a member costs besides its calls within the cycle.
func (s *splitter) outside(c, n int32) int64 {
	sum := s.g.nodes[n].own
	for _, e := range s.g.nodes[n].out {
		if e := s.g.edges[e]; s.cycle[e.to] != c {
			sum += e.cost
		}
	}
	return sum
}

// ration is the costs of a cycle that are not yet split among its entries.
type ration struct {
	items []item
	left  int64 // the sum of theirs
}

// take takes a part of each item, as much in all as one entry costs: what comes by a way, and what
// is missing then in the ratio of what is left. Each part is the difference of two rounded sums, so
// the parts add up, and none is more than there is left of its item.
func (r *ration) take(cost int64, w *way, part func(it *item, n int64)) {
	of := r.left
	if r.left -= cost; w != nil && r.left > 0 {
		all, missing := float64(cost), cost
		for i := range r.items {
			it := &r.items[i]
			n := int64(math.Round(min(w.rate[it.at]*float64(it.all)*all, all)))
			it.asked = max(min(n, it.left, missing), 0)
			missing -= it.asked
		}
		of, cost = of-(cost-missing), missing
	}
	before, upTo := int64(0), int64(0)
	for i := range r.items {
		it := &r.items[i]
		n := it.asked
		it.left, it.asked = it.left-n, 0
		upTo += it.left
		sum := share(upTo, cost, of)
		n, it.left = n+sum-before, it.left-(sum-before)
		if before = sum; n > 0 {
			part(it, n)
		}
	}
}

// share returns n·of/all, rounded down, for of ≤ all.
func share(n, of, all int64) int64 {
	if n == 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(n), uint64(of))
	q, _ := bits.Div64(high, low, uint64(all))
	return int64(q)
}

// diagnose says what of the tree is estimated and what was left out.
func (c *calls) diagnose(p *parser, g *graph) {
	name := func(fn int32) string { return p.function(&g.nodes[fn]).Name }
	p.b.Diagnose(trace.SplitCost, c.shared, "%s", plural.Of(c.shared, "function"))
	p.b.Diagnose(trace.MergedCalls, c.merged, "calls of less than %d %s", c.least, p.event.name)
	for _, e := range c.excess {
		p.b.Diagnose(trace.LostRecords, 1, "%s: its callers say %d %s, its own records %d",
			name(e.fn), e.said, p.event.name, e.has)
	}
}
