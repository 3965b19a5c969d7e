package store

import (
	"context"
	"encoding/binary"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Below these sizes no result is even looked for. A look costs a tenth of a millisecond, and
// hashing both traces a nanosecond a call; grouping calls into classes takes ten times that.
const (
	leastCalls = 1 << 18 // of both sides, for classes
	leastPairs = 1 << 20 // of classes, for what they match
)

// Graph returns the classes of the scope, and whether they were stored.
func (s *Store) Graph(ctx context.Context, p *pair.Pair, scope match.Scope,
	report progress.Func) (g *match.Graph, cached bool, err error) {
	return reuse(ctx, s, recipe[*match.Graph]{
		kind: "match.Graph", version: match.Version,
		from:    func() [][]byte { return s.comparison(p, scope) },
		worth:   callsInScope(p, scope) >= leastCalls,
		compute: func() (*match.Graph, error) { return match.Classify(ctx, p, scope, report) },
		decode:  func(b []byte) (*match.Graph, error) { return match.DecodeGraph(b, p, scope) },
	})
}

// Result returns what g's classes match at τ, and whether that was stored.
func (s *Store) Result(ctx context.Context, g *match.Graph, tau match.Tau,
	report progress.Func) (r *match.Result, cached bool, err error) {
	return reuse(ctx, s, recipe[*match.Result]{
		kind: "match.Result", version: match.Version,
		from: func() [][]byte {
			return append(s.comparison(g.Pair, g.Scope), []byte(tau.String()))
		},
		worth:   classPairs(g) >= leastPairs,
		compute: func() (*match.Result, error) { return g.Match(ctx, tau, report) },
		decode:  func(b []byte) (*match.Result, error) { return match.DecodeResult(b, g, tau) },
	})
}

// Ladder returns what g's classes match at every hundredth of τ, with the given numbers of bars,
// and whether that was stored.
func (s *Store) Ladder(ctx context.Context, g *match.Graph, bars [2]int,
	report progress.Func) (l *match.Ladder, cached bool, err error) {
	return reuse(ctx, s, recipe[*match.Ladder]{
		kind: "match.Ladder", version: match.Version,
		from: func() [][]byte {
			n := binary.AppendVarint(binary.AppendVarint(nil, int64(bars[0])), int64(bars[1]))
			return append(s.comparison(g.Pair, g.Scope), n)
		},
		worth:   classPairs(g) >= leastPairs || callsInScope(g.Pair, g.Scope) >= leastCalls,
		compute: func() (*match.Ladder, error) { return g.Ladder(ctx, bars, report) },
		decode:  func(b []byte) (*match.Ladder, error) { return match.DecodeLadder(ctx, b, g, bars) },
	})
}

// classPairs returns the number of pairs of classes.
func classPairs(g *match.Graph) int {
	return len(g.Sides[pair.A].Size) * len(g.Sides[pair.B].Size)
}
