package match

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestProcessors holds that a result does not depend on how many processors computed it.
func TestProcessors(t *testing.T) {
	g := simulated(t, 20_000)
	var results []*Result
	var ladders []*Ladder
	for _, n := range []int{1, 4} {
		was := runtime.GOMAXPROCS(n)
		r, err := g.Match(context.Background(), DefaultTau, nil)
		l, err2 := g.Ladder(context.Background(), [2]int{20, 30}, nil)
		runtime.GOMAXPROCS(was)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		results, ladders = append(results, r), append(ladders, l)
	}
	if d := cmp.Diff(results[0], results[1], exactly); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(ladders[0], ladders[1], exactly); d != "" {
		t.Error(d)
	}
}

// works are the pieces of work that report progress.
func works(g *Graph) map[string]func(context.Context, progress.Func) error {
	return map[string]func(context.Context, progress.Func) error{
		"classify": func(ctx context.Context, p progress.Func) error {
			_, err := Classify(ctx, g.Pair, g.Scope, p)
			return err
		},
		"match": func(ctx context.Context, p progress.Func) error {
			_, err := g.Match(ctx, DefaultTau, p)
			return err
		},
		"ladder": func(ctx context.Context, p progress.Func) error {
			_, err := g.Ladder(ctx, [2]int{9, 9}, p)
			return err
		},
	}
}

// TestProgress holds that progress rises to its end.
func TestProgress(t *testing.T) {
	for name, work := range works(simulated(t, 20_000)) {
		var done, total int64
		err := work(context.Background(), func(d, t int64) {
			if d <= done {
				panic("progress went back")
			}
			done, total = d, t
		})
		if err != nil || done != total || done == 0 {
			t.Errorf("%s: %d of %d, %v", name, done, total, err)
		}
	}
}

// TestCancelMidway holds that work which is cancelled ends with what it has begun: each processor
// reports at most once more.
func TestCancelMidway(t *testing.T) {
	for name, work := range works(simulated(t, 20_000)) {
		ctx, cancel := context.WithCancel(context.Background())
		after := 0
		err := work(ctx, func(int64, int64) {
			if ctx.Err() != nil {
				after++
			}
			cancel()
		})
		if !errors.Is(err, context.Canceled) || after > runtime.GOMAXPROCS(0) {
			t.Errorf("%s: %v, and went on %d times", name, err, after)
		}
	}
}

func TestCancel(t *testing.T) {
	g := simulated(t, 2_000)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, groups := g.Groups(ctx, DefaultTau, Budget{})
	_, paper := g.PaperGroups(ctx, DefaultTau)
	_, repetitions := g.Sides[pair.A].Repetitions(ctx, DefaultRho)
	_, intervals := g.Sides[pair.A].Intervals(ctx, 0, 1, 1)
	_, distances := g.Distances(ctx, DefaultTau, [2]*Intervals{}, [2][]Bar{}, 0)
	errs := []error{groups, paper, repetitions, intervals, distances}
	for _, work := range works(g) {
		errs = append(errs, work(ctx, nil))
	}
	for k, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", k, err)
		}
	}
}

// TestNothingToMatch holds that a side that is absent, or a thread without a partner, has weight 0.
func TestNothingToMatch(t *testing.T) {
	whole := simulated(t, 1_000).Pair
	for name, g := range map[string]struct {
		p     *pair.Pair
		scope Scope
	}{
		"no B":       {pair.New(whole.A, nil, pair.Rules{}), Process()},
		"neither":    {pair.New(nil, nil, pair.Rules{}), Process()},
		"no partner": {whole, Threads(0, none)},
	} {
		graph, r := mustMatch(t, g.p, g.scope, Tau{})
		groups, err := graph.Groups(context.Background(), Tau{}, Budget{})
		if r.Pairs != 0 || r.MatchedCalls != [2]uint64{} || err != nil || len(groups.List) != 0 {
			t.Errorf("%s: %d matches of %v calls, %v, %v", name, r.Pairs, r.MatchedCalls, groups, err)
		}
	}
}

// TestDeep holds that a stack of 100,000 calls does no harm.
func TestDeep(t *testing.T) {
	const depth = 100_000
	tower := func() *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("1", -1)
		f := []trace.FuncID{b.Function(trace.Function{Name: "f"}), b.Function(trace.Function{Name: "g"})}
		for i := range depth {
			th.Begin(int64(i), f[i%2])
		}
		for i := range depth {
			th.End(int64(depth + i))
		}
		return testtrace.Build(t, b)
	}
	g, r := mustMatch(t, pair.New(tower(), tower(), pair.Rules{}), Process(), Hundredths(50))
	if want := uint64(depth-1)*(depth-1) + 1; r.Pairs != want {
		t.Errorf("%d matches, want %d", r.Pairs, want)
	}
	groups, err := g.Groups(context.Background(), Hundredths(50), Budget{})
	if err != nil || len(groups.List) != 1 {
		t.Fatalf("%v, %v", groups, err)
	}
	sizes, err := g.Sizes(context.Background(), groups.List, r.Tau)
	if err != nil || sizes[0] != r.Pairs {
		t.Errorf("%v, %v", sizes, err)
	}
}
