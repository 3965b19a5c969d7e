//go:build !race

package traceio_test

// damages is how many cuts and how many corruptions of each file are tried.
const damages = 64
