package huge

import (
	"testing"
	"unsafe"
)

// TestMake makes slices around the sizes at which something changes: they are whole and zero.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, least / 8, least/8 + 1, page / 8, page/8 + 1, 3*page/8 + 5} {
		for range 3 {
			s := Make[uint64](n)
			if len(s) != n {
				t.Fatalf("%d values, wanted %d", len(s), n)
			}
			for i, v := range s {
				if v != 0 {
					t.Fatalf("value %d of %d is %d", i, n, v)
				}
				s[i] = ^uint64(0)
			}
		}
	}
}

// TestAskedOnce asks for the pages of a slice, and knows each of them afterwards.
func TestAskedOnce(t *testing.T) {
	s := Make[byte](5*page + 1)
	from := uintptr(unsafe.Pointer(&s[0]))
	for p := from / page; p <= (from+5*page)/page; p++ {
		if !known(p) {
			t.Errorf("page %#x is not known", p*page)
		}
	}
}
