package runs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/account"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

var shape = testtrace.Shape{Threads: testtrace.Range{1, 4}, Records: testtrace.Range{0, 30},
	Step: testtrace.Range{0, 4}, Close: true, Objects: testtrace.Range{0, 2}, Marks: 5, Runtime: true}

func summarise(t testtrace.TB, name string, tr *trace.Trace) *Summary {
	t.Helper()
	s, err := Summarise(context.Background(), name, tr, pair.Rules{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSummaryAddsUp holds that the places of a run add up to its totals, and its way to its elapsed
// time where a thread has it.
func TestSummaryAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		s := summarise(t, "run", tr)
		var sums [account.Kinds]int64
		way := int64(0)
		for at, a := range s.Sites {
			sums[at.Kind] += a.Ns
			way += a.WayNs
		}
		if sums != s.Total || way > s.ElapsedNs || s.ElapsedNs != tr.Duration {
			t.Fatalf("%v, %d ns on the way, want %v, %d", sums, way, s.Total, s.ElapsedNs)
		}
	})
}

// TestAClonesCallCountsOnce holds that a function's time with callees has no call of it twice, also
// where it calls a clone of itself.
func TestAClonesCallCountsOnce(t *testing.T) {
	b := trace.NewBuilder("test")
	foo, part := b.Function(trace.Function{Name: "foo"}), b.Function(trace.Function{Name: "foo.part.0"})
	th := b.Thread("1", b.Process("1"))
	th.Complete(0, 100, foo)
	th.Complete(10, 90, part)
	th.Complete(200, 250, part)
	s := summarise(t, "run", testtrace.Build(t, b))
	if got := s.Functions["foo"]; got.Calls != 3 || got.Ns != 150 || len(s.Functions) != 1 {
		t.Errorf("%+v, want 3 calls of foo, 150 ns", s.Functions)
	}
}

// TestRunsAreMatchedByNames holds that a study does not depend on how the functions of a run are
// numbered, and knows a place by function, caller and role.
func TestRunsAreMatchedByNames(t *testing.T) {
	run := func(names ...string) *trace.Trace {
		b := trace.NewBuilder("test")
		ids := map[string]trace.FuncID{}
		for _, n := range names {
			ids[n] = b.Function(trace.Function{Name: n})
		}
		for k := range 2 {
			th := b.Thread(fmt.Sprint(k), -1)
			th.SetName(fmt.Sprintf("worker %d", k+1))
			th.Complete(0, 100, ids["main"])
			th.Complete(10, 40, ids["read.part.3"])
			th.Complete(50, 60, ids["parse"])
		}
		return testtrace.Build(t, b)
	}
	s := &Study{}
	for _, tr := range []*trace.Trace{run("main", "parse", "read.part.3"), run("read.part.3", "main", "parse")} {
		if err := s.Add(pair.A, summarise(t, "a", tr)); err != nil {
			t.Fatal(err)
		}
		if err := s.Add(pair.B, summarise(t, "b", tr)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := s.Compare(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, x := range c.ByPlace {
		if x.Quantity == Time {
			fmt.Fprintf(&got, "%s<%s on %s %v; ", x.Site.Function, x.Site.Caller, x.Site.Role, x.Values)
		}
	}
	const want = "main< on worker [[120 120] [120 120]]; parse<main on worker [[20 20] [20 20]]; " +
		"read<main on worker [[60 60] [60 60]]; "
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got.String(), want)
	}
}

// TestCompareMatchesDefinition holds the values of every place and function against sums over the
// summaries, and that no large place is left out.
func TestCompareMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, runs := &Study{}, [2][]*Summary{}
		for sd := range runs {
			for k := range rapid.IntRange(1, 3).Draw(t, "runs") {
				r := summarise(t, fmt.Sprint(sd, k), shape.Draw(t, "trace"))
				runs[sd] = append(runs[sd], r)
				if err := s.Add(pair.Side(sd), r); err != nil {
					t.Fatal(err)
				}
			}
		}
		c, err := s.Compare(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		check := func(list []Change, same func(x, y Site) bool) {
			for _, x := range list {
				for sd := range runs {
					for k, r := range runs[sd] {
						want := 0.0
						for at, a := range r.Sites {
							if same(at, x.Site) {
								want += x.Quantity.of(a)
							}
						}
						if x.Site.Kind == Whole {
							want = x.Quantity.of(r.Functions[x.Site.Function])
						}
						if got := x.Values[sd][k]; got != want {
							t.Fatalf("%v of %+v: %v, want %v", x.Quantity, x.Site, got, want)
						}
					}
				}
			}
		}
		check(c.ByPlace, func(x, y Site) bool { return x == y })
		check(c.ByFunction, func(x, y Site) bool { return x.Kind == y.Kind && x.Function == y.Function })
		tested := map[Site]bool{}
		for _, x := range c.ByPlace {
			tested[x.Site] = true
		}
		for sd := range runs {
			for _, r := range runs[sd] {
				for at, a := range r.Sites {
					if !tested[at] && float64(a.Ns) >= leastTested*s.medianElapsed() {
						t.Fatalf("%+v is not tested", at)
					}
				}
			}
		}
	})
}

// model is a program of functions whose times vary from run to run by a share of themselves; B
// takes factor times as long in some.
type model struct {
	functions int
	noise     float64
	factor    map[int]float64
}

