package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSaveReport writes both formats in the background, and says where they are.
func TestSaveReport(t *testing.T) {
	s := compared(t)
	for name, begins := range map[string]string{"out.html": "<!doctype html>", "out.md": "**"} {
		path := filepath.Join(t.TempDir(), name)
		s.SaveReport(path)
		j := s.job(reportSlot)
		if j == nil || !strings.Contains(j.Label, name) {
			t.Fatalf("%s: the job is %+v", name, j)
		}
		s.Settle(t.Context())
		if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), begins) {
			t.Errorf("%s: %v, %.40q", name, err, text)
		}
		if said, _ := s.Notice(); !strings.Contains(said, path) {
			t.Errorf("%s: %q is said", name, said)
		}
		if done := j.Progress(); done != 1 {
			t.Errorf("%s: the job says that %v is done", name, done)
		}
	}
}

// TestReportsThatCannotBe holds that each says why, and leaves no file.
func TestReportsThatCannotBe(t *testing.T) {
	early := New(func() {})
	path := filepath.Join(t.TempDir(), "out.html")
	early.SaveReport(path)
	if said, _ := early.Notice(); early.State().canReport() || !strings.Contains(said, "have been compared") {
		t.Errorf("before there is anything to report: %q", said)
	}
	s := compared(t)
	nowhere := filepath.Join(t.TempDir(), "missing", "out.html")
	s.SaveReport(nowhere)
	s.Settle(t.Context())
	if said, _ := s.Notice(); !strings.Contains(said, "missing") {
		t.Errorf("in a folder that is not there: %q", said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := writeReport(ctx, path, s.State().reported(), &Job{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("what was cancelled is written")
	}
}
