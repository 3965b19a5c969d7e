//go:build !goexperiment.simd || !amd64

package match

// newEngine returns the fastest engine for this processor.
func newEngine(c *comparison) engine { return newTwoSteps(c) }
