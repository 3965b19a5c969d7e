package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/pair"
)

// summed returns totals of three pairs, one of which failed.
func summed() *batch.Totals {
	t := &batch.Totals{Pairs: 3, Failed: 1, Unit: "ns", FunctionCount: 25, FindingCount: 1,
		FailedPairs: []batch.FailedPair{{Number: 2, Pair: "p2", Error: "b.json: no trace"}},
		Sums: batch.Sums{CallsA: 10, CallsB: 12, ElapsedANs: 3000, ElapsedBNs: 1000, DeltaNs: -2000,
			WorkANs: 100, WorkBNs: 350, DeltaWorkNs: 250, UnexplainedWorkNs: -50, WaitANs: 7, WaitBNs: 8},
		Findings: []batch.FindingTotal{{Kind: "slower", Function: "g", Pairs: 2, Findings: 3, ElapsedNs: 40,
			WorkNs: -30}}}
	for k := range 25 {
		t.Functions = append(t.Functions, batch.FunctionTotal{Function: fmt.Sprint("f", k), Pairs: 2, SelfANs: 100,
			SelfBNs: 400, DeltaNs: 300, MeanNs: -63.75, DeviationNs: 62.13, MinNs: -10, MaxNs: 310, MaxPair: "p3"})
	}
	return t
}

