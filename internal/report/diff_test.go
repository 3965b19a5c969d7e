package report

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/account"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

// diffOf compares two traces as `diptych diff` does.
func diffOf(t testtrace.TB, a, b *trace.Trace) (*Diff, *account.Balance) {
	t.Helper()
	ctx, p := context.Background(), pair.New(a, b, pair.Rules{})
	rs, err := align.All(ctx, p, p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := finding.Find(ctx, p, rs, finding.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var waits [2]*wait.Analysis
	for sd, tr := range []*trace.Trace{a, b} {
		if waits[sd], err = wait.Find(ctx, tr, nil); err != nil {
			t.Fatal(err)
		}
	}
	x, err := account.Compare(ctx, p, waits, AccountOptions(p, found), nil)
	if err != nil {
		t.Fatal(err)
	}
	return NewDiff(p, found, x), x
}

// holdsAccount fails unless findings and what is unexplained add up to the difference, in both
// accounts, and the rest of what DESIGN §13 promises holds.
func holdsAccount(t testtrace.TB, d *Diff, x *account.Balance) {
	t.Helper()
	sum := account.Delta{ElapsedNs: d.Account.Unexplained.ElapsedNs,
		WorkNs: d.Account.Unexplained.WorkNs}
	for i := range d.Findings {
		f := &d.Findings[i]
		sum = sum.Plus(account.Delta{ElapsedNs: f.ElapsedNs, WorkNs: f.WorkNs})
		if f.Share > 1 {
			t.Fatal(f.Text, "has a share of", f.Share)
		}
		if f.Under != nil && (*f.Under >= i || f.ElapsedNs != 0 || f.WorkNs != 0) {
			t.Fatal(f.Text, "is number", i, "under", *f.Under, "and owns", f.ElapsedNs, f.WorkNs)
		}
		if i > 0 && f.Under == nil && d.Findings[i-1].Under == nil &&
			f.byChance() == d.Findings[i-1].byChance() && f.rank() > d.Findings[i-1].rank() {
			t.Fatal(f.Text, "comes after a smaller finding")
		}
	}
	if sum != x.Delta() {
		t.Fatal("findings and the rest add up to", sum, "but the difference is", x.Delta())
	}
	parts := account.Delta{}
	for _, p := range d.Account.Unexplained.Parts {
		parts = parts.Plus(account.Delta{ElapsedNs: p.Ns, WorkNs: p.WorkNs})
	}
	if u := d.Account.Unexplained; parts != (account.Delta{ElapsedNs: u.ElapsedNs, WorkNs: u.WorkNs}) {
		t.Fatal("parts of", parts, "but unexplained are", u.ElapsedNs, u.WorkNs)
	}
}

// TestFindingsAddUp holds the account on random pairs.
func TestFindingsAddUp(t *testing.T) {
	s := testtrace.Shape{Threads: testtrace.Range{1, 3}, Records: testtrace.Range{0, 40},
		Step: testtrace.Range{0, 900}, Close: true, Objects: testtrace.Range{0, 2}, Marks: 5,
		Functions: []string{"f", "g", "h", "read a/1", "read a/2", "j"}, Stated: true}
	rapid.Check(t, func(t *rapid.T) {
		d, x := diffOf(t, s.Draw(t, "a"), s.Draw(t, "b"))
		holdsAccount(t, d, x)
	})
}

// TestFindingsOfRecordingsAddUp holds it on pairs of recordings, either way round.
func TestFindingsOfRecordingsAddUp(t *testing.T) {
	pairs := append([][2]string{
		{"chrome/node-n8.json.gz", "chrome/node-n16.json.gz"},
		{"twice/queue-1.data.tar.gz", "twice/queue-2.data.tar.gz"},
		{"twice/pipeline-1.gotrace", "twice/pipeline-2.gotrace"},
		{"twice/requests-1.json.gz", "twice/requests-2.json.gz"},
		{"pprof/pipeline-mutex.heap.pprof", "pprof/pipeline-chan.heap.pprof"},
		{"generated/situations-a.json.gz", "generated/situations-b.json.gz"},
	}, recorded...)
	for _, c := range pairs {
		t.Run(filepath.Base(c[1]), func(t *testing.T) {
			var sides [2]*trace.Trace
			for sd, path := range c {
				var err error
				sides[sd], err = traceio.Load(t.Context(), filepath.Join("../../testdata", path),
					input.Options{})
				if err != nil {
					t.Fatal(err)
				}
			}
			d, x := diffOf(t, sides[0], sides[1])
			holdsAccount(t, d, x)
			t.Log(d.explained())
			back, y := diffOf(t, sides[1], sides[0])
			holdsAccount(t, back, y)
			if e, f := d.Account.ElapsedNs, back.Account.ElapsedNs; e.A != f.B || e.B != f.A {
				t.Error("elapsed", e, "is", f, "the other way round")
			}
		})
	}
}

// script builds a trace of one thread: a root that calls functions one after the other, in ms.
func script(t *testing.T, steps ...any) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	th, now := b.Thread("main", -1), int64(0)
	th.Begin(0, b.Function(trace.Function{Name: "main"}))
	for i := 0; i < len(steps); i += 2 {
		ns := int64(steps[i+1].(float64) * 1e6)
		th.Complete(now, now+ns, b.Function(trace.Function{Name: steps[i].(string)}))
		now += ns
	}
	th.End(now)
	return testtrace.Build(t, b)
}

// program is a script of ten functions that take the given times the factor.
func program(t *testing.T, factor float64, more ...any) *trace.Trace {
	var steps []any
	for k := range 10 {
		steps = append(steps, fmt.Sprint("step", k), float64(10+k)*factor)
	}
	return script(t, append(steps, more...)...)
}

func TestDiffOpensWithTheAccount(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b *trace.Trace
		want []string // lines, in order; "…" for any
	}{
		{"a function is new", script(t, "load", 100.), script(t, "load", 100., "check", 25.), []string{
			"elapsed 100 ms → 125 ms, +25.0 ms (1.25×)",
			"work 100 ms → 125 ms, +25.0 ms (1.25×)",
			"explained 25.0 ms of 25.0 ms elapsed (100 %), 25.0 ms of 25.0 ms work (100 %)",
			"  1  new         +25.0 ms  +25.0 ms  check ",
		}},
		{"a slower machine", program(t, 1), program(t, 1.31), []string{
			"elapsed 145 ms → 190 ms, +45.0 ms (1.31×)",
			"explained 45.0 ms of 45.0 ms elapsed (100 %)",
			"  1  pace        +45.0 ms  +45.0 ms  CPU-bound work takes 1.31× as long throughout (a slower " +
				"machine?): half of the time between 1.31× and 1.31×, over 10 functions.",
		}},
		{"a slower machine, and one thing more", program(t, 1), program(t, 2, "check", 50.), []string{
			"elapsed 145 ms → 340 ms",
			"  1  pace         +145 ms   +145 ms  CPU-bound work takes 2× as long",
			"new         +50.0 ms  +50.0 ms  check ",
		}},
		{"another unit", program(t, 1), program(t, 1000), []string{
			"  1  pace       +2.41 min +2.41 min  All times are 1000× longer, by the same factor: a " +
				"change of unit?",
		}},
	} {
		d, x := diffOf(t, c.a, c.b)
		holdsAccount(t, d, x)
		var b strings.Builder
		if err := d.WriteText(&b, 30); err != nil {
			t.Fatal(err)
		}
		rest := b.String()
		for _, line := range c.want {
			_, after, ok := strings.Cut(rest, line)
			if !ok {
				t.Errorf("%s: no %q in order in\n%s", c.name, line, b.String())
				break
			}
			rest = after
		}
	}
}

