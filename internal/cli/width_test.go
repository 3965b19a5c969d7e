package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// TestSentencesWrap holds where lines break, and to where they are indented after that.
func TestSentencesWrap(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"short enough", 12, "short enough"},
		{"one word more", 12, "one word\nmore"},
		{"  1  moved  compute now runs in two threads", 36,
			"  1  moved  compute now runs in two\n            threads"},
		{"         far to the right  a long sentence", 30, // where less than 24 columns are left
			"         far to the right  a\n    long sentence"},
		{"a.very.long.name.of.a.function is wide", 20, "a.very.long.name.of.a.function\nis wide"},
		{"漢字 漢字 漢字", 10, "漢字 漢字\n漢字"}, // two columns each
	} {
		var b strings.Builder
		wrapSentence(&b, c.line, c.columns)
		if b.String() != c.want {
			t.Errorf("%q in %d columns:\n%s\nwant\n%s", c.line, c.columns, b.String(), c.want)
		}
	}
}

// TestRowsWrap holds that a row breaks between cells, and that only a last cell is cut.
func TestRowsWrap(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"  12  34  name", 14, "  12  34  name"},
		{"  12  34  a_name_of_a_function_that_is_long", 36, "  12  34  a_name_of_a_function_that…"},
		{"  12  34  name", 13, "  12  34\n  name"},
		{"  1200  3400  5600  name", 14, "  1200  3400\n  5600  name"},
		{"  1200  3400  5600    name   ", 18, "  1200  3400  5600\n    name"},
		{"  a_cell_of_23_characters", 10, "  a_cell_…"},
	} {
		var b strings.Builder
		wrapRow(&b, c.line, c.columns)
		if b.String() != c.want {
			t.Errorf("%q in %d columns:\n%s\nwant\n%s", c.line, c.columns, b.String(), c.want)
		}
	}
}

// TestWrappedLinesFit draws lines of words, cells and gaps: what comes out is no wider than the
// terminal, and has all words in their order unless a row had to be cut.
func TestWrappedLinesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`( {0,3}(a|name|漢字|−1\.5 µs|elapsed)){1,20} {0,3}`).Draw(t, "line")
		columns := rapid.IntRange(12, 100).Draw(t, "columns")
		for name, fit := range map[string]func(*strings.Builder, string, int){
			"sentence": wrapSentence, "row": wrapRow} {
			var b strings.Builder
			fit(&b, line, columns)
			for part := range strings.SplitSeq(b.String(), "\n") {
				wide := strings.Count(strings.TrimSpace(part), " ") > 0 || name == "row"
				if width := uniseg.StringWidth(strings.TrimRight(part, " ")); width > columns && wide {
					t.Fatalf("%s %q in %d columns is %d wide:\n%s", name, line, columns, width, b.String())
				}
			}
			if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, "…") &&
				got != strings.Join(strings.Fields(line), " ") {
				t.Fatalf("%s %q in %d columns:\n%s", name, line, columns, b.String())
			}
		}
	})
}

// onTerminal returns what a command prints to a terminal of so many columns; 0 stands for a pipe.
func onTerminal(t *testing.T, columns int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&stdout{to: &out, columns: columns})
	root.SetErr(&errs)
	if err := root.ExecuteContext(context.Background()); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

// TestOutputFitsTheTerminal prints real traces: at every width lines fit, on a very wide terminal
// they are as in a pipe, and what is for programs is never changed.
func TestOutputFitsTheTerminal(t *testing.T) {
	a, b := queueA(), filepath.Join(testdata, "uftrace/queue-2p2c.data.tar.gz")
	for _, args := range [][]string{{"info", a}, {"info", "--check", a}, {"match", "--groups", a, b},
		{"align", a, b}, {"waits", a, b}, {"structure", a, b}, {"aggregate", "--slices", "8", a, b},
		{"diff", a, b}} {
		piped := strings.Split(onTerminal(t, 0, args...), "\n")
		for i := range piped {
			piped[i] = strings.TrimRight(piped[i], " ")
		}
		wide := strings.Split(onTerminal(t, 1<<20, args...), "\n")
		for i := range wide {
			if i >= len(piped) || strings.TrimRight(wide[i], " ") != piped[i] {
				t.Errorf("%q: line %d of a wide terminal is %q", args, i, wide[i])
				break
			}
		}
		for line := range strings.SplitSeq(onTerminal(t, 60, args...), "\n") {
			path := strings.Contains(line, filepath.Base(a)) // a word wider than the terminal
			if uniseg.StringWidth(strings.TrimRight(line, " ")) > 60 && !path {
				t.Errorf("%q: wider than 60 columns: %q", args, line)
			}
		}
	}
	for _, args := range [][]string{{"info", "--json", a}, {"align", "--dump", "-", a, a}} {
		if onTerminal(t, 60, args...) != onTerminal(t, 0, args...) {
			t.Errorf("%q depends on the terminal", args)
		}
	}
}

// TestHelpFits: what a command does and what its flags mean wrap at the terminal's width, and no
// word is lost.
func TestHelpFits(t *testing.T) {
	help := func(command string, columns int) (text string, widest int) {
		var out bytes.Buffer
		root := newRoot()
		root.SetArgs([]string{command, "--help"})
		root.SetOut(&out)
		fitHelp(root, columns)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		about, rest, _ := strings.Cut(out.String(), "\nUsage:\n")
		_, flags, _ := strings.Cut(rest, "\nFlags:\n")
		for line := range strings.SplitSeq(about+flags, "\n") {
			widest = max(widest, uniseg.StringWidth(line))
		}
		return about, widest
	}
	for _, c := range newRoot().Commands() {
		whole, wide := help(c.Name(), 0)
		narrow, widest := help(c.Name(), 70)
		if c.Name() == "diff" && wide < 80 || widest > 70 {
			t.Errorf("%s: %d wide, and %d for 70 columns:\n%s", c.Name(), wide, widest, narrow)
		}
		if !slices.Equal(strings.Fields(whole), strings.Fields(narrow)) {
			t.Errorf("%s: the words differ:\n%s\n%s", c.Name(), whole, narrow)
		}
	}
}

// TestOneIsNotPlural: of traces with one call and one wait, no text counts "1 calls".
func TestOneIsNotPlural(t *testing.T) {
	in := newInputs(t)
	plural := regexp.MustCompile(`(^|[^.\d])1 \p{L}{2,}[^\Ws]s\b`)
	one := filepath.Join(testdata, "chrome/edge/instants.json")
	overlap := filepath.Join(testdata, "chrome/edge/partial-overlap.json")
	for _, args := range [][]string{{"info", in.a}, {"info", "--check", overlap},
		{"report", "--to", "md", "-o", "-", overlap, one}, {"report", "-o", "-", overlap, one}, {"match", "--groups", in.a, in.b}, {"align", in.a, in.b},
		{"waits", in.a}, {"waits", queueA()}, {"structure", "--source", in.dir, in.a, in.b},
		{"aggregate", in.a, in.b}, {"diff", in.a, in.b}, {"diff", "--a", in.a, "--b", in.a, "--b", in.b}} {
		status, out, errs := run(t, args...)
		if found := plural.FindString(out + errs); status != 0 || found != "" {
			t.Errorf("%q: exit status %d, says %q in\n%s%s", args, status, found, out, errs)
		}
	}
}
