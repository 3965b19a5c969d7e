package ui

import (
	"os"
	"path/filepath"
	"testing"

	"diptych/internal/command"
)

// TestReportIsWritten writes two reports of one pair through the program's own chooser of folders:
// the second does not replace the first.
func TestReportIsWritten(t *testing.T) {
	b := queuePair(t)
	if !b.app.Can(command.WriteReport) {
		t.Fatal("there is no report of two traces")
	}
	dir := t.TempDir()
	for range 2 {
		b.app.overlay.files.dir = dir
		b.app.overlay.files.open(choice{title: "Report", folder: b.app.reportInto})
		b.app.overlay.show(filesPage)
		b.settle()
		b.click("Open this folder")
		b.settle()
	}
	for _, name := range []string{"queue-2p2c-queue-1p3c.html", "queue-2p2c-queue-1p3c-2.html"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Size() < 50_000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
