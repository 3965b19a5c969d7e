package report

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/account/explain"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// diffOf compares two traces as `diptych diff` does.
func diffOf(t testtrace.TB, a, b *trace.Trace) *Diff {
	t.Helper()
	ctx, p := context.Background(), pair.New(a, b, pair.Rules{})
	rs, err := align.All(ctx, p, p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := explain.Compare(ctx, p, rs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return NewDiff(x)
}

func TestDiffOpensWithTheAccount(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b *trace.Trace
		want []string // lines, in order; "…" for any
	}{
		{"a function is new", testtrace.Script(t, "load", 100.),
			testtrace.Script(t, "load", 100., "check", 25.), []string{
				"elapsed 100 ms → 125 ms, +25.0 ms (1.25×)",
				"work 100 ms → 125 ms, +25.0 ms (1.25×)",
				"explained 25.0 ms of 25.0 ms elapsed (100 %), 25.0 ms of 25.0 ms work (100 %)",
				"  1  new         +25.0 ms  +25.0 ms  check ",
			}},
		{"a slower machine", testtrace.Program(t, 1), testtrace.Program(t, 1.31), []string{
			"elapsed 145 ms → 190 ms, +45.0 ms (1.31×)",
			"explained 45.0 ms of 45.0 ms elapsed (100 %)",
			"  1  pace        +45.0 ms  +45.0 ms  CPU-bound work takes 1.31× as long throughout (a slower " +
				"machine?): half of it between 1.31× and 1.31×, over 10 functions.",
		}},
		{"a slower machine, and one thing more", testtrace.Program(t, 1),
			testtrace.Program(t, 2, "check", 50.), []string{
				"elapsed 145 ms → 340 ms",
				"  1  pace         +145 ms   +145 ms  CPU-bound work takes 2× as long",
				"new         +50.0 ms  +50.0 ms  check ",
			}},
		{"another unit", testtrace.Program(t, 1), testtrace.Program(t, 1000), []string{
			"  1  pace       +2.41 min +2.41 min  All times are 1000× longer, by the same factor (a " +
				"change of unit?)",
		}},
	} {
		d := diffOf(t, c.a, c.b)
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

func TestUnexplainedIsTheLastLine(t *testing.T) {
	a := testtrace.Script(t, "f_x", 1., "g", 1.)
	b := &account.Balance{Pair: pair.New(a, a, pair.Rules{}), Elapsed: [2]int64{1e9, 15e8}}
	b.Total[pair.A][account.CPU], b.Total[pair.B][account.CPU] = 1e9, 15e8
	x := &explain.Difference{Balance: b,
		Found: &finding.Report{Similarity: 1, Pace: 1, Verdict: "The verdict."}}
	left := func(kind account.Kind, function uint32, elapsed, work int64) {
		d := account.Delta{ElapsedNs: elapsed, WorkNs: work}
		x.Left.Delta = x.Left.Delta.Plus(d)
		x.Left.Parts = append(x.Left.Parts, account.Rest{Kind: kind, Function: function, Delta: d})
	}
	left(account.CPU, 1, 9e7-10, -2e8)
	left(account.Idle, account.None, 1e7, 0)
	left(account.CPU, 2, 10, 0)
	d := NewDiff(x)
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

// TestDiffJSONOfTheAccount holds the keys that scripts may rely on.
func TestDiffJSONOfTheAccount(t *testing.T) {
	d := diffOf(t, testtrace.Script(t, "load", 100.), testtrace.Script(t, "load", 100., "check", 25.))
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
