//go:build !race

package cli

const slowness = 1
