package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"diptych/internal/batch"
	"diptych/internal/pair"
)

// TestSpreadOfAFunction holds all that is said of a function against numbers worked out by hand.
func TestSpreadOfAFunction(t *testing.T) {
	rows := even(6)
	for k, delta := range []int64{-30e6, 10e6, 20e6, 70e6} { // pairs 4 and 5 do not have it
		does(rows, k, "solve", 100e6, 100e6+delta)
	}
	want := Function{Name: "solve", Pairs: 4, DeltaNs: 70e6, ChangeNs: 130e6, SelfNs: [2]int64{400e6, 470e6},
		MeanNs: 17.5e6, SDNs: 41129875.5974, MinNs: -30e6, Q1Ns: 0, MedianNs: 15e6, Q3Ns: 32.5e6, MaxNs: 70e6,
		Worst: 3}
	got := judged(t, rows).Functions[0]
	if d := got.SDNs - want.SDNs; d > 1 || d < -1 {
		t.Errorf("standard deviation %f", got.SDNs)
	}
	if got.SDNs = want.SDNs; got != want {
		t.Errorf("%+v, want\n%+v", got, want)
	}
}

func TestFunctionOfOnePairHasNoDeviation(t *testing.T) {
	rows := even(3)
	does(rows, 1, "once", 0, 8e6)
	want := Function{Name: "once", Pairs: 1, DeltaNs: 8e6, ChangeNs: 8e6, SelfNs: [2]int64{0, 8e6}, MeanNs: 8e6,
		MinNs: 8e6, Q1Ns: 8e6, MedianNs: 8e6, Q3Ns: 8e6, MaxNs: 8e6, Worst: 1}
	if got := judged(t, rows).Functions[0]; got != want {
		t.Errorf("%+v", got)
	}
}

// TestWorstIsTheFirstOfEqualOnes holds ties, and that a fall counts as much as a rise.
func TestWorstIsTheFirstOfEqualOnes(t *testing.T) {
	rows := even(4)
	for k, delta := range []int64{1, -5, 5, 4} {
		does(rows, k, "f", 10, 10+delta)
		does(rows, k, "same", 10, 10)
	}
	f := judged(t, rows)
	if f.Functions[0].Worst != 1 || f.Functions[1].Name != "same" || f.Functions[1].Worst != 0 {
		t.Errorf("%+v", f.Functions)
	}
}

// TestWhichFunctionsAreKept holds that those that differ most over all pairs are kept, and those
// that matter in one pair only: the first three of it, if they are half a percent of its run.
func TestWhichFunctionsAreKept(t *testing.T) {
	rows := even(40)
	for f := range mostFunctions { // 20 s over all pairs, 500 ms in each
		for k := range rows.Pairs {
			does(rows, k, fmt.Sprint("all", f), 0, 500e6+int64(f))
		}
	}
	does(rows, 3, "fourth but early", 0, 4e6) // rows of pair 3 come again: as the first of them
	does(rows, 3, "second", 0, 6e6)
	does(rows, 3, "third", 6e6, 0)
	does(rows, 3, "fourth", 0, 6e6)
	f := judged(t, rows)
	kept := map[string]bool{}
	for _, x := range f.Functions {
		kept[x.Name] = true
	}
	if len(f.Functions) != mostFunctions+2 || f.Left != 2 {
		t.Errorf("%d functions, %d left", len(f.Functions), f.Left)
	}
	for name, want := range map[string]bool{"fourth but early": false, "second": true, "third": true, "fourth": false} {
		if kept[name] != want {
			t.Errorf("%s is kept: %v", name, kept[name])
		}
	}
	last := fmt.Sprint("all", mostFunctions-1)
	if f.Functions[0].Name != last || !slices.IsSortedFunc(f.Functions, func(x, y Function) int {
		return int(y.ChangeNs - x.ChangeNs)
	}) {
		t.Errorf("the first is %s, want %s", f.Functions[0].Name, last)
	}
}

