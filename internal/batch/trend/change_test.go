package trend

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"diptych/internal/batch"
)

// TestLogarithms: what is measured, and back to ns or a ratio. Nothing, and less than nothing as a
// damaged table may have it, counts as 1 ns.
func TestLogarithms(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		of   Measure
		want float64 // not its logarithm
	}{
		{6, 3, OfA, 6}, {6, 3, OfB, 3}, {6, 3, Ratio, .5}, {0, 5, OfA, 0}, {5, 0, OfB, 0}, {-7, -7, OfB, 0},
		{0, 5, Ratio, 5}, {4, 0, Ratio, .25}, {0, 0, Ratio, 1}, {0, 2, OfB, 2},
		{1, math.MaxInt64, OfB, math.MaxInt64},
	} {
		tr := &Trend{Measure: c.of}
		if got := tr.level(logarithm(c.a, c.b, c.of)); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s of %d and %d is %v, want %v", c.of, c.a, c.b, got, c.want)
		}
	}
	list := []*Series{{ANs: []int64{1, 2}, BNs: []int64{2, 2}}, {ANs: []int64{0, 1}, BNs: []int64{1, 1}}}
	want := [][]float64{{math.Ln2, 0}, {0, 0}}
	if got := logarithms(list, Ratio); !reflect.DeepEqual(got, want) {
		t.Errorf("the logarithms are %v, want %v", got, want)
	}
}

// TestSizeOfAChange: a ratio's time is that of A at the commits of both levels.
func TestSizeOfAChange(t *testing.T) {
	s := &Series{ANs: []int64{9000, 100, 300, 800, 7000}}
	for _, c := range []struct {
		of                 Measure
		before, after      float64
		wantFactor, wantNs float64
	}{
		{OfB, 100, 150, 1.5, 50}, {OfA, 200, 50, .25, -150}, {OfB, 0, 9, 0, 9}, {OfB, 9, 0, 0, -9},
		{Ratio, 1, 1.5, 1.5, 200}, {Ratio, 2, .5, .25, -600},
	} {
		tr := &Trend{Measure: c.of}
		if factor, ns := tr.size(s, c.before, c.after, 1, 4); factor != c.wantFactor || ns != c.wantNs {
			t.Errorf("%s from %v to %v: %v×, %v ns; want %v×, %v ns", c.of, c.before, c.after, factor, ns,
				c.wantFactor, c.wantNs)
		}
	}
}

// TestWorthTesting: a function is tested if it once had a thousandth of the work of that commit, on
// that side.
func TestWorthTesting(t *testing.T) {
	h := &history{list: make([]*batch.Directory, 2), series: []*Series{newSeries(Elapsed, "", 2),
		{Kind: Work, ANs: []int64{1000, 0}, BNs: []int64{2000, 10000}}}}
	for _, f := range []struct {
		name   string
		aK, bK [2]int64
	}{
		{"z", [2]int64{1, 0}, [2]int64{0, 0}},      // just enough of A's first
		{"less", [2]int64{0, 0}, [2]int64{1, 9}},   // just too little of B
		{"a", [2]int64{0, 0}, [2]int64{0, 10}},     // just enough of B's second
		{"none", [2]int64{0, 0}, [2]int64{0, 0}},   // nothing is no share, even of no work
		{"nega", [2]int64{-5, -5}, [2]int64{0, 0}}, // nor is less than nothing
		{"k", [2]int64{0, 1}, [2]int64{0, 0}},      // any of a commit without work
	} {
		h.series = append(h.series, &Series{Kind: Function, Function: f.name, ANs: f.aK[:], BNs: f.bK[:]})
	}
	var got []string
	for _, s := range h.worthTesting() {
		got = append(got, s.Function)
	}
	if want := []string{"", "", "a", "k", "z"}; !slices.Equal(got, want) {
		t.Errorf("tested are %q, want %q", got, want)
	}
}

