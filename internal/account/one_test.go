package account

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestSplitIsHalfABalance holds that a run split by itself has the totals, the way and the parts
// that it has in a balance with itself, and that its threads' parts add up to them.
func TestSplitIsHalfABalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape
		s.Runtime = true
		tr := s.Draw(t, "trace")
		both := balanceOf(t, tr, tr, Options{})
		one, err := Split(context.Background(), pair.New(tr, nil, pair.Rules{}), analyse(t, tr), nil)
		if err != nil {
			t.Fatal(err)
		}
		if one.Elapsed != [2]int64{both.Elapsed[pair.A], 0} || one.Total[pair.A] != both.Total[pair.A] ||
			one.Way[pair.A] != both.Way[pair.A] {
			t.Fatalf("%v %v %v, want %v %v %v", one.Elapsed, one.Total, one.Way, both.Elapsed,
				both.Total, both.Way)
		}
		type site struct {
			kind         Kind
			function, by uint32
		}
		want, cells, threads := map[site]Amount{}, map[site]Amount{}, map[site]Amount{}
		add := func(to map[site]Amount, p Part, a Amount) {
			if p.Kind == Idle {
				a.WayNs = 0 // no thread has the time at which there is none
			}
			at := site{p.Kind, p.Function, p.Caller}
			sum := to[at]
			sum.add(a)
			if to[at] = sum; sum == (Amount{}) {
				delete(to, at)
			}
		}
		for _, c := range both.Cells {
			add(want, c.Part, c.Amounts[pair.A])
		}
		for _, c := range one.Cells {
			add(cells, c.Part, c.Amounts[pair.A])
		}
		for k := range tr.Threads {
			one.EachOnThread(k, func(p Part, a Amount) { add(threads, p, a) })
		}
		for at, a := range want {
			if cells[at] != a || threads[at] != a {
				t.Fatalf("%v: %v in cells, %v on threads, want %v", at, cells[at], threads[at], a)
			}
		}
		if len(cells) != len(want) || len(threads) != len(want) {
			t.Fatalf("%d cells, %d on threads, want %d", len(cells), len(threads), len(want))
		}
	})
}

func TestSplitWantsOneTrace(t *testing.T) {
	tr := record(t, []call{{"f", 0, 10, 0, ""}})
	for _, p := range []*pair.Pair{{}, pair.New(tr, tr, pair.Rules{})} {
		if _, err := Split(context.Background(), p, analyse(t, tr), nil); err == nil {
			t.Error("no error")
		}
	}
}
