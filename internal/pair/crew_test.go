package pair

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
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
		"a pool goes by what its workers do": {
			[]string{"w: run{ f g h i j }", "w: run{ f g h i j retry }", "w: run{ g h i j }"},
			[]string{"w: run{ f g h i j retry }", "w: run{ g h i j }", "w: run{ f g h i j }"},
			"[{0 2} {1 0} {2 1}]"},
		"and by how often": {
			[]string{"w: f g", "w: f f f f f f f f g"}, []string{"w: f f f f f f f g", "w: f g g"},
			"[{0 1} {1 0}]"},
		"a pool stays in order": {
			[]string{"w: f f f f f f f f g", "w: f f f f f f f g"},
			[]string{"w: f f f f f f f g", "w: f f f f f f f f g"}, "[{0 0} {1 1}]"},
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
	counts map[uint32]int
	levels []map[uint32]bool
}

func plainThreads(p *Pair, s Side) []plainThread {
	var out []plainThread
	for _, th := range p.Trace(s).Threads {
		work := func(fn trace.FuncID) bool { return p.Trace(s).Functions[fn].Kind == trace.Routine }
		all := !slices.ContainsFunc(th.Fn, work)
		f := plainThread{map[uint32]bool{}, map[uint32]int{}, nil}
		for _, fn := range th.Fn {
			f.counts[p.IDs(s)[fn]]++
		}
		for d := range th.MaxDepth() {
			level := map[uint32]bool{}
			for i, fn := range th.Fn {
				if int(th.Depth(i)) == d && (all || work(fn)) {
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

// plainCounts is the Jaccard coefficient of how often two do what counts, by binary digits, in
// thousandths rounded down.
func plainCounts(x, y plainThread) int {
	digits := func(of plainThread, id uint32) int {
		if !of.calls[id] {
			return 0
		}
		return len(strconv.FormatInt(int64(of.counts[id]), 2))
	}
	both := map[uint32]bool{}
	maps.Copy(both, x.calls)
	maps.Copy(both, y.calls)
	common, union := 0, 0
	for id := range both {
		common += min(digits(x, id), digits(y, id))
		union += max(digits(x, id), digits(y, id))
	}
	return 1000 * common / max(1, union)
}

// plainCrew tells from the definition, thread by thread, what it is worth that two threads are a
// pair, and which of those alike on its side each one is.
func plainCrew(p *Pair) (worth [][]likeness, turns [2][]int) {
	of := [2][]plainThread{plainThreads(p, A), plainThreads(p, B)}
	best := [2][]int{make([]int, len(of[A])), make([]int, len(of[B]))}
	for a, x := range of[A] {
		for b, y := range of[B] {
			like := plainLikeness(x, y)
			best[A][a], best[B][b] = max(best[A][a], like), max(best[B][b], like)
		}
	}
	for s := range of {
		for i, x := range of[s] {
			turns[s] = append(turns[s], 0)
			for _, y := range of[s][:i] {
				if plainLikeness(x, y) >= 500 {
					turns[s][i]++
				}
			}
		}
	}
	for a, x := range of[A] {
		worth = append(worth, make([]likeness, len(of[B])))
		for b, y := range of[B] {
			like := plainLikeness(x, y)
			if like == 0 || like < 500 && max(best[A][a], best[B][b]) >= 500 {
				continue
			}
			w := max(1, (2*like+plainCounts(x, y))/3)
			if turns[A][a] == turns[B][b] {
				w += 100
			}
			worth[a][b] = likeness(w)
		}
	}
	return worth, turns
}

// drawCrew draws two to most threads of one name.
func drawCrew(t *rapid.T, side string, most int) []string {
	words := rapid.SampledFrom(strings.Fields("f{ g{ h{ } } f g h i j ~s ~t"))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		calls := rapid.SliceOfN(words, 0, 8).Draw(t, "calls")
		return "w: " + rapid.SampledFrom([]string{"f", "g", "run{"}).Draw(t, "root") + " " +
			strings.Join(calls, " ")
	}), 2, most).Draw(t, side)
}

func TestCrewMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawCrew(t, "a", 5), drawCrew(t, "b", 5)
		p := New(traceOf(a...), traceOf(b...), Rules{})
		worth, turns := plainCrew(p)
		got := sum{}
		for i := range worth {
			if k := p.Partner(A, i); k != none {
				got = got.plus(worth[i][k], turns[A][i], turns[B][k])
			}
		}
		if want := bestSum(worth, turns, 0, make([]bool, len(b))); got != want {
			t.Fatalf("%q and\n%q: %v of %v is %v, want %v", a, b, p.Threads, worth, got, want)
		}
		checkPair(t, p)
	})
}

// TestPoolsStayInOrder holds that workers pair as they began if each leaves out at most one of the
// many things that its kind does.
func TestPoolsStayInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(2, 6).Draw(t, "workers")
		pool := func(side string) []string {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				s := "w: run{ loop{"
				out := rapid.SliceOfNDistinct(rapid.IntRange(0, 19), 0, 1, rapid.ID[int]).Draw(t, "not called")
				for k := range 20 {
					if !slices.Contains(out, k) {
						s += fmt.Sprintf(" f%d", k)
					}
				}
				return s
			}), workers, workers).Draw(t, side)
		}
		p := New(traceOf(pool("a")...), traceOf(pool("b")...), Rules{})
		for i := range p.threads(A) {
			if got := p.Partner(A, i); got != i {
				t.Fatalf("worker %d is paired with %d", i, got)
			}
		}
	})
}
