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
	"context"
	"fmt"

	"diptych/internal/pair"
	"diptych/internal/progress"
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

var stateNames = [...]string{"equal", "different", "gapA", "gapB"}

func (s State) String() string { return stateNames[s&3] }

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

// StateOf returns what became of call i of side s.
func (r *Result) StateOf(s pair.Side, i int) State {
	j := r.Partner[s][i]
	switch {
	case j == None && s == pair.A:
		return GapB
	case j == None:
		return GapA
	case r.ID(s, i) == r.ID(s.Other(), int(j)):
		return Equal
	}
	return Different
}

// ID returns the identity of call i of side s.
func (r *Result) ID(s pair.Side, i int) uint32 {
	return r.Pair.IDs(s)[r.Threads[s].Fn[i]]
}

// Ties says for how many levels the rule for ties was applied in full.
type Ties struct {
	Levels     int // child sequences that were aligned
	OverBudget int // of which so many were too large for the first criterion
	Broad      int // and so many had too many optima to count the equal pairs of each
}

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

// Align aligns thread a of A with thread b of B, given as indices into their traces' threads; −1
// stands for none.
func Align(ctx context.Context, p *pair.Pair, a, b int, o Options, report progress.Func) (*Result,
	error) {
	rs, err := All(ctx, p, []pair.ThreadPair{{A: a, B: b}}, o, report)
	if err != nil {
		return nil, err
	}
	return rs[0], nil
}

// All aligns pairs of threads and returns their results in the same order. Subtrees are classified
// once for all of them, and levels aligned once.
func All(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair, o Options,
	report progress.Func) ([]*Result, error) {
	rs := make([]*Result, len(pairs))
	err := Each(ctx, p, pairs, o, report, func(k int, r *Result) error {
		rs[k] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rs, nil
}

// Each is All for many pairs, whose results would not fit the memory together: each is handed over
// with its index when it is done, in no order, one at a time.
func Each(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair, o Options, report progress.Func,
	use func(k int, r *Result) error) error {
	if o.Engine >= engines {
		return fmt.Errorf("align: %v", o.Engine)
	}
	if err := anchorable(pairs, o.Anchors); err != nil {
		return err
	}
	w := newWork(p, pairs, o, progress.NewMeter(report, reportEvery))
	if err := w.classify(ctx); err != nil {
		return err
	}
	if w.o.Engine == Auto {
		return w.alignFast(ctx, use)
	}
	for k, tp := range pairs {
		r := w.result(tp)
		if err := w.alignPlainly(ctx, r); err != nil {
			return err
		}
		if err := use(k, r); err != nil {
			return err
		}
	}
	return nil
}
