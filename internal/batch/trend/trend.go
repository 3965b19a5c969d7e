// Package trend says how a program's times have developed over many batches, one a commit or a
// night: of each function the self time over the commits, and where it changed its level for good.
//
//	read.go          the series of all functions, over the pairs that all commits have
//	pelt.go          where a series changes its level (Killick, Fearnhead, Eckley 2012)
//	significance.go  outliers, drift, and how clear a step is
//	calibrate.go     how many claims are false, allowing for all functions
//	change.go        steps as changes of work
//	pairs.go         how many pairs show each
//
// Reading takes time linear in the rows, and memory for a number of each function and commit; no
// row is kept. The package draws nothing; multiples does.
package trend

import (
	"context"
	"fmt"

	"diptych/internal/batch"
	"diptych/internal/progress"
)

// Measure says what of a function is followed over the commits.
type Measure string

const (
	OfB   Measure = "b"     // its self time on side B: the commit, if A is always the same
	OfA   Measure = "a"     // its self time on side A
	Ratio Measure = "ratio" // B's over A's, which what slows both sides does not change
)

// Measures are all measures.
func Measures() []string { return []string{string(OfB), string(OfA), string(Ratio)} }

// Least is of how many commits a trend can be told: two levels of a few each.
const Least = 2 * leastSegment

// Options say how a trend is made.
type Options struct {
	Measure Measure
	Report  progress.Func // may be nil; told of tables read and series described
}

// Trend is what has changed over the commits. Times are in ns, of profiles in the profile's unit.
type Trend struct {
	Method       string    `json:"method"`
	Measure      Measure   `json:"measure"`
	Unit         string    `json:"unit"`
	Commits      []Commit  `json:"commits"`
	Pairs        int       `json:"pairs"`   // that all commits have, over which all is summed
	LeftOut      []LeftOut `json:"leftOut"` // all other pairs, by name
	FixedA       bool      `json:"fixedA"`  // side A is the same at all commits
	Functions    int       `json:"functions"`
	Tested       int       `json:"tested"`       // functions with a share of the time that matters
	LeastShare   float64   `json:"leastShare"`   // of the work, which a tested function has once
	FalseClaims  float64   `json:"falseClaims"`  // the share of false claims that is allowed for
	LeastCommits int       `json:"leastCommits"` // that a level lasts
	Changes      []Change  `json:"changes"`      // the largest |changeNs| first
	Drifts       []Drift   `json:"drifts"`       // likewise
	Series       []Series  `json:"series"`       // totals, then functions: changed, drifted, large
}

// Commit is one batch.
type Commit struct {
	Number  int    `json:"number"` // from 1
	Name    string `json:"name"`   // of the folder
	Pairs   int    `json:"pairs"`  // in its manifest
	Failed  int    `json:"failed"`
	Missing int    `json:"missing"` // their parts are not there
}

// LeftOut is a pair that not all commits have.
type LeftOut struct {
	Pair    string `json:"pair"`
	Failed  []int  `json:"failed"`  // numbers of the commits where it could not be compared
	Missing []int  `json:"missing"` // and where it is not
}

// Kind says what a series is of.
type Kind string

const (
	Elapsed  Kind = "elapsed" // time of all pairs, added up
	Work     Kind = "work"    // time that threads did not wait
	Function Kind = "function"
)

// Series is the times of a function or of all over the commits.
type Series struct {
	Kind     Kind    `json:"kind"`
	Function string  `json:"function"` // "" for the totals
	ANs      []int64 `json:"aNs"`
	BNs      []int64 `json:"bNs"`
	DeltaNs  []int64 `json:"deltaNs"` // B − A
	Levels   []Level `json:"levels"`  // one if it did not change, none of what has drifted
	Outliers []int   `json:"outliers"`
}

// Level is the value of what is measured over some commits: ns, or a ratio.
type Level struct {
	From  int     `json:"from"` // numbers of the first and the last commit
	To    int     `json:"to"`
	Value float64 `json:"value"` // geometric mean
}

// Change is a change of level.
type Change struct {
	Kind     Kind    `json:"kind"`
	Function string  `json:"function"`
	Commit   int     `json:"commit"` // number of the first with the new level
	Name     string  `json:"name"`
	Before   float64 `json:"before"` // levels: ns, or ratios
	After    float64 `json:"after"`
	Factor   float64 `json:"factor"`   // after / before; 0 and null if either is nothing
	ChangeNs float64 `json:"changeNs"` // of a commit's time, all pairs together
	Q        float64 `json:"q"`        // of the claims with at most this q, this share is false
	Pairs    int     `json:"pairs"`    // that show it: see pairs.go
	PairsOf  int     `json:"pairsOf"`  // in which the function is called at all

	step step
}

// Drift is a series without steps that rises or falls all the time.
type Drift struct {
	Kind     Kind    `json:"kind"`
	Function string  `json:"function"`
	First    float64 `json:"first"` // of the line through the logarithms: ns, or ratios
	Last     float64 `json:"last"`
	Factor   float64 `json:"factor"`
	ChangeNs float64 `json:"changeNs"`
	Q        float64 `json:"q"`
}

// method names what finds changes.
const method = "PELT on logarithms (Killick, Fearnhead, Eckley 2012), penalty BIC; " +
	"q by permutation (Tusher, Tibshirani, Chu 2001; Benjamini and Hochberg 1995)"

// Of returns the trend over batches in the order of their commits.
func Of(ctx context.Context, list []*batch.Directory, names []string, o Options) (*Trend, error) {
	if len(list) < Least {
		return nil, fmt.Errorf("%d batches: a trend needs at least %d, one a commit", len(list), Least)
	}
	h, err := read(ctx, list, names, o)
	if err != nil {
		return nil, err
	}
	t := h.trend()
	t.Measure = o.Measure
	followed := h.worthTesting()
	t.Tested = len(followed) - totals
	shapes, err := describeAll(ctx, logarithms(followed, o.Measure), o.Report)
	if err != nil {
		return nil, err
	}
	t.tell(followed, shapes)
	return t, h.countPairs(ctx, t)
}
