package trace

import (
	"sync/atomic"
	"unsafe"

	"diptych/internal/huge"
	"diptych/internal/spill"
)

// room is where columns lie while a trace is built and after: on the heap, and what exceeds the
// bytes they may have there, in a file. The trace is the same either way.
type room struct {
	file *spill.File  // nil: all is on the heap
	heap atomic.Int64 // bytes that may still be made there
	// weigh, which may be nil, counts what numbers that columns have no room for take: see grown.
	weigh func(bytes, columns int64)
}

// Spill says that columns may have so many bytes of the heap, and beyond that lie in a file. It
// is to be called first.
func (b *Builder) Spill(file *spill.File, heap int64) {
	b.room.file = file
	b.room.heap.Store(heap)
}

// made is make([]T, n) in a room, which may be nil. T must not hold pointers.
func made[T any](r *room, n int) []T {
	if r == nil || r.file == nil || n == 0 {
		return huge.Make[T](n)
	}
	var one T
	if r.heap.Add(-int64(n)*int64(unsafe.Sizeof(one))) >= 0 {
		return huge.Make[T](n)
	}
	return spill.Make[T](r.file, n)
}

// dropped gives back what made has returned, which nobody looks at any more, and returns nil.
func dropped[T any](r *room, s []T) []T {
	if r != nil {
		spill.Free(r.file, s)
	}
	return nil
}

// pushed is append(s, v) of a slice that nobody else holds.
func pushed[T any](r *room, s []T, v T) []T {
	if n := len(s); n == cap(s) && n >= firstChunk && r != nil && r.file != nil {
		larger := made[T](r, 2*n)[:n]
		copy(larger, s)
		dropped(r, s)
		s = larger
	}
	return append(s, v)
}
