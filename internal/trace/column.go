package trace

// column grows in chunks, so that building a trace never copies or over-allocates: the peak stays
// at the records seen so far, and flatten frees each chunk as soon as it is copied.
type column[T any] struct {
	chunks [][]T
	n      int
}

const (
	chunkShift = 14
	chunkLen   = 1 << chunkShift
	firstChunk = 4 // of the first chunk, which grows: many traces have many tiny threads
)

func (c *column[T]) push(v T) {
	k := c.n >> chunkShift
	if k == len(c.chunks) {
		size := chunkLen
		if k == 0 {
			size = firstChunk
		}
		c.chunks = append(c.chunks, make([]T, 0, size))
	}
	c.chunks[k] = append(c.chunks[k], v)
	c.n++
}

func (c *column[T]) at(i int) T     { return c.chunks[i>>chunkShift][i&(chunkLen-1)] }
func (c *column[T]) set(i int, v T) { c.chunks[i>>chunkShift][i&(chunkLen-1)] = v }

// flatten returns the column as one slice of exact capacity and empties it.
func (c *column[T]) flatten() []T {
	out := make([]T, 0, c.n)
	for k, chunk := range c.chunks {
		out = append(out, chunk...)
		c.chunks[k] = nil
	}
	c.chunks, c.n = nil, 0
	return out
}
