package trace

import (
	"math"
	"testing"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		codes []Code
		want  Verdict
	}{
		{nil, Complete},
		{[]Code{Reordered, NotUTF8}, Complete},
		{[]Code{NotUTF8, UnmatchedEnd}, Repaired},
		{[]Code{NegativeDuration}, Repaired},
		{[]Code{ClockJump, Reordered}, Repaired},
		{[]Code{UnmatchedBegin, Truncated}, Lossy},
		{[]Code{LostRecords}, Lossy},
		{[]Code{"a code of the future"}, Lossy},
	} {
		tr := &Trace{}
		for _, code := range c.codes {
			tr.Diagnostics = append(tr.Diagnostics, Diagnostic{Code: code, Count: 1})
		}
		if got := tr.Verdict(); got != c.want {
			t.Errorf("%v: %v, want %v", c.codes, got, c.want)
		}
	}
}

// TestEveryCodeHasAMeaning: what is counted is classed and explained.
func TestEveryCodeHasAMeaning(t *testing.T) {
	for _, c := range []Code{OverlapLane, UnmatchedEnd, UnmatchedBegin, NegativeDuration, Reordered,
		BadRecord, Truncated, UnboundFlow, LostRecords, NotUTF8, ClockJump} {
		if _, known := classes[c]; !known || c.Meaning() == "" {
			t.Errorf("%s has no class or no meaning", c)
		}
	}
	if len(classes) != len(meanings) {
		t.Errorf("%d codes are classed and %d are explained", len(classes), len(meanings))
	}
}

// Counts come from files, so their sum may not fit a number.
func TestDiagnosticsDoNotWrap(t *testing.T) {
	b := NewBuilder("test")
	b.Diagnose(LostRecords, 1<<63, "first")
	b.Diagnose(LostRecords, 1<<63, "second")
	b.Diagnose(BadRecord, 0, "none")
	d := mustBuild(t, b).Diagnostics
	if len(d) != 1 || d[0].Count != math.MaxUint64 || d[0].Example != "first" {
		t.Errorf("diagnostics %v", d)
	}
}
