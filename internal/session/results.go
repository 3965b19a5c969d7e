package session

import (
	"context"

	"diptych/internal/align"
	"diptych/internal/match"
	"diptych/internal/pair"
)

// Results computes what comparisons need, or has it from an earlier run: stored says which. It is a
// *store.Store, which may be nil.
type Results interface {
	Graph(ctx context.Context, p *pair.Pair, scope match.Scope, progress match.Progress) (
		g *match.Graph, stored bool, err error)
	Ladder(ctx context.Context, g *match.Graph, bars [2]int, progress match.Progress) (
		l *match.Ladder, stored bool, err error)
	Alignments(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair, o align.Options,
		progress align.Progress) (rs []*align.Result, stored bool, err error)
}
