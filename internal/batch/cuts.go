package batch

import (
	"math"
	"math/bits"
)

// Cuts tells which of up to 32 sums did not fit into int64. Such a sum stays the largest or
// smallest number that does, whatever is added later: what follows would make of it a number that
// looks like a sum and is none.
type Cuts uint32

// Add adds a number to the k-th sum.
func (c *Cuts) Add(k int, sum *int64, by int64) {
	if *c&(1<<k) != 0 {
		return
	}
	if *sum+by != Plus(*sum, by) { // it wraps around
		*c |= 1 << k
	}
	*sum = Plus(*sum, by)
}

// Count returns how many sums did not fit.
func (c Cuts) Count() int { return bits.OnesCount32(uint32(c)) }

// Size returns |n|; the largest int64 stands for that of the smallest.
func Size(n int64) int64 { return max(n, -max(n, -math.MaxInt64)) }