// TestWhatWaits holds from which share of its time on a function does nothing but wait.
func TestWhatWaits(t *testing.T) {
	for _, c := range []struct {
		total, wait int64 // of A and B
		want        bool
	}{{0, 0, false}, {100, 89, false}, {100, 90, true}, {100, 100, true}} {
		rows := even(2)
		rows.Functions = []batch.FunctionRow{{Number: 1, Function: "f", TotalANs: c.total, WaitBNs: c.wait}}
		if got := judged(t, rows).Functions[0].Waits; got != c.want {
			t.Errorf("%d of %d ns: %v", c.wait, c.total, got)
		}
	}
}

func TestRatio(t *testing.T) {
	for ns, want := range map[[2]int64]float64{{2, 5}: 2.5, {0, 5}: 0, {-1, 5}: 0, {4, 0}: 0, {4, -8}: 0} {
		if got := ratio(ns); got != want {
			t.Errorf("%d: %g, want %g", ns, got, want)
		}
	}
}

// TestWaitsAddUp holds that waits are told apart by all three names, counted once a pair, and put in
// order of change.
func TestWaitsAddUp(t *testing.T) {
	row := func(number int64, waiter, object string, a, b int64) batch.WaitRow {
		return batch.WaitRow{Number: number, Waiter: waiter, Releaser: "io", Object: object, CountA: 1, CountB: 2,
			WaitANs: a, WaitBNs: b, DeltaNs: b - a}
	}
	rows := even(3)
	rows.Waits = []batch.WaitRow{row(1, "main", "q", 10, 4), row(1, "main", "q", 0, 1), row(1, "worker", "q", 5, 5),
		row(2, "main", "q", 1, 9), row(3, "main", "r", 0, 15), row(3, "main", "p", 15, 0)}
	want := []Wait{
		{Waiter: "main", Releaser: "io", Object: "p", Pairs: 1, Count: [2]int64{1, 2}, WaitNs: [2]int64{15, 0},
			ChangeNs: 15, Worst: 2},
		{Waiter: "main", Releaser: "io", Object: "q", Pairs: 2, Count: [2]int64{3, 6}, WaitNs: [2]int64{11, 14},
			ChangeNs: 15, Worst: 1},
		{Waiter: "main", Releaser: "io", Object: "r", Pairs: 1, Count: [2]int64{1, 2}, WaitNs: [2]int64{0, 15},
			ChangeNs: 15, Worst: 2},
		{Waiter: "worker", Releaser: "io", Object: "q", Pairs: 1, Count: [2]int64{1, 2}, WaitNs: [2]int64{5, 5}},
	}
	got := readRows(t, rows).Waits
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got[0].DeltaNs() != -15 || got[1].DeltaNs() != 3 {
		t.Errorf("Δ %d and %d", got[0].DeltaNs(), got[1].DeltaNs())
	}
}

// TestSumsTooLargeAreCounted: sums of functions and waits that do not fit into int64 are cut, and stay so.
func TestSumsTooLargeAreCounted(t *testing.T) {
	const half = math.MaxInt64/2 + 2
	rows := even(3)
	for k, delta := range []int64{half, half, -half} {
		does(rows, k, "f", 0, delta)
		rows.Waits = append(rows.Waits, batch.WaitRow{Number: int64(k + 1), Waiter: "main", WaitBNs: half, DeltaNs: 1})
	}
	does(rows, 2, "g", 1, 2)
	f := judged(t, rows)
	if f.TooLarge != 3+1 { // ChangeNs, SelfNs of B and DeltaNs; WaitNs of B
		t.Errorf("%d sums are too large", f.TooLarge)
	}
	if x := f.Functions[0]; x.ChangeNs != math.MaxInt64 || x.DeltaNs != math.MaxInt64 {
		t.Errorf("%+v", x)
	}
	if f := judged(t, twenty()); f.TooLarge != 0 {
		t.Errorf("of small ones, %d are too large", f.TooLarge)
	}
}

