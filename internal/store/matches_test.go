package store

import (
	"testing"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// walk builds a trace of one thread of about n calls of some functions at random.
func walk(t testing.TB, seed uint64, functions, n int) *trace.Trace {
	return walks(t, seed, 1, functions, n)
}

// walks builds one of several such threads.
func walks(t testing.TB, seed uint64, threads, functions, n int) *trace.Trace {
	shape := testtrace.Shape{Threads: testtrace.Exactly(int64(threads)),
		Records: testtrace.Exactly(2 * int64(n)), Step: testtrace.Exactly(1), Close: true}
	for i := range functions {
		shape.Functions = append(shape.Functions, "f"+string(rune('a'+i)))
	}
	return shape.Random(t, seed)
}

func greedy(dir string) *Store {
	s := At(dir, DefaultLimit)
	s.All = true
	return s
}

// TestResults checks that a result that was stored is found by another program that has read the
// same files, and that nothing else is found in its place.
func TestResults(t *testing.T) {
	const functions, calls = 12, 1500
	dir := t.TempDir()
	a, b, c := func() *trace.Trace { return walk(t, 1, functions, calls) },
		func() *trace.Trace { return walk(t, 2, functions, calls) },
		func() *trace.Trace { return walk(t, 3, functions, calls) }
	renamed, err := pair.ParseRules(false, []string{"fa=fb"})
	if err != nil {
		t.Fatal(err)
	}
	same, err := pair.ParseRules(false, []string{"fz=fy"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name        string
		p           *pair.Pair
		scope       match.Scope
		tau         match.Tau
		graph, rest bool // found
	}{
		{"first", pair.New(a(), b(), pair.Rules{}), match.Process(), match.DefaultTau, false, false},
		{"again", pair.New(a(), b(), pair.Rules{}), match.Process(), match.DefaultTau, true, true},
		{"swapped", pair.New(b(), a(), pair.Rules{}), match.Process(), match.DefaultTau, false, false},
		{"another trace", pair.New(a(), c(), pair.Rules{}), match.Process(), match.DefaultTau, false, false},
		{"one trace", pair.New(a(), nil, pair.Rules{}), match.Process(), match.DefaultTau, false, false},
		{"threads", pair.New(a(), b(), pair.Rules{}), match.Threads(0, 0), match.DefaultTau, false, false},
		{"other rules", pair.New(a(), b(), renamed), match.Process(), match.DefaultTau, false, false},
		{"other rules of no effect", pair.New(a(), b(), same), match.Process(), match.DefaultTau, true, true},
		{"another τ", pair.New(a(), b(), pair.Rules{}), match.Process(), match.Hundredths(30), true, false},
	} {
		s := greedy(dir)
		g, cached, err := s.Graph(ctx, x.p, x.scope, nil)
		if err != nil || cached != x.graph {
			t.Errorf("%s: classes found %v, %v", x.name, cached, err)
		}
		r, cached, err := s.Result(ctx, g, x.tau, nil)
		if err != nil || cached != x.rest {
			t.Errorf("%s: result found %v, %v", x.name, cached, err)
		}
		want, err := g.Match(ctx, x.tau, nil)
		if err != nil || want.Pairs != r.Pairs || want.SimilaritySum != r.SimilaritySum {
			t.Errorf("%s: %d pairs, want %d", x.name, r.Pairs, want.Pairs)
		}
	}
}

// TestSmall checks that results that are quick to compute are not stored.
func TestSmall(t *testing.T) {
	s := At(t.TempDir(), DefaultLimit)
	p := pair.New(walk(t, 1, 5, 1000), walk(t, 2, 5, 1000), pair.Rules{})
	g, cached, err := s.Graph(ctx, p, match.Process(), nil)
	if err != nil || cached {
		t.Fatal(cached, err)
	}
	if _, cached, err := s.Result(ctx, g, match.DefaultTau, nil); err != nil || cached {
		t.Error(cached, err)
	}
	if _, cached, err := s.Ladder(ctx, g, [2]int{10, 10}, nil); err != nil || cached {
		t.Error(cached, err)
	}
	if c := s.Counts(); c != (Counts{}) {
		t.Errorf("%+v", c)
	}
}

// TestWrongEncoding checks that an intact value that is not a result is computed again and
// replaced.
func TestWrongEncoding(t *testing.T) {
	s := greedy(t.TempDir())
	p := pair.New(walk(t, 1, 5, 1000), walk(t, 2, 5, 1000), pair.Rules{})
	k := keyOf("match.Graph", match.Version, s.comparison(p, match.Process())...)
	put(t, s, k, value(1, 1000))
	for _, want := range []bool{false, true} {
		if _, cached, err := s.Graph(ctx, p, match.Process(), nil); err != nil || cached != want {
			t.Errorf("found %v, want %v; %v", cached, want, err)
		}
	}
}
