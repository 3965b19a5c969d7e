package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/runs"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// recorded writes so many runs a side of a program whose "work" takes twice as long in B. The runs of
// a side differ by up to 5 %; the median ones are the third of A and the first of B.
func recorded(t *testing.T, n int) (paths [2][]string) {
	dir := t.TempDir()
	for sd := range paths {
		for k := range n {
			extra := []float64{0.1, 0.4, 0.2, 0.3, 0}[(k+2*sd)%5]
			path := filepath.Join(dir, fmt.Sprintf("%c%d.json", 'a'+sd, k+1))
			testtrace.WriteScript(t, path, "load", 10+extra, "work", 10*float64(sd+1)+extra, "store", 5.)
			paths[sd] = append(paths[sd], path)
		}
	}
	return paths
}

// manyRuns returns a settled session with the first runs shown, or those it turned to.
func manyRuns(t *testing.T, paths [2][]string) *Session {
	t.Helper()
	s := New(func() {})
	s.SetRuns(paths, [2]input.Options{})
	for sd, list := range paths {
		s.Open(pair.Side(sd), list[0], input.Options{})
	}
	s.Settle(context.Background())
	return s
}

// TestRunsShowOneRequest holds that several files of distributed traces are compared by requests for
// the same thing, and shown by them, whichever one each file shows by itself.
func TestRunsShowOneRequest(t *testing.T) {
	var paths [2][]string
	for sd, runs := range [2][3]string{{"a 90 6 5 b 9", "a 5 b 99", "a 4 b 8"}, {"b 98 7 a 30 29 28", "a 31 b 7", "a 32 b 7"}} {
		for k, run := range runs {
			var spans []string
			name := ""
			for i, word := range strings.Fields(run) {
				ms, err := strconv.Atoi(word)
				if err != nil {
					name = word
					continue
				}
				spans = append(spans, fmt.Sprintf(`{"traceId":"%032x","spanId":"%016x","name":"%s",`+
					`"startTimeUnixNano":"1000000000","endTimeUnixNano":"%d"}`, i+1, i+1, name, 1_000_000_000+1_000_000*ms))
			}
			path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.json", k))
			text := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			paths[sd] = append(paths[sd], path)
		}
	}
	s := manyRuns(t, paths)
	st := s.State()
	if c := st.ComparedRuns(); c == nil || c.better != nil || c.Total[0].Median != [2]float64{5e6, 31e6} {
		t.Errorf("%+v", c)
	}
	for side, ms := range [2]int64{5, 31} {
		if r := st.Sides[side].Trace.ShownRequest(); r.Operation != "a" || r.Duration != ms*1_000_000 {
			t.Errorf("%v shows %+v", pair.Side(side), r)
		}
	}
}

// TestRunsOfPipesAreNotSaved: a session cannot name a run that cannot be read again, shown or not.
func TestRunsOfPipesAreNotSaved(t *testing.T) {
	paths := recorded(t, 2)
	s := manyRuns(t, paths)
	for _, odd := range []string{input.Standard, "caf\xe9.json"} {
		s.state.Runs.Paths[pair.B][1] = odd
		if _, err := s.Saved(input.Options{}); err == nil || !strings.Contains(err.Error(), "a run of B came from") {
			t.Errorf("%q: %v", odd, err)
		}
	}
}

func TestRunsAreCompared(t *testing.T) {
	paths := recorded(t, 5)
	s := manyRuns(t, paths)
	st := s.State()
	c := st.ComparedRuns()
	if c == nil {
		t.Fatal("they are not compared")
	}
	if x := c.Function("work"); x == nil || x.Certainty == runs.Chance || x.Ratio.Value < 1.9 {
		t.Errorf("work: %+v", x)
	}
	if x := c.Function("load"); x == nil || x.Certainty != runs.Chance {
		t.Errorf("load: %+v", x)
	}
	if c.Function("none") != nil {
		t.Error("there is a function that nobody calls")
	}
	for _, f := range st.Difference().Findings {
		if sure := f.Certainty != finding.Chance; sure != (f.Function == "work") && f.DeltaNs != 0 {
			t.Errorf("all runs do not say how sure this is: %s (%v)", f.Text, f.Certainty)
		}
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if got := st.ShownRun(side); got != c.Shown[side] {
			t.Errorf("%v shows run %d, want the median, %d", side, got, c.Shown[side])
		}
	}
}

