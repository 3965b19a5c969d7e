// Package escape makes text from files harmless where it is going. Names of functions, threads,
// objects and files may hold any characters: a terminal would obey escape sequences among them, a
// table would fall apart at a newline, a spreadsheet would compute a name that begins like a
// formula, a comment on a change would show markup. Each destination has one function here.
//
//	Line      a terminal, or any text of lines
//	Markdown  a comment on GitHub or the like
//	Cell      a text cell of CSV or TSV
//
// JSON needs none of this: its encoder escapes what it must, and keeps the names as they are. The
// package knows nothing of what the texts say.
package escape

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Line returns text as one line that a terminal shows as it is: control characters become escapes
// as Go and C write them, and so do characters that reverse the direction of writing, behind which
// text can hide, and bytes that are no UTF-8.
//
//	"a\nb\x1b[2J\x85" → `a\nb\x1b[2J\x85`
//
// It is for reading: a text that has a backslash and an n looks like one with a new line.
func Line(text string) string { return escaped(text, writeEscape) }

// escaped returns text with what is unsafe replaced by what write makes of it.
func escaped(text string, write func(b *strings.Builder, r rune, bytes string)) string {
	i := firstUnsafe(text)
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:i])
	for rest := text[i:]; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && n == 1 || unsafe(r) {
			write(&b, r, rest[:n])
		} else {
			b.WriteString(rest[:n])
		}
		rest = rest[n:]
	}
	return b.String()
}

// firstUnsafe returns where Line has something to do, or −1.
func firstUnsafe(text string) int {
	for i, r := range text {
		if unsafe(r) {
			return i
		}
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// unsafe reports whether a terminal may do something else with r than show it.
func unsafe(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r <= 0x9f: // controls: C0, delete and C1
		return true
	case r == 0x2028, r == 0x2029: // separators of lines and paragraphs
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, // marks of direction
		r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // embeddings and isolates
		return true
	}
	return false
}

func writeEscape(b *strings.Builder, r rune, bytes string) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == utf8.RuneError: // as no other character is unsafe that decodes to it
		fmt.Fprintf(b, `\x%02x`, bytes)
	case r <= 0xff:
		fmt.Fprintf(b, `\x%02x`, r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// writeBytes writes each byte as \x and two upper-case digits.
func writeBytes(b *strings.Builder, _ rune, bytes string) {
	for i := range len(bytes) {
		fmt.Fprintf(b, `\x%02X`, bytes[i])
	}
}

var markup = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "<", "\\<", "`", "\\`",
	"[", "\\[", "]", "\\]", "&", "\\&", "~", "\\~")

// Markdown returns text as one line that Markdown shows as it is, also within a table.
func Markdown(text string) string { return markup.Replace(Line(text)) }

// formulaStarts are the characters with which a spreadsheet takes a cell for a formula, in their
// narrow and their wide form.
const formulaStarts = "=+-@＝＋－＠"

// Cell returns text as the content of a text cell, which no spreadsheet computes: before a formula
// comes an apostrophe, which spreadsheets take for the sign of a text. Numbers are not for it.
//
// A table is read by programs too, so different texts of a trace stay different. Bytes are written
// as the trace itself writes those that are no UTF-8: there, a text that looks like such an escape
// has another one for its backslash. A formula that already has an apostrophe gets another one.
//
//	"a\nb" → `a\x0Ab`    `C:\new` → `C:\new`    "=1" → "'=1"    "'=1" → "''=1"
func Cell(text string) string {
	text = escaped(text, writeBytes)
	if start := strings.TrimLeft(text, " '"); start != "" {
		if r, _ := utf8.DecodeRuneInString(start); strings.ContainsRune(formulaStarts, r) {
			return "'" + text
		}
	}
	return text
}

// Printf writes to a terminal as fmt.Fprintf does. The format is the program's own and stays; the
// texts among the arguments are made lines.
func Printf(w io.Writer, format string, args ...any) (int, error) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case string:
			safe[i] = Line(a)
		case error:
			safe[i] = Line(a.Error())
		case fmt.Stringer:
			safe[i] = Line(a.String())
		default:
			safe[i] = a
		}
	}
	return fmt.Fprintf(w, format, safe...)
}
