package tracefile

import "unsafe"

// This is the only place that looks at the memory of columns. Copying them would take as long as
// building them from the recording did, and twice the memory.
//
// It is safe for columns of numbers and of structures of numbers, which have no pointers and mean
// something whatever their bits are; checks of their values are the trace's (trace.Form.Build). The
// one exception is trace.Link, which has a bool: see checkBools. Their layout is that of the
// machine, so files say which byte order and which sizes they were written with.

// memoryOf returns the memory of a column.
func memoryOf[T any](column []T) []byte {
	if len(column) == 0 {
		return nil
	}
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(&column[0])), len(column)*int(unsafe.Sizeof(one)))
}

// columnOver returns a column whose memory is b, and false if b is not a whole number of aligned
// values.
func columnOver[T any](b []byte) ([]T, bool) {
	var one T
	size := int(unsafe.Sizeof(one))
	if len(b) == 0 {
		return nil, true
	}
	if len(b)%size != 0 || uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(one) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size), true
}

// alignedBytes returns room for n bytes that any column may begin in.
func alignedBytes(n int) []byte { return memoryOf(make([]uint64, (n+7)/8))[:n] }

// trailerOf returns the trailer at the end of a file, of which last is at least that.
func trailerOf(last []byte) *trailer {
	return (*trailer)(unsafe.Pointer(&last[len(last)-trailerLen]))
}
