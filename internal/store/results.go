package store

import (
	"context"
	"encoding/binary"
	"time"

	"diptych/internal/match"
	"diptych/internal/pair"
)

// A kind of result that is worth storing is one file of this package: matches.go and alignments.go
// each have a method of Store for each kind, which fills in a recipe and calls reuse. Nothing else
// here knows what kinds there are. A result turns itself into bytes (Encode), and its analysis has
// the function that reads them again.

// encoder is a result that turns itself into bytes.
type encoder interface{ Encode() []byte }

// recipe says how one result is computed and how it is found again.
type recipe[T encoder] struct {
	kind    string // of result; a Key begins with it and the version
	version int    // of the analysis; results of older ones are deleted

	// from returns everything that the result depends on. It is only called if worth is true, since
	// it may have to hash traces.
	from func() [][]byte

	worth   bool // the result takes so long to compute that it may pay to look for it
	compute func() (T, error)
	decode  func(b []byte) (T, error) // fails if b is no result of this computation
}

// reuse returns a result from the store, or computes it, and stores it if that took long. cached
// says whether it was stored.
func reuse[T encoder](ctx context.Context, s *Store, r recipe[T]) (v T, cached bool, err error) {
	if s == nil || !r.worth && !s.All {
		v, err = r.compute()
		return v, false, err
	}
	k := keyOf(r.kind, r.version, r.from()...)
	if b, ok := s.Get(ctx, k); ok {
		if v, err = r.decode(b); err == nil {
			return v, true, nil
		}
	}
	began := time.Now()
	if v, err = r.compute(); err != nil {
		return v, false, err
	}
	took := time.Since(began)
	if b := v.Encode(); s.All || paysOff(took, len(b)) {
		// Put counts its failures. Then the result is computed again next time.
		_ = s.Put(ctx, k, b)
	}
	return v, false, nil
}

// paysOff reports whether a result that took that long to compute is much slower to compute than to
// read.
func paysOff(took time.Duration, bytes int) bool {
	const opening, perMB, much = 250 * time.Microsecond, time.Millisecond, 4
	return took > much*(opening+perMB*time.Duration(bytes>>20))
}

// comparison is what every comparison of p in a scope depends on.
func (s *Store) comparison(p *pair.Pair, scope match.Scope) [][]byte {
	threads := []byte("process")
	if !scope.Process {
		threads = binary.AppendVarint(binary.AppendVarint(nil, int64(scope.Threads.A)),
			int64(scope.Threads.B))
	}
	return append(s.traces(p), threads)
}

// traces is the hashes of both traces and which of their functions are the same. The latter is the
// ids that the identity rules gave: two sets of rules that give the same ids share results.
func (s *Store) traces(p *pair.Pair) [][]byte {
	a, b := s.hashOf(p.A), s.hashOf(p.B)
	return [][]byte{a[:], b[:], memoryOf(p.IDA), memoryOf(p.IDB)}
}

// callsInScope returns the number of calls in the scope, on both sides.
func callsInScope(p *pair.Pair, scope match.Scope) int {
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
