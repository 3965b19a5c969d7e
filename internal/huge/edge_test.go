package huge

import (
	"testing"
	"unsafe"
)

// firstPage returns the number of the page of a slice's first byte.
func firstPage[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) / page }

// forget makes it unknown what was asked for.
func forget() {
	for i := range asked {
		asked[i].Store(0)
	}
}

// anyKnown reports whether anything was asked for.
func anyKnown() bool {
	for i := range asked {
		if asked[i].Load() != 0 {
			return true
		}
	}
	return false
}

// TestSmallSlicesAreLeft asks for nothing below 64 KiB, whatever an element takes: what counts is the
// room that a slice has, not its length.
func TestSmallSlicesAreLeft(t *testing.T) {
	for name, c := range map[string]struct {
		advise func()
		asks   bool
	}{
		"nil":             {func() { Advise[int64](nil) }, false},
		"empty":           {func() { Advise([]int64{}) }, false},
		"of no size":      {func() { Advise(make([]struct{}, 1<<20)) }, false},
		"a byte less":     {func() { Advise(make([]byte, 0, least-1)) }, false},
		"just enough":     {func() { Advise(make([]byte, least)) }, true},
		"room, no values": {func() { Advise(make([]byte, 0, least)) }, true},
		"large elements":  {func() { Advise(make([][4096]byte, 16)) }, true},
		"of few of them":  {func() { Advise(make([][4096]byte, 15)) }, false},
	} {
		forget()
		if c.advise(); anyKnown() != c.asks {
			t.Errorf("%s: asked for pages: %v", name, anyKnown())
		}
	}
}

// TestNoMoreThanItsPages: of a slice, the pages from that of its first byte to that of its last are
// known, and not the one after.
func TestNoMoreThanItsPages(t *testing.T) {
	for _, n := range []int{least, page - 1, page, page + 1, 3*page + 7} {
		forget()
		s := make([]byte, n)
		Advise(s)
		last := (uintptr(unsafe.Pointer(unsafe.SliceData(s))) + uintptr(cap(s)) - 1) / page
		for p := firstPage(s); p <= last; p++ {
			if !known(p) {
				t.Errorf("%d bytes: page %d of %d is not known", n, p-firstPage(s), last-firstPage(s)+1)
			}
		}
		if known(firstPage(s)-1) || known(last+1) {
			t.Errorf("%d bytes: pages around are known", n)
		}
	}
}

// TestForgottenPagesAreAskedForAgain: a page whose place another one took is asked for again, also
// if it is the only one of a slice, the first or the last.
func TestForgottenPagesAreAskedForAgain(t *testing.T) {
	s := make([]byte, 4*page)
	first := firstPage(s)
	last := (uintptr(unsafe.Pointer(&s[len(s)-1]))) / page
	for _, lost := range []uintptr{first, first + 1, last} {
		Advise(s)
		asked[lost%uintptr(len(asked))].Store(lost + uintptr(len(asked)))
		if known(lost) {
			t.Fatal("a page with the same remainder is taken for it")
		}
		if Advise(s); !known(lost) {
			t.Errorf("page %d of %d is not asked for again", lost-first, last-first+1)
		}
	}
}
