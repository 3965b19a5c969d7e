package pair

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// plainMany is pairMany from its definition, thread by thread.
func plainMany(p *Pair) []int {
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

func TestManyMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawCrew(t, "a", 8), drawCrew(t, "b", 8)
		p := New(traceOf(a...), traceOf(b...), Rules{})
		partner := slices.Repeat([]int32{none}, len(a))
		pairMany(&crew{upTo[int32](len(a)), upTo[int32](len(b))},
			[2]*profiler{p.profiler(A), p.profiler(B)}, partner)
		for i, want := range plainMany(p) {
			if got := int(partner[i]); got != want {
				t.Fatalf("thread %d of\n%q\nis paired with %d of\n%q\nwant %d", i, a, got, b, want)
			}
		}
	})
}

// TestManyThreads pairs ten thousand threads of many kinds; each with each would be 10⁸ sets.
func TestManyThreads(t *testing.T) {
	many := func(side, form string) *trace.Trace {
		var threads []string
		for i := range testtrace.Sized(10_000, 30_000) {
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

// TestIDSet holds that a set is listed ascending, whatever the order of its identities, and once.
func TestIDSet(t *testing.T) {
	s := idSet{words: make([]uint64, 4)}
	for _, id := range []uint32{200, 3, 70, 3, 64} {
		s.add(id)
	}
	if got, want := s.take(nil), []uint32{3, 64, 70, 200}; !slices.Equal(got, want) {
		t.Errorf("%d, want %d", got, want)
	}
	if got := s.take(nil); len(got) > 0 {
		t.Errorf("%d are left", got)
	}
}
