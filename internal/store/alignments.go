package store

import (
	"context"
	"encoding/binary"

	"diptych/internal/align"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// leastAligned is the number of calls, on both sides, below which no alignment is looked for. A
// level takes time quadratic in its width, so looking pays from far fewer calls on than for
// classes.
const leastAligned = 1 << 11

// Alignments returns the alignments of pairs of threads, in the same order, and whether they were
// stored. Only those of the engine Auto are: the others are there to be compared with it.
func (s *Store) Alignments(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair,
	o align.Options, report progress.Func) (rs []*align.Result, cached bool, err error) {
	if o.Engine != align.Auto {
		s = nil
	}
	return reuse(ctx, s, recipe[alignments]{
		kind: "align.Result", version: align.Version,
		from:    func() [][]byte { return s.alignment(p, pairs, o) },
		worth:   callsOfPairs(p, pairs) >= leastAligned,
		compute: func() (alignments, error) { return align.All(ctx, p, pairs, o, report) },
		decode:  func(b []byte) (alignments, error) { return align.Decode(ctx, p, pairs, b) },
	})
}

type alignments []*align.Result

func (a alignments) Encode() []byte { return align.Encode(a) }

// alignment is what an alignment depends on.
func (s *Store) alignment(p *pair.Pair, pairs []pair.ThreadPair, o align.Options) [][]byte {
	return append(s.traces(p), pairing(p, pairs), o.Encode())
}

// pairing is which threads are paired. All threads with calls are in it, since the calls of one
// thread have an influence on what is passed through in another; threads without calls have none.
func pairing(p *pair.Pair, pairs []pair.ThreadPair) (b []byte) {
	for _, tp := range pairs {
		if callsInScope(p, match.Scope{Threads: tp}) > 0 {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(tp.A)), int64(tp.B))
		}
	}
	return b
}

// callsOfPairs returns the number of calls of pairs of threads, on both sides.
func callsOfPairs(p *pair.Pair, pairs []pair.ThreadPair) (n int) {
	for _, tp := range pairs {
		n += callsInScope(p, match.Scope{Threads: tp})
	}
	return n
}
