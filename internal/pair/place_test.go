package pair

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestManyStayInPlace: of far more kinds than are compared, B lacks one thread and has another one
// more. Of ten threads nine call one function more than in A, and of fifty one does what another
// does. Some are of one kind in A, of which the first is of another kind in B. All find their
// partners, whether their names say that they do the same work or not.
func TestManyStayInPlace(t *testing.T) {
	for title, form := range map[string]string{
		"crew": "w: run{%[3]s }", "strangers": "%[1]s%[2]d: run{%[3]s }",
	} {
		t.Run(title, func(t *testing.T) {
			testManyStayInPlace(t, func(side string, i int, body string) string {
				return fmt.Sprintf(form, side, i, body)
			})
		})
	}
}

func testManyStayInPlace(t *testing.T, form func(side string, i int, body string) string) {
	const lacks, more = 103, maxKinds + 200
	r := rand.New(rand.NewPCG(1, 1))
	thread := func() string {
		var body strings.Builder
		for range 20 {
			fmt.Fprintf(&body, " f%d", r.IntN(1000))
		}
		return body.String()
	}
	var as, bs, bodies []string
	want := map[int]int{}
	for i := range maxKinds + 300 {
		body := thread()
		if i%9 == 1 && i > 451 {
			body = bodies[i-451]
		}
		bodies = append(bodies, body)
		as = append(as, form("a", i, body))
		if i == more {
			bs = append(bs, form("b", len(bs), thread()))
		}
		if i == lacks {
			continue
		}
		want[i] = len(bs)
		if i%50 == 9 && i > 50 {
			body = bodies[i-7]
		}
		if i%10 > 0 {
			body += fmt.Sprint(" x", i%3)
		}
		bs = append(bs, form("b", len(bs), body))
	}
	p := New(traceOf(as...), traceOf(bs...), Rules{})
	checkPair(t, p)
	for i, b := range want {
		if got := int(p.Partner(A, i)); got != b {
			t.Errorf("thread %d is paired with %d, want %d", i, got, b)
		}
	}
}

// TestManyAreMissingAtTheEnd: of far more kinds than are compared, B lacks the last threads. These
// stay alone; there is no place in B to look for them.
func TestManyAreMissingAtTheEnd(t *testing.T) {
	const n, missing = maxKinds + 60, 40
	r := rand.New(rand.NewPCG(2, 2))
	var as []string
	for range n {
		body := "w: run{"
		for range 20 {
			body += fmt.Sprintf(" f%d", r.IntN(1000))
		}
		as = append(as, body+" }")
	}
	p := New(traceOf(as...), traceOf(as[:n-missing]...), Rules{})
	checkPair(t, p)
	for i := range n {
		want := i
		if i >= n-missing {
			want = none
		}
		if got := p.Partner(A, i); got != want {
			t.Errorf("thread %d is paired with %d, want %d", i, got, want)
		}
	}
}

// TestRising holds rising against the longest parts by their definition.
func TestRising(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var of []place
		for a, b := range rapid.Permutation(upTo[int](rapid.IntRange(0, 40).Draw(t, "n"))).Draw(t, "b") {
			of = append(of, place{2 * a, b})
		}
		longest := make([]int, len(of)) // that ends there
		for k := range of {
			for j := range k {
				if of[j].b < of[k].b {
					longest[k] = max(longest[k], longest[j])
				}
			}
			longest[k]++
		}
		want := 0
		if len(of) > 0 {
			want = slices.Max(longest)
		}
		got := rising(of)
		for k, p := range got {
			if !slices.Contains(of, p) || k > 0 && (p.a <= got[k-1].a || p.b <= got[k-1].b) {
				t.Fatalf("%v is no rising part of %v", got, of)
			}
		}
		if len(got) != want {
			t.Fatalf("%v has %d places, want %d", got, len(got), want)
		}
	})
}
