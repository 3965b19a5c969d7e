package align

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// smallTable has for each of some functions a class that calls nothing, and others that call one
// function up to so many times.
func smallTable(functions, most int) (t *classTable, of [][]uint32) {
	t = newClassTable(make([]bool, functions+1))
	callee := t.intern(uint32(functions), nil)
	of = make([][]uint32, functions)
	for fn := range of {
		var kids []uint32
		for range most + 1 {
			of[fn] = append(of[fn], t.intern(uint32(fn), kids))
			kids = append(kids, callee)
		}
	}
	return t, of
}

// TestFew holds levels of few callees against the full matrix: where times decide and where all are
// 0, with callees of one function that are identical, that call nothing, and that have to be counted.
func TestFew(t *testing.T) {
	const functions, most = 7, 2
	ctx, m := context.Background(), progress.NewMeter(nil, 0)
	table, of := smallTable(functions, most)
	list := func(r *rand.Rand, n, functions, most int, longest int64) (list []uint32, took []int64) {
		for range n {
			list = append(list, of[r.IntN(functions)][r.IntN(most+1)])
			took = append(took, r.Int64N(longest))
		}
		return list, took
	}
	room := new(atomic.Int64)
	room.Store(1 << 20)
	space := newWorkspace(newTallies(table), room, 1)
	hold := func(a, b []uint32, tookA, tookB []int64) {
		x, y := table.intern(0, a), table.intern(0, b)
		space.counter = newTallies(table).newCounter() // of as many classes
		lv := *table.newLevel(x, y, Options{}.withDefaults(), space)
		lv.took[pair.A], lv.took[pair.B] = tookA, tookB
		lv.compareCallees(0, len(lv.a), 0, len(lv.b))
		want, err := lv.needleman(ctx, m, nil, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lv.auto(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if !samePairs(want, got) {
			t.Fatalf("%v %v, %v %v: %s", a, tookA, b, tookB,
				cmp.Diff(want, got, cmp.AllowUnexported(run{})))
		}
	}
	// One equal pair of two calls and four different pairs, or two equal pairs of one call each and
	// six gaps: the number of equal pairs decides, since all times are 0.
	leaf, two := func(fn int) uint32 { return of[fn][0] }, of[2][1]
	hold([]uint32{leaf(0), leaf(1), two, leaf(3), leaf(4)},
		[]uint32{leaf(3), leaf(4), two, leaf(5), leaf(6)}, make([]int64, 5), make([]int64, 5))

	r := rand.New(rand.NewPCG(1, 1))
	for range sized(6_000, 60_000) {
		names, kinds, longest := 1+r.IntN(functions-1), r.IntN(most+1), 1+4*r.Int64N(2)
		a, tookA := list(r, r.IntN(12), names, kinds, longest)
		b, tookB := list(r, r.IntN(12), names, kinds, longest)
		if r.IntN(2) == 0 { // a pair that is certain in front
			front := of[functions-1][0]
			a, b = append([]uint32{front}, a...), append([]uint32{front}, b...)
			tookA, tookB = append([]int64{1}, tookA...), append([]int64{1}, tookB...)
		}
		hold(a, b, tookA, tookB)
	}
}

// samePairs reports whether two alignments are the same, however they are cut into runs.
func samePairs(x, y []run) bool {
	join := func(list []run) (out []run) {
		for _, r := range list {
			out = appendRun(out, r)
		}
		return out
	}
	return slices.Equal(join(x), join(y))
}
