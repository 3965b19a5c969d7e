package callgrind

import (
	"context"
	"math"
)

// Xdebug writes the format in a way of its own: a function stands there once for each of its calls,
// when that ends, with what it called in order. So the file is the tree of all calls in post-order,
// and nothing has to be estimated. For example:
//
//	fn=read   5           main 1
//	fn=next   2            read 5
//	fn=parse  10           parse 10
//	          cfn=next      next 2
//	fn=main   1
//	          cfn=read
//	          cfn=parse
//
// Of times it becomes a timeline. The file does not say when in a call its own time passed: equal
// parts of it are put before, between and behind what it called. Files in which something else
// stands before a function than what it called are read as others are: aggregates, and runs with
// fibers, which end in another order.

// ended is a call that has ended.
type ended struct {
	fn   int32 // node of the graph
	kids int32 // calls that it made
	size int32 // calls that it and its callees made, itself included
	own  int64
}

const endedBytes = 40 // of a call, with its number among the roots

// endedCalls are the calls of a file in post-order.
type endedCalls struct {
	all    []ended
	roots  []int32 // of all: those of which no caller has ended
	kids   []int32 // functions that the call being read has called
	own    int64   // of the call being read
	broken bool    // the file is not of Xdebug, or not written so
}

// call notes that the function being read has called another, so many times.
func (c *endedCalls) call(fn int32, times uint64) {
	if c.broken = c.broken || times != 1; !c.broken {
		c.kids = append(c.kids, fn)
	}
}

// end ends the call that is being read, of a function. Of one in which the file was cut, not all is
// known that it called: it is left out then, and the result false.
func (c *endedCalls) end(fn int32, cut bool) bool {
	first := len(c.roots) - len(c.kids)
	call, fits := ended{fn: fn, kids: int32(len(c.kids)), size: 1, own: c.own}, first >= 0
	for i := 0; fits && i < len(c.kids); i++ {
		kid := &c.all[c.roots[first+i]]
		fits = kid.fn == c.kids[i]
		call.size += kid.size
	}
	c.kids, c.own = c.kids[:0], 0
	switch {
	case c.broken:
	case fits && len(c.all) < math.MaxInt32:
		c.all = append(c.all, call)
		c.roots = append(c.roots[:first], int32(len(c.all)-1))
	case !cut:
		*c = endedCalls{broken: true}
	}
	return fits
}

// walk visits the calls in pre-order: when each begins, and when it ends.
func (c *endedCalls) walk(ctx context.Context, begin func(call *ended, at int64), end func(at int64)) error {
	before := make([]int64, len(c.all)+1) // own costs of the calls before each one
	for i := range c.all {
		before[i+1] = before[i] + c.all[i].own
	}
	type visit struct {
		call int32
		at   int64
		ends bool
	}
	first := func(i int32) int32 { return i + 1 - c.all[i].size }
	var todo []visit
	for k := len(c.roots) - 1; k >= 0; k-- {
		todo = append(todo, visit{call: c.roots[k], at: before[first(c.roots[k])]})
	}
	for n := 0; len(todo) > 0; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if v.ends {
			end(v.at)
			continue
		}
		call := &c.all[v.call]
		begin(call, v.at)
		from := first(v.call)
		todo = append(todo, visit{v.call, v.at + before[v.call+1] - before[from], true})
		kid, parts := v.call-1, int64(call.kids)+1
		for k := int64(call.kids); k > 0; k-- {
			own := call.own/parts*k + call.own%parts*k/parts
			todo = append(todo, visit{call: kid, at: v.at + own + before[first(kid)] - before[from]})
			kid = first(kid) - 1
		}
	}
	return nil
}
