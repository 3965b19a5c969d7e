//go:build !goexperiment.simd || !amd64

package render

// paintRow draws a band's stroke by the fastest means there is.
var paintRow = paintPixels
