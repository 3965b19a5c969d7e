package align

import (
	"math/bits"

	"diptych/internal/pair"
)

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

// Caller returns the caller of call i of side s if those that are passed through are left out, or
// None.
func (r *Result) Caller(s pair.Side, i int32) int32 {
	return r.Passed[s].caller(r.Threads[s].Parent, i)
}

// caller returns the caller of a call that is not in the set, or None.
func (c Calls) caller(parent []int32, i int32) int32 {
	for i = parent[i]; i != None && c.Has(i); {
		i = parent[i]
	}
	return i
}

// backwards yields the calls in the set from the last to the first. The set may lose the call that
// is yielded.
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

// First returns call i, or where that is in the set, the first call below it that is not.
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
