package trace

import (
	"math"
	"testing"
)

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
