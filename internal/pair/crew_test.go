package pair

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

func TestCrews(t *testing.T) {
	// As in a bounded queue: the roots differ, much of what they call does not.
	const produce = "producer{ put{ sem_wait lock unlock sem_post } work } "
	const consume = "consumer{ get{ sem_wait lock unlock sem_post } work } "
	wrapped := func(s string) string { return "start_thread{ run{ " + s + "} }" }
	for name, c := range map[string]struct {
		a, b []string
		want string
	}{
		"a summary on each thread": {
			[]string{"5/5=cc: main{ f }", "5/6=6: Total_f", "5/7=7: Total_g", "5/8=8: Total_h"},
			[]string{"6/6=cc: main{ f }", "6/7=7: Total_g", "6/8=8: Total_f", "6/9=9: Total_i"},
			"[{0 0} {1 2} {2 1} {3 -1} {-1 3}]"},
		"roles by name": {
			[]string{"q: main", "p: " + produce, "p: " + produce, "c: " + consume, "c: " + consume},
			[]string{"q: main", "c: " + consume, "p: " + produce, "c: " + consume, "c: " + consume},
			"[{0 0} {1 2} {2 -1} {3 1} {4 3} {-1 4}]"},
		"one name for all": {
			[]string{"q: main", "q: " + produce, "q: " + produce, "q: " + consume, "q: " + consume},
			[]string{"q: main", "q: " + consume, "q: " + produce, "q: " + consume, "q: " + consume},
			"[{0 0} {1 2} {2 -1} {3 1} {4 3} {-1 4}]"},
		"one name, in a library's wrappers": {
			[]string{"q: main", "q: " + wrapped(produce), "q: " + wrapped(consume)},
			[]string{"q: main", "q: " + wrapped(consume), "q: " + wrapped(produce)},
			"[{0 0} {1 2} {2 1}]"},
		"a pool stays in order": {
			[]string{"w: run{ f g h i j }", "w: run{ f g h i j retry }", "w: run{ g h i j }"},
			[]string{"w: run{ f g h i j retry }", "w: run{ g h i j }", "w: run{ f g h i j }"},
			"[{0 0} {1 1} {2 2}]"},
		"scheduling is no work": {
			[]string{"w: f ~blocked ~woken", "w: g"}, []string{"w: g ~blocked ~woken", "w: f"},
			"[{0 1} {1 0}]"},
		"nothing but scheduling": {
			[]string{"w: ~blocked", "w: ~woken"}, []string{"w: ~woken", "w: ~blocked"}, "[{0 1} {1 0}]"},
		"the only one": {[]string{"w: f"}, []string{"w: g"}, "[{0 0}]"},
		"nothing in common": {[]string{"w: f", "w: h"}, []string{"w: f", "w: g"},
			"[{0 0} {1 -1} {-1 1}]"},
		"little in common": {[]string{"w: f", "w: h{ x }"}, []string{"w: g{ x }", "w: f"},
			"[{0 1} {1 0}]"},
		"idle ones": {[]string{"w: f", "w:", "w:"}, []string{"w:", "w: f", "w:", "w:"},
			"[{0 0} {1 1} {2 2} {-1 3}]"},
		"tasks of one runner": {
			[]string{"t: run{ a{ log } }", "t: run{ b{ log } }", "t: run{ c }"},
			[]string{"t: run{ b{ log } }", "t: run{ c }"},
			"[{0 -1} {1 0} {2 1}]"},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(traceOf(c.a...), traceOf(c.b...), Rules{})
			checkPair(t, p)
			if got := fmt.Sprint(p.Threads); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// plainThread is what the definition compares threads by.
type plainThread struct {
	calls  map[uint32]bool
	levels []map[uint32]bool
}

func plainThreads(p *Pair, s Side) []plainThread {
	var out []plainThread
	for _, th := range p.Trace(s).Threads {
		work := func(fn trace.FuncID) bool { return p.Trace(s).Functions[fn].Kind == trace.Routine }
		all := !slices.ContainsFunc(th.Fn, work)
		f := plainThread{map[uint32]bool{}, nil}
		for d := range th.MaxDepth() {
			level := map[uint32]bool{}
			for i, fn := range th.Fn {
				if int(th.Depth[i]) == d && (all || work(fn)) {
					level[p.IDs(s)[fn]], f.calls[p.IDs(s)[fn]] = true, true
				}
			}
			f.levels = append(f.levels, level)
		}
		out = append(out, f)
	}
	return out
}

// plainLikeness is the mean of two Jaccard coefficients, in thousandths rounded down.
func plainLikeness(x, y plainThread) int {
	level := plainJaccard(nil, nil)
	for d := range min(len(x.levels), len(y.levels)) {
		if len(x.levels[d]) == 0 || len(y.levels[d]) == 0 {
			level = big.NewRat(1, 1)
			break
		}
		level = plainJaccard(x.levels[d], y.levels[d])
		if level.Cmp(big.NewRat(1, 1)) < 0 || len(x.levels[d]) > 1 {
			break
		}
	}
	all := plainJaccard(x.calls, y.calls)
	if all.Sign() == 0 {
		return 0
	}
	mean := new(big.Rat).Mul(new(big.Rat).Add(level, all), big.NewRat(500, 1))
	return max(1, int(new(big.Int).Div(mean.Num(), mean.Denom()).Int64()))
}

func plainJaccard(x, y map[uint32]bool) *big.Rat {
	common := int64(0)
	for id := range x {
		if y[id] {
			common++
		}
	}
	union := int64(len(x)+len(y)) - common
	if union == 0 {
		return big.NewRat(1, 1)
	}
	return big.NewRat(common, union)
}

// plainCrew is pairCrew from its definition, thread by thread.
func plainCrew(p *Pair) []int {
	as, bs := plainThreads(p, A), plainThreads(p, B)
	like := func(a, b int) int { return plainLikeness(as[a], bs[b]) }
	best := func(a, b int) int {
		m := 0
		for k := range bs {
			m = max(m, like(a, k))
		}
		for k := range as {
			m = max(m, like(k, b))
		}
		return m
	}
	alike := func(a, b int) bool { return like(a, b) >= 500 }
	fits := func(a, b int) bool { return like(a, b)+333 >= best(a, b) }
	rest := func(a, b int) bool { return best(a, b) < 500 && like(a, b) > 0 }
	out, taken := slices.Repeat([]int{none}, len(as)), make([]bool, len(bs))
	for _, eligible := range []func(a, b int) bool{
		func(a, b int) bool { return alike(a, b) && fits(a, b) }, alike,
		func(a, b int) bool { return rest(a, b) && fits(a, b) }, rest,
	} {
		for a := range as {
			for b := range bs {
				if out[a] == none && !taken[b] && eligible(a, b) {
					out[a], taken[b] = b, true
				}
			}
		}
	}
	return out
}

func TestCrewMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom(strings.Fields("f{ g{ h{ } } f g h i j ~s ~t"))
		crew := func(side string) []string {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				calls := rapid.SliceOfN(words, 0, 8).Draw(t, "calls")
				return "w: " + rapid.SampledFrom([]string{"f", "g", "run{"}).Draw(t, "root") + " " +
					strings.Join(calls, " ")
			}), 2, 8).Draw(t, side)
		}
		a, b := crew("a"), crew("b")
		p := New(traceOf(a...), traceOf(b...), Rules{})
		for i, want := range plainCrew(p) {
			if got := p.Partner(A, i); got != want {
				t.Fatalf("thread %d of\n%q\nis paired with %d of\n%q\nwant %d", i, a, got, b, want)
			}
		}
		checkPair(t, p)
	})
}

