package align

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
)

// TestDirect holds that alignments without classes are those with classes.
func TestDirect(t *testing.T) {
	testtrace.Checks(t, 200)
	direct, aside, all := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var forests [2][][]*testtrace.Tree
		off := rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "functions off the processor")
		damaged := rapid.IntRange(0, 9).Draw(t, "damaged") == 0
		for range rapid.IntRange(1, 3).Draw(t, "threads") {
			xs, ys := someForests(t)
			if !damaged {
				cutBelow(xs, off)
				cutBelow(ys, off)
			}
			forests[0], forests[1] = append(forests[0], xs), append(forests[1], ys)
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "clock"), 0))
		clock := func() testtrace.Clock { return testtrace.Halting(r) }
		p := pair.New(offBelow(off, testtrace.Record(t, clock, forests[0]...)),
			offBelow(off, testtrace.Record(t, clock, forests[1]...)), pair.Rules{})
		var pairs []pair.ThreadPair
		for k := range forests[0] {
			pairs = append(pairs, pair.ThreadPair{A: k, B: k})
		}
		o := someOptions(t)
		rs, err := newWork(p, pairs, o, progress.NewMeter(nil, 0)).alignDirectly(t.Context())
		if all++; errors.Is(err, errIndirect) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		direct++
		if slices.Contains(offCPU(p), true) {
			aside++
		}
		o.classesOnly = true
		want, err := All(t.Context(), p, pairs, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range rs {
			if !samePartners(r.Partner, want[k].Partner) || r.Score != want[k].Score ||
				r.Ties != want[k].Ties || len(want[k].Passed[0])+len(want[k].Passed[1]) > 0 {
				t.Fatalf("threads %d: score %d, %v, want %d, %v", k, r.Score, r.Ties, want[k].Score,
					want[k].Ties)
			}
		}
	})
	if 4*direct < all || 8*aside < all {
		t.Errorf("only %d of %d are aligned without classes, %d of these with calls off CPU", direct, all,
			aside)
	}
}

// TestDirectFindsWrappers holds that on either side a wrapper is found without classes, whether all
// calls are counted in advance or only those that got no partner.
func TestDirectFindsWrappers(t *testing.T) {
	call := func(fn int, below ...*testtrace.Tree) *testtrace.Tree {
		return &testtrace.Tree{Fn: fn, Below: below}
	}
	const top, read, parse, leaf, load = 0, 1, 2, 3, 4
	plain := call(top, call(read, call(leaf)), call(parse, call(leaf)))
	for name, other := range map[string]*testtrace.Tree{
		"wrapper": call(top, call(load, call(read, call(leaf)), call(parse, call(leaf)))),
		"more":    call(top, call(load, call(read, call(leaf))), call(read, call(leaf)), call(parse, call(leaf))),
	} {
		for side := range 2 {
			var forests [2][]*testtrace.Tree
			forests[side], forests[1-side] = []*testtrace.Tree{other}, []*testtrace.Tree{plain}
			p := pair.New(testtrace.Record(t, nil, forests[0]), testtrace.Record(t, nil, forests[1]),
				pair.Rules{})
			for _, mostCounted := range []int64{0, 1} {
				o := Options{mostCounted: mostCounted}
				w := newWork(p, []pair.ThreadPair{{}}, o, progress.NewMeter(nil, 0))
				_, err := w.alignDirectly(t.Context())
				if found := errors.Is(err, errIndirect); found != (name == "wrapper") || !found && err != nil {
					t.Errorf("%s on side %v, %d counted in advance: %v", name, pair.Side(side), mostCounted, err)
				}
			}
		}
	}
}

// cutBelow takes off what functions below off call.
func cutBelow(list []*testtrace.Tree, off int) {
	for _, x := range list {
		if x.Fn < off {
			x.Below = nil
		}
		cutBelow(x.Below, off)
	}
}

// TestClassesAreCheaper holds that classes are found where many subtrees would be compared in vain
// or numbered: each is like none, and all are of one function.
func TestClassesAreCheaper(t *testing.T) {
	var forests [2][]*testtrace.Tree
	for s := range forests {
		r := rand.New(rand.NewPCG(uint64(s), 1))
		for range 400 {
			turn := testtrace.Grow(r, 200, 30, 0.5)
			forests[s] = append(forests[s], &testtrace.Tree{Fn: 40, Below: turn})
		}
	}
	p := pair.New(testtrace.Record(t, nil, forests[0]), testtrace.Record(t, nil, forests[1][:390]),
		pair.Rules{})
	w := newWork(p, []pair.ThreadPair{{}}, Options{Strict: true}, progress.NewMeter(nil, 0))
	if _, err := w.alignDirectly(t.Context()); !errors.Is(err, errIndirect) {
		t.Errorf("aligned without classes, or failed: %v", err)
	}
}