func TestOnlySoManyWaitsAreKept(t *testing.T) {
	rows := even(1)
	for k := range int64(mostWaits + 20) {
		rows.Waits = append(rows.Waits, batch.WaitRow{Number: 1, Object: fmt.Sprint(k), WaitBNs: k, DeltaNs: k})
	}
	got := judged(t, rows).Waits
	if len(got) != mostWaits || got[0].ChangeNs != mostWaits+19 || got[mostWaits-1].ChangeNs != 20 {
		t.Errorf("%d waits from %d to %d", len(got), got[0].ChangeNs, got[len(got)-1].ChangeNs)
	}
}

// TestLargestIsTheLargest holds Bentley's pass against all stretches.
func TestLargestIsTheLargest(t *testing.T) {
	dice := rand.New(rand.NewPCG(4, 2))
	for range 300 {
		values := make([]float64, 1+dice.IntN(12))
		for k := range values {
			values[k] = float64(dice.IntN(9) - 4)
		}
		sign, mean := float64(1-2*dice.IntN(2)), float64(dice.IntN(3))
		sum := func(from, to int) (s float64) {
			for _, v := range values[from : to+1] {
				s += sign*v - mean
			}
			return s
		}
		most := sum(0, 0)
		for from := range values {
			for to := from; to < len(values); to++ {
				most = max(most, sum(from, to))
			}
		}
		if from, to := largest(values, sign, mean); from > to || sum(from, to) != most {
			t.Errorf("%v: [%d, %d] has %g, want %g", values, from, to, sum(from, to), most)
		}
	}
}

// TestWhenAPairLosesItsTime holds the stretch, its share and its times, of a rise and of a fall.
func TestWhenAPairLosesItsTime(t *testing.T) {
	for _, ns := range []int64{100e6, -100e6} {
		rows := even(2)
		late(rows, 1, ns)
		r := read(t, rows)
		got := r.when(1, Lag, float64(ns))
		share := got.Share
		want := When{FromBucket: 40, ToBucket: 49, FromNs: [2]int64{197.5e6, 197.5e6},
			ToNs: [2]int64{247.5e6, 247.5e6 + ns}, Share: share}
		if got != want || !near(share, 1) {
			t.Errorf("%+v, want\n%+v", got, want)
		}
		whole := When{ToBucket: batch.Buckets - 1, ToNs: [2]int64{1e9, 1e9 + ns}, Whole: true}
		if got := r.when(1, Lag, -float64(ns)); got != whole {
			t.Errorf("of the other sign: %+v", got)
		}
		if got := r.when(1, Dissimilarity, 1); got != whole {
			t.Errorf("of what is 0: %+v", got)
		}
	}
}

