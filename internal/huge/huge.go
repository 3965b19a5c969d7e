// Package huge has the system lay large slices of the heap on huge pages, where it has such:
//
//	starts := huge.Make[int64](n) // as make([]int64, n)
//
// The system gives memory page by page, as it is first touched. A page of 4 KiB costs a quarter of
// a microsecond on a machine of one's own and up to ten in a virtual one, which for columns of ten
// million calls is more than filling them; one of 2 MiB costs little more. Linux gives programs
// such pages if they ask ("madvise" in /sys/kernel/mm/transparent_hugepage/enabled, which is what
// distributions set). Go does not ask, as it cannot know that a span will be filled to its end.
//
// What is asked for are addresses, which the heap uses again for other spans. The heap grows by
// whole huge pages, so none that is asked for reaches beyond it.
package huge

import (
	"sync/atomic"
	"unsafe"
)

const (
	page  = 2 << 20
	least = 64 << 10 // bytes: smaller slices are seldom filled as soon as they are made
)

// Make returns n zero values, of which those not touched yet will be laid on huge pages.
func Make[T any](n int) []T {
	s := make([]T, n)
	Advise(s)
	return s
}

// Advise asks for huge pages below a slice of the heap that has just been made. A small one is left
// as it is.
func Advise[T any](s []T) {
	var one T
	n := uintptr(cap(s)) * unsafe.Sizeof(one)
	if n < least {
		return
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	first, last := from/page, (from+n-1)/page
	for first < last && known(first) {
		first++
	}
	if first < last || !known(first) {
		advise(first*page, (last+1-first)*page)
		for p := first; p <= last; p++ {
			asked[p%uintptr(len(asked))].Store(p)
		}
	}
}

// asked are the numbers of pages that were asked for, each in the place of its remainder: asking
// again is as good, but costs a system call.
var asked [1 << 12]atomic.Uintptr

func known(p uintptr) bool { return asked[p%uintptr(len(asked))].Load() == p }
