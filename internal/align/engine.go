package align

import (
	"fmt"

	"diptych/internal/pair"
)

// Engine is a way to align. All of them give the same pairing, at very different cost.
type Engine uint8

const (
	// Auto aligns every pair of distinct child sequences once, whatever is alike in them first.
	Auto Engine = iota
	// Plain is Needleman and Wunsch's algorithm on every level, in a full matrix.
	Plain
	// Hirschberg halves every level until it is a single row: linear memory.
	Hirschberg
	// Hybrid is Weber et al.'s: the full matrix where it fits the memory, Hirschberg beyond.
	Hybrid
	engines
)

var engineNames = [engines]string{"auto", "plain", "hirschberg", "hybrid"}

func (e Engine) String() string {
	if e < engines {
		return engineNames[e]
	}
	return fmt.Sprintf("engine(%d)", uint8(e))
}

// EngineNamed returns the engine of that name.
func EngineNamed(name string) (Engine, error) {
	for e, n := range engineNames {
		if n == name {
			return Engine(e), nil
		}
	}
	return Auto, fmt.Errorf("no such engine: %q", name)
}

// Options say how to align; the zero value is the default. None changes a level's score.
type Options struct {
	Engine   Engine
	TieCells int64 // levels of more cells ignore identical subtrees in ties; default 1 million
	Cells    int64 // the largest full matrix of Hybrid, a byte a cell; default 1 million
	// Strict aligns callees with callees only, as Weber et al. do: no level is passed through.
	Strict bool
	// Anchors are pairs made by hand. Those that cannot hold together with an earlier one, because
	// they would cross it, are left out.
	Anchors []Anchor
}

// Anchor is two calls that are to be paired, whatever their functions: what comes before one is
// aligned with what comes before the other, what comes after with what comes after, and of their
// callers those that have no counterpart are passed through.
type Anchor struct {
	Threads pair.ThreadPair // indices into the traces' threads
	Calls   [2]int32        // pre-order index, by side
}

const (
	defaultTieCells = 1_000_000
	defaultCells    = 1_000_000
	plainCells      = 4 << 30 // the largest full matrix of Plain
)

func (o Options) withDefaults() Options {
	if o.TieCells <= 0 {
		o.TieCells = defaultTieCells
	}
	if o.Cells <= 0 {
		o.Cells = defaultCells
	}
	return o
}
