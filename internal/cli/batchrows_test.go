package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/batch"
	"diptych/internal/report"
	"diptych/internal/testtrace"
)

// TestBatchRowsAreThoseOfCommands holds the rows of some pairs against what the commands for one
// pair say: diff, align, waits and info.
func TestBatchRowsAreThoseOfCommands(t *testing.T) {
	pairs := [][2]string{{"uftrace/queue-1p3c.data.tar.gz", "uftrace/queue-2p2c.data.tar.gz"},
		{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"}}
	if testtrace.Sized(false, true) {
		pairs = append(pairs, [2]string{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"},
			[2]string{"chrome/queue-1p3c.json.gz", "chrome/queue-2p2c.json.gz"},
			[2]string{"otf2/queue-1p3c.data.tar.gz", "otf2/queue-2p2c.data.tar.gz"})
	}
	for k := range pairs {
		for side, name := range pairs[k] {
			path, err := filepath.Abs(filepath.Join(testdata, name))
			if err != nil {
				t.Fatal(err)
			}
			pairs[k][side] = path
		}
	}
	holdRows(t, pairs)
}

// holdRows runs a batch of pairs and holds its rows against the commands.
func holdRows(t *testing.T, pairs [][2]string) {
	t.Helper()
	manifest, dir := filepath.Join(t.TempDir(), "pairs.csv"), filepath.Join(t.TempDir(), "out")
	lines := "a,b\n"
	for _, of := range pairs {
		lines += strings.Join(of[:], ",") + "\n"
	}
	if err := os.WriteFile(manifest, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "batch", manifest, "-o", dir)
	d, err := batch.OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	rows := batch.Rows{Pairs: tableOf[batch.PairRow](t, d, "pairs"),
		Functions: tableOf[batch.FunctionRow](t, d, "functions"),
		Findings:  tableOf[batch.FindingRow](t, d, "findings"),
		Waits:     tableOf[batch.WaitRow](t, d, "waits"),
		Timeline:  tableOf[batch.TimelineRow](t, d, "timeline")}
	if len(rows.Pairs) != len(pairs) {
		t.Fatalf("%d rows of %d pairs", len(rows.Pairs), len(pairs))
	}
	for k, of := range pairs {
		diff, aligned := new(report.Diff), new(report.Align)
		parse(t, diff, "diff", "--format", "json", of[0], of[1])
		parse(t, aligned, "align", "--json", of[0], of[1])
		row := &rows.Pairs[k]
		holdPair(t, row, diff, aligned)
		holdFindings(t, rowsOf(rows.Findings, row, func(r batch.FindingRow) int64 { return r.Number }),
			diff)
		holdTimeline(t, rowsOf(rows.Timeline, row,
			func(r batch.TimelineRow) int64 { return r.Number }), aligned)
		holdFunctions(t, row, rowsOf(rows.Functions, row,
			func(r batch.FunctionRow) int64 { return r.Number }))
		holdWaits(t, rowsOf(rows.Waits, row, func(r batch.WaitRow) int64 { return r.Number }), of)
	}
}

// tableOf returns all rows of a table.
func tableOf[T any](t *testing.T, d *batch.Directory, name string) (all []T) {
	t.Helper()
	for rows, err := range batch.Table[T](d, name) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}

// rowsOf returns those of a pair.
func rowsOf[T any](all []T, of *batch.PairRow, number func(T) int64) (rows []T) {
	for _, row := range all {
		if number(row) == of.Number {
			rows = append(rows, row)
		}
	}
	return rows
}

// parse reads the JSON object that a command prints.
func parse(t *testing.T, to any, args ...string) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustRun(t, args...)), to); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

func holdPair(t *testing.T, row *batch.PairRow, diff *report.Diff, aligned *report.Align) {
	t.Helper()
	a, total := &diff.Account, &aligned.Total
	want := batch.PairRow{Number: row.Number, Pair: row.Pair, A: row.A, B: row.B,
		Unit: string(aligned.Unit), CallsA: total.M, CallsB: total.N, Threads: int64(len(aligned.Pairs)),
		Similarity: total.Similarity, Dice: total.Dice,
		ElapsedANs: a.ElapsedNs.A, ElapsedBNs: a.ElapsedNs.B, DeltaNs: a.ElapsedNs.B - a.ElapsedNs.A,
		WorkANs: a.WorkNs.A, WorkBNs: a.WorkNs.B, DeltaWorkNs: a.WorkNs.B - a.WorkNs.A,
		UnexplainedNs: a.Unexplained.ElapsedNs, UnexplainedWorkNs: a.Unexplained.WorkNs,
		Explained: row.Explained, ExplainedWork: row.ExplainedWork,
		WaitANs: a.WaitNs.A, WaitBNs: a.WaitNs.B, Findings: int64(len(diff.Findings)),
		DiagnosticsA: row.DiagnosticsA, DiagnosticsB: row.DiagnosticsB}
	want.TrustA, want.TrustB = "complete", "complete"
	if both := diff.Trust; both != nil {
		want.TrustA, want.TrustB = both.A.Verdict, both.B.Verdict
	}
	if *row != want {
		t.Errorf("%s:\n got %+v\nwant %+v", row.A, *row, want)
	}
	for _, x := range []struct {
		got         float64
		delta, left int64
	}{{row.Explained, row.DeltaNs, row.UnexplainedNs},
		{row.ExplainedWork, row.DeltaWorkNs, row.UnexplainedWorkNs}} {
		want := 1.0
		if x.delta != 0 {
			want = max(0, 1-math.Abs(float64(x.left)/float64(x.delta)))
		}
		if math.Abs(x.got-want) > 1e-12 {
			t.Errorf("%s: %v of %d is explained, want %v", row.A, x.got, x.delta, want)
		}
	}
}

func holdFindings(t *testing.T, rows []batch.FindingRow, diff *report.Diff) {
	t.Helper()
	if len(rows) != len(diff.Findings) {
		t.Fatalf("%d findings, diff has %d", len(rows), len(diff.Findings))
	}
	for i := range rows {
		r, f := &rows[i], &diff.Findings[i]
		want := batch.FindingRow{Number: r.Number, Pair: r.Pair, Rank: int64(i + 1), Kind: f.Kind,
			Function: f.Function, Caller: f.Caller, CallsA: f.Calls.A, CallsB: f.Calls.B,
			DeltaNs: f.DeltaNs, ElapsedNs: f.ElapsedNs, WorkNs: f.WorkNs, Share: f.Share,
			Certainty: f.Certainty, CallA: -1, StartANs: r.StartANs, CallB: -1, StartBNs: r.StartBNs,
			Text: f.Text}
		if f.Under != nil {
			want.Under = int64(*f.Under + 1)
		}
		if f.A != nil {
			want.ThreadA, want.CallA = f.A.Thread, int64(f.A.Call)
		}
		if f.B != nil {
			want.ThreadB, want.CallB = f.B.Thread, int64(f.B.Call)
		}
		if *r != want || (r.CallA < 0) != (r.StartANs < 0) || (r.CallB < 0) != (r.StartBNs < 0) {
			t.Errorf("finding %d:\n got %+v\nwant %+v", i, *r, want)
		}
	}
}

// holdTimeline holds what is of the thread pair with the most calls. Align samples five times as
// often, at the middles too: the third of each five is that of a bucket. Dissimilarity is not held:
// it is a mean over so many samples, and over all threads.
func holdTimeline(t *testing.T, rows []batch.TimelineRow, aligned *report.Align) {
	t.Helper()
	const more = 5
	if len(rows) != batch.Buckets || len(aligned.SkewNs) != more*batch.Buckets {
		t.Fatalf("%d buckets, align has %d", len(rows), len(aligned.SkewNs))
	}
	apart := rows[0].AtANs - rows[0].AtBNs - rows[0].SkewNs // the threads start at different times
	for k, r := range rows {
		at := more*k + more/2
		if r.Bucket != int64(k) || r.SkewNs != aligned.SkewNs[at] ||
			r.SkewNs != r.AtANs-r.AtBNs-apart {
			t.Errorf("bucket %d is %+v, align has a skew of %d ns", k, r, aligned.SkewNs[at])
		}
	}
}

// holdFunctions holds that the functions have all calls.
func holdFunctions(t *testing.T, of *batch.PairRow, rows []batch.FunctionRow) {
	t.Helper()
	var a, b int64
	for _, r := range rows {
		a, b = a+r.CallsA, b+r.CallsB
		if r.DeltaNs != r.SelfBNs-r.SelfANs {
			t.Errorf("%+v", r)
		}
	}
	if a != of.CallsA || b != of.CallsB {
		t.Errorf("%s: functions have %d and %d calls of %d and %d", of.A, a, b, of.CallsA, of.CallsB)
	}
}

// holdWaits holds the sums of each side: rows are by role, the command's by thread.
func holdWaits(t *testing.T, rows []batch.WaitRow, paths [2]string) {
	t.Helper()
	var count, ns [2]int64
	for _, r := range rows {
		count[0], count[1] = count[0]+r.CountA, count[1]+r.CountB
		ns[0], ns[1] = ns[0]+r.WaitANs, ns[1]+r.WaitBNs
	}
	for side, path := range paths {
		w := new(report.Waits)
		parse(t, w, "waits", "--json", path)
		var waits, all int64
		for _, th := range w.Threads {
			waits, all = waits+int64(th.Waits), all+th.WaitNs
		}
		if count[side] != waits || ns[side] != all {
			t.Errorf("%s: %d waits of %d ns in rows, the command has %d of %d", path, count[side],
				ns[side], waits, all)
		}
	}
}
