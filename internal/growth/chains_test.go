//go:build unix

package growth

import (
	"slices"
	"testing"

	"diptych/internal/match"
)

// ladder is what every view of the window waits for, and groups is what match --groups lists. Of
// threads of many calls with few functions they tell nothing that match does not.
var ladder = []work{
	{"ladder", func(s *subject) error {
		g, err := match.Classify(ctx, s.pair, match.Process(), nil)
		if err == nil {
			s.parts = int(g.ClassPairs())
			_, err = g.Ladder(ctx, [2]int{160, 160}, nil)
		}
		return err
	}, "pairs of classes"},
	{"groups", func(s *subject) error {
		g, err := match.Classify(ctx, s.pair, match.Process(), nil)
		if err != nil {
			return err
		}
		s.parts = int(g.ClassPairs())
		list, err := g.Groups(ctx, match.DefaultTau, match.Budget{})
		if err == nil {
			_, err = g.Sizes(ctx, list.List, match.DefaultTau)
		}
		return err
	}, "pairs of classes"},
}

// BenchmarkChain has one stack of ever more calls, of which no two are of one function, except
// that every hundredth call of B is of the function of the call below. So there are as many classes
// as calls, and four times as many pairs of classes where there are twice as many calls: what
// compares classes may grow by 2 a doubling, and all else must not grow.
func BenchmarkChain(b *testing.B) {
	grown(b, slices.Concat(works, ladder), []int{1250, 2500, 5000, 10_000, 20_000},
		func(n int) *subject { return deep(b, n, n, n) })
}
