// Package trend says how a program's times have developed over many batches, one a commit or a
// night: of each function the self time over the commits, and where it changed its level for good.
//
//	read.go          the series of all functions, over the pairs that all commits have
//	pelt.go          where a series changes its level (Killick, Fearnhead, Eckley 2012)
//	significance.go  outliers, drift, and how clear a step is
//	calibrate.go     how many claims are false, allowing for all functions
//	place.go         among which commits that of a step is
//	change.go        steps as changes of work
//	pairs.go         how many pairs show each
//
// Reading takes time linear in the rows, and memory for a number of each function and commit; no
// row is kept. The package draws nothing; multiples does.
package trend

import (
	"cmp"
	"context"
	"errors"
	"slices"

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

// Least is how many commits a change needs: two levels of a few each. Of fewer, times are told.
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
	Enough       bool      `json:"enough"`       // there are Least commits; else nothing is tested
	Tested       int       `json:"tested"`       // functions with a share of the time that matters
	NoRatio      int       `json:"noRatio"`      // others with one: A lacks them at some commit
	LeastShare   float64   `json:"leastShare"`   // of the work, which a tested function has once
	FalseClaims  float64   `json:"falseClaims"`  // the share of false claims that is allowed for
	LeastCommits int       `json:"leastCommits"` // that a level lasts
	TooLarge     int       `json:"tooLarge"`     // sums that do not fit into int64, and were cut
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
	SameAs  int    `json:"sameAs"`  // the first with the same times in all pairs, or 0
	Differs string `json:"differs"` // in what option or version, from the first; or ""
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
	Earliest int     `json:"earliest"` // numbers of the commits among which the true one is,
	Latest   int     `json:"latest"`   // both included: see place.go
	Before   float64 `json:"before"`   // levels: ns, or ratios
	After    float64 `json:"after"`
	Factor   float64 `json:"factor"`   // after / before; 0 if the function is new or gone
	ChangeNs float64 `json:"changeNs"` // of a commit's time, all pairs together
	Q        float64 `json:"q"`        // of the claims with at most this q, this share is chance
	Pairs    int     `json:"pairs"`    // that show it: see pairs.go
	PairsOf  int     `json:"pairsOf"`  // in which the function is called at all

	step step
}

// Drift is a series that rises or falls all the time, or by steps that are too small to tell from
// that.
type Drift struct {
	Kind     Kind    `json:"kind"`
	Function string  `json:"function"`
	First    float64 `json:"first"` // of the line through the logarithms: ns, or ratios
	Last     float64 `json:"last"`
	Factor   float64 `json:"factor"` // last / first; 0 if either is nothing
	ChangeNs float64 `json:"changeNs"`
	Q        float64 `json:"q"`
}

// method names what finds changes.
const method = "PELT on logarithms (Killick, Fearnhead, Eckley 2012), penalty BIC; " +
	"q by permutation (Tusher, Tibshirani, Chu 2001; Benjamini and Hochberg 1995)"

// Of returns the trend over batches in the order of their commits.
func Of(ctx context.Context, list []*batch.Directory, names []string, o Options) (*Trend, error) {
	if len(list) == 0 {
		return nil, errors.New("a trend is that of some batches, one a commit")
	}
	h, err := read(ctx, list, names, o)
	if err != nil {
		return nil, err
	}
	t := h.trend()
	t.Measure = o.Measure
	followed := h.worthTesting()
	shapes, err := h.describe(ctx, t, followed)
	if err != nil {
		return nil, err
	}
	t.tell(followed, shapes)
	return t, h.countPairs(ctx, t)
}

// describe describes the series that can be tested. Nothing can be claimed of the others.
func (h *history) describe(ctx context.Context, t *Trend, followed []*Series) ([]*shape, error) {
	var tested []*Series
	for k, s := range followed {
		switch {
		case !t.Enough:
		case h.Measure == Ratio && slices.Min(s.ANs) <= 0:
			t.NoRatio++
		default:
			tested = append(tested, s)
			if k >= totals {
				t.Tested++
			}
		}
	}
	described, err := describeAll(ctx, logarithms(tested, h.Measure), h.Report)
	if err != nil {
		return nil, err
	}
	of := map[*Series]*shape{}
	for k, s := range tested {
		of[s] = described[k]
	}
	shapes := make([]*shape, len(followed))
	for k, s := range followed {
		shapes[k] = cmp.Or(of[s], &shape{})
	}
	return shapes, nil
}