// TestMergeText holds what a merge prints: sums, what failed, and the first 20 functions.
func TestMergeText(t *testing.T) {
	var b strings.Builder
	if err := writeMergeText(&b, &mergeOutcome{Directory: "out", Totals: summed()}); err != nil {
		t.Fatal(err)
	}
	got := words(b.String())
	want := []string{"batch out", "pairs 3, 1 of them failed", "calls A 10, B 12",
		"elapsed A 3.00 µs, B 1.00 µs, B − A −2.00 µs, of it unexplained 0 ns",
		"work A 100 ns, B 350 ns, B − A +250 ns, of it unexplained −50 ns", "waits A 7 ns, B 8 ns",
		"failed p2: b.json: no trace", "pairs self A self B B − A mean deviation least most most in function"}
	for k := range 20 {
		want = append(want, fmt.Sprintf("2 100 ns 400 ns +300 ns −64 ns 62 ns −10 ns +310 ns p3 f%d", k))
	}
	want = append(want, "… 5 more", "pairs findings elapsed work kind function", "2 3 +40 ns −30 ns slower g")
	if !slices.Equal(got, want) {
		t.Errorf("printed is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	mixed := &batch.Totals{Pairs: 2}
	b.Reset()
	if err := writeMergeText(&b, &mergeOutcome{Totals: mixed}); err != nil || !strings.Contains(b.String(), "mix them") {
		t.Errorf("of units that differ: %v\n%s", err, b.String())
	}
	b.Reset()
	mixed.Failed = 2
	if err := writeMergeText(&b, &mergeOutcome{Totals: mixed}); err != nil || strings.Contains(b.String(), "mix them") {
		t.Errorf("where all failed: %v\n%s", err, b.String())
	}
}

// TestUnmergedText: a batch that lacks parts, or has damaged ones, says which, and with which
// error the command ends.
func TestUnmergedText(t *testing.T) {
	d := &batch.Directory{Path: "out"}
	d.Pairs, d.PerPart = 10, 2
	incomplete := &batch.Incomplete{Directory: d, Missing: []int{0, 1, 4}}
	damaged := &batch.Damaged{Directory: d, Files: []batch.Fault{{Part: 3,
		Path: filepath.Join(d.Part(3), "waits.parquet"), Err: errors.New("cut\x1b off")}}}
	other := errors.New("no space left")
	for _, c := range []struct {
		err    error
		shards int
		want   []string
	}{
		{incomplete, 0, []string{"batch out", "missing parts 00000–00001, pairs 1–4", "missing parts 00004–00004, pairs 9–10"}},
		{incomplete, 5, []string{"batch out", "run again --shard 1/5, 2/5, 5/5", "missing parts 00000–00001, pairs 1–4",
			"missing parts 00004–00004, pairs 9–10"}},
		{damaged, 0, []string{"batch out", `damaged parts/00003/waits.parquet: cut\x1b off`}},
		{other, 0, nil},
	} {
		cmd, out := &cobra.Command{}, new(bytes.Buffer)
		cmd.SetOut(out)
		if err := writeMerge(cmd, d, nil, c.err, c.shards, false); !errors.Is(err, c.err) {
			t.Errorf("%v ends with %v", c.err, err)
		}
		if got := words(out.String()); !slices.Equal(got, c.want) {
			t.Errorf("%v prints\n%q, want\n%q", c.err, got, c.want)
		}
	}
	for left := range 20 {
		cmd := &cobra.Command{}
		cmd.SetOut(&short{left})
		if err := writeMerge(cmd, d, nil, incomplete, 0, left%2 == 0); !errors.Is(err, errClosed) {
			t.Errorf("closed after %d bytes, it ends with %v", left, err)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, c := range [][3]string{{"out", "out/parts/x", "parts/x"}, {"out/", "out", "."}, {"/out", "rel", "rel"},
		{"a/b", "a/c", "../c"}} {
		if got := below(c[0], c[1]); got != c[2] {
			t.Errorf("%s in %s is %s, want %s", c[1], c[0], got, c[2])
		}
	}
}

// TestFleetJSON holds each value of the object against that of the fleet it is of, all different.
func TestFleetJSON(t *testing.T) {
	when := fleet.When{FromBucket: 3, ToBucket: 5, FromNs: [2]int64{30, 31}, ToNs: [2]int64{50, 51}}
	f := &fleet.Fleet{Compared: []int{0, 2}, Failed: []int{1}, Outliers: []int{2},
		Median:  fleet.Typical{DeltaNs: 1, SpreadNs: 2, ElapsedNs: [2]int64{3, 4}, Similarity: .5, Factor: 1.25},
		Diverse: true, Common: fleet.Common{Functions: 25, Shared: 26, Share: .75}, Changed: []int{0},
		Matrix: &fleet.Matrix{Pairs: []int{2, 0}}, Partition: &fleet.Partition{P: .25, Gain: 6, Loss: 7,
			Areas: []fleet.Area{{FromRow: 0, ToRow: 1, FromBucket: 2, ToBucket: 200}}},
		Functions: []fleet.Function{{Name: "f", Pairs: 2, Waits: true, DeltaNs: -8, ChangeNs: 9, Worst: 2}},
		Waits: []fleet.Wait{{Waiter: "w", Releaser: "r", Object: "o", Pairs: 1, Count: [2]int64{10, 11},
			WaitNs: [2]int64{12, 13}, ChangeNs: 14, Worst: 0}},
		Clusters: []fleet.Cluster{{Pairs: []int{0, 2}, MeanDeltaNs: 15, MeanShare: 28, Function: "g", MeanNs: 16, OffNs: 17,
			Middle: 2, When: fleet.When{ToBucket: 200, Whole: true}}}}
	for k, name := range []string{"zero", "one", "two"} {
		f.Pairs = append(f.Pairs, fleet.Pair{PairRow: batch.PairRow{Number: int64(k + 1), Pair: name}})
	}
	f.Pairs[1].Error = "lost"
	f.Pairs[2].Outlier = &fleet.Outlier{Score: 18, Spreads: 19, Function: "h", DeltaNs: 20, MedianNs: 21, Factor: 22,
		Text: "slow", When: when, Place: fleet.Place{Thread: [2]string{"ta", "tb"}, Call: [2]int64{23, -1}}}
	f.Pairs[0].Change = &fleet.Outlier{Score: 27, Text: "later"}
	f.Partition.Areas[0].Mean[fleet.Dissimilarity], f.Partition.Areas[0].Mean[fleet.Lag] = .125, -24
	var b bytes.Buffer
	if err := writeJSON(&b, newFleetJSON(f)); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, b.Bytes()); err != nil {
		t.Fatal(err)
	}
	stretch := `"fromBucket":3,"toBucket":5,"fromANs":30,"toANs":50,"fromNs":31,"toNs":51,"whole":false`
	for _, want := range []string{
		`{"pairs":3,"compared":2,"failed":[{"number":2,"pair":"one","error":"lost"}],`,
		`"median":{"deltaNs":1,"spreadNs":2,"elapsedANs":3,"elapsedBNs":4,"similarity":0.5,"factor":1.25},` +
			`"diverse":true,"common":{"functions":25,"shared":26,"share":0.75},`,
		`"outliers":[{"number":3,"pair":"two","score":18,"spreads":19,"kind":"`, `","cluster":1,"from":0,"function":"h","deltaNs":20,` +
			`"medianNs":21,"factor":22,` + stretch + `,"threadA":"ta","callA":23,"threadB":"tb","callB":-1,"text":"slow"}],`,
		`"waiting":[],"changed":[{"number":1,"pair":"zero","score":27,`, `"text":"later"}],"clusters":[{"id":1,"large":false,` +
			`"pairs":["zero","two"],"numbers":[1,3],"meanDeltaNs":15,"meanShare":28,"function":"g",` +
			`"meanNs":16,"offNs":17,"middle":"two","fromBucket":0,"toBucket":200,"fromANs":0,"toANs":0,"fromNs":0,` +
			`"toNs":0,"whole":true}],`,
		`"functions":[{"function":"f","waits":true,"pairs":2,"deltaNs":-8,"changeNs":9,`, `"worst":"two"}],`,
		`"waits":[{"waiter":"w","releaser":"r","object":"o","pairs":1,"countA":10,"countB":11,"waitANs":12,` +
			`"waitBNs":13,"changeNs":14,"worst":"zero"}],`,
		`"matrix":{"rows":["two","zero"],"buckets":200,"p":0.25,"gain":6,"loss":7,"areas":[{"fromRow":0,"toRow":1,` +
			`"fromBucket":2,"toBucket":200,"dissimilarity":0.125,"lag":-24,"waiting":0}]}}`,
	} {
		if !strings.Contains(compact.String(), want) {
			t.Errorf("%s is not in\n%s", want, compact.String())
		}
	}
	if s := newStretch(&when); s.FromANs != 30 || s.ToNs != when.ToNs[pair.B] {
		t.Errorf("the stretch is %+v", s)
	}
}
