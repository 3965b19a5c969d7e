package match

import (
	"context"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// plainCall is a call as the definitions see it.
type plainCall struct {
	thread, call, parent int // parent −1 for a root
	start                int64
	gamma                map[string]bool
}

// plainCalls lists a side's calls with their Γ, from names.
func plainCalls(p *pair.Pair, s pair.Side, scope Scope) []plainCall {
	var out []plainCall
	t := p.Trace(s)
	for k, th := range t.Threads {
		if !scope.Process && scope.Threads.On(s) != k {
			continue
		}
		first := len(out)
		for i := range th.Len() {
			parent := int(th.Parent(i))
			if parent >= 0 {
				parent += first
			}
			out = append(out, plainCall{k, i, parent, th.Start(i), map[string]bool{}})
			for a := first + i; a >= 0; a = out[a].parent {
				out[a].gamma[p.Rules.Identity(t.FunctionOf(th, i).Name)] = true
			}
		}
	}
	return out
}

// similarity returns |Γ(f)∩Γ(g)| / |Γ(f)∪Γ(g)|.
func similarity(f, g plainCall) *big.Rat {
	common := 0
	for id := range f.gamma {
		if g.gamma[id] {
			common++
		}
	}
	return big.NewRat(int64(common), int64(len(f.gamma)+len(g.gamma)-common))
}

// plain is a comparison from its definition.
type plain struct {
	calls [2][]plainCall
	s     [][]*big.Rat // by call of A and of B
	tau   *big.Rat
}

func newPlain(p *pair.Pair, scope Scope, tau Tau) *plain {
	m := &plain{tau: big.NewRat(int64(tau.num), int64(tau.den))}
	m.calls = [2][]plainCall{plainCalls(p, pair.A, scope), plainCalls(p, pair.B, scope)}
	for _, f := range m.calls[pair.A] {
		row := make([]*big.Rat, len(m.calls[pair.B]))
		for j, g := range m.calls[pair.B] {
			row[j] = similarity(f, g)
		}
		m.s = append(m.s, row)
	}
	return m
}

// of returns s of call i of one side and call j of the other.
func (m *plain) of(side pair.Side, i, j int) *big.Rat {
	if side == pair.B {
		i, j = j, i
	}
	return m.s[i][j]
}

func (m *plain) matches(i, j int) bool { return m.s[i][j].Cmp(m.tau) > 0 }

// someTrace draws a trace of a few threads over a few functions, with ties in time and names that
// are one identity.
func someTrace(t *rapid.T, side string) *trace.Trace {
	return testtrace.Shape{
		Threads: testtrace.Range{1, 3}, Records: testtrace.Range{0, 24}, Start: testtrace.Range{0, 9},
		Step: testtrace.Range{0, 3}, Ends: 3, Stray: true, Origin: true,
		Functions: []string{"f", "g", "h", "i", "j", "f.cold", "k", "l", "m", side},
	}.Draw(t, side)
}

// someComparison draws a pair, a scope of it and a τ that is often the s of some of its calls.
func someComparison(t *rapid.T) (*pair.Pair, Scope, Tau) {
	p := pair.New(someTrace(t, "a"), someTrace(t, "b"), pair.Rules{})
	scope := Process()
	if rapid.Bool().Draw(t, "one thread") {
		tp := rapid.SampledFrom(p.Threads).Draw(t, "threads")
		scope = Threads(tp.A, tp.B)
	}
	den := rapid.IntRange(1, 10).Draw(t, "den")
	num := rapid.IntRange(0, den-1).Draw(t, "num")
	return p, scope, Tau{uint64(num), uint64(den)}
}

func mustMatch(t interface{ Fatal(...any) }, p *pair.Pair, scope Scope, tau Tau) (*Graph, *Result) {
	g, err := Classify(context.Background(), p, scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Match(context.Background(), tau, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}

// TestMatchesDefinition checks every figure against pairs of calls compared one by one.
func TestMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, r := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		var pairs uint64
		var sum float64
		for i := range m.calls[pair.A] {
			for j := range m.calls[pair.B] {
				if m.matches(i, j) {
					s, _ := m.s[i][j].Float64()
					pairs++
					sum += s
				}
			}
		}
		if r.Pairs != pairs || r.Saturated || !near(r.SimilaritySum, sum) {
			t.Fatalf("τ = %v: %d matches, Σs = %v; want %d, %v", tau, r.Pairs, r.SimilaritySum, pairs, sum)
		}
		for _, side := range []pair.Side{pair.A, pair.B} {
			if matched := checkCalls(t, g, tau, m, side); r.MatchedCalls[side] != matched {
				t.Fatalf("%d calls of %s matched, want %d", r.MatchedCalls[side], side, matched)
			}
		}
	})
}

// checkCalls holds what each call of a side matches, and returns how many match any.
func checkCalls(t *rapid.T, g *Graph, tau Tau, m *plain, side pair.Side) (matched uint64) {
	if n := g.Sides[side].Len(); n != len(m.calls[side]) {
		t.Fatalf("%d calls of %s, want %d", n, side, len(m.calls[side]))
	}
	for i, f := range m.calls[side] {
		var want Call
		for j, g := range m.calls[side.Other()] {
			if rat := m.of(side, i, j); rat.Cmp(m.tau) > 0 {
				s, _ := rat.Float64()
				want.Weight += s
				want.Shift += float64(g.start - f.start)
				want.Matches++
			}
		}
		if want.Matches > 0 {
			want.Shift /= float64(want.Matches)
			matched++
		}
		got := g.Call(tau, side, i)
		if got.Matches != want.Matches || !near(got.Weight, want.Weight) || !near(got.Shift, want.Shift) {
			t.Fatalf("call %d of %s: %+v, want %+v", i, side, got, want)
		}
	}
	return matched
}

// near allows for the order of summation.
func near(x, y float64) bool { return max(x-y, y-x) <= 1e-9*max(1, x, -x) }
