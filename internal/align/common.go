package align

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"diptych/internal/huge"
	"diptych/internal/progress"
)

// The calls that two subtrees have in common: the first criterion for ties.
//
// For each function, two subtrees have as many calls in common as the one with fewer has. For
// example, f(g g h) and f(g h h i) have f, g and h in common: 3 calls. Identical subtrees have all
// their calls in common.
//
// An event loop shows why this matters. All its turns are calls of one function, hardly two are
// identical, and only a few hold what is of interest:
//
//	A  RunTask(Timer)  RunTask(Layout Paint)    B's turn should be the partner of A's second,
//	B  RunTask(Layout)                          not of its first
//
// Pairs of different functions count as well, so that a call under a new name meets the one that
// does the same, and what both call can be aligned:
//
//	A  parse(lex)                   parse should be the partner of read: they have lex in common,
//	B  check(stat)  read(lex)       while parse and check have nothing
//
// Multisets are counted only for classes on levels where they decide something. One is found from
// the distinct classes below it, in the order of callers before callees, each with the number of
// its calls.

// tally is the number of calls of a function in a subtree.
type tally struct{ fn, calls uint32 }

// tallies are the multisets of functions of classes, ascending by identity, as far as they are
// counted. They are safe for concurrent use.
type tallies struct {
	t     *classTable
	parts []atomic.Pointer[talliesPart]
}

// talliesPart is the multisets of tallied classes in a row. A part is made when one of them is
// counted: few classes are, and the garbage collector looks at all that could be there.
type talliesPart [tallied]atomic.Pointer[[]tally]

const tallied = 1 << 9

func newTallies(t *classTable) *tallies {
	return &tallies{t: t, parts: make([]atomic.Pointer[talliesPart], len(t.fn)/tallied+1)}
}

// known returns the multiset of a class, or nil if it is not counted yet.
func (s *tallies) known(class uint32) *[]tally {
	if part := s.parts[class/tallied].Load(); part != nil {
		return part[class%tallied].Load()
	}
	return nil
}

// keep keeps the multiset of a class.
func (s *tallies) keep(class uint32, list *[]tally) {
	at := &s.parts[class/tallied]
	if at.Load() == nil {
		at.CompareAndSwap(nil, new(talliesPart))
	}
	at.Load()[class%tallied].Store(list)
}

// counter counts what subtrees have in common. Each goroutine has its own; all share the tallies.
// Between two uses all its numbers are 0.
type counter struct {
	*tallies
	calls  []uint32 // by class, of the subtree that is being counted
	number []int32  // by class, on the level that is being numbered
	each   []uint32 // by identity
}

func (s *tallies) newCounter() counter {
	return counter{tallies: s, calls: huge.Make[uint32](len(s.t.fn)),
		number: huge.Make[int32](len(s.t.fn)), each: make([]uint32, len(s.t.leaf))}
}

// common returns how many calls the subtrees of two classes have in common.
func (c *counter) common(x, y uint32) (calls uint32) {
	leafX, leafY := c.t.size[x] == 1, c.t.size[y] == 1
	switch {
	case x == y:
		return c.t.size[x]
	case (leafX || leafY) && c.t.fn[x] == c.t.fn[y]:
		return 1 // the function itself
	case leafX && leafY:
		return 0
	case leafX:
		return c.calledBelow(c.t.fn[x], y)
	case leafY:
		return c.calledBelow(c.t.fn[y], x)
	}
	a, b := c.tally(x), c.tally(y)
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].fn < b[0].fn:
			a = a[1:]
		case a[0].fn > b[0].fn:
			b = b[1:]
		default:
			calls += min(a[0].calls, b[0].calls)
			a, b = a[1:], b[1:]
		}
	}
	return calls
}

// calledBelow returns 1 if a function is called in the subtree of a class, else 0.
func (c *counter) calledBelow(fn, class uint32) uint32 {
	_, found := slices.BinarySearchFunc(c.tally(class), fn, func(x tally, fn uint32) int {
		return cmp.Compare(x.fn, fn)
	})
	if found {
		return 1
	}
	return 0
}

// tally returns the multiset of functions of a class.
func (c *counter) tally(class uint32) []tally {
	if known := c.known(class); known != nil {
		return *known
	}
	list := c.count(class)
	c.keep(class, &list)
	return list
}

// count counts the functions below a class. Callers have higher numbers than callees, so when a
// class's turn comes, all its calls are known.
func (c *counter) count(class uint32) (list []tally) {
	var met []uint32 // identities
	add := func(fn, calls uint32) {
		if c.each[fn] == 0 {
			met = append(met, fn)
		}
		c.each[fn] += calls
	}
	c.calls[class] = 1
	for _, x := range slices.Backward(c.classesBelow(class)) {
		calls := c.calls[x]
		if c.calls[x] = 0; calls == 0 {
			continue // another goroutine has just counted the class above it
		}
		if known := c.known(x); known != nil {
			for _, y := range *known {
				add(y.fn, calls*y.calls)
			}
			continue
		}
		add(c.t.fn[x], calls)
		for _, callee := range c.t.callees(x) {
			c.calls[callee] += calls
		}
	}
	slices.Sort(met)
	list = make([]tally, len(met))
	for k, fn := range met {
		list[k] = tally{fn, c.each[fn]}
		c.each[fn] = 0
	}
	return list
}

