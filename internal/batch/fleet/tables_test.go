package fleet

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"diptych/internal/batch"
)

// even returns the rows of n pairs that take 1 s on both sides, and do nothing unlike one another.
func even(n int) *batch.Rows {
	rows := &batch.Rows{}
	for k := range n {
		number, name := int64(k+1), fmt.Sprint("r", k)
		rows.Pairs = append(rows.Pairs, batch.PairRow{Number: number, Pair: name, Unit: "ns", Similarity: 1,
			ElapsedANs: 1e9, ElapsedBNs: 1e9})
		for b := range int64(batch.Buckets) {
			at := (2*b + 1) * 1e9 / batch.Buckets / 2
			rows.Timeline = append(rows.Timeline, batch.TimelineRow{Number: number, Pair: name, Bucket: b,
				AtANs: at, AtBNs: at})
		}
	}
	return rows
}

// does adds a function to a pair, by its index.
func does(rows *batch.Rows, pair int, function string, a, b int64) {
	rows.Functions = append(rows.Functions, batch.FunctionRow{Number: int64(pair + 1), Function: function,
		SelfANs: a, SelfBNs: b, TotalANs: a, TotalBNs: b, DeltaNs: b - a})
}

// directory writes the tables of a merged batch of one part.
func directory(t *testing.T, rows *batch.Rows) *batch.Directory {
	t.Helper()
	n := len(rows.Pairs)
	d := &batch.Directory{Path: t.TempDir(), Description: batch.Description{Pairs: n, PerPart: max(n, 1)}}
	write(t, d, "pairs", rows.Pairs)
	write(t, d, "functions", rows.Functions)
	write(t, d, "findings", rows.Findings)
	write(t, d, "waits", rows.Waits)
	write(t, d, "timeline", rows.Timeline)
	return d
}

func write[T any](t *testing.T, d *batch.Directory, table string, rows []T) {
	t.Helper()
	mark := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "0 %d %d ", d.Pairs, d.PerPart)))
	err := parquet.WriteFile(d.Merged(table), rows, parquet.KeyValueMetadata("diptych.batch", mark))
	if err != nil {
		t.Fatal(err)
	}
}

func readRows(t *testing.T, rows *batch.Rows) *Fleet {
	t.Helper()
	f, err := Read(t.Context(), directory(t, rows), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDamagedTablesAreErrors holds that a table that cannot be true is refused by its name.
func TestDamagedTablesAreErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(rows *batch.Rows)
		want   string
	}{
		{"twice the same number", func(r *batch.Rows) { r.Pairs[2].Number = 2 }, "table pairs: row 3 has number 2"},
		{"pairs from 0", func(r *batch.Rows) { r.Pairs[0].Number = 0 }, "table pairs: row 1 has number 0"},
		{"function of no pair", func(r *batch.Rows) { does(r, 3, "f", 1, 2) },
			"table functions: it has a row of pair number 4; there are 3 pairs"},
		{"wait of pair 0", func(r *batch.Rows) { r.Waits = []batch.WaitRow{{}} }, "table waits: it has a row of pair number 0"},
		{"wait of a pair below all", func(r *batch.Rows) { r.Waits = []batch.WaitRow{{Number: math.MinInt64}} },
			"table waits: "},
		{"finding of no pair", func(r *batch.Rows) { r.Findings = []batch.FindingRow{{Number: 1 << 40}} },
			"table findings: "},
		{"bucket behind the last", func(r *batch.Rows) { r.Timeline[5].Bucket = batch.Buckets },
			"table timeline: pair 1 has bucket 200"},
		{"bucket before the first", func(r *batch.Rows) { r.Timeline[batch.Buckets].Bucket = -1 },
			"table timeline: pair 2 has bucket -1"},
		{"dissimilarity that is no number", func(r *batch.Rows) { r.Timeline[0].Dissimilarity = math.NaN() },
			"table timeline: pair 1"},
		{"waits without end", func(r *batch.Rows) { r.Timeline[399].WaitB = math.Inf(1) }, "table timeline: pair 2"},
		{"similarity that is no number", func(r *batch.Rows) { r.Pairs[1].Similarity = math.NaN() },
			"table pairs: row 2"},
	} {
		rows := even(3)
		c.damage(rows)
		f, err := Read(t.Context(), directory(t, rows), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || f != nil {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestMissingAndTornTablesAreErrors(t *testing.T) {
	for _, table := range batch.Tables {
		d := directory(t, even(2))
		whole, err := os.ReadFile(d.Merged(table))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.Merged(table), whole[:len(whole)/2], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), d, nil); err == nil || !strings.Contains(err.Error(), table+".parquet") {
			t.Errorf("%s is torn: %v", table, err)
		}
		if err := os.Remove(d.Merged(table)); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), d, nil); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is missing: %v", table, err)
		}
	}
}

// TestReadIsCancelledBetweenSteps cancels at each step that is reported.
func TestReadIsCancelledBetweenSteps(t *testing.T) {
	d := directory(t, even(2))
	steps := 0
	if _, err := Read(t.Context(), d, func(done, _ int64) { steps = int(done) }); err != nil || steps == 0 {
		t.Fatalf("%d steps, %v", steps, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := Read(ctx, d, nil); !errors.Is(err, context.Canceled) || f != nil {
		t.Errorf("cancelled before it began: %v, %v", f, err)
	}
	for at := 1; at < steps; at++ {
		ctx, cancel := context.WithCancel(t.Context())
		last := 0
		f, err := Read(ctx, d, func(done, _ int64) {
			if last = int(done); last == at {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || f != nil || last > at+1 {
			t.Errorf("cancelled at step %d of %d, went on to %d: %v", at, steps, last, err)
		}
		cancel()
	}
}
