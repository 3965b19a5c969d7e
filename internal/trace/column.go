package trace

import "slices"

// column grows in chunks, so that building a trace never copies or over-allocates: the peak stays
// at the records seen so far, and flatten frees each chunk as soon as it is copied.
type column[T any] struct {
	last []T    // the chunk that grows
	full *[][]T // those before it; nil for most threads
}

const (
	chunkShift = 14
	chunkLen   = 1 << chunkShift
	firstChunk = 4 // of the first chunk, which grows: many traces have many tiny threads
)

func (c *column[T]) push(v T) {
	n := len(c.last)
	if n == cap(c.last) {
		c.grow()
		n = len(c.last)
	}
	c.last = c.last[:n+1]
	c.last[n] = v
}

// grow makes room for one more: twice as much in the first chunk, or a further chunk.
func (c *column[T]) grow() {
	switch n := len(c.last); {
	case n == chunkLen:
		if c.full == nil {
			c.full = new([][]T)
		}
		*c.full = append(*c.full, c.last)
		c.last = make([]T, 0, chunkLen)
	default:
		larger := make([]T, n, min(max(2*n, firstChunk), chunkLen))
		copy(larger, c.last)
		c.last = larger
	}
}

// room extends the column by at most n values, which the caller sets, and returns them: as many as
// fit into the last chunk. Columns that have always grown alike return equally many.
func (c *column[T]) room(n int) []T {
	used := len(c.last)
	if used == chunkLen {
		c.grow()
		used = 0
	}
	n = min(n, chunkLen-used)
	if used+n > cap(c.last) {
		larger := make([]T, used, min(max(2*used, used+n, firstChunk), chunkLen))
		copy(larger, c.last)
		c.last = larger
	}
	c.last = c.last[:used+n]
	return c.last[used:]
}

func (c *column[T]) len() int {
	if c.full == nil {
		return len(c.last)
	}
	return len(*c.full)<<chunkShift + len(c.last)
}

// place returns where value i is.
func (c *column[T]) place(i int) *T {
	if c.full != nil && i>>chunkShift < len(*c.full) {
		return &(*c.full)[i>>chunkShift][i&(chunkLen-1)]
	}
	return &c.last[i&(chunkLen-1)]
}

func (c *column[T]) at(i int) T     { return *c.place(i) }
func (c *column[T]) set(i int, v T) { *c.place(i) = v }

// chunks yields all chunks, in order.
func (c *column[T]) chunks(yield func([]T) bool) {
	if c.full != nil {
		for _, chunk := range *c.full {
			if !yield(chunk) {
				return
			}
		}
	}
	yield(c.last)
}

// flatten returns the column as one slice of exact capacity and empties it.
func (c *column[T]) flatten() []T {
	out := make([]T, 0, c.len())
	if c.full != nil {
		for k, chunk := range *c.full {
			out = append(out, chunk...)
			(*c.full)[k] = nil
		}
	}
	out = append(out, c.last...)
	c.last, c.full = nil, nil
	return out
}

// permuted returns the column in an order, as one slice, and empties it.
func (c *column[T]) permuted(order []uint32) []T {
	all := slices.Collect(c.chunks)
	out := make([]T, len(order))
	for to, from := range order {
		out[to] = all[from>>chunkShift][from&(chunkLen-1)]
	}
	c.last, c.full = nil, nil
	return out
}
