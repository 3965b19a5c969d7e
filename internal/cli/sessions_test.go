//go:build !nogui

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/saved"
)

// writeSession writes a session of two generated traces beside them.
func writeSession(t *testing.T, dir string) (path, a, b string) {
	t.Helper()
	a, b = filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	if status, _, errs := run(t, "generate", "--calls", "300", a, b); status != 0 {
		t.Fatal(errs)
	}
	s := &saved.Session{Traces: saved.Both[saved.Trace]{A: saved.Trace{Path: a}, B: saved.Trace{Path: b}},
		Renames: saved.Paths{"old=new"},
		Look:    saved.Look{Shape: "tubes", Colour: "plain", Tau: 50},
		Notes:   []saved.Note{{Number: 1, Text: "x", Side: "a", Call: &saved.Call{Thread: "no", Function: "f"}}},
		Panes:   []saved.Pane{{View: "alignment"}, {View: "matches"}},
		Layout:  &saved.Split{Share: .5, Parts: []*saved.Split{{}, {Pane: 1}}}}
	path = filepath.Join(dir, "s.diptych")
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	return path, a, b
}

// TestRenderASession draws what a session shows, says what has changed, and names files that moved.
func TestRenderASession(t *testing.T) {
	dir := t.TempDir()
	path, _, b := writeSession(t, dir)
	out := filepath.Join(dir, "out.png")
	status, _, errs := run(t, "render", path, "-o", out, "--no-cache", "--size", "400x300")
	if st, err := os.Stat(out); status != 0 || err != nil || st.Size() < 10_000 {
		t.Fatalf("%d %s %v", status, errs, err)
	}
	if !strings.Contains(errs, "Both traces have changed") || !strings.Contains(errs, "no longer fitting: 1 note") {
		t.Errorf("it says %q", errs)
	}
	moved := filepath.Join(dir, "moved.json")
	if err := os.Rename(b, moved); err != nil {
		t.Fatal(err)
	}
	status, _, errs = run(t, "render", path, "-o", out, "--no-cache")
	if status != 1 || !strings.Contains(errs, "trace B was "+b+": it is not there; name it with --b FILE") {
		t.Errorf("%d %s", status, errs)
	}
	if status, _, errs = run(t, "render", path, "--b", moved, "-o", out, "--no-cache", "--size", "400x300",
		"--view", "matches"); status != 0 {
		t.Errorf("%d %s", status, errs)
	}
	if status, _, errs = run(t, "render", path, "--b", moved, "-o", moved, "--no-cache"); status != 2 {
		t.Errorf("a trace of the session is overwritten: %d %s", status, errs)
	}
}

func TestSessionsOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	path, a, _ := writeSession(t, dir)
	alone := filepath.Join(dir, "alone.diptych")
	s := &saved.Session{Traces: saved.Both[saved.Trace]{A: saved.Trace{Path: a}},
		Look: saved.Look{Shape: "tubes", Colour: "plain"}, Panes: []saved.Pane{{}}, Layout: &saved.Split{}}
	if err := s.Write(alone); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad.diptych")
	if err := os.WriteFile(bad, []byte(`{"format":"diptych session","version":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	fleet := filepath.Join(dir, "fleet")
	if err := errors.Join(os.Mkdir(fleet, 0o700),
		os.WriteFile(filepath.Join(fleet, "batch.json"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		why    string
	}{
		{fleet + " --rules x", 2, "--rules: the batch says"},
		{path + " --strict", 2, "--strict: the session says"},
		{path + " " + a, 2, "a session is opened alone"},
		{path + " --rename x=y", 2, "--rename: the session says"},
		{path + " --a x --a y", 2, "--a: with a session it is given once"},
		{alone + " --b " + a, 2, "--b: the session has no such trace"},
		{bad, 1, "bad.diptych at byte 38: version 7 was written by a newer Diptych"},
		{filepath.Join(dir, "gone.diptych"), 1, "gone.diptych: no such file"},
	} {
		for _, args := range []string{c.args, "open " + c.args, "render " + c.args + " -o " + dir + "/x.png"} {
			status, _, errs := run(t, strings.Fields(args)...)
			if status != c.status || !strings.Contains(errs, c.why) {
				t.Errorf("diptych %s: %d, %s", args, status, errs)
			}
		}
	}
}
