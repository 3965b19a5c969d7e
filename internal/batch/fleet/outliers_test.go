package fleet

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/batch"
	"diptych/internal/pair"
)

// twenty returns twenty pairs that spend 100 ms in work on both sides.
func twenty() *batch.Rows {
	rows := even(20)
	for k := range 20 {
		does(rows, k, "work", 100e6, 100e6)
	}
	return rows
}

// late makes B of a pair take longer, all of it from bucket 40 to 49.
func late(rows *batch.Rows, pair int, ns int64) {
	p := &rows.Pairs[pair]
	p.ElapsedBNs, p.DeltaNs = p.ElapsedBNs+ns, p.DeltaNs+ns
	for b := range batch.Buckets {
		row := &rows.Timeline[pair*batch.Buckets+b]
		behind := ns * int64(min(max(b-39, 0), 10)) / 10
		row.SkewNs -= behind
		row.AtBNs += behind
	}
}

// TestWhatOutliersAreSaidToBe holds the whole sentence of an outlier of each kind, worked out by
// hand: the pair that is unlike is 13.
func TestWhatOutliersAreSaidToBe(t *testing.T) {
	const odd = 13
	for _, c := range []struct {
		name  string
		rows  func(r *batch.Rows)
		kind  Departure
		score float64
		text  string
	}{
		{"a function takes longer", func(r *batch.Rows) {
			late(r, odd, 100e6)
			r.Functions[odd].SelfBNs, r.Functions[odd].DeltaNs = 200e6, 100e6
		}, InFunction, 100 * 100e6 / 1.1e9,
			"work takes 2.00× as long in B as in A (+100 ms; 0 ns in the median pair), mostly from 198 ms to 348 ms" +
				" of B"},
		{"a function of B only", func(r *batch.Rows) { does(r, odd, "extra", 0, 50e6) }, InFunction, 5,
			"extra is in B only (+50.0 ms; 0 ns in the median pair), all along"},
		{"a function of A only", func(r *batch.Rows) { does(r, odd, "extra", 50e6, 0) }, InFunction, 5,
			"extra is in A only (−50.0 ms; 0 ns in the median pair), all along"},
		{"a function that only the others have", func(r *batch.Rows) {
			for k := range r.Pairs {
				if k != odd {
					does(r, k, "extra", 0, 50e6)
				}
			}
		}, InFunction, 5, "extra takes no time on either side (0 ns; +50.0 ms in the median pair), all along"},
		{"time, and no function", func(r *batch.Rows) { late(r, odd, 250e6) }, InTime, 20,
			"B takes 1.25× as long as A (+250 ms; 0 ns in the median pair), and no function most of it, "},
		{"other calls", func(r *batch.Rows) {
			r.Pairs[odd].Similarity = .5
			r.Findings = []batch.FindingRow{{Number: odd + 1, Rank: 1, Function: "solve", CallA: -1, CallB: 4}}
		}, InSimilarity, 50,
			"the calls are 50 % similar, 100 % in the median pair; the first finding is in solve, all along"},
		{"other calls, no finding", func(r *batch.Rows) { r.Pairs[odd].Similarity = .75 }, InSimilarity, 25,
			"the calls are 75 % similar, 100 % in the median pair, all along"},
	} {
		rows := twenty()
		c.rows(rows)
		f := judged(t, rows)
		if !slices.Equal(f.Outliers, []int{odd}) || len(f.Waiting) != 0 {
			t.Errorf("%s: outliers %v, waiting %v", c.name, f.Outliers, f.Waiting)
			continue
		}
		o := f.Pairs[odd].Outlier
		if o.Kind != c.kind || !near(o.Score, c.score) || !strings.HasPrefix(o.Text, c.text) {
			t.Errorf("%s: %v, score %g, want %g\n%q, want\n%q", c.name, o.Kind, o.Score, c.score, o.Text, c.text)
		}
		if f.Pairs[odd].Score() != o.Score || f.Pairs[0].Score() != 0 {
			t.Errorf("%s: scores %g and %g", c.name, f.Pairs[odd].Score(), f.Pairs[0].Score())
		}
	}
}

// TestLossyTracesAreTold: what is unlike the rest may be so because the trace was cut off.
func TestLossyTracesAreTold(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"complete", "repaired", "all along"}, {"", "", "all along"},
		{"complete", "lossy", "all along; parts of trace B are missing"},
		{"lossy", "lossy", "all along; parts of both traces are missing"},
	} {
		rows := twenty()
		does(rows, 7, "extra", 0, 50e6)
		rows.Pairs[7].TrustA, rows.Pairs[7].TrustB = c.a, c.b
		f := judged(t, rows)
		if p := &f.Pairs[7]; p.Outlier == nil || !strings.HasSuffix(p.Outlier.Text, c.want) || p.Lossy() != (c.b == "lossy") {
			t.Errorf("%s and %s: %+v", c.a, c.b, p.Outlier)
		}
	}
}

func near(x, y float64) bool { return x-y < 1e-9 && y-x < 1e-9 }

