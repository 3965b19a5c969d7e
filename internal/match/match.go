// Package match is the match engine (after TraceDiff): it finds calls of two traces that call
// similar sets of functions. Γ(f) is the set of function identities in the subtree of call f,
// including f's own; s(f,g) = |Γ(f)∩Γ(g)| / |Γ(f)∪Γ(g)|; a match is a pair of calls with s > τ.
//
// Pairs of calls are never listed: two traces of ten million calls have 10¹⁴ of them. Calls with
// equal Γ form a class, classes are compared with classes, and every figure is a sum over classes.
// A good order to read the files in is:
//
//	match.go, scope.go      what is compared, and the threshold τ
//	sets.go, forest.go      Γ as numbered sets; each as a larger set and what it adds
//	share.go                Γ of each call, found by several processors
//	classes.go              calls grouped by Γ
//	kinds.go, rowkinds.go   classes that the other side cannot tell apart
//	rows.go, grid.go        one class against all of the other side; some against some
//	compare.go, blocks.go   all classes at one τ
//	lanes.go                how much a class shares with 512 sets at once, counted bit by bit
//	panels.go, sieve.go     a class against 512 kinds; which of them are worth it
//	wide.go                 the same for classes of too many functions to count bit by bit
//	bars.go, ladder.go      sums by interval of time; the same at every hundredth of τ
//	levels.go               what a class adds up to at every hundredth of τ
//	levelpanels.go          the kinds that it is compared with, by size
//	sample.go               the most frequent calls first, until the ladder is there
//	call.go, best.go        one call: its matches, and which of them is the best
//	groups.go               root matches
//	papergroups.go          groups by TraceDiff's literal rule
//	summaries.go            the groups that cover the most time
//	census.go, sums.go      how many matches a group has, and how similar
//	repetitions.go          runs of similar siblings
//	hover.go                which bars a hovered call lights
//	encode.go               all of this as bytes, for the store
//
// The package holds pure functions of a pair.Pair. It knows no files, views or other analyses.
package match

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Graph is the two sides of a comparison as classes. It is immutable.
type Graph struct {
	Pair  *pair.Pair
	Scope Scope
	Sides [2]*Classes // by pair.Side
}

// Classify groups the calls of the scope into classes, both sides concurrently. report counts
// calls. The only error is ctx's.
func Classify(ctx context.Context, p *pair.Pair, scope Scope,
	report progress.Func) (*Graph, error) {
	g := &Graph{Pair: p, Scope: scope}
	m := progress.NewMeter(report, 0)
	var sides [2]*sharing
	var work []func() error
	for s := range sides {
		calls := scope.calls(p, pair.Side(s))
		m.Expect(int64(calls.Len()))
		sides[s] = newSharing(calls, sharesOf(calls.Len()), p.IDs(pair.Side(s)), len(p.Names))
		for _, share := range sides[s].shares {
			work = append(work, func() error { return share.findSets(ctx, &sides[s].calls, m) })
		}
	}
	if err := progress.Spread(ctx, len(work), func(k int) error { return work[k]() }); err != nil {
		return nil, err
	}
	err := progress.Spread(ctx, len(sides), func(s int) (err error) {
		g.Sides[s], err = sides[s].classify(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Tau is a threshold of similarity from 0 to 1. It is a fraction, because small sets often have
// s = τ exactly, and then the rounding of floating point would decide whether they match.
type Tau struct{ num, den uint64 }

// maxDen keeps the products in Exceeded within 64 bits for sets of 2³² members.
const maxDen = 1_000_000_000

// DefaultTau is the τ that TraceDiff starts with, DefaultRho the least similarity of repetitions.
var (
	DefaultTau = Hundredths(20)
	DefaultRho = Hundredths(80)
)

// Hundredths returns τ = n/100.
func Hundredths(n int) Tau { return Tau{uint64(min(max(n, 0), 100)), 100} }

// ParseTau reads a decimal such as 0.25, of at most nine places, or a fraction such as 1/3.
func ParseTau(text string) (Tau, error) {
	num, den, ok := strings.Cut(text, "/")
	if !ok {
		whole, places, _ := strings.Cut(text, ".")
		num, den = whole+places, "1"+strings.Repeat("0", len(places))
	}
	p, err := strconv.ParseUint(num, 10, 64)
	if err != nil {
		return Tau{}, fmt.Errorf("threshold %q: want a number like 0.2 or 1/3", text)
	}
	q, err := strconv.ParseUint(den, 10, 64)
	if err != nil || q == 0 || q > maxDen || p > q {
		return Tau{}, fmt.Errorf("threshold %q: want 0 to 1 with at most nine places", text)
	}
	return Tau{p, q}, nil
}

func (t Tau) String() string {
	p, q := t.fraction()
	hi, lo := bits.Mul64(p, maxDen)
	n, rest := bits.Div64(hi, lo, q)
	if rest != 0 {
		return fmt.Sprintf("%d/%d", p, q)
	}
	text := fmt.Sprintf("%d.%09d", n/maxDen, n%maxDen)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Float returns the nearest number.
func (t Tau) Float() float64 {
	p, q := t.fraction()
	return float64(p) / float64(q)
}

// fraction returns numerator and denominator of τ; the zero Tau is 0/1.
func (t Tau) fraction() (num, den uint64) { return t.num, max(t.den, 1) }

// Exceeded reports whether s > τ for two sets of x and y members of which common are shared. With
// τ = p/q, c/(x+y−c) > p/q is c·(q+p) > p·(x+y).
func (t Tau) Exceeded(common, x, y uint32) bool {
	p, q := t.fraction()
	return uint64(common)*(q+p) > p*(uint64(x)+uint64(y))
}

// Reached reports whether s ≥ τ.
func (t Tau) Reached(common, x, y uint32) bool {
	p, q := t.fraction()
	return uint64(common)*(q+p) >= p*(uint64(x)+uint64(y))
}
