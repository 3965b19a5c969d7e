// Package align is the alignment engine (after Weber et al.). It pairs the calls of two threads
// level by level, and says of each call whether it is equal, different, or missing on one side.
//
// A level is the callees of two calls that are paired, as two sequences. They are aligned globally
// by function identity: +2 for an equal pair, −1 for a different pair, −1 for a call without a
// partner (a gap). Every level is optimal. For example:
//
//	A  main( open read read  close      )    open read read  close –        3 equal, 1 different,
//	B  main( open read write close free )    open read write close free   1 gap: 3·2 − 2 = 4
//
// Of several optima the rule for ties takes
//
//  1. the one whose pairs, equal and different ones, have the most calls in common (common.go),
//  2. of these the one whose identical pairs agree best in time: two durations agree by what they
//     have in common, less half of what the longer one has beyond that,
//  3. of these the one with the most equal pairs,
//  4. and of these the first in the order of columns from the front, where a pair comes before a
//     call only in A, and that before a call only in B.
//
// On levels that are too large for 1 and 2 (Options.TieCells), 3 and 4 decide. The rule leaves one
// alignment, so all engines give the same.
//
// The callees of a different pair, read and write, are aligned too if they call much the same
// functions; otherwise both subtrees are gaps.
//
// The files, in the order in which a run goes through them:
//
//	align.go      what is asked and what is answered: Options, Result, Align, All
//	run.go        one run, from threads to Results
//	direct.go     two runs that are much alike need no classes: compare.go compares subtrees call
//	              by call, and suspects.go finds out whether there are wrappers; what follows is
//	              for all others
//	classes.go    subtrees numbered, so that equal ones are recognised by one comparison;
//	              numbering.go goes through the calls, sums.go, slots.go and whole.go find
//	              subtrees that were met before, classtable.go has the numbers, join.go makes one
//	              table of both sides', and below.go finds the functions that occur in a subtree
//	wrappers.go   calls that only one version has between caller and callee are passed through
//	aside.go      time without a processor is on no level
//	anchor.go     pairs made by hand
//	place.go      from callers to callees, each level is aligned and its pairs are written down;
//	              pool.go divides that among the processors
//	level.go      one level, and the plain engines for it
//	auto.go       the engine Auto: what is known of a level; solve.go aligns one by one criterion
//	              after the other, and region.go keeps what is best by one for the next
//	few.go        levels of few callees, in one matrix
//	common.go     the calls that two subtrees have in common; choose.go decides among
//	              alignments that are equally good by them
//	kernel.go     63 rows of a level's matrix at a time; strip.go is eight times as many, by
//	              vector instructions; sweep.go runs both over a whole level, by several
//	              processors if it is large (atonce.go), and
//	trail.go      finds the alignment in what they leave
//	order.go      calls of both sides in one order, for all that is derived from a Result:
//	metrics.go    counts, similarity, the table of functions
//	virtual.go    virtual time; timeline.go maps it to real time and samples it
//	moved.go      identical subtrees in other places
//	encode.go     a Result as bytes; decode.go reads it and trusts nothing
//
// The package holds pure functions of a pair.Pair. It knows no files, views or other analyses.
package align

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// State is what alignment made of a call.
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

// Result is the alignment of two threads. It takes 4 bytes a call.
type Result struct {
	Pair    *pair.Pair
	Indices [2]int           // of the threads in their traces; −1 for none
	Threads [2]*trace.Thread // by pair.Side; a thread without calls for none
	// Partner is the call that each call is paired with, or None, by side and pre-order index. The
	// callers of partners are partners, not counting callers that are passed through, and partners
	// below the same callers are in the same order on both sides. Time without a processor has
	// partners as well, but no influence on any other call's.
	Partner [2][]int32
	// Passed is the calls that alignment passes through, by side. They have no partner, but their
	// callees are aligned as their caller's. It is empty where there are none.
	Passed [2]Calls
	// Score is 2 for each equal pair, −1 for each different pair, and −1 for each call without a
	// partner, which includes all calls below a gap.
	Score  int64
	Ties   Ties
	Engine string // the one that was asked for, or what was chosen
}

