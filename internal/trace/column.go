package trace

// column grows in chunks, so that building a trace never copies or over-allocates: the peak stays
// at the records seen so far, and flatten frees each chunk as soon as it is copied.
type column[T any] struct {
	chunks [][]T
	n      int
	all    []T // nil, or what the first chunks are pieces of; see reserve
}

const (
	chunkShift = 14
	chunkLen   = 1 << chunkShift
	firstChunk = 4 // of the first chunk, which grows: many traces have many tiny threads
)

func (c *column[T]) push(v T) {
	k := c.n >> chunkShift
	if k == len(c.chunks) {
		c.chunks = append(c.chunks, c.chunk(k))
	}
	c.chunks[k] = append(c.chunks[k], v)
	c.n++
}

// room extends the column by at most n values, which the caller sets, and returns them: as many as
// fit into the last chunk. Columns that have always grown alike return equally many.
func (c *column[T]) room(n int) []T {
	k := c.n >> chunkShift
	used := c.n & (chunkLen - 1)
	if k == len(c.chunks) {
		c.chunks = append(c.chunks, c.chunk(k))
	}
	last := c.chunks[k]
	n = min(n, chunkLen-used)
	if used+n > cap(last) { // the first chunk
		last = append(make([]T, 0, min(max(2*cap(last), used+n), chunkLen)), last...)
	}
	c.chunks[k] = last[:used+n]
	c.n += n
	return c.chunks[k][used:]
}

// cut takes the last n values away, which are all in the last chunk.
func (c *column[T]) cut(n int) {
	k := len(c.chunks) - 1
	c.chunks[k] = c.chunks[k][:len(c.chunks[k])-n]
	c.n -= n
}

func (c *column[T]) at(i int) T     { return c.chunks[i>>chunkShift][i&(chunkLen-1)] }
func (c *column[T]) set(i int, v T) { c.chunks[i>>chunkShift][i&(chunkLen-1)] = v }

// chunk returns chunk k while it is empty.
func (c *column[T]) chunk(k int) []T {
	switch from := k << chunkShift; {
	case from < len(c.all):
		return c.all[from:from:min(from+chunkLen, len(c.all))]
	case k == 0:
		return make([]T, 0, firstChunk)
	}
	return make([]T, 0, chunkLen)
}

// reserve makes room for n values in all, in one piece, so that flatten need not copy them.
func (c *column[T]) reserve(n int) {
	all := make([]T, n)
	for k, chunk := range c.chunks {
		from := k << chunkShift
		to := from + copy(all[from:], chunk)
		c.chunks[k] = all[from:to:min(from+chunkLen, n)]
	}
	c.all = all
}

// wasted is the share of reserved room that may stay empty rather than have the rest copied.
const wasted = 32

// flatten returns the column as one slice and empties it.
func (c *column[T]) flatten() []T {
	if room := len(c.all); c.n <= room && c.n >= room-room/wasted {
		out := c.all[:c.n:c.n]
		*c = column[T]{}
		return out
	}
	out := make([]T, 0, c.n)
	for k, chunk := range c.chunks {
		out = append(out, chunk...)
		c.chunks[k] = nil
	}
	*c = column[T]{}
	return out
}
