// Package match is the match engine (DESIGN §5, after TraceDiff's definition of matches): which
// calls of two traces call alike sets of functions. Γ(f) is the set of function identities in the
// subtree of call f, its own included; s(f,g) = |Γ(f)∩Γ(g)| / |Γ(f)∪Γ(g)|; a match is a pair with
// s > τ.
//
// Pairs of calls are never listed. Calls with equal Γ form a class, classes are compared with
// classes, and everything derived is a sum over them: a Graph holds the classes of both sides, a
// Result what each class matches at one τ.
//
// The package holds pure functions of a pair.Pair. It knows no files, views or other analyses.
package match

import (
	"context"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Graph is the two sides of a comparison as classes. It is immutable.
type Graph struct {
	Pair  *pair.Pair
	Scope Scope
	Sides [2]*Classes // by pair.Side
}

// Classify puts the calls of the scope into classes, both sides at once. report, which may be
// nil, counts calls. It returns ctx's error if it is cancelled.
func Classify(ctx context.Context, p *pair.Pair, scope Scope, report progress.Func) (*Graph, error) {
	g := &Graph{Pair: p, Scope: scope}
	var calls [2]Calls
	m := progress.NewMeter(report, 0)
	for s := range calls {
		calls[s] = scope.calls(p, pair.Side(s))
		m.Expect(int64(calls[s].Len()))
	}
	work, ctx := errgroup.WithContext(ctx)
	for _, s := range []pair.Side{pair.A, pair.B} {
		work.Go(func() (err error) {
			g.Sides[s], err = classify(ctx, calls[s], p.IDs(s), len(p.Names), m)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return g, nil
}
