package align

import (
	"math/bits"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Virtual order: the calls of both threads in one order. All that is derived from a Result uses
// it.
//
// A pair comes before its callees. Between two consecutive pairs of a level, the calls only in A
// come before the calls only in B. For example,
//
//	A  main( f g )    B  main( f h(x) g )    is read as  main, f, h (only B), x (only B), g
//
// columns reads one level in this order, and Walk a whole thread pair, with a stack of its own.
// Calls that are passed through are not on a level. columns skips them and reads their callees in
// their place; Walk reports them when it comes to their first callee. Time is linear in the calls.

// columns are the callees of a pair in virtual order, without those that have been taken.
type columns struct {
	next, end [2]int32 // by side: where to look for the next callee, and the index after the last
}

// columnsBelow returns the callees of the pair of a and b, or the roots if both are None.
func (r *Result) columnsBelow(a, b int32) columns {
	var c columns
	for s, i := range [2]int32{a, b} {
		c.next[s], c.end[s] = i+1, int32(r.Threads[s].Len())
		if i != None {
			c.end[s] = int32(r.Threads[s].Next(int(i)))
		}
	}
	return c
}

// peek returns the next column: a pair, or a call without a partner and None on the other side. At
// the end both are None.
func (c *columns) peek(r *Result) (a, b int32) {
	a, b = None, None
	if c.next[pair.A] < c.end[pair.A] {
		if a = r.Passed[pair.A].First(c.next[pair.A]); r.Partner[pair.A][a] == None {
			return a, None
		}
	}
	if c.next[pair.B] < c.end[pair.B] {
		if b = r.Passed[pair.B].First(c.next[pair.B]); r.Partner[pair.B][b] == None {
			return None, b
		}
	}
	return a, b
}

// take takes the column that peek has returned.
func (c *columns) take(r *Result, a, b int32) {
	if a != None {
		c.next[pair.A] = a + int32(r.Threads[pair.A].Size(int(a)))
	}
	if b != None {
		c.next[pair.B] = b + int32(r.Threads[pair.B].Size(int(b)))
	}
}

// Node is a pair of calls, or a call that has no partner.
type Node struct {
	State  State
	A, B   int32 // by pre-order index, None where the call is missing
	Parent int   // number of the node around it in virtual order, −1 for none
}

// Walk calls yield for each pair and each call without a partner, in virtual order, until yield
// returns false. Each call is met exactly once. The node around another is that of its caller.
// Around what either side calls between the first and the last callee of a call that is passed
// through, it is the node of that call. Two such calls of different sides may overlap in part;
// then the one that begins later ends together with the other.
func (r *Result) Walk(yield func(Node) bool) {
	levels, line := []open{{columns: r.columnsBelow(None, None), line: -1}}, 0
	for len(levels) > 0 {
		top := &levels[len(levels)-1]
		a, b := top.peek(r)
		n, ok := top.enterPassed(r, a, b, line, yield)
		if !ok {
			return
		}
		line += n
		around := top.innermost()
		top.take(r, a, b)
		top.leavePassed()
		switch {
		case a != None && b != None:
			if !yield(Node{r.StateOf(pair.A, int(a)), a, b, around}) {
				return
			}
			levels = append(levels, open{columns: r.columnsBelow(a, b), line: line})
			line++
		case a != None || b != None:
			n, ok := r.walkGap(a, b, line, around, yield)
			if !ok {
				return
			}
			line += n
		default:
			levels = levels[:len(levels)-1]
		}
	}
}

// open is a pair whose callees are being walked through.
type open struct {
	columns
	line   int // of the pair
	within []within
}

// within is a call that is passed through and whose callees are being walked through.
type within struct {
	side pair.Side
	end  int32 // its subtree's
	line int
}

// innermost returns the number of the innermost node that is open.
func (o *open) innermost() int {
	if n := len(o.within); n > 0 {
		return o.within[n-1].line
	}
	return o.line
}

// enterPassed yields the calls that are passed through on the way to a column, and returns their
// number.
func (o *open) enterPassed(r *Result, a, b int32, line int, yield func(Node) bool) (n int,
	ok bool) {
	for s, call := range [2]int32{a, b} {
		for i := o.next[s]; i < call; i++ {
			node := Node{GapB, i, None, o.innermost()}
			if pair.Side(s) == pair.B {
				node = Node{GapA, None, i, o.innermost()}
			}
			if !yield(node) {
				return 0, false
			}
			end := int32(r.Threads[s].Next(int(i)))
			o.within = append(o.within, within{pair.Side(s), end, line + n})
			n++
		}
	}
	return n, true
}

// leavePassed closes the calls that are passed through and have no callee left, and what is open
// in them.
func (o *open) leavePassed() {
	for k, w := range o.within {
		if o.next[w.side] >= w.end {
			o.within = o.within[:k]
			return
		}
	}
}

// walkGap yields a call without a partner and all calls below it, and returns their number.
func (r *Result) walkGap(a, b int32, line, parent int, yield func(Node) bool) (n int, ok bool) {
	s, first := pair.A, a
	if a == None {
		s, first = pair.B, b
	}
	th := r.Threads[s]
	last := int32(th.Next(int(first)))
	for i := first; i < last; i++ {
		node := Node{GapB, i, None, parent}
		if s == pair.B {
			node = Node{GapA, None, i, parent}
		}
		if i > first {
			node.Parent = line + int(th.Parent(int(i))-first)
		}
		if !yield(node) {
			return 0, false
		}
	}
	return int(last - first), true
}

// Calls is a set of calls of one thread, a bit for each pre-order index; the empty set may be nil.
type Calls []uint64

// Has reports whether call i is in the set.
func (c Calls) Has(i int32) bool {
	return len(c) > 0 && c[uint(i)/64]&(1<<(uint(i)%64)) != 0
}

// add puts call i of a thread of n calls into the set.
func (c *Calls) add(i int32, n int) {
	if *c == nil {
		*c = make(Calls, (n+63)/64)
	}
	(*c)[uint(i)/64] |= 1 << (uint(i) % 64)
}

func (c Calls) remove(i int32) {
	if c.Has(i) {
		c[uint(i)/64] &^= 1 << (uint(i) % 64)
	}
}

// Caller returns the nearest caller of call i of side s that is not passed through, or None.
func (r *Result) Caller(s pair.Side, i int32) int32 {
	return r.Passed[s].caller(r.Threads[s], i)
}

// caller returns the nearest caller of call i that is not in the set, or None.
func (c Calls) caller(th *trace.Thread, i int32) int32 {
	for i = th.Parent(int(i)); i != None && c.Has(i); {
		i = th.Parent(int(i))
	}
	return i
}

// backwards yields the calls in the set from the last to the first. The call that is yielded may
// be removed from the set.
func (c Calls) backwards(yield func(i int32) bool) {
	for k := len(c) - 1; k >= 0; k-- {
		for word := c[k]; word != 0; {
			bit := bits.Len64(word) - 1
			word &^= 1 << bit
			if !yield(int32(64*k + bit)) {
				return
			}
		}
	}
}

func (c Calls) empty() bool {
	for _, word := range c {
		if word != 0 {
			return false
		}
	}
	return true
}

// First returns call i, or if that is in the set, the first call below it that is not.
func (c Calls) First(i int32) int32 {
	if len(c) == 0 {
		return i // most of all
	}
	return c.first(i)
}

func (c Calls) first(i int32) int32 {
	for c.Has(i) {
		i++
	}
	return i
}
