package ui

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"diptych/internal/session"
)

// TestManualHasTheTable: docs/keys.md lists the keys of the window and of all views. With -update
// the table is written anew.
func TestManualHasTheTable(t *testing.T) {
	const path, end = "../../docs/keys.md", "<!-- The table below is written by the tests of internal/ui, with -update. -->\n"
	manual, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, table, ok := strings.Cut(string(manual), end)
	if !ok {
		t.Fatalf("%s has no line %q", path, end)
	}
	want := "\n" + New(session.New(func() {})).commands.Markdown() + "\n"
	if table == want {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("%s should end with this table; -update writes it:\n%s", path, want)
	}
	if err := os.WriteFile(path, []byte(head+end+want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLinesOfKeysAreEven: on the page of keys, each line is as far below the one before as any other,
// in both columns.
func TestLinesOfKeysAreEven(t *testing.T) {
	b := newBench(t)
	b.press("?", 0)
	columns := map[int][]int{} // tops of lines by left edge
	for _, c := range b.app.commands.All {
		if r, ok := b.pic.Find(c.Title); ok && len(c.Keys) > 0 && r.Min.Y < 700 {
			columns[r.Min.X] = append(columns[r.Min.X], r.Min.Y)
		}
	}
	lines := 0
	for x, tops := range columns {
		slices.Sort(tops)
		for i := 2; i < len(tops); i++ {
			pitch := tops[1] - tops[0]
			if gap := tops[i] - tops[i-1]; gap%pitch != 0 {
				t.Errorf("in the column at %d, a line is %d px below the one before, others %d", x, gap, pitch)
			}
			lines++
		}
	}
	if lines < 20 {
		t.Errorf("only %d lines were seen", lines)
	}
}
