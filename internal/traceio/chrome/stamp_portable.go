//go:build !goexperiment.simd || !amd64

package chrome

// stamping reports whether stamps can be had for less than they save.
func stamping() bool { return false }

// keyOf returns the key of the event at i, which is at least 2.
func keyOf(b []byte, i int) uint64 { return plainKey(b, i) }

// fits reports whether text of at least the length of all its pieces fits the stamp.
func (s *stamp) fits(b []byte) bool { return s.plainlyFits(b) }

// copyKept is plainlyCopyKept.
func (s *stamp) copyKept(out, b []byte) int { return s.plainlyCopyKept(out, b) }
