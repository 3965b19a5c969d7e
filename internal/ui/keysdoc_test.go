package ui

import (
	"flag"
	"os"
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
