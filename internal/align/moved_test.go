package align

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// strangers returns two small threads in which nothing is paired and much is identical. No two
// calls of a side start at the same time.
func strangers(t *rapid.T) *Virtual {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	grown := func(side string) []*testtrace.Tree {
		list := testtrace.Grow(r, rapid.IntRange(0, 50).Draw(t, side), 2, 0.7)
		if k := len(list); k > 0 {
			list = append(list, list[r.IntN(k)].Copy(), list[r.IntN(k)].Copy())
		}
		return list
	}
	xs := grown("A")
	ys := slices.Concat(grown("B"), testtrace.Edit(r, xs, 2, 0.1))
	p := paired(t, append(xs, &testtrace.Tree{}), append(ys, &testtrace.Tree{}))
	res := &Result{Pair: p}
	for s := range res.Threads {
		res.Threads[s] = p.Trace(pair.Side(s)).Threads[0]
		res.Partner[s] = slices.Repeat([]int32{None}, res.Threads[s].Len())
	}
	return laid(t, res)
}

// plainMoved links from the definition: from the largest size down, of all identical subtrees that
// are left the two nearest, of those the earliest.
func plainMoved(v *Virtual) (moves []Move) {
	var taken [2]map[int]bool
	var texts [2][]string
	for s, th := range v.Threads {
		taken[s] = map[int]bool{}
		for i := range th.Len() {
			text := ""
			for k := i; k < th.Next(i); k++ {
				text += string(rune(v.ID(pair.Side(s), k))) + string(rune(th.Size(k)))
			}
			texts[s] = append(texts[s], text)
		}
	}
	for size := v.Threads[pair.A].Len(); size >= leastMoved; {
		best := []int64(nil) // distance, earlier start, calls
		for i, x := range texts[pair.A] {
			if int(v.Threads[pair.A].Size(i)) != size || taken[0][i] {
				continue
			}
			for j, y := range texts[pair.B] {
				if x != y || taken[1][j] {
					continue
				}
				a, b := v.Start[pair.A][i], v.Start[pair.B][j]
				this := []int64{max(a-b, b-a), min(a, b), int64(i), int64(j)}
				if best == nil || slices.Compare(this, best) < 0 {
					best = this
				}
			}
		}
		if best == nil {
			size--
			continue
		}
		moves = append(moves, Move{int32(best[2]), int32(best[3]), uint32(size)})
		for k := range size {
			taken[0][int(best[2])+k], taken[1][int(best[3])+k] = true, true
		}
	}
	slices.SortFunc(moves, func(x, y Move) int {
		return cmp.Or(cmp.Compare(y.Size, x.Size), cmp.Compare(x.A, y.A))
	})
	return moves
}

func TestMoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := strangers(t)
		got, err := v.Moved(context.Background())
		if want := plainMoved(v); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
		if unlaid, err := v.Result.Moved(context.Background()); err != nil || !slices.Equal(unlaid, got) {
			t.Fatalf("%v, %v without a layout, want %v", unlaid, err, got)
		}
	})
}

// TestNearestMovedOfEquals: of two links that are equally far, the earlier one is made, also after
// nearer ones were.
func TestNearestMovedOfEquals(t *testing.T) {
	subtrees := func(n int64) (out []said) {
		for k := range n {
			at := 10 * k
			out = append(out, said{"f", at, at + 8}, said{"x", at + 1, at + 2}, said{"y", at + 3, at + 4},
				said{"z", at + 5, at + 6})
		}
		return out
	}
	v := compared(t, subtrees(2), subtrees(3))
	for s, starts := range [2][]int64{{0, 110}, {1, 100, 120}} {
		for i := range v.Partner[s] {
			v.Partner[s][i] = None
			v.Start[s][i] = starts[i/leastMoved]
		}
	}
	got, err := v.Moved(context.Background())
	if want := []Move{{0, 0, 4}, {4, 4, 4}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// TestMovedIsMissing holds that only calls without partners are linked.
func TestMovedIsMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := someVirtual(t)
		moves, err := v.Moved(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moves {
			if v.Partner[pair.A][m.A] != None || v.Partner[pair.B][m.B] != None || m.Size < leastMoved {
				t.Fatal(m)
			}
		}
	})
}
