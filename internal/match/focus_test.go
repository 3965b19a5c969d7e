package match

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// someWindow draws a window, often with borders that are some call's.
func someWindow(t *rapid.T) Window {
	if rapid.IntRange(0, 9).Draw(t, "everything") == 0 {
		return Everything
	}
	from := int64(rapid.IntRange(-2, 40).Draw(t, "from"))
	return Window{
		From:  from,
		To:    from + int64(rapid.IntRange(-1, 40).Draw(t, "width")),
		Least: int64(rapid.IntRange(0, 8).Draw(t, "least") / 2),
	}
}

// within returns which of a side's calls are in the window.
func (w Window) within(p *pair.Pair, s pair.Side, calls []plainCall) []bool {
	out := make([]bool, len(calls))
	for i, c := range calls {
		th := p.Trace(s).Threads[c.thread]
		start, end := th.Start[c.call], th.End[c.call]
		out[i] = w.From <= w.To && start <= w.To && end >= w.From && end-start >= w.Least
	}
	return out
}

// TestGroupsIn holds the groups of windows against the definition on the calls in them.
func TestGroupsIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		w := [2]Window{someWindow(t), someWindow(t)}
		g, _ := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		all := m.groups()
		var in [2][]bool
		for _, s := range []pair.Side{pair.A, pair.B} {
			in[s] = w[s].within(p, s, m.calls[s])
		}
		for i, row := range m.s {
			for j := range row {
				if !in[pair.A][i] || !in[pair.B][j] {
					row[j] = m.tau // no match
				}
			}
		}
		got, err := g.GroupsIn(context.Background(), tau, w, Budget{})
		if want := m.groups(); err != nil || got.Why != "" || !slices.Equal(got.List, want) {
			t.Fatalf("τ = %v, %v: %v, %v; want %v", tau, w, got, err, want)
		}
		qualify := slices.DeleteFunc(all, func(g Group) bool {
			return !in[pair.A][g.A] || !in[pair.B][g.B]
		})
		if !slices.Equal(got.List, qualify) {
			t.Fatalf("τ = %v, %v: %v are not all groups that qualify, %v", tau, w, got, qualify)
		}
	})
}

// TestWindowsOfWideThreads holds that what the pyramid of maxima is used for passes over the right
// calls.
func TestWindowsOfWideThreads(t *testing.T) {
	g := simulated(t, 20_000)
	for k, th := range g.Sides[pair.A].Threads {
		_, end := th.Span()
		for _, w := range []Window{
			{From: 0, To: end, Least: end / 50}, {From: end / 3, To: end / 2, Least: end / 500},
			{From: end / 3, To: end / 3, Least: 1}, Everything,
		} {
			v := w.look(th)
			i := v.next(0)
			for j := range th.Len() {
				if th.Start[j] > w.To || th.End[j] < w.From || th.Dur(j) < w.Least {
					continue
				}
				if i != j {
					t.Fatalf("thread %d, %v: call %d, want %d", k, w, i, j)
				}
				i = v.next(i + 1)
			}
			if i != th.Len() {
				t.Errorf("thread %d, %v: call %d is not in it", k, w, i)
			}
		}
	}
}

// summary sums up a group's matches one by one.
func (m *plain) summary(group Group, w [2]Window, p *pair.Pair) Summary {
	out := Summary{Group: group, Matches: m.members(group)}
	a, b := m.calls[pair.A], m.calls[pair.B]
	for u := range a {
		for v := range b {
			if m.matches(u, v) && inside(a, u, group.A) && inside(b, v, group.B) {
				s, _ := m.s[u][v].Float64()
				out.Similarity += s / float64(out.Matches)
			}
		}
	}
	out.Root, _ = m.s[group.A][group.B].Float64()
	for s, i := range []int{group.A, group.B} {
		c := m.calls[s][i]
		th := p.Trace(pair.Side(s)).Threads[c.thread]
		covered := float64(min(th.End[c.call], w[s].To)) - float64(max(th.Start[c.call], w[s].From))
		switch extent := float64(w[s].To) - float64(w[s].From); {
		case covered < 0 || extent < 0:
		case extent == 0:
			out.Share[s] = 1
		default:
			out.Share[s] = covered / extent
		}
	}
	return out
}

func (s Summary) near(o Summary) bool {
	return s.Group == o.Group && s.Matches == o.Matches && s.Root == o.Root &&
		near(s.Similarity, o.Similarity) && near(s.Share[0], o.Share[0]) && near(s.Share[1], o.Share[1])
}

