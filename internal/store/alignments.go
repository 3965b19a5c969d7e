package store

import (
	"context"
	"encoding/binary"

	"diptych/internal/align"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// leastAligned is the size, in calls of both sides, below which no alignment is looked for. A level
// takes time quadratic in its width, so far fewer calls than for classes are worth looking.
const leastAligned = 1 << 11

// Alignments returns the alignments of pairs of threads, in the same order, and whether they were
// stored. Only those of the engine Auto are: the others are there to be compared with it.
func (s *Store) Alignments(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair,
	o align.Options, report progress.Func) (rs []*align.Result, cached bool, err error) {
	if s == nil || o.Engine != align.Auto || !s.All && callsIn(p, pairs) < leastAligned {
		rs, err = align.All(ctx, p, pairs, o, report)
		return rs, false, err
	}
	return reuse(ctx, s, s.alignmentKey(p, pairs, o),
		func(b []byte) (alignments, error) { return align.Decode(ctx, p, pairs, b) },
		func() (alignments, error) { return align.All(ctx, p, pairs, o, report) })
}

type alignments []*align.Result

func (a alignments) Encode() []byte { return align.Encode(a) }

// callsIn returns the number of calls of pairs of threads, on both sides.
func callsIn(p *pair.Pair, pairs []pair.ThreadPair) (n int) {
	for _, tp := range pairs {
		n += calls(p, match.Scope{Threads: tp})
	}
	return n
}

func (s *Store) alignmentKey(p *pair.Pair, pairs []pair.ThreadPair, o align.Options) Key {
	return KeyOf("align.Result", align.Version,
		append(s.traces(p), pairing(p, pairs), o.Encode())...)
}

// pairing is which threads are paired. All are in it that have calls, since who calls whom in one
// has a say in what is passed through in another; the others change nothing.
func pairing(p *pair.Pair, pairs []pair.ThreadPair) (b []byte) {
	for _, tp := range pairs {
		if calls(p, match.Scope{Threads: tp}) > 0 {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(tp.A)), int64(tp.B))
		}
	}
	return b
}
