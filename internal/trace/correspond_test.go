package trace

import (
	"cmp"
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestUnitedMarks holds that marks which calls lack become one for each call and kind, with each
// object once in the order in which they were named, and go in order among those that there are.
func TestUnitedMarks(t *testing.T) {
	byCall := func(x, y plainBlock) int {
		return cmp.Or(cmp.Compare(x.Call, y.Call), cmp.Compare(x.Kind, y.Kind))
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for range 300 {
		var marks []lack
		var had []Block
		var want []plainBlock
		for range rng.IntN(60) {
			m := lack{rng.Int32N(12), BlockKind(rng.IntN(3)), ObjectID(rng.IntN(4))}
			if rng.IntN(4) == 0 {
				m.object = NoObject
			}
			marks = append(marks, m)
			if rng.IntN(2) == 0 {
				had = append(had, Block{Call: rng.Int32N(12), Kind: BlockKind(rng.IntN(3))})
			}
		}
		slices.SortStableFunc(had, func(x, y Block) int {
			return cmp.Or(cmp.Compare(x.Call, y.Call), cmp.Compare(x.Kind, y.Kind))
		})
		for _, m := range marks {
			k := slices.IndexFunc(want, func(b plainBlock) bool { return b.Call == m.call && b.Kind == m.kind })
			if k < 0 {
				k, want = len(want), append(want, plainBlock{Call: m.call, Kind: m.kind})
			}
			if m.object != NoObject && !slices.Contains(want[k].Objects, m.object) {
				want[k].Objects = append(want[k].Objects, m.object)
			}
		}
		slices.SortStableFunc(want, byCall)
		th := &Thread{}
		more, err := th.united(context.Background(), marks)
		if got := th.plainBlocks(more); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, %v\nwant %v", got, err, want)
		}
		all := append(th.plainBlocks(had), want...)
		slices.SortStableFunc(all, byCall)
		if both := th.plainBlocks(merged(had, more)); !reflect.DeepEqual(both, all) {
			t.Fatalf("got %v\nwant %v", both, all)
		}
	}
}

// TestLinksBy holds that links are sorted by the call at an end, those of one call as they were.
func TestLinksBy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for range 100 {
		tr := &Trace{Threads: make([]*Thread, 1+rng.IntN(4))}
		end := func() CallRef { return CallRef{rng.Int32N(int32(len(tr.Threads))), rng.Int32N(9)} }
		var want []int32
		for k := range rng.IntN(80) {
			tr.Links = append(tr.Links, Link{From: end(), To: end()})
			want = append(want, int32(k))
		}
		slices.SortStableFunc(want, func(x, y int32) int {
			return tr.Links[x].To.compare(tr.Links[y].To)
		})
		got, err := tr.linksBy(context.Background(), (*Link).target)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v, %v\nwant %v of %v", got, err, want, tr.Links)
		}
	}
}
