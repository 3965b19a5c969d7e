package align

// Calls is a set of calls of one thread, a bit for each pre-order index; the empty set may be nil.
type Calls []uint64

// Has reports whether call i is in the set.
func (c Calls) Has(i int32) bool {
	return len(c) > 0 && c[uint(i)/64]&(1<<(uint(i)%64)) != 0
}

// add puts call i into the set, which has room for n calls.
func (c *Calls) add(i int32, n int) {
	if *c == nil {
		*c = make(Calls, (n+63)/64)
	}
	(*c)[uint(i)/64] |= 1 << (uint(i) % 64)
}
