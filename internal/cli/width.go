package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Text fits into the columns of a terminal: sentences break between words, rows of tables between
// cells. Where output goes to a file or a pipe, lines stay as long as they are, and so does what is
// for programs: JSON, Markdown, CSV.

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columnsOf returns how many columns the terminal has that w is: COLUMNS says so, or else the
// terminal. It returns 0, no limit, if w is no terminal or nobody knows.
func columnsOf(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	n, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return n
}

// fitted writes lines to a terminal so that they fit into its columns. It holds back what follows
// the last newline.
type fitted struct {
	to      io.Writer
	columns int
	fit     func(b *strings.Builder, line string, columns int)
	rest    []byte
}

func (f *fitted) Write(p []byte) (int, error) {
	f.rest = append(f.rest, p...)
	var b strings.Builder
	for {
		line, rest, whole := bytes.Cut(f.rest, []byte("\n"))
		if !whole {
			break
		}
		f.fit(&b, string(line), f.columns)
		b.WriteByte('\n')
		f.rest = rest
	}
	_, err := io.WriteString(f.to, b.String())
	return len(p), err
}

// fitting returns a writer to out, or out itself if that is no terminal.
func fitting(out io.Writer, fit func(*strings.Builder, string, int)) io.Writer {
	if s, ok := out.(*stdout); ok && s.columns > 0 {
		return &fitted{to: s, columns: s.columns, fit: fit}
	}
	return out
}

// sentences returns a writer of sentences to out.
func sentences(out io.Writer) io.Writer { return fitting(out, wrapSentence) }

// newTable returns a writer of a table of right-aligned cells to out. A cell ends with a tab. What
// follows the last tab of a row is text, such as a name.
func newTable(out io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(fitting(out, wrapRow), 0, 0, 2, ' ', tabwriter.AlignRight)
}

// newEntries returns a writer of entries to out: a title, a tab and a sentence each.
func newEntries(out io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(sentences(out), 0, 0, 2, ' ', 0)
}

// fitHelp makes what --help says fit into a terminal of so many columns; 0 stands for no terminal.
func fitHelp(root *cobra.Command, columns int) {
	if columns <= 0 {
		return
	}
	root.SetUsageTemplate(strings.NewReplacer(
		".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", columns),
		" for more information about a command.", " tells more.", // which fits
	).Replace(root.UsageTemplate()))
	reflowAll(root, columns)
}

// reflowAll fills what a command and those below it say of themselves.
func reflowAll(cmd *cobra.Command, columns int) {
	cmd.Long = reflow(cmp.Or(cmd.Long, cmd.Short), columns)
	for _, c := range cmd.Commands() {
		reflowAll(c, columns)
	}
}

// reflow fills the paragraphs of a text anew. Lines that begin with a space, as those of tables and
// examples do, stay lines.
func reflow(text string, columns int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n\n")
		}
		filled := strings.ReplaceAll(paragraph, "\n", " ")
		if strings.Contains(paragraph, "\n ") {
			filled = paragraph
		}
		for k, line := range strings.Split(filled, "\n") {
			if k > 0 {
				b.WriteByte('\n')
			}
			wrapSentence(&b, line, columns)
		}
	}
	return b.String()
}

const (
	leastText = 24 // columns that a sentence or a name should have
	hanging   = 4  // columns by which lines are indented that go on with another
)

// lastCell returns where the last cell of a line begins, in bytes: after its last gap of at least
// two spaces.
func lastCell(line string) int {
	if at := strings.LastIndex(strings.TrimRight(line, " "), "  "); at >= 0 {
		return at + 2
	}
	return 0
}

// wrapSentence breaks a line between words. The lines that it continues on are indented to where
// the sentence begins:
//
//	1  moved  +562 µs  compute now runs in 2
//	                   threads instead of 3
//
// A word that is wider than a line stays whole.
func wrapSentence(b *strings.Builder, line string, columns int) {
	if uniseg.StringWidth(line) <= columns {
		b.WriteString(line)
		return
	}
	start := lastCell(line)
	if uniseg.StringWidth(line[:start]) >= columns { // too narrow for cells
		start = 0
	}
	indent := uniseg.StringWidth(line[:start])
	b.WriteString(line[:start])
	at := indent
	if start > 0 && indent+leastText > columns {
		indent = min(hanging, columns/4)
	}
	for i, word := range strings.Fields(line[start:]) {
		wide := uniseg.StringWidth(word)
		switch {
		case i == 0 && (start == 0 || at+wide <= columns):
		case i == 0 || at+1+wide > columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += wide
	}
}

// wrapRow makes a row of a table fit. Its last cell is cut if enough of it is left; otherwise the
// row goes on in the next line, and as cells end at the same column in all rows, so do their lines.
func wrapRow(b *strings.Builder, line string, columns int) {
	line = strings.TrimRight(line, " ")
	for uniseg.StringWidth(line) > columns {
		end := lastGap(line, columns)
		if end <= 0 || uniseg.StringWidth(line[:lastCell(line)])+leastText <= columns {
			line = cut(line, columns)
			break
		}
		b.WriteString(line[:end] + "\n")
		line = line[end:] // as wide as in other rows, so that cells stay aligned
	}
	b.WriteString(line)
}

// lastGap returns where the last gap between two cells begins, in bytes, of those that begin within
// so many columns; 0 if there is none.
func lastGap(line string, columns int) int {
	last, seen := 0, strings.TrimLeft(line, " ")
	for at := len(line) - len(seen); ; {
		gap := strings.Index(line[at:], "  ")
		if gap < 0 || uniseg.StringWidth(line[:at+gap]) > columns {
			return last
		}
		last = at + gap
		at = last + len(line[last:]) - len(strings.TrimLeft(line[last:], " "))
	}
}

// cut shortens text to so many columns, the last of which says that there was more.
func cut(text string, columns int) string {
	at, end := 0, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if at += g.Width(); at > columns-1 {
			break
		}
		_, end = g.Positions()
	}
	return text[:end] + "…"
}
