package match

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

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
	for s, i := range []int{group.A, group.B} {
		c := m.calls[s][i]
		th := p.Trace(pair.Side(s)).Threads[c.thread]
		covered := float64(min(th.End(c.call), w[s].To)) - float64(max(th.Start(c.call), w[s].From))
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
	return s.Group == o.Group && s.Matches == o.Matches &&
		near(s.Similarity, o.Similarity) && near(s.Share[0], o.Share[0]) && near(s.Share[1], o.Share[1])
}

// TestSummaries checks the summaries of groups, and of any two calls, against sums over their
// matches, with any limit of memory, and the choice of the largest against sorting all.
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
		list := make([]Summary, len(groups))
		for i, group := range groups {
			list[i] = g.summary(group, w)
		}
		got, err := g.SumUp(context.Background(), tau, list)
		if err != nil || len(got) != len(groups) {
			t.Fatal(len(got), err)
		}
		for i, group := range groups {
			if want := m.summary(group, w, p); !got[i].near(want) {
				t.Fatalf("τ = %v, %v: %+v, want %+v", tau, w, got[i], want)
			}
		}
		large := rapid.IntRange(1, 100).Draw(t, "large")
		sums, err := g.sumGroups(context.Background(), tau, groups, sumLimits{math.MaxInt, large})
		memory := rapid.IntRange(1, 100).Draw(t, "memory")
		few, errFew := g.sumGroups(context.Background(), tau, groups, sumLimits{memory, large})
		if err != nil || errFew != nil || !slices.Equal(few, sums) {
			t.Fatalf("in several rounds: %v, %v; want %v, %v", few, errFew, sums, err)
		}
		for i, sum := range sums {
			if n, s := got[i].Matches, got[i].Similarity; sum.matches != n ||
				!near(sum.similarity, s*float64(n)) {
				t.Fatalf("with the large ones by themselves: %+v, want %d of %v", sum, n, s)
			}
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
		top, err := g.TopGroups(context.Background(), &Groups{List: groups}, w, n)
		if err == nil {
			top, err = g.SumUp(context.Background(), tau, top)
		}
		if err != nil || !slices.EqualFunc(top, got[:min(n, len(got))], Summary.near) {
			t.Fatalf("the %d largest: %+v, %v; want %+v", n, top, err, got)
		}
	})
}
