package things

import (
	"strings"
	"testing"

	"diptych/internal/ui/kit"
)

// hostile is a text as a file may have it.
const hostile = "=cmd|'/c'!A1\t<b>*x*|\n\x1b[2J"

// TestFormats: facts and lines are as many lines and cells as they are, whatever the names hold, and no
// spreadsheet computes what a name says.
func TestFormats(t *testing.T) {
	facts := listed([]fact{{"function", hostile}, {"side", "A"}})
	lines := Told([]string{hostile, "A"})
	for _, c := range []struct {
		what  string
		text  string
		lines int
		cells int // in the last line; 0 where it is no row
		want  string
	}{
		{"facts", facts(kit.Plain), 2, 0, "side: A\n"},
		{"facts as Markdown", facts(kit.Markdown), 2, 0, "- side: A\n"},
		{"facts as a row", facts(kit.TSV), 2, 2, "function\tside\n'=cmd"},
		{"lines", lines(kit.Plain), 2, 0, "A\n"},
		{"lines as Markdown", lines(kit.Markdown), 3, 0, "\n\n- A\n"},
		{"lines as a row", lines(kit.TSV), 1, 2, "'=cmd"},
	} {
		got := strings.Split(strings.TrimSuffix(c.text, "\n"), "\n")
		cells := strings.Count(got[len(got)-1], "\t") + 1
		if len(got) != c.lines || c.cells > 0 && cells != c.cells || !strings.Contains(c.text, c.want) {
			t.Errorf("%s: %q", c.what, c.text)
		}
		if strings.Contains(c.text, "\x1b") || strings.Contains(c.what, "Markdown") && strings.Contains(c.text, "<b>*x") {
			t.Errorf("%s are not harmless: %q", c.what, c.text)
		}
	}
}
