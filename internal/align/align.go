// Package align is the alignment engine (DESIGN §6, after Weber et al.): it pairs the calls of two
// threads level by level, and says of each whether it is equal, different, or missing on one side.
//
// Two calls that are paired have their callees aligned globally by function identity, with scores of
// +2 for equal, −1 for different and −1 for a gap; every such level is optimal, and among its optima
// the rule for ties decides: the most calls in pairs of identical subtrees, then the most equal
// pairs, then the first in the order of columns from the front, where a pair comes before a call
// only in A, and that before one only in B. The rule leaves one alignment, so engines agree on
// everything. What is derived from the pairing, such as virtual time and metrics, is
// a function of a Result.
//
// Two things change what a level is, before any engine sees it. A call that one version alone has
// between caller and callee, such as a wrapper, is passed through: its callees count as its caller's
// (passed.go; not in Weber et al., and off with Options.Strict). And anchors, pairs made by hand,
// part the levels that they and their callers are on: what lies between two of them is aligned by
// itself (anchor.go).
//
// The package holds pure functions of a pair.Pair. It knows no files, views or other analyses.
package align

import (
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// State is what became of a call.
type State uint8

const (
	Equal     State = iota // paired with a call of the same function
	Different              // paired with a call of another function
	GapA                   // only in B
	GapB                   // only in A
)

// None is the partner of a call that has none.
const None = int32(-1)

// Result is the alignment of two threads. Memory is 4 bytes a call.
type Result struct {
	Pair    *pair.Pair
	Indices [2]int           // of the threads in their traces; −1 for none
	Threads [2]*trace.Thread // by pair.Side; one without calls for none
	// Partner is, by side and pre-order index, the call it is paired with, or None. Callers of
	// partners are partners, those passed through left out, and partners below the same callers
	// are in the same order on both sides.
	Partner [2][]int32
	// Passed is, by side, the calls that alignment passes through: without a partner themselves,
	// but with callees that are aligned as their caller's. Empty where there are none.
	Passed [2]Calls
	// Score is 2 for each equal pair, −1 for each different one, and −1 for each call without a
	// partner, those below a gap included.
	Score  int64
	Ties   Ties
	Engine string // the one that was asked for, or what was chosen
}

// Ties says for how many levels the rule for ties was applied in full.
type Ties struct {
	Levels     int // child sequences that were aligned
	OverBudget int // of which so many were too large for the first criterion
	Broad      int // and so many had too many optima to count the equal pairs of each
}
