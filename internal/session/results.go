package session

import (
	"context"

	"diptych/internal/align"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Results computes what comparisons need, or has it from an earlier run: stored says which. It is a
// *store.Store, which may be nil.
type Results interface {
	Graph(ctx context.Context, p *pair.Pair, scope match.Scope, report progress.Func) (
		g *match.Graph, stored bool, err error)
	Ladder(ctx context.Context, g *match.Graph, bars [2]int, report progress.Func) (
		l *match.Ladder, stored bool, err error)
	Alignments(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair, o align.Options,
		report progress.Func) (rs []*align.Result, stored bool, err error)
}
