package escape

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

func TestByDestination(t *testing.T) {
	for _, c := range []struct{ text, line, markdown, cell string }{
		{"plain", "plain", "plain", "plain"},
		{"größe 寸法 🙂", "größe 寸法 🙂", "größe 寸法 🙂", "größe 寸法 🙂"},
		{"a\nb\r\n\tc", `a\nb\r\n\tc`, `a\\nb\\r\\n\\tc`, `a\x0Ab\x0D\x0A\x09c`},
		{"\x1b[2J\x1b]0;title\a", `\x1b[2J\x1b]0;title\x07`, `\\x1b\[2J\\x1b\]0;title\\x07`,
			`\x1B[2J\x1B]0;title\x07`},
		{"\x00\x7f\u009b", `\x00\x7f\x9b`, `\\x00\\x7f\\x9b`, `\x00\x7F\xC2\x9B`},
		{"\u202eexe.txt\u2066", `\u202eexe.txt\u2066`, `\\u202eexe.txt\\u2066`, `\xE2\x80\xAEexe.txt\xE2\x81\xA6`},
		{"caf\xe9 \xff", `caf\xe9 \xff`, `caf\\xe9 \\xff`, `caf\xE9 \xFF`},
		{"\uFFFD", "\uFFFD", "\uFFFD", "\uFFFD"},
		{"=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0", `=cmd\|' /C calc'!A0`, "'=cmd|' /C calc'!A0"},
		{"+1", "+1", "+1", "'+1"},
		{"-[NSView draw]", "-[NSView draw]", `-\[NSView draw\]`, "'-[NSView draw]"},
		{"@SUM(A1)", "@SUM(A1)", "@SUM(A1)", "'@SUM(A1)"},
		{"  =1+1", "  =1+1", "  =1+1", "'  =1+1"},
		{"'=1", "'=1", "'=1", "''=1"},
		{`C:\new`, `C:\new`, `C:\\new`, `C:\new`},
		{"＝1", "＝1", "＝1", "'＝1"},
		{"a=b", "a=b", "a=b", "a=b"},
		{"![x](http://y) <img> `c` *b* _i_ &lt; ~s~", "![x](http://y) <img> `c` *b* _i_ &lt; ~s~",
			`!\[x\](http://y) \<img> \` + "`c\\`" + ` \*b\* \_i\_ \&lt; \~s\~`,
			"![x](http://y) <img> `c` *b* _i_ &lt; ~s~"},
	} {
		if got := Line(c.text); got != c.line {
			t.Errorf("%q is the line %s, want %s", c.text, got, c.line)
		}
		if got := Markdown(c.text); got != c.markdown {
			t.Errorf("%q is the Markdown %s, want %s", c.text, got, c.markdown)
		}
		if got := Cell(c.text); got != c.cell {
			t.Errorf("%q is the cell %s, want %s", c.text, got, c.cell)
		}
	}
}

// TestEveryCharacter: what changes is controls, marks of direction and separators, by the definitions
// of package unicode, and nothing else does.
func TestEveryCharacter(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		text, kept := string(r), !unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
		if got := Line(text); (got == text) != kept {
			t.Errorf("%U becomes %q", r, got)
		}
	}
}

// TestAnyText holds for any bytes what the destinations need, by the definitions of package
// unicode: only characters that are shown, in one line.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		for _, got := range []string{Line(text), Markdown(text), Cell(text)} {
			for _, r := range got {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 {
					t.Fatalf("%q has %U", got, r)
				}
			}
			if !utf8.ValidString(got) || Line(got) != got {
				t.Fatalf("%q becomes %q", text, got)
			}
		}
		var table bytes.Buffer
		w := csv.NewWriter(&table)
		if err := w.Write([]string{Cell(text), "-5"}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		if strings.Count(table.String(), "\n") != 1 || !strings.HasSuffix(table.String(), ",-5\n") {
			t.Fatalf("the row is %q", &table)
		}
	})
}

// TestCellsDiffer: what a program reads from a table leads back to the bytes of the trace's file.
func TestCellsDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"\n", `\n`, "\x1b", `\x1b`, `\x1B`, `\x0A`, "\xe9", "\u2028", `\u2028`, "'", " ", "=", "a", `\`}
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), "")
		cell := Cell(trace.Escape(text))
		if rest, ok := strings.CutPrefix(cell, "'"); ok && strings.HasPrefix(strings.TrimLeft(rest, " '"), "=") {
			cell = rest
		}
		if got := trace.Unescape(cell); got != text {
			t.Fatalf("%q is the cell %s, which is %q", text, cell, got)
		}
	})
}

func TestPrintf(t *testing.T) {
	var b bytes.Buffer
	n, err := Printf(&b, "%s\t%d\t%v|%v|%.1f\n", "a\nb", 3, errors.New("bad\x1b"), unicode.Cc, 2.0)
	if want := "a\\nb\t3\tbad\\x1b|"; err != nil || n != b.Len() || !strings.HasPrefix(b.String(), want) ||
		!strings.HasSuffix(b.String(), "|2.0\n") {
		t.Errorf("%q, %d, %v", &b, n, err)
	}
}
