//go:build race

package cli

// slowness is how many times slower the race detector makes this package.
const slowness = 10
