package pair

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// crewScope is the scope of all threads that drawCrew draws.
var crewScope = Scope{ByRole: true, Role: "w"}

func compared(t interface{ Fatal(...any) }, p *Pair, sc Scope) *Matrix {
	m, err := p.Compare(context.Background(), sc, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMatrixMatchesDefinition holds similarities against a plain computation, thread by thread, and
// says that a pairing is not the best if and only if trying all others finds one of a greater sum,
// whatever was paired by hand.
func TestMatrixMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawCrew(t, "a", 4), drawCrew(t, "b", 4)
		p := New(traceOf(a...), traceOf(b...), Rules{})
		if m := compared(t, p, crewScope); m.Gain != 0 {
			t.Fatalf("%q and\n%q: %v is not the best by %d", a, b, p.Threads, m.Gain)
		}
		for range rapid.IntRange(0, 2).Draw(t, "pairs by hand") {
			p = p.Repair(rapid.IntRange(0, len(a)-1).Draw(t, "of A"), rapid.IntRange(-1, len(b)-1).Draw(t, "of B"))
		}
		m := compared(t, p, crewScope)
		checkSimilarities(t, m)
		worth, _ := plainCrew(p)
		now := 0
		for i := range a {
			if k := p.Partner(A, i); k >= 0 && p.A.Threads[i].Len() > 0 && p.B.Threads[k].Len() > 0 {
				now += int(worth[i][k])
			}
		}
		best := greatest(worth, 0, make([]bool, len(b)))
		if m.Gain != best-now || (m.Gain > 0) != (len(m.Better()) > 0) {
			t.Fatalf("%q and\n%q paired %v: a gain of %d by %v, want %d - %d", a, b, p.Threads, m.Gain,
				m.Better(), best, now)
		}
		for _, q := range m.Better() {
			p = p.Repair(q.A, q.B)
		}
		if again := compared(t, p, crewScope); again.Gain != 0 {
			t.Fatalf("%q and\n%q: after taking %v there is a gain of %d", a, b, m.Better(), again.Gain)
		}
	})
}

func checkSimilarities(t *rapid.T, m *Matrix) {
	of := [2][]plainThread{plainThreads(m.Pair, A), plainThreads(m.Pair, B)}
	for i, a := range m.Threads[A] {
		for j, b := range m.Threads[B] {
			want := 0
			if like := plainLikeness(of[A][a], of[B][b]); like > 0 {
				want = max(1, (2*like+plainCounts(of[A][a], of[B][b]))/3)
			}
			if got := m.Similarity(i, j); math.Abs(got-float64(want)/1000) > 1e-9 {
				t.Fatalf("threads %d and %d are alike by %v, want %d thousandths", a, b, got, want)
			}
		}
	}
}

// greatest returns the greatest sum of worths of any pairing of the rows from i on.
func greatest(worth [][]likeness, i int, taken []bool) int {
	if i == len(worth) {
		return 0
	}
	best := greatest(worth, i+1, taken)
	for j, w := range worth[i] {
		if !taken[j] {
			taken[j] = true
			best = max(best, int(w)+greatest(worth, i+1, taken))
			taken[j] = false
		}
	}
	return best
}

func TestBetterPairings(t *testing.T) {
	for name, c := range map[string]struct {
		a, b  []string
		scope Scope
		hand  []ThreadPair
		want  []ThreadPair
	}{
		"names forced a pair": {[]string{"x: f g", "y: h i"}, []string{"x: h i", "y: f g"},
			Scope{Processes: [2]int32{-1, -1}}, nil, []ThreadPair{{0, 1}, {1, 0}}},
		"a thread by itself": {[]string{"w: f", "w: g"}, []string{"w: f", "w: g"}, crewScope,
			[]ThreadPair{{1, -1}}, []ThreadPair{{1, 1}}},
		"a good partner elsewhere is kept": {[]string{"v: f g", "w: f g", "w: h"},
			[]string{"v: f g", "w: f", "w: h"}, crewScope, []ThreadPair{{1, 0}}, nil},
		"a bad partner elsewhere is left": {[]string{"v: f g", "w: h i"}, []string{"v: f g", "w: h i", "w: k"},
			crewScope, []ThreadPair{{1, 0}}, []ThreadPair{{1, 1}}},
		"processes stay together": {[]string{"P#1|w: f", "P#1|v: g g", "Q#2|w: f h", "Q#2|v: i i"},
			[]string{"P#1|w: f h", "P#1|v: g g", "Q#2|w: f", "Q#2|v: i i"}, crewScope, nil, nil},
		"and come together again": {[]string{"P#1|w: f", "P#1|v: g g", "Q#2|w: f", "Q#2|v: i i"},
			[]string{"P#1|w: f", "P#1|v: g g", "Q#2|w: f", "Q#2|v: i i"}, crewScope,
			[]ThreadPair{{0, 2}, {2, -1}}, []ThreadPair{{0, 0}, {2, 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(traceOf(c.a...), traceOf(c.b...), Rules{})
			for _, q := range c.hand {
				p = p.Repair(q.A, q.B)
			}
			if got := compared(t, p, c.scope).Better(); !slices.Equal(got, c.want) {
				t.Errorf("of %v better is %v, want %v", p.Threads, got, c.want)
			}
		})
	}
}

func TestScopes(t *testing.T) {
	p := New(traceOf("P#1|main: f", "P#1|w: g", "P#1|w: g", "Q#2|main: h", "Q#2|idle:"),
		traceOf("P#3|main: f", "P#3|w: g", "Q#4|main: h", "Q#4|only: h"), Rules{})
	want := []Scope{{ByRole: true, Role: "main"}, {Processes: [2]int32{0, 0}},
		{Processes: [2]int32{1, 1}}, {ByRole: true, Role: "w"}}
	got := p.Scopes()
	slices.SortStableFunc(want, func(x, y Scope) int { return slices.Index(got, x) - slices.Index(got, y) })
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if New(traceOf("w: f", "w: f"), nil, Rules{}).Scopes() != nil {
		t.Error("there is something to compare in one trace")
	}
}

// TestMatrixIsBounded holds that of very many threads the busiest are compared.
func TestMatrixIsBounded(t *testing.T) {
	many := make([]string, maxAssigned+3)
	for i := range many {
		many[i] = "w: f"
	}
	many[maxAssigned+1] = "w: f f f"
	p := New(traceOf(many...), traceOf("w: f"), Rules{})
	threads, left := p.busiestOf(A, p.partners().threadsIn(p, crewScope, A))
	if left != 3 || len(threads) != maxAssigned || !slices.Contains(threads, maxAssigned+1) ||
		!slices.IsSorted(threads) {
		t.Errorf("%d threads, left out %d: %v", len(threads), left, threads)
	}
}

// TestComparingIsAJob holds that it tells how far it is and can be cancelled.
func TestComparingIsAJob(t *testing.T) {
	p := New(traceOf("w: f", "w: g", "w: h"), traceOf("w: f", "w: f f f"), Rules{})
	var done, total int64
	if _, err := p.Compare(context.Background(), crewScope, func(d, of int64) { done, total = d, of }); err != nil {
		t.Fatal(err)
	}
	if done != total || total != 5 {
		t.Errorf("%d of %d are done", done, total)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Compare(ctx, crewScope, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("comparing: %v", err)
	}
	if _, err := p.Advise(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("advising: %v", err)
	}
}
