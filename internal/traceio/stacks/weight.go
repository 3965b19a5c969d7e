package stacks

import "diptych/internal/traceio/input"

// What takes memory, in bytes a piece, with the maps and slices that lead to it.
const (
	functionBytes = 300
	nodeBytes     = 100
	threadBytes   = 1500
	labelBytes    = 150 // and its text
	sampleBytes   = 16
)

// Afford returns an error if that many functions, nodes and threads take too much memory for the
// text they are from: each is a few bytes there. See input.Source.Afford.
func Afford(src *input.Source, functions, nodes, threads int) error {
	return src.Afford(int64(functions)*functionBytes + int64(nodes)*nodeBytes +
		int64(threads)*threadBytes)
}
