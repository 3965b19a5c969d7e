package store

import (
	"context"
	"encoding/binary"
	"time"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// What is quick to compute is not worth storing. Looking for a result costs a tenth of a
// millisecond and hashing both traces, a nanosecond a call; classes cost ten times that. Below
// these sizes nothing is even looked for.
const (
	leastCalls = 1 << 18 // of both sides, for classes
	leastPairs = 1 << 20 // of classes, for what they match
)

// pays reports whether a result that took that long to compute is much slower to compute than to
// read.
func pays(took time.Duration, bytes int) bool {
	const opening, perMB, much = 250 * time.Microsecond, time.Millisecond, 4
	return took > much*(opening+perMB*time.Duration(bytes>>20))
}

// Graph returns the classes of the scope, and whether they were stored.
func (s *Store) Graph(ctx context.Context, p *pair.Pair, scope match.Scope,
	report progress.Func) (g *match.Graph, cached bool, err error) {
	if s == nil || !s.All && calls(p, scope) < leastCalls {
		g, err = match.Classify(ctx, p, scope, report)
		return g, false, err
	}
	k := KeyOf("match.Graph", match.Version, s.comparison(p, scope)...)
	return reuse(ctx, s, k,
		func(b []byte) (*match.Graph, error) { return match.DecodeGraph(b, p, scope) },
		func() (*match.Graph, error) { return match.Classify(ctx, p, scope, report) })
}

// Result returns what g's classes match at τ, and whether that was stored.
func (s *Store) Result(ctx context.Context, g *match.Graph, tau match.Tau,
	report progress.Func) (r *match.Result, cached bool, err error) {
	if s == nil || !s.All && pairsOf(g) < leastPairs {
		r, err = g.Match(ctx, tau, report)
		return r, false, err
	}
	k := KeyOf("match.Result", match.Version,
		append(s.comparison(g.Pair, g.Scope), []byte(tau.String()))...)
	return reuse(ctx, s, k,
		func(b []byte) (*match.Result, error) { return match.DecodeResult(b, g, tau) },
		func() (*match.Result, error) { return g.Match(ctx, tau, report) })
}

// Ladder returns what g's classes match at every τ, with the given numbers of bars, and whether that
// was stored.
func (s *Store) Ladder(ctx context.Context, g *match.Graph, bars [2]int,
	report progress.Func) (l *match.Ladder, cached bool, err error) {
	if s == nil || !s.All && pairsOf(g) < leastPairs && calls(g.Pair, g.Scope) < leastCalls {
		l, err = g.Ladder(ctx, bars, report)
		return l, false, err
	}
	n := binary.AppendVarint(binary.AppendVarint(nil, int64(bars[0])), int64(bars[1]))
	k := KeyOf("match.Ladder", match.Version, append(s.comparison(g.Pair, g.Scope), n)...)
	return reuse(ctx, s, k,
		func(b []byte) (*match.Ladder, error) { return match.DecodeLadder(ctx, b, g, bars) },
		func() (*match.Ladder, error) { return g.Ladder(ctx, bars, report) })
}

// comparison is what every result of comparing p in a scope depends on.
func (s *Store) comparison(p *pair.Pair, scope match.Scope) [][]byte {
	threads := []byte("process")
	if !scope.Process {
		threads = binary.AppendVarint(binary.AppendVarint(nil, int64(scope.Threads.A)),
			int64(scope.Threads.B))
	}
	return append(s.traces(p), threads)
}

// traces is what the traces hold, and which functions are the same. Of the identity rules that is
// what they come to: the ids they gave.
func (s *Store) traces(p *pair.Pair) [][]byte {
	a, b := s.hash(p.A), s.hash(p.B)
	return [][]byte{a[:], b[:], raw(p.IDA), raw(p.IDB)}
}

// calls returns the number of calls in the scope, on both sides.
func calls(p *pair.Pair, scope match.Scope) int {
	n := 0
	for _, side := range []pair.Side{pair.A, pair.B} {
		t := p.Trace(side)
		switch {
		case t == nil:
		case scope.Process:
			n += t.Calls()
		case scope.Threads.On(side) >= 0:
			n += t.Threads[scope.Threads.On(side)].Len()
		}
	}
	return n
}

// pairsOf returns the number of pairs of classes.
func pairsOf(g *match.Graph) int {
	return len(g.Sides[pair.A].Size) * len(g.Sides[pair.B].Size)
}

// stored is a result that can be written down.
type stored interface{ Encode() []byte }

// reuse returns the value stored under k, or computes it and stores it if it took long.
func reuse[T stored](ctx context.Context, s *Store, k Key, decode func([]byte) (T, error),
	compute func() (T, error)) (v T, cached bool, err error) {
	if b, ok := s.Get(ctx, k); ok {
		if v, err = decode(b); err == nil {
			return v, true, nil
		}
	}
	began := time.Now()
	if v, err = compute(); err != nil {
		return v, false, err
	}
	took := time.Since(began)
	if b := v.Encode(); s.All || pays(took, len(b)) {
		// What cannot be stored is counted and computed again next time.
		_ = s.Put(ctx, k, b)
	}
	return v, false, nil
}