// read reads a batch and returns all that was found on the way.
func read(t *testing.T, rows *batch.Rows) *reading {
	t.Helper()
	r := &reading{dir: directory(t, rows), fleet: &Fleet{}, functions: map[string]*sampled{}}
	if err := r.readPairs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.readTimeline(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTypicalPair holds medians of an odd and an even number of pairs, without those that failed.
func TestTypicalPair(t *testing.T) {
	rows := even(5)
	for k, delta := range []int64{5, 1, 100, 2, 9} {
		p := &rows.Pairs[k]
		p.ElapsedBNs, p.DeltaNs, p.Similarity = p.ElapsedBNs+delta, delta, float64(k)/4
	}
	want := Typical{DeltaNs: 5, SpreadNs: 4, ElapsedNs: [2]int64{1e9, 1e9 + 5}, Similarity: .5,
		Factor: 1.000000005}
	if got := judged(t, rows).Median; got != want {
		t.Errorf("%+v", got)
	}
	rows.Pairs[2].Error = "torn"
	want = Typical{DeltaNs: 4, SpreadNs: 2, ElapsedNs: [2]int64{1e9, 1e9 + 4}, Similarity: .5,
		Factor: 1.0000000035} // of 1, 2, 5, 9
	if got := judged(t, rows).Median; !near(got.Factor, want.Factor) {
		t.Errorf("factor %g", got.Factor)
	} else if got.Factor = want.Factor; got != want {
		t.Errorf("%+v", got)
	}
}

// TestMatrixCells holds the three quantities of a pair, and how they are found again by row.
func TestMatrixCells(t *testing.T) {
	rows := even(3)
	line := rows.Timeline[batch.Buckets:]
	line[0].SkewNs, line[1].SkewNs, line[2].SkewNs = -5e6, -5e6, 5e6 // a bucket is 5 ms
	line[7].Dissimilarity, line[8].WaitA, line[8].WaitB = .25, .75, .5
	m := readRows(t, rows).Matrix
	row := slices.Index(m.Pairs, 1)
	if lag := m.Row(Lag, row); !reflect.DeepEqual(lag[:5], []float64{1, 0, -2, 1, 0}) {
		t.Errorf("lag %v", lag[:5])
	}
	reached := m.reached(pair.B, m.of[row])[1]
	if m.Row(Dissimilarity, row)[7] != .25 || m.Row(Waiting, row)[8] != -.25 || reached != 7.5e6 {
		t.Errorf("%g, %g, %d", m.Row(Dissimilarity, row)[7], m.Row(Waiting, row)[8], reached)
	}
}

// TestAreasHaveTheirMeans holds the means of the areas against the cells, for all quantities.
func TestAreasHaveTheirMeans(t *testing.T) {
	rows := even(9)
	for k := range 3 {
		late(rows, 3*k, 200e6)
	}
	f := readRows(t, rows)
	if n := len(f.Partition.Areas); n < 3 || f.Partition.PerSlice != 1 {
		t.Fatalf("%d areas, %d buckets a slice", n, f.Partition.PerSlice)
	}
	for _, a := range f.Partition.Areas {
		for q := range Quantities {
			sum := 0.0
			for row := a.FromRow; row < a.ToRow; row++ {
				for b := a.FromBucket; b < a.ToBucket; b++ {
					sum += f.Matrix.Row(q, row)[b]
				}
			}
			if cells := (a.ToRow - a.FromRow) * (a.ToBucket - a.FromBucket); !near(sum/float64(cells), a.Mean[q]) {
				t.Errorf("%v of %+v is %g", q, a, sum/float64(cells))
			}
		}
	}
}

// TestClustersAreWhatIsAlike holds three ways to differ: their pairs, what sets them apart, and
// when. Means of equal whole numbers are these numbers, whatever a ninth of them is.
func TestClustersAreWhatIsAlike(t *testing.T) {
	rows := even(33)
	for k := range rows.Pairs {
		delta := [3]int64{0, 62483793, -40e6}[k%3*min(k/6, 1)]
		does(rows, k, "work", 900e6, 900e6)
		does(rows, k, [3]string{"idle", "solve", "load"}[k%3], 100e6, 100e6+delta)
		if k%3 == 1 && k >= 6 {
			late(rows, k, delta)
		}
	}
	f := judged(t, rows)
	if len(f.Clusters) != 3 {
		t.Fatalf("%d clusters", len(f.Clusters))
	}
	for k, want := range []Cluster{{Pairs: []int{0, 1, 2, 3, 4, 5, 6, 9, 12, 15, 18, 21, 24, 27, 30}},
		{Pairs: []int{7, 10, 13, 16, 19, 22, 25, 28, 31}, MeanDeltaNs: 62483793, Function: "solve", MeanNs: 62483793,
			OffNs: 62483793, Middle: 7},
		{Pairs: []int{8, 11, 14, 17, 20, 23, 26, 29, 32}, Function: "load", MeanNs: -40e6, OffNs: -40e6, Middle: 8}} {
		got := f.Clusters[k]
		if !slices.Equal(got.Pairs, want.Pairs) || got.Function != want.Function || got.Middle != want.Middle {
			t.Errorf("cluster %d: %+v, want %+v", k, got, want)
		}
		for what, d := range map[string]float64{"Δ": got.MeanDeltaNs - want.MeanDeltaNs, "mean": got.MeanNs - want.MeanNs,
			"off": got.OffNs - want.OffNs} {
			if d != 0 {
				t.Errorf("cluster %d: %s is off by %g", k, what, d)
			}
		}
		if whole := k != 1; got.When.Whole != whole || !whole && got.When.FromBucket != 40 {
			t.Errorf("cluster %d: %+v", k, got.When)
		}
	}
}