// StateOf returns the state of call i of side s.
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
	Levels     int // levels that were aligned
	OverBudget int // levels too large for calls in common and agreement in time
	Broad      int // of these, levels with too many optima for the number of equal pairs
}

// Engine is a way to align. All of them give the same pairing, at very different cost.
type Engine uint8

const (
	// Auto aligns each pair of distinct levels once, after taking off what is alike in front.
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

// EngineNames returns the names of all engines.
func EngineNames() []string { return slices.Clone(engineNames[:]) }

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
	TieCells int64 // levels of more cells decide ties by equal pairs alone; default 1 million
	Cells    int64 // largest full matrix of Hybrid, at a byte a cell; default 1 million
	// Strict aligns callees only with callees, as Weber et al. do: no call is passed through.
	Strict bool
	// Anchors are pairs made by hand. An anchor that would cross an earlier one is left out.
	Anchors []Anchor

	// How many options of pockets are kept at most, at a byte each; default 64 million. Those of
	// further pockets are found again when they are needed (solve.go).
	pocketCells int64
	// How many small levels each goroutine keeps; default 32,768. A power of two.
	recent      int
	mostCounted int64 // calls up to which all are counted in advance (suspects.go); default 262,144
	classesOnly bool  // do not align without classes
}

// Anchor is two calls that are to be paired, whatever their functions. What comes before one is
// aligned with what comes before the other, and what comes after one with what comes after the
// other. Their callers are paired too; a caller without a counterpart is passed through.
type Anchor struct {
	Threads pair.ThreadPair // indices into the traces' threads
	Calls   [2]int32        // pre-order index, by side
}

const (
	defaultTieCells = 1_000_000
	defaultCells    = 1_000_000
	defaultPockets  = 64_000_000
	defaultRecent   = 1 << 15
	defaultCounted  = 1 << 18
	plainCells      = 4 << 30 // the largest full matrix of Plain
)

func (o Options) withDefaults() Options {
	if o.TieCells <= 0 {
		o.TieCells = defaultTieCells
	}
	if o.Cells <= 0 {
		o.Cells = defaultCells
	}
	if o.pocketCells <= 0 {
		o.pocketCells = defaultPockets
	}
	if o.recent <= 0 {
		o.recent = defaultRecent
	}
	if o.mostCounted <= 0 {
		o.mostCounted = defaultCounted
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
// once for all of them, if at all, and costly levels aligned once.
func All(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair, o Options,
	report progress.Func) ([]*Result, error) {
	if err := o.check(pairs); err != nil {
		return nil, err
	}
	m := progress.NewMeter(report, reportEvery)
	tried := newWork(p, pairs, o, m)
	rs, err := tried.alignDirectly(ctx)
	if !errors.Is(err, errIndirect) {
		return rs, err
	}
	w := newWork(p, pairs, o, m)
	w.begun, rs = tried.begun, make([]*Result, len(pairs))
	err = w.alignEach(ctx, func(k int, r *Result) error {
		rs[k] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rs, nil
}

// check returns an error if pairs of threads cannot be aligned so.
func (o Options) check(pairs []pair.ThreadPair) error {
	if o.Engine >= engines {
		return fmt.Errorf("align: %v", o.Engine)
	}
	return anchorable(pairs, o.Anchors)
}

// alignEach aligns with classes. It hands each result to use when it is done, with its index: one
// at a time, in any order.
func (w *work) alignEach(ctx context.Context, use func(k int, r *Result) error) error {
	if err := w.classify(ctx); err != nil {
		return err
	}
	if w.o.Engine == Auto {
		return w.alignFast(ctx, use)
	}
	for k := range w.pairs {
		r, err := w.alignPlainly(ctx, k)
		if err != nil {
			return err
		}
		if err := use(k, r); err != nil {
			return err
		}
	}
	return nil
}
