package trace

import "slices"

// column grows in chunks, so that building a trace never copies or over-allocates: the peak stays
// at the records seen so far, and flatten frees each chunk as soon as it is copied.
type column[T any] struct {
	last []T        // the chunk that grows
	full *filled[T] // those before it; nil for most threads
	room *room      // of the chunks
}

// filled are the chunks of a column before the last.
type filled[T any] struct {
	chunks [][]T
	all    []T // nil, or what all chunks are pieces of; see reserve
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
			c.full = new(filled[T])
		}
		c.full.chunks = append(c.full.chunks, c.last)
		c.last = c.full.next(c.room)
	default:
		c.part()
		c.enlarge(min(max(2*n, firstChunk), chunkLen))
	}
}

// enlarge gives the last chunk room for n values.
func (c *column[T]) enlarge(n int) {
	larger := made[T](c.room, n)[:len(c.last)]
	copy(larger, c.last)
	dropped(c.room, c.last)
	c.last = larger
}

// open returns the last chunk up to its capacity. Where there is no room and more values are to
// come, it makes some for so many, as far as a chunk has it, and for at least one.
func (c *column[T]) open(more int) []T {
	switch n := len(c.last); {
	case more == 0:
	case n == chunkLen:
		c.grow()
	case n == cap(c.last):
		c.part()
		c.enlarge(min(max(2*n, n+more, firstChunk), chunkLen))
	}
	return c.last[:cap(c.last)]
}

// extend extends the column by at most n values, which the caller sets, and returns them: as many
// as fit into the last chunk. Columns that have always grown alike return equally many.
func (c *column[T]) extend(n int) []T {
	used := len(c.last)
	if used == chunkLen {
		c.grow()
		used = 0
	}
	n = min(n, chunkLen-used)
	if used+n > cap(c.last) {
		c.part()
		c.enlarge(min(max(2*used, used+n, firstChunk), chunkLen))
	}
	c.last = c.last[:used+n]
	return c.last[used:]
}

func (c *column[T]) len() int {
	if c.full == nil {
		return len(c.last)
	}
	return len(c.full.chunks)<<chunkShift + len(c.last)
}

// place returns where value i is.
func (c *column[T]) place(i int) *T {
	if c.full != nil && i>>chunkShift < len(c.full.chunks) {
		return &c.full.chunks[i>>chunkShift][i&(chunkLen-1)]
	}
	return &c.last[i&(chunkLen-1)]
}

// from returns the values from i on that lie in one piece with it.
func (c *column[T]) from(i int) []T {
	if c.full != nil && i>>chunkShift < len(c.full.chunks) {
		return c.full.chunks[i>>chunkShift][i&(chunkLen-1):]
	}
	return c.last[i&(chunkLen-1):]
}

func (c *column[T]) at(i int) T { return *c.place(i) }

// chunks yields all chunks, in order.
func (c *column[T]) chunks(yield func([]T) bool) {
	if c.full != nil {
		for _, chunk := range c.full.chunks {
			if !yield(chunk) {
				return
			}
		}
	}
	yield(c.last)
}

// next returns the chunk after all that there are.
func (f *filled[T]) next(r *room) []T {
	if from := len(f.chunks) << chunkShift; from < len(f.all) {
		return f.all[from:from:min(from+chunkLen, len(f.all))]
	}
	f.all = nil // there are more than were expected
	return made[T](r, chunkLen)[:0]
}

// part notes that the last chunk is no longer a piece of one with the others.
func (c *column[T]) part() {
	if c.full != nil {
		c.full.all = nil
	}
}

// reserve makes room for n values in all, in one piece, so that flatten need not copy them.
func (c *column[T]) reserve(n int) {
	if c.full == nil && n <= chunkLen {
		c.enlarge(max(n, len(c.last)))
		return
	}
	all := made[T](c.room, n)
	f := &filled[T]{all: all}
	for chunk := range c.chunks {
		from := len(f.chunks) << chunkShift
		to := from + copy(all[from:], chunk)
		f.chunks = append(f.chunks, all[from:to:min(from+chunkLen, n)])
		dropped(c.room, chunk)
	}
	last := len(f.chunks) - 1
	c.last, f.chunks = f.chunks[last], f.chunks[:last]
	if c.full = nil; n > chunkLen {
		c.full = f
	}
}

// cut takes the last n values away, which are all in the last chunk.
func (c *column[T]) cut(n int) { c.last = c.last[:len(c.last)-n] }

// wasted is the share of the room that may stay empty rather than have the rest copied.
const wasted = 32

// whole returns the column as it lies, if it lies in one piece that it fills.
func (c *column[T]) whole() []T {
	all := c.last[:cap(c.last)]
	if c.full != nil {
		all = c.full.all
	}
	if n := c.len(); n <= len(all) && n >= len(all)-len(all)/wasted {
		return all[:n:n]
	}
	return nil
}

// flatten returns the column as one slice and empties it.
func (c *column[T]) flatten() []T {
	if out := c.whole(); out != nil {
		*c = column[T]{room: c.room}
		return out
	}
	out := made[T](c.room, c.len())[:0]
	if c.full != nil {
		for k, chunk := range c.full.chunks {
			out = append(out, chunk...)
			c.full.chunks[k] = dropped(c.room, chunk)
		}
	}
	out = append(out, c.last...)
	dropped(c.room, c.last)
	*c = column[T]{room: c.room}
	return out
}

// permuted returns the column in an order, as one slice, and empties it.
func (c *column[T]) permuted(order []uint32) []T {
	all := slices.Collect(c.chunks)
	out := made[T](c.room, len(order))
	for to, from := range order {
		out[to] = all[from>>chunkShift][from&(chunkLen-1)]
	}
	for _, chunk := range all {
		dropped(c.room, chunk)
	}
	*c = column[T]{room: c.room}
	return out
}