// TestTell holds levels, outliers and changes of shapes against what they are by hand, with commits
// counted from 1.
func TestTell(t *testing.T) {
	tr := &Trend{Measure: OfB}
	for k := range 6 {
		tr.Commits = append(tr.Commits, Commit{Name: fmt.Sprint("c", k+1)})
	}
	ln := math.Log
	flat := []float64{ln(8), ln(8), ln(8), ln(8), ln(8), ln(2)}
	steps := []float64{ln(100), ln(100), ln(100), ln(200), ln(800), ln(400)}
	list := []*Series{{Kind: Elapsed}, {Kind: Work}, {Kind: Function, Function: "up"},
		{Kind: Function, Function: "down"}, {Kind: Function, Function: "drifts"}}
	for _, s := range list {
		s.ANs, s.BNs = []int64{1, 2, 3, 4, 5, 6}, []int64{6, 5, 4, 3, 2, 1}
	}
	up := step{At: 3, To: 6, Before: ln(100), After: ln(400), Q: .01, Earliest: 2, Latest: 4}
	down := step{At: 4, To: 6, Before: ln(1000), After: 0, Q: .02}
	tr.tell(list, []*shape{{Clean: flat}, {Clean: flat, Outliers: []int{0, 5}},
		{Clean: steps, Steps: []step{up}},
		{Clean: []float64{ln(1000), ln(1000), ln(1000), ln(1000), 0, 0}, Steps: []step{down}},
		{Clean: flat, Drift: &line{First: ln(10), Last: ln(5), Q: .03}}})
	if len(tr.Changes) != 2 || len(tr.Drifts) != 1 {
		t.Fatalf("changes %+v, drifts %+v", tr.Changes, tr.Drifts)
	}
	first, second, drift := tr.Changes[0], tr.Changes[1], tr.Drifts[0]
	if first.Function != "down" || first.Commit != 5 || first.Name != "c5" || first.After != 0 ||
		first.Factor != 0 || !near(first.ChangeNs, -1000) || first.Q != .02 {
		t.Errorf("the largest change is %+v", first)
	}
	if second.Function != "up" || second.Commit != 4 || !near(second.Factor, 4) || !near(second.ChangeNs, 300) ||
		second.Earliest != 3 || second.Latest != 5 {
		t.Errorf("the other change is %+v", second)
	}
	if drift.Function != "drifts" || !near(drift.Factor, .5) || !near(drift.ChangeNs, -5) || drift.Q != .03 {
		t.Errorf("the drift is %+v", drift)
	}
	want := [][]Level{{{1, 6, math.Exp((5*ln(8) + ln(2)) / 6)}}, {{1, 6, math.Exp((5*ln(8) + ln(2)) / 6)}},
		{{1, 4, 1000}, {5, 6, 0}}, {{1, 3, 100}, {4, 6, 400}}, {}}
	for i, s := range tr.Series {
		if !slices.EqualFunc(s.Levels, want[i], sameLevel) || s.Levels == nil || s.Outliers == nil {
			t.Errorf("%s %s has levels %v, want %v", s.Kind, s.Function, s.Levels, want[i])
		}
	}
	if got := tr.Series[1]; !slices.Equal(got.Outliers, []int{1, 6}) ||
		!slices.Equal(got.DeltaNs, []int64{5, 3, 1, -1, -3, -5}) {
		t.Errorf("the work is %+v", got)
	}
}

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(y)) }

func sameLevel(x, y Level) bool { return x.From == y.From && x.To == y.To && near(x.Value, y.Value) }

// TestWhichSeriesAreListed: totals, what has changed and drifted in that order, and the largest of
// the others until there are 24; but all that have changed.
func TestWhichSeriesAreListed(t *testing.T) {
	all := []*Series{{Kind: Elapsed}, {Kind: Work}}
	for k := range 30 {
		all = append(all, &Series{Kind: Function, Function: fmt.Sprint("f", k), ANs: []int64{5, int64(k % 10)},
			BNs: []int64{0, 1}})
	}
	tr := &Trend{Changes: []Change{{Kind: Elapsed}, {Kind: Function, Function: "f7"}, {Kind: Function,
		Function: "f3"}, {Kind: Function, Function: "f7"}}, Drifts: []Drift{{Kind: Function, Function: "f0"}}}
	tr.list(all)
	got := ""
	for _, s := range tr.Series {
		got += s.Function + " "
	}
	want := "  f7 f3 f0 f9 f19 f29 f8 f18 f28 f17 f27 f6 f16 f26 f5 f15 f25 f4 f14 f24 f13 f23 "
	if got != want {
		t.Errorf("listed are\n%s, want\n%s", got, want)
	}
	tr = &Trend{}
	for _, s := range all[totals:] {
		tr.Changes = append(tr.Changes, Change{Kind: Function, Function: s.Function})
	}
	if tr.list(all); len(tr.Series) != len(all) {
		t.Errorf("%d series are listed of %d that changed", len(tr.Series), len(all))
	}
}