// TestARunIsChosen holds that the user's choice of a run stays, also when the sides are exchanged,
// and that another file ends the comparison of runs.
func TestARunIsChosen(t *testing.T) {
	paths := recorded(t, 3)
	s := manyRuns(t, paths)
	s.ShowRun(pair.A, 1)
	s.Settle(context.Background())
	if got := s.State().ShownRun(pair.A); got != 1 {
		t.Errorf("run %d is shown, want 1", got)
	}
	s.Swap()
	s.Settle(context.Background())
	st := s.State()
	if got := st.ShownRun(pair.B); got != 1 || st.Runs.Paths[pair.B][0] != paths[pair.A][0] {
		t.Errorf("run %d of %q is shown", got, st.Runs.Paths[pair.B])
	}
	if x := st.ComparedRuns().Function("work"); x.Delta.Value > 0 {
		t.Errorf("work takes %v longer though the sides were exchanged", x.Delta.Value)
	}
	s.ShowRun(pair.A, 99) // there is no such run
	s.Put(pair.A, "other", grown(t, 1, 20))
	s.Settle(context.Background())
	if st := s.State(); st.Runs != nil || st.ComparedRuns() != nil || st.ShownRun(pair.A) != none {
		t.Error("another file is one of the runs")
	}
}

func TestARunCannotBeRead(t *testing.T) {
	paths := recorded(t, 2)
	paths[pair.B][1] = filepath.Join(t.TempDir(), "none.json")
	s := manyRuns(t, paths)
	if st := s.State(); st.ComparedRuns() != nil || !st.Both() {
		t.Error("runs are compared of which one is missing, or nothing is shown")
	}
	if text, _ := s.Notice(); text == "" {
		t.Error("nobody is told")
	}
}

// TestSkewBandMatchesDefinition holds the band against each other run by itself.
func TestSkewBandMatchesDefinition(t *testing.T) {
	paths := recorded(t, 4)
	s := manyRuns(t, paths)
	s.SetView(Alignment)
	s.Settle(context.Background())
	st := s.State()
	band := st.SkewBand()
	if band == nil {
		t.Fatal("there is no band")
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		here := st.Sides[side].Trace
		low, high := int64(0), int64(0)
		for k, path := range paths[side] {
			if k == st.ShownRun(side) {
				continue
			}
			other, err := traceio.Load(context.Background(), path, input.Options{})
			if err != nil {
				t.Fatal(err)
			}
			longer := skewAtEnd(t, here, other)
			low, high = min(low, longer), max(high, longer)
		}
		last := len(band.Low[side]) - 1
		if band.Low[side][last] != low || band.High[side][last] != high || low == high {
			t.Errorf("%v: %d to %d at the end, want %d to %d", side, band.Low[side][last],
				band.High[side][last], low, high)
		}
		for k := range band.Low[side] {
			if band.Low[side][k] > 0 || band.High[side][k] < 0 {
				t.Fatalf("%v: %d to %d leaves out the run that is shown", side, band.Low[side][k],
					band.High[side][k])
			}
		}
	}
}

// skewAtEnd returns how much longer the first thread of another run takes.
func skewAtEnd(t *testing.T, here, other *trace.Trace) int64 {
	t.Helper()
	r, err := align.Align(context.Background(), pair.New(here, other, pair.Rules{}), 0, 0, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.Virtual(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return -v.Skew(v.Length)
}

// TestWaitsOfRuns holds that the table of waits gets the other runs once they are known, and not
// before the threads are shown.
func TestWaitsOfRuns(t *testing.T) {
	const dir = "../../testdata/twice/"
	paths := [2][]string{{dir + "queue-1.data.tar.gz", dir + "queue-2.data.tar.gz"},
		{dir + "queue-2.data.tar.gz"}}
	s := manyRuns(t, paths)
	s.SetView(Threads)
	s.Settle(context.Background())
	table, ranged := s.State().WaitTable(), 0
	for _, r := range table.Rows(0, 0) {
		least, most, ok := r.Range(pair.A)
		if !ok || least > r.WaitNs[pair.A] || most < r.WaitNs[pair.A] {
			t.Errorf("%s: %d to %d, the shown run has %d", r.Title(), least, most, r.WaitNs[pair.A])
		}
		if least < most {
			ranged++
		}
		if _, _, ok := r.Range(pair.B); ok {
			t.Errorf("%s: one run of B has a range", r.Title())
		}
	}
	if ranged == 0 {
		t.Error("no waits differ between the runs")
	}
}
