package ui

import (
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/saved"
)

// TestRequestsOfOneFile: two requests of one file are recent as such, and the palette shows others.
func TestRequestsOfOneFile(t *testing.T) {
	dir := t.TempDir()
	home := saved.HomeAt(filepath.Join(dir, "config"))
	b := restarted(t, home)
	file := filepath.Join(testdata, "otlp/shop.json.gz")
	b.app.Drop([]string{file, file})
	b.settle()
	list := b.state().Sides[pair.B].Trace.Requests
	if st := b.state(); !st.Both() || len(list) != 3 || st.Sides[pair.B].Request() != list[1].ID {
		t.Fatalf("%+v", list)
	}
	if want := "request gateway: GET /cart: in A the median of 3 (" + list[1].ID[:8] + ")"; !b.tells(want) {
		t.Errorf("the dock does not say %q", want)
	}
	var fast string
	for _, c := range requestCommands(b.state()) {
		if strings.HasPrefix(c.Title, "Show in B: gateway: GET /cart, ") && strings.HasSuffix(c.Title, list[2].ID) {
			fast = string(c.ID)
		}
	}
	if fast == "" || len(requestCommands(b.state())) != 4 {
		t.Fatalf("offered are %v", requestCommands(b.state()))
	}
	if !b.app.showRequest("request-1-2") || b.app.showRequest("recent-1") || !b.app.showRequest("request-0-99") {
		t.Error("commands are mistaken for others")
	}
	b.settle()
	st := b.state()
	if a, c := st.Sides[pair.A], st.Sides[pair.B]; a.Request() != list[1].ID || c.Request() != list[2].ID ||
		c.Name != "shop · "+list[2].ID[:8] || a.Name == c.Name {
		t.Fatalf("%s and %s are shown", a.Name, c.Name)
	}

	b.app.Flush()
	b = restarted(t, home)
	again := b.app.keeper.recent[0]
	if name := recentName(again); !strings.Contains(name, list[1].ID[:8]+" | shop · "+list[2].ID[:8]) {
		t.Errorf("the recent pair is %q", name)
	}
	b.app.reopen(again)
	b.settle()
	if st := b.state(); st.Sides[pair.A].Request() != list[1].ID || st.Sides[pair.B].Request() != list[2].ID {
		t.Errorf("reopened are %s and %s", st.Sides[pair.A].Name, st.Sides[pair.B].Name)
	}
	b.app.continueLast()
	b.settle()
	if st := b.state(); st.Sides[pair.A].Request() != list[1].ID || st.Sides[pair.B].Request() != list[2].ID {
		t.Errorf("continued with %s and %s", st.Sides[pair.A].Name, st.Sides[pair.B].Name)
	}
}