// TestWhatFollowsThePace holds that functions that are slower because all are stand under the pace.
func TestWhatFollowsThePace(t *testing.T) {
	d, _ := diffOf(t, program(t, 1), program(t, 3))
	if len(d.Findings) == 0 || d.Findings[0].Kind != "pace" {
		t.Fatalf("%+v", d.Findings)
	}
	for _, f := range d.Findings[1:] {
		if f.Kind == "slower" && (f.Under == nil || *f.Under != 0) {
			t.Errorf("%s stands by itself", f.Text)
		}
	}
}

func TestUnexplainedIsTheLastLine(t *testing.T) {
	d := &Diff{unit: trace.Nanoseconds, Similarity: 1, Pace: 1, verdict: "The verdict.", Account: DiffAccount{
		ElapsedNs: Both[int64]{1e9, 15e8}, WorkNs: Both[int64]{1e9, 15e8},
		Unexplained: DiffUnexplained{ElapsedNs: 1e8, WorkNs: -2e8, Parts: []DiffPart{
			{"f_x", "on CPU", 9e7, -2e8}, {"idle", "idle", 1e7, 0}, {"g", "on CPU", 10, 0}}}}}
	for _, c := range []struct {
		write func(b *strings.Builder) error
		want  string
	}{
		{func(b *strings.Builder) error { return d.WriteText(b, 0) },
			"\nunexplained: +100 ms elapsed, −200 ms of work; the largest parts: " +
				"f_x (+90.0 ms elapsed, −200 ms of work), idle (+10.0 ms elapsed)\n"},
		{func(b *strings.Builder) error { return d.WriteMarkdown(b, 0) },
			"\nunexplained: +100 ms elapsed, −200 ms of work; the largest parts: " +
				"f\\_x (+90.0 ms elapsed, −200 ms of work), idle (+10.0 ms elapsed)\n"},
	} {
		var b strings.Builder
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), c.want) {
			t.Errorf("%q does not end with %q", b.String(), c.want)
		}
		if want := "explained 400 ms of 500 ms elapsed (80 %), 300 ms of 500 ms work (60 %)"; !strings.
			Contains(b.String(), want) || !strings.Contains(b.String(), "The verdict.") {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
}