// TestSummaries holds summaries of roots, and of any two calls, against sums over their matches,
// however little memory there is, and the selection of the largest against sorting all.
func TestSummaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		w := [2]Window{someWindow(t), someWindow(t)}
		g, _ := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		groups := m.groups()
		if a, b := len(m.calls[pair.A]), len(m.calls[pair.B]); a > 0 && b > 0 {
			for range rapid.IntRange(0, 9).Draw(t, "more") {
				u, v := rapid.IntRange(0, a-1).Draw(t, "u"), rapid.IntRange(0, b-1).Draw(t, "v")
				groups = append(groups, Group{u, v})
			}
		}
		got, err := g.Summaries(context.Background(), tau, groups, w)
		if err != nil || len(got) != len(groups) {
			t.Fatal(len(got), err)
		}
		for i, group := range groups {
			if want := m.summary(group, w, p); !got[i].near(want) {
				t.Fatalf("τ = %v, %v: %+v, want %+v", tau, w, got[i], want)
			}
		}
		sums, err := g.sumUp(context.Background(), tau, groups, math.MaxInt)
		memory := rapid.IntRange(1, 100).Draw(t, "memory")
		few, errFew := g.sumUp(context.Background(), tau, groups, memory)
		if err != nil || errFew != nil || !slices.Equal(few, sums) {
			t.Fatalf("in several rounds: %v, %v; want %v, %v", few, errFew, sums, err)
		}
		slices.SortStableFunc(got, func(x, y Summary) int {
			least := func(s Summary) float64 { return min(s.Share[0], s.Share[1]) }
			both := func(s Summary) float64 { return s.Share[0] + s.Share[1] }
			switch {
			case least(x) != least(y):
				return int(math.Copysign(1, least(y)-least(x)))
			case both(x) != both(y):
				return int(math.Copysign(1, both(y)-both(x)))
			}
			return 0
		})
		n := rapid.IntRange(0, 12).Draw(t, "n")
		top, err := g.TopGroups(context.Background(), tau, &Groups{List: groups}, w, n)
		if err != nil || !slices.EqualFunc(top, got[:min(n, len(got))], Summary.near) {
			t.Fatalf("the %d largest: %+v, %v; want %+v", n, top, err, got)
		}
	})
}

// TestFocusCancelled holds that what is cancelled says so, also where nothing would be found.
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
	_, summaries := g.Summaries(ctx, DefaultTau, one, w)
	_, sizes := g.Sizes(ctx, one, DefaultTau)
	_, top := g.TopGroups(ctx, DefaultTau, &Groups{List: one}, w, 1)
	_, _, partner := g.Partner(ctx, DefaultTau, pair.A, 0, 0)
	_, lit := g.Lit(ctx, DefaultTau, pair.A, 0, ivs)
	_, leaf := g.Lit(ctx, DefaultTau, pair.B, g.Sides[pair.B].Len()-1, ivs)
	_, repeats := g.Sides[pair.A].Repeats(ctx, DefaultRho)
	for k, err := range []error{in, summaries, sizes, top, partner, lit, leaf, repeats} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", k, err)
		}
	}
}

// BenchmarkFocus measures the groups of everything, the summaries of the largest, the groups of a
// hundredth of the time and what hovering the first call lights, each as a multiple of one pass over
// the calls.
func BenchmarkFocus(b *testing.B) {
	g := mustClassify(b, generated(b, *benchCalls))
	ctx, tau := context.Background(), Hundredths(80)
	var part, whole [2]Window
	var ivs [2]*Intervals
	for s, c := range g.Sides {
		for _, th := range c.Threads {
			_, end := th.Span()
			whole[s].To = max(whole[s].To, end)
		}
		part[s] = Window{From: whole[s].To / 2, To: whole[s].To/2 + whole[s].To/100}
		iv, err := c.Intervals(ctx, 0, whole[s].To, 192)
		if err != nil {
			b.Fatal(err)
		}
		ivs[s] = iv
	}
	var spent [5]time.Duration
	measure := func(k int, work func() error) {
		began := time.Now()
		if err := work(); err != nil {
			b.Fatal(err)
		}
		spent[k] += time.Since(began)
	}
	var groups *Groups
	for b.Loop() {
		measure(0, func() error {
			for _, c := range g.Sides {
				count := make([]int, len(c.Size))
				for i := range c.Len() {
					count[c.Class(i)]++
				}
			}
			return nil
		})
		measure(1, func() (err error) {
			groups, err = g.GroupsIn(ctx, tau, whole, Budget{})
			return err
		})
		measure(2, func() error { _, err := g.TopGroups(ctx, tau, groups, whole, 500); return err })
		measure(3, func() error { _, err := g.GroupsIn(ctx, tau, part, Budget{}); return err })
		measure(4, func() error { _, err := g.Lit(ctx, tau, pair.A, 0, ivs); return err })
	}
	for k, unit := range []string{"ms/pass", "groups", "top500", "part", "lit"} {
		if k == 0 {
			b.ReportMetric(spent[0].Seconds()*1000/float64(b.N), unit)
			continue
		}
		b.ReportMetric(spent[k].Seconds()/spent[0].Seconds(), unit+"/pass")
	}
}
