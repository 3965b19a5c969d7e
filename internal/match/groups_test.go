package match

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// inside reports whether call i is call root or below it.
func inside(calls []plainCall, i, root int) bool {
	for i >= 0 && i != root {
		i = calls[i].parent
	}
	return i == root
}

// groups returns the root matches: no other match has calls that are theirs or ancestors of theirs.
func (m *plain) groups() []Group {
	a, b := m.calls[pair.A], m.calls[pair.B]
	dominated := func(u, v int) bool {
		for x := u; x >= 0; x = a[x].parent {
			for y := v; y >= 0; y = b[y].parent {
				if (x != u || y != v) && m.matches(x, y) {
					return true
				}
			}
		}
		return false
	}
	var out []Group
	for u := range a {
		for v := range b {
			if m.matches(u, v) && !dominated(u, v) {
				out = append(out, Group{u, v})
			}
		}
	}
	return out
}

// members counts a group's matches.
func (m *plain) members(g Group) (n uint64) {
	for u := range m.calls[pair.A] {
		for v := range m.calls[pair.B] {
			if m.matches(u, v) && inside(m.calls[pair.A], u, g.A) && inside(m.calls[pair.B], v, g.B) {
				n++
			}
		}
	}
	return n
}

// breadth walks a forest with a queue.
func breadth(calls []plainCall) []int {
	var queue []int
	children := func(parent int) {
		for i, c := range calls {
			if c.parent == parent {
				queue = append(queue, i)
			}
		}
	}
	children(none)
	for k := 0; k < len(queue); k++ {
		children(queue[k])
	}
	return queue
}

// paper is the literal rule.
func (m *plain) paper() []PaperGroup {
	var out []PaperGroup
	for _, u := range breadth(m.calls[pair.A]) {
		for _, v := range breadth(m.calls[pair.B]) {
			if !m.matches(u, v) {
				continue
			}
			n := len(out) - 1
			if n < 0 || !inside(m.calls[pair.A], u, out[n].A) || !inside(m.calls[pair.B], v, out[n].B) {
				out = append(out, PaperGroup{Group: Group{u, v}})
				n++
			}
			out[n].Matches++
		}
	}
	return out
}

func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		got, err := g.Groups(context.Background(), tau, Budget{})
		if err != nil || got.Why != "" {
			t.Fatal(err, got.Why)
		}
		if want := m.groups(); !slices.Equal(got.List, want) {
			t.Fatalf("τ = %v: %v, want %v", tau, got.List, want)
		}
		sizes, err := g.Sizes(context.Background(), got.List, tau)
		if err != nil {
			t.Fatal(err)
		}
		for i, group := range got.List {
			if want := m.members(group); sizes[i] != want {
				t.Fatalf("τ = %v: %d matches in %v, want %d", tau, sizes[i], group, want)
			}
			want, _ := m.s[group.A][group.B].Float64()
			if s := g.Similarity(group.A, group.B); s != want {
				t.Fatalf("s of %v is %v, want %v", group, s, want)
			}
		}
		literal, err := g.PaperGroups(context.Background(), tau, Budget{})
		if want := m.paper(); err != nil || !slices.Equal(literal.List, want) {
			t.Fatalf("τ = %v, by the paper: %v, %v; want %v", tau, literal, err, want)
		}
	})
}

// TestBudget checks that a search that was cut short says so, and lists no more than the budget.
func TestBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		all := newPlain(p, scope, tau).groups()
		got, err := g.Groups(context.Background(), tau, Budget{Roots: 2})
		if err != nil || len(got.List) > 2 || len(all) > 2 && got.Why == "" {
			t.Fatalf("%d of %d groups, %q, %v", len(got.List), len(all), got.Why, err)
		}
		if got.Why == "" && !slices.Equal(got.List, all) {
			t.Fatalf("%v, want %v", got.List, all)
		}
	})
}

// TestGroupsIn checks the groups of windows against the definition on the calls in the windows.
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

// someSpans draws subtrees of a side, none within another.
func someSpans(t *rapid.T, c *Classes, label string) (out []span) {
	for i := 0; i < c.Len(); {
		if rapid.IntRange(0, 2).Draw(t, label) > 0 {
			i++
			continue
		}
		out = append(out, span{i, c.Next(i)})
		i = c.Next(i)
	}
	return out
}

// TestCover checks covers against sets of calls.
func TestCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, _ := someComparison(t)
		g, _ := mustMatch(t, p, scope, DefaultTau)
		side := g.Sides[pair.B]
		c := (&cover{number: 1}).extended(someSpans(t, side, "cover"), 1, func(span) {})
		more := someSpans(t, side, "more")
		covered := func(c *cover, s span) bool {
			return slices.ContainsFunc(c.spans, func(o span) bool {
				return o.from <= s.from && s.to <= o.to
			})
		}
		var want, added, listed []span
		for _, s := range more {
			if !covered(c, s) {
				want = append(want, s)
			}
		}
		next := c.extended(more, 2, func(s span) { added = append(added, s) })
		c.eachUncovered(more, func(s span) { listed = append(listed, s) })
		if !slices.Equal(added, want) || !slices.Equal(listed, want) ||
			c.coversAll(more) != (len(want) == 0) {
			t.Fatalf("%v and %v: added %v, listed %v; want %v", c.spans, more, added, listed, want)
		}
		calls := 0
		for i := range side.Len() {
			in := covered(c, span{i, i + 1}) || slices.ContainsFunc(more, func(s span) bool {
				return s.holds(i)
			})
			if in {
				calls++
			}
			if in != covered(next, span{i, i + 1}) {
				t.Fatalf("%v with %v is %v", c.spans, more, next.spans)
			}
		}
		if next.calls != calls || next.number != 2 {
			t.Fatalf("%d calls in %v, want %d", next.calls, next.spans, calls)
		}
	})
}
