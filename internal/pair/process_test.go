package pair

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestProcesses(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []string
		want string
	}{
		"started in another order": {
			[]string{"page#1|main: f g", "page#1|io: x", "page#2|main: h i", "page#2|io: x"},
			[]string{"page#3|main: h i", "page#3|io: x", "page#4|main: f g", "page#4|io: x"},
			"[{0 2} {1 3} {2 0} {3 1}]"},
		"the same functions, but more often": {
			[]string{"page#1|main: f f f f f f f f", "page#2|main: f"},
			[]string{"page#3|main: f", "page#4|main: f f f f f f f"}, "[{0 1} {1 0}]"},
		"the same functions, but on other threads": {
			[]string{"page#1|x: f", "page#1|y: g", "page#2|x: g", "page#2|y: f"},
			[]string{"page#3|x: g", "page#3|y: f", "page#4|x: f", "page#4|y: g"},
			"[{0 2} {1 3} {2 0} {3 1}]"},
		"by name": {
			[]string{"gpu#1|main: f", "net#2|main: g"}, []string{"net#3|main: f", "gpu#4|main: g"},
			"[{0 1} {1 0}]"},
		"a unique name of a thread": {
			[]string{"gpu#1|main: f", "gpu#1|x: h", "net#2|main: g"},
			[]string{"gpu#4|main: f", "net#3|main: g", "net#3|x: i"}, "[{0 0} {1 2} {2 1}]"},
		"numbers of ranks": {
			[]string{"0|main: f", "1|main: g"}, []string{"0|main: g", "1|main: f"}, "[{0 0} {1 1}]"},
		"numbers of a system": {
			[]string{"10|main: f", "11|main: g"}, []string{"11|main: g", "12|main: f"},
			"[{0 1} {1 0}]"},
		"renamed": {
			[]string{"v1#1|main: f", "w1#2|main: g"}, []string{"w2#3|main: g", "v2#4|main: f"},
			"[{0 1} {1 0}]"},
		"one more on one side": {
			[]string{"page#1|main: f g", "page#1|io: x"},
			[]string{"page#3|main: h", "page#3|io: x", "page#4|main: f g", "page#4|io: x"},
			"[{0 2} {1 3} {-1 0} {-1 1}]"},
		"the surplus of a pool stays in its process": {
			[]string{"page#1|w: f", "page#1|w: f", "gpu#2|w: f"},
			[]string{"page#3|w: f", "gpu#4|w: f", "gpu#4|w: f"}, "[{0 0} {1 -1} {2 1} {-1 2}]"},
		"a thread that moved": {
			[]string{"page#1|main: f", "page#1|w: g", "page#1|w: h", "net#2|main: i"},
			[]string{"page#3|main: f", "net#4|main: i", "net#4|w: h", "net#4|w: g"},
			"[{0 0} {1 3} {2 2} {3 1}]"},
		"split in two": {
			[]string{"all#1|main: f", "all#1|w: g", "all#1|w: h"},
			[]string{"ui#3|main: f", "ui#3|w: g", "net#4|w: h"}, "[{0 0} {1 1} {2 -1} {-1 2}]"},
		"threads without names": {
			[]string{"21=gpu#1|21: f f g", "22=web#2|22: f h"},
			[]string{"31=web#3|31: f g", "32=gpu#4|32: f f g"}, "[{0 1} {1 0}]"},
		"threads renamed": {
			[]string{"gpu#1|p: f g", "web#2|q: f h"}, []string{"web#3|r: f g", "gpu#4|s: f g"},
			"[{0 1} {1 0}]"},
		"threads without names, by how often they call": {
			[]string{"10=10: f f f f", "11=11: f"}, []string{"12=12: f", "13=13: f f f f"},
			"[{0 1} {1 0}]"},
		"nothing in common": {
			[]string{"page#1|main: f", "page#2|main: g"}, []string{"page#3|main: h", "page#4|main: i"},
			"[{0 -1} {1 -1} {-1 0} {-1 1}]"},
		"nothing called": {
			[]string{"page#1|main:", "page#2|main:"}, []string{"page#3|main:", "page#4|main:"},
			"[{0 0} {1 1}]"},
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

func TestCompareContent(t *testing.T) {
	of := func(counts ...uint32) *profile {
		f := &profile{}
		for id, n := range counts {
			if n > 0 {
				f.calls, f.counts = append(f.calls, uint32(id)), append(f.counts, n)
			}
		}
		return f
	}
	for _, c := range []struct {
		a, b *profile
		want likeness
	}{
		{of(), of(), 0}, {of(1), of(), 0}, {of(0, 1), of(1), 0},
		{of(5, 1), of(5, 1), 1000}, {of(4), of(7), 1000},
		{of(1000, 2), of(4000, 0, 1), (333 + 666) / 2}, // 1 of 3, and 10 of 12 + 2 + 1 digits
		{of(0, 1, 3), of(0, 0, 1, 1), (333 + 250) / 2}, // 1 of 3, and 1 of 1 + 2 + 1
	} {
		for _, got := range []likeness{compareContent(c.a, c.b), compareContent(c.b, c.a)} {
			if got != c.want {
				t.Errorf("%v and %v: %d, want %d", c.a, c.b, got, c.want)
			}
		}
	}
}

// processLines writes processes of one name, each with the calls of its thread main and of three
// workers, of which one calls nothing.
func processLines(first int, mains []string) []string {
	var out []string
	for k, calls := range mains {
		for _, th := range []string{"main: " + calls, "w: run " + calls, "w: wait", "w:"} {
			out = append(out, fmt.Sprintf("page#%d|%s", first+k, th))
		}
	}
	return out
}

// TestProcessesInAnyOrder holds that if processes of one name start in another order, each thread
// still meets the one that is the same.
func TestProcessesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls := rapid.SliceOfN(rapid.SampledFrom([]string{"f", "g", "h", "i"}), 1, 9)
		of := func(s []string) string { // equal contents may meet in any order
			content := map[string]int{}
			for _, f := range s {
				content[f]++
			}
			for f, n := range content {
				content[f] = bits.Len(uint(n))
			}
			return fmt.Sprint(content)
		}
		some := rapid.SliceOfNDistinct(calls, 1, 6, of).Draw(t, "processes")
		var mains []string
		for _, s := range some {
			mains = append(mains, strings.Join(s, " "))
		}
		order := rapid.Permutation(upTo[int](len(mains))).Draw(t, "order")
		moved := make([]string, len(mains))
		for from, to := range order {
			moved[to] = mains[from]
		}
		a, b := processLines(10, mains), processLines(20, moved)
		p := New(traceOf(a...), traceOf(b...), Rules{})
		checkPair(t, p)
		for _, pair := range p.Threads {
			var i, k int
			fmt.Sscanf(p.A.Threads[pair.A].ID, "#%d", &i)
			fmt.Sscanf(p.B.Threads[pair.B].ID, "#%d", &k)
			if want := 4*order[i/4] + i%4; k != want {
				t.Fatalf("thread %d of\n%q\nis paired with %d of\n%q\nwant %d", i, a, k, b, want)
			}
		}
	})
}
