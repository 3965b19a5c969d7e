package pair

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plainStrangers is the similarity stage from its definition, thread by thread.
func plainStrangers(p *Pair) []int {
	sets := func(s Side) []map[uint32]bool {
		out := make([]map[uint32]bool, len(p.Trace(s).Threads))
		for i, th := range p.Trace(s).Threads {
			out[i] = map[uint32]bool{}
			for _, f := range th.Fn {
				out[i][p.IDs(s)[f]] = true
			}
		}
		return out
	}
	type cand struct{ a, b, firstA, firstB, common, union int }
	var all []cand
	as, bs := sets(A), sets(B)
	first := func(of []map[uint32]bool, x int) int {
		return slices.IndexFunc(of, func(m map[uint32]bool) bool { return fmt.Sprint(m) == fmt.Sprint(of[x]) })
	}
	for a := range as {
		for b := range bs {
			c := cand{a: a, b: b, firstA: first(as, a), firstB: first(bs, b), union: len(bs[b])}
			for id := range as[a] {
				if bs[b][id] {
					c.common++
				} else {
					c.union++
				}
			}
			if c.common > 0 {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y cand) int {
		for _, d := range []int{y.common*x.union - x.common*y.union, x.firstA - y.firstA,
			x.firstB - y.firstB, x.a - y.a, x.b - y.b} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	out, taken := slices.Repeat([]int{none}, len(as)), map[int]bool{}
	for _, c := range all {
		if out[c.a] == none && !taken[c.b] {
			out[c.a], taken[c.b] = c.b, true
		}
	}
	return out
}

func TestStrangersMatchDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := func(side string) []string {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				fs := rapid.SliceOfN(rapid.SampledFrom([]string{"f", "g", "h", "i", "j"}), 1, 5).Draw(t, "calls")
				return strings.Join(fs, " ")
			}), 0, 8).Draw(t, side)
		}
		var a, b []string
		for i, calls := range some("a") {
			a = append(a, fmt.Sprintf("a%d: %s", i, calls))
		}
		for i, calls := range some("b") {
			b = append(b, fmt.Sprintf("b%d: %s", i, calls))
		}
		p := New(traceOf(a...), traceOf(b...), Rules{})
		for i, want := range plainStrangers(p) {
			if got := p.Partner(A, i); got != want {
				t.Fatalf("thread %d of\n%q\nis paired with %d of\n%q\nwant %d", i, a, got, b, want)
			}
		}
		checkPair(t, p)
	})
}

// TestRenamedThreads: threads of one name that have several ones across, or the other way round,
// are known by what they do, if that tells enough.
func TestRenamedThreads(t *testing.T) {
	const io, gc = "read parse write close", "mark scan sweep free"
	for name, c := range map[string]struct {
		a, b []string
		want string
	}{
		"named": {
			[]string{"app: main", "app: " + gc, "app: " + io},
			[]string{"app: main", "io: " + io, "gc: " + gc}, "[{0 0} {1 2} {2 1}]"},
		"names lost": {
			[]string{"app: main", "io: " + io, "gc: " + gc},
			[]string{"app: main", "app: " + gc, "app: " + io}, "[{0 0} {1 2} {2 1}]"},
		"the more similar one": {
			[]string{"app: main", "app: read parse write close sync"},
			[]string{"app: main", "io: " + io, "disk: read parse write close sync"}, "[{0 0} {1 2} {-1 1}]"},
		"other work": {
			[]string{"app: main", "app: " + gc}, []string{"app: main", "io: " + io}, "[{0 0} {1 -1} {-1 1}]"},
		"not often enough": {
			[]string{"app: main", "app: " + io},
			[]string{"app: main", "io:" + strings.Repeat(" "+io, 20)}, "[{0 0} {1 -1} {-1 1}]"},
		"two pools that both have": {
			[]string{"io: " + io, "io: " + io, "disk: " + io},
			[]string{"io: " + io, "disk: " + io, "disk: " + io}, "[{0 0} {1 -1} {2 1} {-1 2}]"},
		"work that many have": {
			[]string{"app: main", "app: wait wake"}, []string{"app: main", "io: wait wake"},
			"[{0 0} {1 -1} {-1 1}]"},
		"nothing but states": {
			[]string{"app: main", "app: ~on ~off ~blocked ~ready"},
			[]string{"app: main", "io: ~on ~off ~blocked ~ready"}, "[{0 0} {1 -1} {-1 1}]"},
		"of another process": {
			[]string{"x#1|app: main", "x#1|app: " + io, "y#2|w: f"},
			[]string{"x#1|app: main", "y#2|w: f", "y#2|io: " + io}, "[{0 0} {1 -1} {2 1} {-1 2}]"},
	} {
		p := New(traceOf(c.a...), traceOf(c.b...), Rules{})
		if got := fmt.Sprint(p.Threads); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
