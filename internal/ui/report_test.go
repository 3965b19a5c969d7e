package ui

import (
	"os"
	"path/filepath"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/command"
	"diptych/internal/ui/dock"
)

// TestReportIsWritten writes a report through the program's own chooser, under the name that it
// proposes.
func TestReportIsWritten(t *testing.T) {
	b := queuePair(t)
	if !b.app.Can(command.WriteReport) {
		t.Fatal("there is no report of two traces")
	}
	dir := t.TempDir()
	b.app.overlay.files.dir = dir
	b.app.overlay.files.open(b.app.reporting())
	b.app.overlay.show(filesPage)
	b.settle()
	b.press(key.NameReturn, 0)
	b.settle()
	st, err := os.Stat(filepath.Join(dir, "queue-2p2c-queue-1p3c.html"))
	if err != nil || st.Size() < 50_000 {
		t.Errorf("the report: %v", err)
	}
}

// TestRecordedOtherwise: that the tool was told otherwise for one side stands over the findings and
// among the problems.
func TestRecordedOtherwise(t *testing.T) {
	const text = "B with --no-event, so what only one"
	b := newBench(t, "uftrace/queue-2p2c.data.tar.gz", "uftrace/lost.data.tar.gz")
	b.settle()
	if !b.shows(text) {
		t.Errorf("over the findings stands %q", b.pic.Labels())
	}
	b.app.dock.Turn(dock.Problems)
	b.settle()
	if !b.shows(text) || !b.shows("Recorded otherwise") || !b.shows("Problems 3") {
		t.Errorf("among the problems is %q", b.pic.Labels())
	}
}
