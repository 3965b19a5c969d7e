package match

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// gammas returns Γ of each class as a sorted list, and the part of it that another side has.
func gammas(c, other *Classes, identities int) (all, cores [][]uint32) {
	has := other.identities(identities)
	for k := range c.Base {
		var set []uint32
		c.Members(k, func(id uint32) bool { set = append(set, id); return true })
		slices.Sort(set)
		all = append(all, set)
		cores = append(cores, slices.DeleteFunc(slices.Clone(set), func(id uint32) bool { return !has[id] }))
	}
	return all, cores
}

// TestKinds checks that two classes are of one kind if and only if their cores and sizes are equal,
// and that the kinds are a forest in pre-order whose sets are the cores.
func TestKinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		of, _ := g.kinds()
		for s, k := range of {
			all, cores := gammas(g.Sides[s], g.Sides[1-s], len(p.Names))
			known := map[string]int32{}
			var count, listed uint64
			for class, core := range cores {
				key, kind := fmt.Sprint(core, len(all[class])), k.of[class]
				if was, ok := known[key]; len(core) == 0 && kind != none || ok && kind != was ||
					len(core) > 0 && !ok && int(k.first[kind]) != class {
					t.Fatalf("class %d of %v, core %v: kind %d, want that of %v", class, all[class], core, kind, known)
				}
				if len(core) > 0 {
					known[key] = kind
					count += g.Sides[s].Count[class]
				}
			}
			for kind, class := range k.first {
				checkKind(t, k, kind, cores[class], len(all[class]))
				listed += k.Count[kind]
			}
			if len(known) != len(k.first) || count != listed {
				t.Fatalf("%d kinds of %d calls, want %d of %d", len(k.first), listed, len(known), count)
			}
		}
	})
}

// checkKind checks the set of a kind and its place in the forest.
func checkKind(t *rapid.T, k *kinds, kind int, core []uint32, size int) {
	var members []uint32
	k.Members(kind, func(id uint32) bool { members = append(members, id); return true })
	slices.Sort(members)
	if !slices.Equal(members, core) || int(k.Size[kind]) != size {
		t.Fatalf("kind %d is %v of %d, want %v of %d", kind, members, k.Size[kind], core, size)
	}
	for b := k.Base[kind]; b != none; b = k.Base[b] {
		if int(b) >= kind || int(k.End[b]) <= kind || k.End[b] < k.End[kind] {
			t.Fatalf("kind %d lies outside its base %d, which ends at %d", kind, b, k.End[b])
		}
	}
	for c := int32(k.first[kind]); c != none; c = k.next[c] {
		if k.of[c] != int32(kind) {
			t.Fatalf("class %d is listed under kind %d, not %d", c, kind, k.of[c])
		}
	}
}

// towers returns a pair of stacks of many functions. B's lacks the functions from one number to
// another and has some of its own instead.
func towers(t testing.TB, from, to int) *pair.Pair {
	const depth = 300
	tower := func(name func(i int) string) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("1", -1)
		for i := range depth {
			th.Begin(int64(i), b.Function(trace.Function{Name: name(i)}))
		}
		for i := range depth {
			th.End(int64(depth + i))
		}
		return testtrace.Build(t, b)
	}
	a := tower(func(i int) string { return fmt.Sprint("f", i) })
	b := tower(func(i int) string {
		if from <= i && i < to {
			return fmt.Sprint("g", i)
		}
		return fmt.Sprint("f", i)
	})
	return pair.New(a, b, pair.Rules{})
}

// TestLargeSets checks what calls of more functions than a byte counts match, against comparing the
// sets of two calls.
func TestLargeSets(t *testing.T) {
	for _, tau := range []Tau{{}, DefaultTau, Hundredths(60)} {
		g, r := mustMatch(t, towers(t, 60, 140), Process(), tau)
		for side := range g.Sides {
			var want Totals
			for i := range g.Sides[side].Len() {
				c := g.Call(tau, pair.Side(side), i)
				want.Pairs += c.Matches
				want.SimilaritySum += c.Weight
				if c.Matches > 0 {
					want.MatchedCalls[side]++
				}
			}
			if r.Pairs != want.Pairs || !near(r.SimilaritySum, want.SimilaritySum) ||
				r.MatchedCalls[side] != want.MatchedCalls[side] {
				t.Fatalf("τ = %v: %+v, want those of %v: %+v", tau, r.Totals, pair.Side(side), want)
			}
		}
		l, err := g.Ladder(context.Background(), [2]int{3, 5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if num, den := tau.fraction(); l.At(int(100*num/den)).Pairs != r.Pairs {
			t.Errorf("τ = %v: the ladder has other pairs than %d", tau, r.Pairs)
		}
	}
}

// TestFewKinds checks that functions that only one side has make no kinds of their own.
func TestFewKinds(t *testing.T) {
	g := mustClassify(t, towers(t, 0, 299))
	of, _ := g.kinds()
	classes := len(g.Sides[pair.B].Base)
	if n := len(of[pair.B].first); n != 300 || classes != 300 {
		// Each of B's calls ends with f299, so all have the core {f299}, and 300 different sizes.
		t.Errorf("%d kinds of %d classes", n, classes)
	}
	sizes := map[uint32]bool{}
	for k, members := range of[pair.B].members() {
		if members != 1 {
			t.Errorf("kind %d has %d members, want 1", k, members)
		}
		sizes[of[pair.B].Size[k]] = true
	}
	if len(slices.Collect(maps.Keys(sizes))) != 300 {
		t.Errorf("%d sizes", len(sizes))
	}
}
