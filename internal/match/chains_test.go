package match

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// chains returns a pair of stacks of n distinct functions, each of which calls the next. B has one
// more in the middle.
func chains(t testing.TB, n int) *pair.Pair {
	chain := func(names []int) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("1", -1)
		for i, name := range names {
			th.Begin(int64(i), b.Function(trace.Function{Name: fmt.Sprint("f", name)}))
		}
		for i := range names {
			th.End(int64(len(names) + i))
		}
		return testtrace.Build(t, b)
	}
	var names []int
	for i := range n {
		names = append(names, i)
	}
	return pair.New(chain(names), chain(slices.Insert(slices.Clone(names), n/2, -1)), pair.Rules{})
}

// TestChains holds that the cost of a chain of distinct functions grows with the pairs of its
// classes, of which four times as many functions have 16 times as many. If members of sets were
// gone through for each pair, it would be 64 times as much. The least of several tries counts, of more
// of them on a machine that is busy otherwise.
func TestChains(t *testing.T) {
	const short, most, tries = 500, 35, 50
	works := map[string]func(g *Graph) error{
		"match": func(g *Graph) error {
			_, err := g.Match(context.Background(), DefaultTau, nil)
			return err
		},
		"ladder": func(g *Graph) error {
			_, err := g.Ladder(context.Background(), [2]int{50, 50}, nil)
			return err
		},
	}
	graphs := [2]*Graph{mustClassify(t, chains(t, short)), mustClassify(t, chains(t, 4*short))}
	for name, do := range works {
		var least [2]time.Duration
		ratio := func() float64 { return least[1].Seconds() / least[0].Seconds() }
		for try := 0; try < 5 || try < tries && ratio() > most; try++ {
			for k, g := range graphs {
				start := time.Now()
				if err := do(g); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); least[k] == 0 || took < least[k] {
					least[k] = took
				}
			}
		}
		if ratio() > most {
			t.Errorf("%s: %v for %d functions, %v for %d: %.0f times as much", name,
				least[0], short, least[1], 4*short, ratio())
		}
	}
}