// study records runs of the model.
func (m model) study(t *testing.T, r *rand.Rand, n int) *Study {
	s := &Study{}
	for sd := range s.Sides {
		for k := range n {
			run := &Summary{Name: fmt.Sprint(sd, k), Sites: map[Site]account.Amount{}}
			for f := range m.functions {
				ns := 1e6 * math.Exp(m.noise*r.NormFloat64())
				if by, ok := m.factor[f]; ok && sd == 1 {
					ns *= by
				}
				run.Sites[Site{Function: fmt.Sprint("f", f), Role: "w"}] =
					account.Amount{Calls: 10, Ns: int64(ns), WayNs: int64(ns)}
				run.ElapsedNs += int64(ns)
				run.Total[account.CPU] += int64(ns)
			}
			if err := s.Add(pair.Side(sd), run); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// claims counts how many functions are claimed to have changed, of those that did and of the
// others.
func (m model) claims(t *testing.T, r *rand.Rand, n int) (right, wrong int) {
	c, err := m.study(t, r, n).Compare(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range c.ByFunction {
		f := 0
		if _, err := fmt.Sscanf(x.Site.Function, "f%d", &f); err != nil {
			t.Fatal(err)
		}
		if _, changed := m.factor[f]; x.Quantity == Time && x.Certainty != Chance {
			if changed {
				right++
			} else {
				wrong++
			}
		}
	}
	return right, wrong
}

// TestEqualRunsDiffer holds that hardly anything is claimed of sides between which nothing changed.
func TestEqualRunsDiffer(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{2, 3, 5, 10} {
		claimed := 0
		for range 20 {
			_, wrong := model{functions: 50, noise: 0.1}.claims(t, r, n)
			claimed += wrong
		}
		if most := 2; claimed > most || n < 4 && claimed > 0 { // of 1,000
			t.Errorf("%d runs: %d changes are claimed, none is there", n, claimed)
		}
	}
}

// TestChangesAreClaimed holds that single changes are found from 5 runs on if they are large, small
// ones with more, and that false claims stay few among true ones.
func TestChangesAreClaimed(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	many := map[int]float64{}
	for f := range 10 {
		many[f] = 1.3
	}
	for _, c := range []struct {
		name        string
		n           int
		factor      map[int]float64
		least, most float64 // share of changes that are claimed
	}{
		{"one that triples", 5, map[int]float64{3: 3}, 0.95, 1},
		{"one by a tenth", 5, map[int]float64{3: 1.1}, 0, 0.2},
		{"one by a third", 10, map[int]float64{3: 1.33}, 0.6, 1},
		{"one by a twentieth, many runs", 20, map[int]float64{3: 1.05}, 0, 0.2},
		{"one by a fifth, many runs", 20, map[int]float64{3: 1.2}, 0.8, 1},
		{"a quarter of all", 6, many, 0.5, 1},
		{"too few runs", 3, many, 0, 0},
	} {
		found, wrong := 0, 0
		const rounds = 8
		for range rounds {
			f, w := model{functions: 40, noise: 0.1, factor: c.factor}.claims(t, r, c.n)
			found, wrong = found+f, wrong+w
		}
		if share := float64(found) / float64(rounds*len(c.factor)); share < c.least || share > c.most {
			t.Errorf("%s: %.2f are claimed, want %v to %v", c.name, share, c.least, c.most)
		}
		if float64(wrong) > 0.1*float64(found+10) {
			t.Errorf("%s: %d false claims beside %d true ones", c.name, wrong, found)
		}
	}
}

func TestCannotBeCompared(t *testing.T) {
	s := &Study{}
	if _, err := s.Compare(context.Background(), nil); err == nil {
		t.Error("no runs were compared")
	}
	add := func(sd pair.Side, r *Summary) string {
		if err := s.Add(sd, r); err != nil {
			return err.Error()
		}
		return ""
	}
	if err := add(pair.A, &Summary{Name: "a.json", Unit: "ns"}); err != "" {
		t.Error(err)
	}
	if err := add(pair.B, &Summary{Name: "b.pprof", Unit: "bytes"}); !strings.Contains(err, "b.pprof in bytes") {
		t.Error(err)
	}
	if err := add(pair.B, &Summary{Name: "c.pprof", Unit: "ns", Kind: trace.Profile}); !strings.Contains(err, "c.pprof a profile") {
		t.Error(err)
	}
	for range Most {
		if err := add(pair.B, &Summary{Unit: "ns"}); err != "" {
			t.Fatal(err)
		}
	}
	if err := add(pair.B, &Summary{Name: "z.json", Unit: "ns"}); !strings.Contains(err, "100 runs already") {
		t.Error(err)
	}
}

func TestTypical(t *testing.T) {
	for _, c := range []struct {
		ns   []int64
		want int
	}{{[]int64{5}, 0}, {[]int64{9, 5}, 1}, {[]int64{9, 5, 7}, 2}, {[]int64{4, 1, 3, 2}, 3}} {
		s := &Study{}
		for _, ns := range c.ns {
			if err := s.Add(pair.A, &Summary{ElapsedNs: ns}); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.Typical(pair.A); got != c.want {
			t.Errorf("%v: run %d, want %d", c.ns, got, c.want)
		}
	}
}

// TestKeep holds that of more places than are kept those with most time are.
func TestKeep(t *testing.T) {
	amounts := map[string]account.Amount{}
	for k := range 10 {
		amounts[fmt.Sprint(k)] = account.Amount{Ns: int64(k)}
	}
	if keep(amounts, 3, strings.Compare); len(amounts) != 3 || amounts["7"].Ns != 7 {
		t.Errorf("%v", amounts)
	}
}
