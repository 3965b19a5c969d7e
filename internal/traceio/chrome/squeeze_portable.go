//go:build !goexperiment.simd || !amd64

package chrome

// pressing reports whether press can be had.
func pressing() bool { return false }

// press is not ok: there is nothing faster than squeeze.
func press(out, b []byte, i, end int) (n int, ok bool) { return 0, false }
