package align

import (
	"slices"
	"sync/atomic"

	"diptych/internal/huge"
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

// common returns how many calls the subtrees of two classes of one function have in common.
func (c *counter) common(x, y uint32) (calls uint32) {
	switch {
	case x == y:
		return c.t.size[x]
	case c.t.size[x] == 1 || c.t.size[y] == 1:
		return 1 // the function itself
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
	known []uint32 // by number in a · width + number in b; 0 if not compared yet
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
		*known = s.common(x, y)
	}
	return *known
}
