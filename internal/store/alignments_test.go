package store

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"diptych/internal/align"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// crew builds a trace of several threads.
func crew(t testing.TB, seed uint64, threads int) *trace.Trace {
	return walks(t, seed, threads, 6, 120)
}

// TestAlignments checks that an alignment that was stored is found by another program that has read
// the same files, and that nothing else is found in its place.
func TestAlignments(t *testing.T) {
	dir := t.TempDir()
	fresh := func(a, b uint64, rules pair.Rules) *pair.Pair {
		return pair.New(crew(t, a, 3), crew(t, b, 3), rules)
	}
	p := fresh(1, 20, pair.Rules{})
	renamed, err := pair.ParseRules(false, []string{"fa=fb"})
	if err != nil {
		t.Fatal(err)
	}
	all, none := p.Threads, align.Options{}
	by := func(calls ...[2]int32) (o align.Options) {
		for _, c := range calls {
			o.Anchors = append(o.Anchors, align.Anchor{Calls: c})
		}
		return o
	}
	for _, x := range []struct {
		name  string
		p     *pair.Pair
		pairs []pair.ThreadPair
		o     align.Options
		found bool
	}{
		{"first", p, all, none, false},
		{"again", fresh(1, 20, pair.Rules{}), all, none, true},
		{"with nothing", p, append([]pair.ThreadPair{{A: -1, B: -1}}, all...), none, true},
		{"the default by name", p, all, align.Options{TieCells: 1_000_000}, true},
		{"swapped", fresh(20, 1, pair.Rules{}), all, none, false},
		{"another trace", fresh(1, 21, pair.Rules{}), all, none, false},
		{"other rules", fresh(1, 20, renamed), all, none, false},
		{"fewer threads", p, all[:1], none, false},
		{"one thread", p, []pair.ThreadPair{{A: 0, B: -1}}, none, false},
		{"paired anew", p.Repair(0, 1), p.Repair(0, 1).Threads, none, false},
		{"paired as before", p.Repair(0, 1).Repair(0, 0).Repair(1, 1), all, none, true},
		{"strict", p, all, align.Options{Strict: true}, false},
		{"another budget", p, all, align.Options{TieCells: 9}, false},
		{"by hand", p, all, by([2]int32{5, 6}), false},
		{"by hand again", p, all, by([2]int32{5, 6}), true},
		{"by another hand", p, all, by([2]int32{5, 7}), false},
		{"by both", p, all, by([2]int32{5, 6}, [2]int32{5, 7}), false},
		{"another engine", p, all, align.Options{Engine: align.Hybrid}, false},
		{"another engine again", p, all, align.Options{Engine: align.Hybrid}, false},
		{"at last", p, all, none, true},
	} {
		got, cached, err := greedy(dir).Alignments(ctx, x.p, x.pairs, x.o, nil)
		if err != nil || cached != x.found {
			t.Errorf("%s: found %v, %v", x.name, cached, err)
		}
		want, err := align.All(ctx, x.p, x.pairs, x.o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, resultsOnly); d != "" {
			t.Errorf("%s: %s", x.name, d)
		}
	}
}

// resultsOnly leaves the traces out of a comparison.
var resultsOnly = cmp.Options{cmpopts.EquateEmpty(),
	cmpopts.IgnoreTypes((*pair.Pair)(nil), (*trace.Thread)(nil))}

// TestAlignmentsBesideMatches checks that an alignment and a comparison of the same traces have
// different keys, and that alignments of few calls are not stored.
func TestAlignmentsBesideMatches(t *testing.T) {
	s := greedy(t.TempDir())
	p := pair.New(crew(t, 1, 1), crew(t, 2, 1), pair.Rules{})
	for _, want := range []bool{false, true} {
		_, graph, err := s.Graph(ctx, p, match.Threads(0, 0), nil)
		if err != nil || graph != want {
			t.Error(graph, err)
		}
		_, aligned, err := s.Alignments(ctx, p, p.Threads, align.Options{}, nil)
		if err != nil || aligned != want {
			t.Error(aligned, err)
		}
	}
	s = At(t.TempDir(), DefaultLimit)
	if _, cached, err := s.Alignments(ctx, p, p.Threads, align.Options{}, nil); err != nil || cached {
		t.Error(cached, err)
	}
	if c := s.Counts(); c != (Counts{}) {
		t.Errorf("%+v", c)
	}
}

// TestWrongAlignment checks that an intact value that is not an alignment of these threads is
// computed again and replaced.
func TestWrongAlignment(t *testing.T) {
	p := pair.New(crew(t, 1, 2), crew(t, 20, 2), pair.Rules{})
	other := pair.New(crew(t, 3, 2), crew(t, 20, 2), pair.Rules{})
	foreign, err := align.All(ctx, other, other.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := align.All(ctx, p, p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	right := align.Encode(own)
	for name, b := range map[string][]byte{"noise": value(1, 1000), "nothing": nil,
		"others'": align.Encode(foreign), "half": right[:len(right)/2],
		"more": append(slices.Clone(right), 0)} {
		s := greedy(t.TempDir())
		put(t, s, keyOf("align.Result", align.Version, s.alignment(p, p.Threads, align.Options{})...), b)
		for _, want := range []bool{false, true} {
			got, cached, err := s.Alignments(ctx, p, p.Threads, align.Options{}, nil)
			if err != nil || cached != want {
				t.Errorf("%s: found %v, want %v; %v", name, cached, want, err)
			}
			if d := cmp.Diff(own, got, resultsOnly); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}
