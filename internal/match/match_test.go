package match

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestProcessors checks that a result does not depend on the number of processors.
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
	if d := difference(results[0], results[1]); d != "" {
		t.Error(d)
	}
	if d := difference(ladders[0], ladders[1]); d != "" {
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

// TestProgress checks that progress rises to its end.
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

// TestCancelMidway checks that cancelled work stops soon: each processor reports at most once more.
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
	_, paper := g.PaperGroups(ctx, DefaultTau, Budget{})
	_, repetitions := g.Sides[pair.A].Repeats(ctx, DefaultRho)
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

// TestNothingToMatch checks that nothing matches if a side is absent or a thread has no partner.
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

// TestDeep checks a stack of 100,000 calls.
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

// TestFocusCancelled checks that everything that is cancelled returns the error, even if it would
// find nothing.
func TestFocusCancelled(t *testing.T) {
	g := simulated(t, 2_000)
	var ivs [2]*Intervals
	for s, c := range g.Sides {
		iv, err := c.Intervals(context.Background(), 0, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		ivs[s] = iv
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w, one := [2]Window{Everything, Everything}, []Group{{0, 0}}
	_, in := g.GroupsIn(ctx, DefaultTau, w, Budget{})
	_, sums := g.SumUp(ctx, DefaultTau, []Summary{{Group: one[0]}})
	_, sizes := g.Sizes(ctx, one, DefaultTau)
	_, top := g.TopGroups(ctx, &Groups{List: one}, w, 1)
	_, partner := g.Best(ctx, Query{Tau: DefaultTau}, 1)
	_, lit := g.HoverIntervals(ctx, DefaultTau, pair.A, 0, ivs)
	_, leaf := g.HoverIntervals(ctx, DefaultTau, pair.B, g.Sides[pair.B].Len()-1, ivs)
	_, repeats := g.Sides[pair.A].Repeats(ctx, DefaultRho)
	for k, err := range []error{in, sums, sizes, top, partner, lit, leaf, repeats} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", k, err)
		}
	}
}

func TestTau(t *testing.T) {
	for text, want := range map[string]string{
		"0.2": "0.2", "0": "0", "0.250": "0.25", "1/3": "1/3", "2/5": "0.4", ".5": "0.5", "1": "1",
		"0.123456789": "0.123456789",
	} {
		tau, err := ParseTau(text)
		if err != nil || tau.String() != want {
			t.Errorf("ParseTau(%q) = %v, %v; want %s", text, tau, err, want)
		}
	}
	for _, bad := range []string{"", "x", "-1", "1.5", "2", "1/0", "0.1234567891", "1e-3", "NaN", "3/2"} {
		if tau, err := ParseTau(bad); err == nil {
			t.Errorf("ParseTau(%q) = %v", bad, tau)
		}
	}
	if third := (Tau{1, 3}); third.Exceeded(1, 2, 2) || !third.Reached(1, 2, 2) {
		t.Error("1/3 is not above 1/3, but reaches it")
	}
}
