package align

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestDifferences holds the table against looking at each call once for each function.
func TestDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := someVirtual(t).Result
		got, err := Differences(context.Background(), []*Result{r})
		if err != nil {
			t.Fatal(err)
		}
		balance := int64(1 << 62)
		for _, d := range got {
			if b := max(d.PlusNs-d.MinusNs, d.MinusNs-d.PlusNs); b > balance {
				t.Fatalf("%d after %d", b, balance)
			} else {
				balance = b
			}
		}
		for id := range r.Pair.Names {
			want := plainDifference(r, uint32(id))
			k := slices.IndexFunc(got, func(d Difference) bool { return d.ID == uint32(id) })
			switch {
			case k < 0 && want != Difference{ID: uint32(id)}:
				t.Fatalf("no row for %+v", want)
			case k >= 0 && got[k] != want:
				t.Fatal(cmp.Diff(want, got[k]))
			}
		}
	})
}

func plainDifference(r *Result, id uint32) Difference {
	d := Difference{ID: id}
	ta, tb := r.Threads[pair.A], r.Threads[pair.B]
	for n := range r.Walk {
		switch {
		case n.State == GapB && r.ID(pair.A, int(n.A)) == id:
			d.OnlyA++
			d.OnlyANs += ownTime(r, pair.A, n.A)
		case n.State == GapA && r.ID(pair.B, int(n.B)) == id:
			d.OnlyB++
			d.OnlyBNs += ownTime(r, pair.B, n.B)
		case n.State == Equal && r.ID(pair.A, int(n.A)) == id:
			d.Pairs++
			if by := tb.Dur(int(n.B)) - ta.Dur(int(n.A)); by > 0 {
				d.PlusCount++
				d.PlusNs += by
			} else if by < 0 {
				d.MinusCount++
				d.MinusNs -= by
			}
		}
	}
	return d
}

// ownTime is how long a call without a partner takes, as far as that is its side's alone.
func ownTime(r *Result, s pair.Side, i int32) int64 {
	ns := r.Threads[s].Dur(int(i))
	if r.Passed[s].Has(i) {
		r.Threads[s].Children(int(i), func(c int) bool {
			ns -= r.Threads[s].Dur(c)
			return true
		})
	}
	return ns
}

// TestDifferencesAddUp holds that several results count together.
func TestDifferencesAddUp(t *testing.T) {
	r := compared(t, []said{{"f", 0, 4}, {"g", 5, 6}}, []said{{"f", 0, 7}, {"h", 8, 9}}).Result
	got, err := Differences(context.Background(), []*Result{r, r, r})
	want := []Difference{{ID: 0, Pairs: 3, PlusCount: 3, PlusNs: 9 * ms}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err) // g and h are different: neither equal nor missing
	}
}

func TestMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := someVirtual(t).Result
		var want Metrics
		for n := range r.Walk {
			switch n.State {
			case Equal:
				want.Equal++
			case Different:
				want.Different++
			case GapA:
				want.GapA++
			case GapB:
				want.GapB++
			}
		}
		want.M, want.N = want.Equal+want.Different+want.GapB, want.Equal+want.Different+want.GapA
		got := r.Metrics()
		want.SkewEnd = got.SkewEnd
		if got != want || got.Score() != r.Score {
			t.Fatalf("%+v, want %+v; score %d, want %d", got, want, got.Score(), r.Score)
		}
		for _, x := range []float64{got.Similarity(), got.Dice()} {
			if !(x >= 0 && x <= 1) {
				t.Fatalf("%+v: %v", got, x)
			}
		}
	})
}