// classesBelow returns a class and the classes below it, ascending, without those below a class
// that is counted already.
func (c *counter) classesBelow(class uint32) []uint32 {
	list := []uint32{class}
	c.number[class] = 1
	for k := 0; k < len(list); k++ {
		if c.known(list[k]) != nil {
			continue
		}
		for _, callee := range c.t.callees(list[k]) {
			if c.number[callee] == 0 {
				c.number[callee] = 1
				list = append(list, callee)
			}
		}
	}
	for _, x := range list {
		c.number[x] = 0
	}
	slices.Sort(list)
	return list
}

// forget sets the numbers of identities in each back to 0.
func (c *counter) forget(lists ...[]uint32) {
	for _, fns := range lists {
		for _, fn := range fns {
			c.each[fn] = 0
		}
	}
}

// shares is what the callees of a level have in common, by pairs of distinct classes. A pair is
// compared when it is asked for.
type shares struct {
	*counter
	a, b  []int32  // by callee, the number of its class on the level
	width int      // the number of classes of b
	known []uint32 // by number in a · width + number in b, plus one; 0 if not compared yet
}

// reset numbers the classes of two sequences.
func (s *shares) reset(a, b []uint32) {
	var height int
	s.a, height = s.numbers(s.a[:0], a)
	s.b, s.width = s.numbers(s.b[:0], b)
	s.known = zeroed(s.known, height*s.width)
}

// numbers numbers the distinct classes of a sequence from 0, in order of appearance.
func (c *counter) numbers(numbers []int32, list []uint32) (_ []int32, n int) {
	for _, x := range list {
		if c.number[x] == 0 {
			n++
			c.number[x] = int32(n)
		}
		numbers = append(numbers, c.number[x]-1)
	}
	for _, x := range list {
		c.number[x] = 0
	}
	return numbers, n
}

// between returns how many calls callee i of A, of class x, has in common with j of B, of class y.
func (s *shares) between(i, j int, x, y uint32) uint32 {
	known := &s.known[int(s.a[i])*s.width+int(s.b[j])]
	if *known == 0 {
		*known = s.common(x, y) + 1
	}
	return *known - 1
}

// fillByCommon finds the steps from each cell of a region by which pairs have most calls in common,
// among those of the least penalty, which w goes through. Only pairs on such steps are compared:
// there can be a thousand times as many others. The result holds until the next region is filled.
func (lv *level) fillByCommon(ctx context.Context, m *progress.Meter, w *walker, g region) (*filled,
	error) {
	last := g.last()
	lv.compareCallees(g.i, int(last.i), int(g.lo[0]), int(last.j))
	f, n := &lv.space.filled[byCommon], g.cells()
	f.region, f.options = g, zeroed(f.options, n)
	m.Expect(int64(n) / 64)
	t, row := newTicker(m), zeroed(lv.space.keys[0], int(last.j)+2)
	lv.space.keys[0] = row
	for j := range row {
		row[j] = beyond
	}
	for r := len(g.lo) - 1; r >= 0; r-- {
		lo, hi := int(g.lo[r]), int(g.hi[r])
		n -= hi - lo + 1
		if from := w.stretch(g.i+r, lo, hi); r == len(g.lo)-1 {
			copy(f.options[n:], from) // only gaps A are left
			clear(row[lo : hi+1])
			f.options[n+hi-lo] = 0
		} else {
			lv.fillCommon(g.i+r, lo, row[lo:hi+2], from, f.options[n:])
		}
		row[hi+1] = beyond // it was a cell of the row below
		if err := t.Add(ctx, int64(hi-lo)); err != nil {
			return nil, err
		}
	}
	f.key = row[g.lo[0]]
	return f, t.Flush(ctx)
}

// fillCommon fills row i from column lo on, given the steps of the least penalty. The row of keys
// holds those of the row below, with one more cell to the right, and then those of row i.
func (lv *level) fillCommon(i, lo int, row []int64, from, out []options) {
	diagonal, right := row[len(from)], beyond
	for k := len(from) - 1; k >= 0; k-- {
		o, below := from[k], row[k]
		up, down, across := beyond, beyond, beyond
		if o.has(pairUp) {
			up = diagonal - lv.common(i, lo+k)
		}
		if o.has(onlyA) {
			down = below
		}
		if o.has(onlyB) {
			across = right
		}
		right, out[k] = best(up, down, across)
		row[k], diagonal = right, below
	}
}
