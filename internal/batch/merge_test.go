package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// mergedFiles are the files that a merge writes.
func mergedFiles() []string {
	files := []string{totalsBy, functionsBy + ".parquet", findingsBy + ".parquet"}
	for _, table := range Tables {
		files = append(files, table+".parquet")
	}
	return files
}

// failing is the pair of simulatedBatch that could not be compared.
const failing = 5

// simulatedBatch returns a batch of 7 pairs in 3 parts, which are written in this order.
func simulatedBatch(t *testing.T, parts ...int) *Directory {
	t.Helper()
	d := written(t, 7, 3)
	for _, part := range parts {
		if err := d.write(part, simulatedPart(d, part)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func simulatedPart(d *Directory, part int) *Rows {
	var rows Rows
	for k, to := d.span(part); k < to; k++ {
		if k+1 == failing {
			rows.add(&Rows{Pairs: []PairRow{{Number: failing, Pair: "broken", Error: "no trace"}}})
			continue
		}
		rows.add(simulated(k + 1))
	}
	return &rows
}

// TestMerge holds that the merged tables have the rows of the parts, in the order of the manifest,
// and that their bytes do not depend on the order in which parts came, or on a merge before.
func TestMerge(t *testing.T) {
	d := simulatedBatch(t, 0, 1, 2)
	var want Rows
	for part := range d.Parts() {
		want.add(simulatedPart(d, part))
	}
	totals, err := Merge(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, d, "pairs", want.Pairs)
	sameRows(t, d, "functions", want.Functions)
	sameRows(t, d, "findings", want.Findings)
	sameRows(t, d, "waits", want.Waits)
	sameRows(t, d, "timeline", want.Timeline)
	checkTotals(t, totals, &want)
	again := simulatedBatch(t, 2, 0, 1)
	for range 2 {
		if _, err := Merge(t.Context(), again, nil); err != nil {
			t.Fatal(err)
		}
		for _, name := range mergedFiles() {
			a, err := os.ReadFile(filepath.Join(d.Path, name))
			b, err2 := os.ReadFile(filepath.Join(again.Path, name))
			if err := errors.Join(err, err2); err != nil || string(a) != string(b) {
				t.Errorf("%s differs: %v", name, err)
			}
		}
	}
}

func sameRows[T any](t *testing.T, d *Directory, table string, want []T) {
	t.Helper()
	if _, err := os.Stat(d.Merged(table)); err != nil {
		t.Fatal(err)
	}
	var got []T
	for rows, err := range Table[T](d, table) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rows...)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %d rows, want %d, or others", table, len(got), len(want))
	}
}

// checkTotals holds totals against those of loops over all rows.
func checkTotals(t *testing.T, got *Totals, of *Rows) {
	t.Helper()
	elapsed, self := int64(0), map[string][2]int64{}
	for _, r := range of.Pairs {
		elapsed += r.ElapsedBNs
	}
	for _, r := range of.Functions {
		was := self[r.Function]
		self[r.Function] = [2]int64{was[0] + r.SelfANs, was[1] + r.DeltaNs}
	}
	if got.Pairs != 7 || got.Failed != 1 || got.ElapsedBNs != elapsed || got.Unit != "ns" ||
		!slices.Equal(got.FailedPairs, []FailedPair{{failing, "broken", "no trace"}}) {
		t.Errorf("totals %+v", got)
	}
	for _, f := range got.Functions {
		if want := self[f.Function]; f.Pairs != 6 || f.SelfANs != want[0] || f.DeltaNs != want[1] {
			t.Errorf("%+v, want %d", f, want)
		}
	}
	if got.FunctionCount != len(self) || !slices.IsSortedFunc(got.Functions, func(x, y FunctionTotal) int {
		return int(size(y.DeltaNs)) - int(size(x.DeltaNs))
	}) {
		t.Errorf("%d functions, or in another order", got.FunctionCount)
	}
	for _, f := range got.Findings {
		if f.Pairs != 6 || f.Findings != 6 {
			t.Errorf("%+v", f)
		}
	}
}

// TestFindingsOfAPair holds that several findings of a pair count it once.
func TestFindingsOfAPair(t *testing.T) {
	c := newTally()
	c.addFindings([]FindingRow{{Number: 1, Kind: "slower", Function: "f", ElapsedNs: 2},
		{Number: 1, Kind: "slower", Function: "f", ElapsedNs: 3}})
	c.addFindings([]FindingRow{{Number: 2, Kind: "slower", Function: "f"}, {Number: 2, Kind: "gone"}})
	got := fmt.Sprint(c.allFindings())
	if want := "[{slower f 2 3 0 0 0 5 0} {gone  1 1 0 0 0 0 0}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestMergeIncomplete(t *testing.T) {
	d := written(t, 29, 3, 0, 3, 4, 7)
	_, err := Merge(t.Context(), d, nil)
	var missing *Incomplete
	if !errors.As(err, &missing) {
		t.Fatal(err)
	}
	if want := "missing 6 of 10 parts: 1-2, 5-6, 8-9 (pairs 4-9, 16-21, 25-29)"; !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if got := fmt.Sprint(missing.Shards(4)); got != "[1/4 2/4 3/4]" {
		t.Errorf("shards %s", got)
	}
	nothingMerged(t, d)
}

func nothingMerged(t *testing.T, d *Directory) {
	t.Helper()
	for _, name := range mergedFiles() {
		if _, err := os.Stat(filepath.Join(d.Path, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

func TestMergeDamaged(t *testing.T) {
	for what, c := range map[string]struct {
		damage func(d *Directory) error
		want   string // of each file
	}{
		"cut": {func(d *Directory) error { return os.Truncate(d.table(1, "waits"), 900) },
			"00001/waits.parquet: "},
		"empty":   {func(d *Directory) error { return os.Truncate(d.table(2, "pairs"), 0) }, "00002/pairs.parquet: "},
		"gone":    {func(d *Directory) error { return os.Remove(d.table(0, "timeline")) }, "00000/timeline.parquet: no such"},
		"columns": {copyTable("waits", "timeline", 1, 1), "00001/timeline.parquet: its columns"},
		"pairs of another part": {copyTable("pairs", "pairs", 0, 1),
			"00001/pairs.parquet: a row of pair 1 after one of pair 3, where pairs 4 to 6 belong"},
		"rows of another part": {copyTable("functions", "functions", 2, 0),
			"00000/functions.parquet: a row of pair 7 after one of pair 0"},
		"another batch": {otherBatch, "00001/pairs.parquet: it belongs to another batch"},
		"fewer pairs": {func(d *Directory) error {
			rows := simulatedPart(d, 1)
			rows.Pairs = rows.Pairs[:2]
			return d.write(1, rows)
		}, "00001/pairs.parquet: its rows end with pair 5"},
	} {
		d := simulatedBatch(t, 0, 1, 2)
		if err := c.damage(d); err != nil {
			t.Fatal(err)
		}
		_, err := Merge(t.Context(), d, nil)
		var damaged *Damaged
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if text := fmt.Sprintf("%s: %v", damaged.Files[0].Path, damaged.Files[0].Err); !strings.Contains(
			filepath.ToSlash(text), c.want) {
			t.Errorf("%s: %s, want %s", what, text, c.want)
		}
		nothingMerged(t, d)
	}
}

// copyTable puts a table of one part in the place of one of another part.
func copyTable(from, to string, part, at int) func(*Directory) error {
	return func(d *Directory) error {
		text, err := os.ReadFile(d.table(part, from))
		if err != nil {
			return err
		}
		return os.WriteFile(d.table(at, to), text, 0o666)
	}
}

// otherBatch replaces a part by that of a batch of the same pairs with other options.
func otherBatch(d *Directory) error {
	other := *d
	other.Options = map[string]string{"version": "another"}
	return other.write(1, simulatedPart(d, 1))
}

// TestAllDamageIsNamed holds that a merge names the damaged files of all parts and tables.
func TestAllDamageIsNamed(t *testing.T) {
	d := simulatedBatch(t, 0, 1, 2)
	err := errors.Join(os.Truncate(d.table(0, "pairs"), 5), os.Truncate(d.table(2, "pairs"), 5),
		os.Truncate(d.table(1, "timeline"), 5))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Merge(t.Context(), d, nil)
	var damaged *Damaged
	if !errors.As(err, &damaged) || len(damaged.Files) != 3 {
		t.Errorf("%v", err)
	}
}

// TestOpenFile: a file in place of the directory of a batch is told in words of the user's.
func TestOpenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := file + ": it holds no batch: it is not a directory"
	if _, err := OpenDirectory(file); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