// TestFindingsAreRanked holds the order: what owns most first, what follows below its cause, and
// the rest as it was.
func TestFindingsAreRanked(t *testing.T) {
	zero, two := 0, 2
	list := rankFindings([]DiffFinding{
		{Kind: "pace", ElapsedNs: 5}, {Kind: "divergence"}, {Kind: "slower", Under: &zero},
		{Kind: "new", ElapsedNs: 1, WorkNs: 9}, {Kind: "moved"}, {Kind: "slower", ElapsedNs: -7, WorkNs: 8},
		{Kind: "faster", Under: &zero}, {Kind: "called", Under: &two}})
	var got []string
	for _, f := range list {
		text := f.Kind
		if f.Under != nil {
			text += fmt.Sprint("<", *f.Under)
		}
		got = append(got, text)
	}
	want := "new slower pace slower<2 faster<2 called<3 divergence moved"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

// TestDiffJSONOfTheAccount holds the keys of DESIGN §10.
func TestDiffJSONOfTheAccount(t *testing.T) {
	d, _ := diffOf(t, script(t, "load", 100.), script(t, "load", 100., "check", 25.))
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Account  map[string]map[string]any
		Findings []map[string]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"elapsedNs", "workNs", "waitNs", "ioNs", "offCpuNs", "idleNs"} {
		if both := got.Account[k]; both["a"] == nil || both["b"] == nil {
			t.Errorf("account.%s is %v", k, both)
		}
	}
	if u := got.Account["unexplained"]; u["elapsedNs"] == nil || u["workNs"] == nil || u["parts"] == nil {
		t.Errorf("account.unexplained is %v", u)
	}
	for _, k := range []string{"elapsedNs", "workNs", "under"} {
		if _, ok := got.Findings[0][k]; !ok {
			t.Errorf("a finding has no %s", k)
		}
	}
}
