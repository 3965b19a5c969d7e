// Package foreign names what is not read here: recordings of other tools, files that are no
// recordings, and content of no known format. Each kind is a row of a table with what its content
// begins with, what it is, and what to do. The package decides nothing: it is asked once no
// loader knows a source. What the kinds begin with is from the documentation of their tools.
package foreign

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"diptych/internal/traceio/input"
)

// kind is one kind of file that is not read.
type kind struct {
	what string // with its article: "a perf.data file"
	// do says what to do with it. If it is empty, the file is a recording that is not read here.
	do string
	is func(h head) bool
}

// head is how a file begins.
type head []byte

// has makes a test for any of several beginnings.
func has(magics ...string) func(head) bool { return at(0, magics...) }

// at makes a test for one of several texts at an offset.
func at(offset int, magics ...string) func(head) bool {
	return func(h head) bool {
		for _, m := range magics {
			if len(h) >= offset && bytes.HasPrefix(h[offset:], []byte(m)) {
				return true
			}
		}
		return false
	}
}

// no begins what is to be done where a kind is no recording at all. A colon and more may follow.
const no = "no recording"

// sentence says what a file of the kind is, and what to do.
func (k *kind) sentence() string {
	switch rest, not := strings.CutPrefix(k.do, no); {
	case not:
		return k.what + ", not a recording" + rest
	case k.do == "":
		return k.what + ", which is not read here"
	}
	return k.what + ": " + k.do
}

// recorded reports whether the kind is a recording or comes from one.
func (k *kind) recorded() bool { return !strings.HasPrefix(k.do, no) }

// kindOf returns the row for a file that begins so, or nil.
func kindOf(h head) *kind {
	for _, table := range [][]kind{binaries, texts} {
		for i := range table {
			if table[i].is(h) {
				return &table[i]
			}
		}
	}
	return nil
}

// Describe says what an unknown source is, in a phrase that goes after the name of the file. Known
// says of a file of a directory whether some loader reads it, and formats are the names of what
// is read.
func Describe(src *input.Source, known func(*input.Source) bool, formats string) string {
	if src.Dir != nil {
		return describeFiles(src, known, 1)
	}
	return describe(src.Head, formats)
}

func describe(h head, formats string) string {
	isWide := input.IsUTF16(h)
	h = input.PlainHead(h)
	if k := kindOf(h); k != nil {
		return k.sentence()
	}
	if text := describeJSON(h); text != "" {
		return text
	}
	if isText(h) {
		text := describeText(h)
		if isWide {
			text = "UTF-16, " + text
		}
		return text + ", not a trace in a format read here (" + formats + ")"
	}
	if len(bytes.Trim(h, "\x00")) == 0 {
		return "nothing but zeros, as is an archive (tar) of nothing"
	}
	return fmt.Sprintf("binary data that begins with % x, not a trace in a format read here (%s)",
		[]byte(h[:min(len(h), 8)]), formats)
}

// isText reports whether a file looks like text in UTF-8. The last letter of a full head may be
// cut.
func isText(h head) bool {
	for cut := 0; len(h) >= input.HeadSize-cut && cut < utf8.UTFMax-1; cut++ {
		if r, n := utf8.DecodeLastRune(h); r == utf8.RuneError && n == 1 {
			h = h[:len(h)-1]
		}
	}
	return utf8.Valid(h) && bytes.IndexFunc(h, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\x1b'
	}) < 0
}

// mostQuoted is how much of a text is quoted.
const mostQuoted = 40

func describeText(h head) string {
	text := strings.TrimSpace(string(h))
	if text == "" {
		return "nothing but blanks"
	}
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	next, _, _ := strings.Cut(rest, "\n")
	for _, separator := range []string{",", "\t", ";"} {
		if n := strings.Count(line, separator); n > 0 && n == strings.Count(next, separator) {
			return fmt.Sprintf("a table of %d columns that begin with %q", n+1, quoted(line))
		}
	}
	return fmt.Sprintf("text that begins with %q", quoted(line))
}

// quoted shortens a text at the boundary of a letter.
func quoted(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if utf8.RuneCountInString(s) <= mostQuoted {
		return s
	}
	return string([]rune(s)[:mostQuoted]) + "…"
}
