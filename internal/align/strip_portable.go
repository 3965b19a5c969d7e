//go:build !goexperiment.simd || !amd64

package align

// fastestStrips returns the fastest kernel of strips for this processor, or nil if it has none.
func fastestStrips() (kernel stripKernel, width int) { return nil, 0 }