// TestWhoWaitsIsNotTheCause holds that pairs that wait for a slow one come behind it, and that they
// are the outliers where nothing else is.
func TestWhoWaitsIsNotTheCause(t *testing.T) {
	rows := twenty()
	for _, k := range []int{3, 4, 8} {
		rows.Functions = append(rows.Functions, batch.FunctionRow{Number: int64(k + 1), Function: "recv",
			SelfANs: 1e6, SelfBNs: int64(k+1) * 20e6, TotalANs: 1e6, TotalBNs: int64(k+1) * 20e6, WaitANs: 1e6,
			WaitBNs: int64(k+1) * 19e6, DeltaNs: int64(k+1)*20e6 - 1e6})
	}
	f := judged(t, rows)
	if !slices.Equal(f.Outliers, []int{8, 4, 3}) || f.Waiting != nil {
		t.Errorf("outliers %v, waiting %v", f.Outliers, f.Waiting)
	}
	if o := f.Pairs[4].Outlier; !o.Waits || !strings.HasPrefix(o.Text, "recv waits 100× as long in B as in A (+99.0 ms") {
		t.Errorf("%q", o.Text)
	}
	rows.Functions[5].SelfBNs, rows.Functions[5].DeltaNs = 150e6, 50e6
	f = judged(t, rows)
	if !slices.Equal(f.Outliers, []int{5}) || !slices.Equal(f.Waiting, []int{8, 4, 3}) {
		t.Errorf("outliers %v, waiting %v", f.Outliers, f.Waiting)
	}
}

// TestScoresOrderOutliers holds that the largest score is first, and of equal ones the first pair.
func TestScoresOrderOutliers(t *testing.T) {
	rows := twenty()
	for k, ns := range map[int]int64{2: 30e6, 9: 80e6, 12: 30e6, 17: 55e6} {
		does(rows, k, "extra", 0, ns)
	}
	if f := judged(t, rows); !slices.Equal(f.Outliers, []int{9, 17, 2, 12}) {
		t.Errorf("outliers %v", f.Outliers)
	}
}

// TestTooLittleIsNoOutlier holds the bounds: 3.5 spreads of a thousandth of the run at least, more
// for many functions, and calls that are more alike than those of the others are no fault.
func TestTooLittleIsNoOutlier(t *testing.T) {
	for _, c := range []struct {
		ns, want int
	}{{1e6, 0}, {3e6, 0}, {6e6, 1}} {
		rows := twenty()
		does(rows, 6, "extra", 0, int64(c.ns))
		if f := judged(t, rows); len(f.Outliers) != c.want {
			t.Errorf("%d ns of 1 s: outliers %v", c.ns, f.Outliers)
		}
	}
	rows := twenty()
	for k := range rows.Pairs {
		rows.Pairs[k].Similarity = .5
	}
	rows.Pairs[6].Similarity = 1
	if f := judged(t, rows); len(f.Outliers) != 0 || f.Median.Similarity != .5 {
		t.Errorf("more alike than others: outliers %v, median %g", f.Outliers, f.Median.Similarity)
	}
}

// TestPlaceIsThatOfTheFunction holds which finding names the call to look at: the first about the
// function that has one, and without such the first of all.
func TestPlaceIsThatOfTheFunction(t *testing.T) {
	finding := func(function string, callA, callB int64) batch.FindingRow {
		return batch.FindingRow{Number: 7, Function: function, ThreadA: "x", ThreadB: "y", CallA: callA,
			CallB: callB, StartANs: 10 * callA, StartBNs: 10 * callB}
	}
	none := finding("extra", -1, -1)
	for _, c := range []struct {
		findings []batch.FindingRow
		want     [2]int64
	}{
		{nil, [2]int64{-1, -1}},
		{[]batch.FindingRow{none}, [2]int64{-1, -1}},
		{[]batch.FindingRow{finding("work", 1, 2), finding("work", 3, 4)}, [2]int64{1, 2}},
		{[]batch.FindingRow{finding("work", 1, 2), none, finding("extra", -1, 6), finding("extra", 7, 8)}, [2]int64{-1, 6}},
		{[]batch.FindingRow{finding("extra", 5, 6), finding("work", 1, 2)}, [2]int64{5, 6}},
	} {
		rows := twenty()
		does(rows, 6, "extra", 0, 50e6)
		rows.Findings = c.findings
		o := judged(t, rows).Pairs[6].Outlier
		if o == nil || o.Place.Call != c.want {
			t.Fatalf("%+v, want %d", o, c.want)
		}
		if s := pair.B; o.Place.found() && (o.Place.StartNs[s] != 10*c.want[s] || o.Place.Thread != [2]string{"x", "y"}) {
			t.Errorf("%+v", o.Place)
		}
	}
}

// TestFailedPairsCountForNothing holds that rows of a pair that failed change nothing.
func TestFailedPairsCountForNothing(t *testing.T) {
	rows := twenty()
	rows.Pairs[4].Error = "it is torn"
	does(rows, 4, "extra", 0, 900e6)
	rows.Waits = []batch.WaitRow{{Number: 5, Waiter: "main", WaitBNs: 5, DeltaNs: 5}}
	rows.Findings = []batch.FindingRow{{Number: 5, Function: "extra", CallB: 3}}
	f := readRows(t, rows)
	if len(f.Outliers)+len(f.Waits) != 0 || len(f.Functions) != 1 || f.Functions[0].Pairs != 19 {
		t.Errorf("outliers %v, waits %v, functions %+v", f.Outliers, f.Waits, f.Functions)
	}
	if !slices.Equal(f.Failed, []int{4}) || f.Pairs[4].Cluster != -1 || slices.Contains(f.Matrix.Pairs, 4) {
		t.Errorf("failed %v, cluster %d, rows %v", f.Failed, f.Pairs[4].Cluster, f.Matrix.Pairs)
	}
}
