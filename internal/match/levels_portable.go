//go:build !goexperiment.simd || !amd64

package match

// newLevelKernel returns the fastest kernel for this processor.
func newLevelKernel() levelKernel { return levelKernel{countWords, fillBins} }
