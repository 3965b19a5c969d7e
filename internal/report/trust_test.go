package report

import (
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// withFaults is a trace with one call and the given codes.
func withFaults(t *testing.T, codes ...trace.Code) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	th := b.Thread("1", -1)
	th.Begin(0, b.Function(trace.Function{Name: "f"}))
	th.End(10)
	for i, c := range codes {
		b.Diagnose(c, uint64(i+1), "example of %s", c)
	}
	return built(t, b)
}

func TestTrust(t *testing.T) {
	tr := NewTrust(withFaults(t, trace.LostRecords, trace.UnmatchedEnd, trace.ClockJump, trace.NotUTF8))
	if tr.Verdict != "lossy" || len(tr.Losses) != 1 || len(tr.Repairs) != 1 || len(tr.Clock) != 1 ||
		len(tr.Notes) != 1 || tr.Losses[0].Example != "example of lost-records" {
		t.Errorf("%+v", tr)
	}
	if got := tr.Reasons(); got != "lost-records 1, clock-jump 3, unmatched-end 2" {
		t.Errorf("reasons %q", got)
	}
	tr = NewTrust(withFaults(t, trace.NotUTF8))
	if tr.Verdict != "complete" || tr.Reasons() != "" {
		t.Errorf("%+v", tr)
	}
}

// TestDiffRepeatsTheVerdict: text, Markdown and the JSON object say which side is not complete, and
// nothing of sides that are.
func TestDiffRepeatsTheVerdict(t *testing.T) {
	whole, lossy := withFaults(t, trace.Reordered), withFaults(t, trace.LostRecords)
	for _, c := range []struct {
		a, b *trace.Trace
		want string
	}{
		{whole, whole, ""},
		{whole, lossy, "B is lossy (lost-records 1): parts of the run are missing"},
		{lossy, lossy, "A (lost-records 1) and B (lost-records 1) are lossy: parts of the run are missing"},
	} {
		d := diffOf(t, c.a, c.b)
		var text, md strings.Builder
		if err := d.WriteText(&text, 10); err != nil {
			t.Fatal(err)
		}
		if err := d.WriteMarkdown(&md, 10); err != nil {
			t.Fatal(err)
		}
		for _, out := range []string{text.String(), md.String()} {
			if !strings.Contains(out, c.want) || c.want == "" && strings.Contains(out, " is ") ||
				strings.Contains(out, "A is ") {
				t.Errorf("want %q in\n%s", c.want, out)
			}
		}
		if told := d.Trust != nil; told != (c.want != "") || told && d.Trust.B.Verdict != "lossy" {
			t.Errorf("trust %+v", d.Trust)
		}
	}
	if trustOf(pair.New(whole, whole, pair.Rules{})) != nil {
		t.Error("two complete recordings are told of")
	}
}