// TestPoolsStayInOrder holds that workers pair as they began if each leaves out a few of the many
// things that its kind does.
func TestPoolsStayInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pool := func(side string) []string {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				s := "w: run{ loop{"
				out := rapid.SliceOfNDistinct(rapid.IntRange(0, 19), 0, 2, rapid.ID[int]).Draw(t, "not called")
				for k := range 20 {
					if !slices.Contains(out, k) {
						s += fmt.Sprintf(" f%d", k)
					}
				}
				return s
			}), 2, 6).Draw(t, side)
		}
		p := New(traceOf(pool("a")...), traceOf(pool("b")...), Rules{})
		for i := range p.threads(A) {
			if got := p.Partner(A, i); got != i && i < p.threads(B) {
				t.Fatalf("worker %d is paired with %d", i, got)
			}
		}
	})
}

// TestManyThreads pairs tens of thousands of threads of many kinds; each with each would be 10⁹
// sets.
func TestManyThreads(t *testing.T) {
	many := func(side, form string) *trace.Trace {
		var threads []string
		for i := range 30_000 {
			threads = append(threads, fmt.Sprintf(form, side, i, i%5000, i%7))
		}
		return traceOf(threads...)
	}
	for name, form := range map[string]string{
		"strangers": "%[1]s%[2]d: f%[3]d f%[4]d %[1]s", "crew": "w: run{ %[1]s f%[3]d f%[4]d }",
	} {
		t.Run(name, func(t *testing.T) {
			p := New(many("a", form), many("b", form), Rules{})
			checkPair(t, p)
			if p.Partner(A, 0) == none {
				t.Error("nothing was paired by similarity")
			}
		})
	}
}
