package match

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestCensuses checks the censuses of random subtrees, nested or not, against counting their calls
// one by one, and the index by class against the censuses.
func TestCensuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, _ := someComparison(t)
		g, _ := mustMatch(t, p, scope, DefaultTau)
		c := g.Sides[pair.A]
		if c.Len() == 0 {
			return
		}
		var groups []Group
		for _, i := range rapid.SliceOf(rapid.IntRange(0, c.Len()-1)).Draw(t, "roots") {
			groups = append(groups, Group{A: i})
		}
		s, err := newCensuses(context.Background(), c, groups, func(g Group) int { return g.A })
		if err != nil {
			t.Fatal(err)
		}
		for i, group := range groups {
			got, want := s.list[s.of[i]], plainCensus(c, group.A)
			if !slices.Equal(got, want) {
				t.Fatalf("call %d: %v, want %v", group.A, got, want)
			}
		}
		for i := range s.list {
			for j := range i {
				if slices.Equal(s.list[i], s.list[j]) {
					t.Fatalf("censuses %d and %d are equal", i, j)
				}
			}
		}
		for k := range c.Size {
			var want []tally
			for i := range s.list {
				for _, x := range s.list[i] {
					if int(x.class) == k {
						want = append(want, tally{uint32(i), x.calls})
					}
				}
			}
			if got := s.withClass(k); !slices.Equal(got, want) {
				t.Fatalf("class %d is in %v, want %v", k, got, want)
			}
		}
	})
}

// plainCensus counts the calls of a subtree by class.
func plainCensus(c *Classes, root int) (out census) {
	calls := make([]uint32, len(c.Size))
	for i := root; i < c.Next(root); i++ {
		calls[c.Class(i)]++
	}
	for k, n := range calls {
		if n > 0 {
			out = append(out, tally{uint32(k), n})
		}
	}
	return out
}

// TestRounds checks that a round takes at least one group, and that more groups stay within the
// limit of tallies.
func TestRounds(t *testing.T) {
	g := simulated(t, 2_000)
	var groups []Group
	for i := 0; i < g.Sides[pair.A].Len(); i += 7 {
		groups = append(groups, Group{i, i % g.Sides[pair.B].Len()})
	}
	last := 0
	for _, atOnce := range []int{0, 1, 100, 1000, 10_000, 1 << 30} {
		n := g.groupsInRound(groups, atOnce)
		if n < 1 || n < last || n > 1 && n*portions > atOnce+portions {
			t.Errorf("%d tallies at once: %d groups, %d with fewer", atOnce, n, last)
		}
		last = n
	}
	if last != len(groups) {
		t.Errorf("%d of %d groups, with all the memory they need", last, len(groups))
	}
}
