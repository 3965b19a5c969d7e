// Package text is the readable form of a trace, for tests, goldens and diffs: one call
// a line, indented by stack level. What Write writes, Parse reads back into an equal trace. It
// knows the trace model and no other format.
//
// A file is UTF-8 lines; blank ones and those that begin with # are skipped. The grammar, with
// […] optional, {…} repeated and times in ns since the trace's first event:
//
//	trace FORMAT [tool=WORD] [unit=WORD] [origin=INT] [duration=INT] [profile] [symbols]
//	process ID [name=WORD] [sort=INT] [parent=ID] [host=WORD]
//	object NAME
//	func NAME [package=WORD] [file=WORD] [line=INT] [kind=region|state|event] [off=switched|ready]
//	       [partial]
//	thread ID [name=WORD] [process=ID] [sort=INT] [lane=INT] [role=WORD [numbered]]
//	       [async|sums|runtime|sampleType] [sampled]
//	  START+DURATION FUNC [depth=INT] [args=WORD] [flags=FLAG{,FLAG}]
//	      {wait|release|io[=OBJECT{,OBJECT}]}
//	  ! TIME FUNC
//	correspond THREAD:CALL THREAD:CALL at=TIME [idle=INT] [object=NAME]
//	link THREAD:CALL THREAD:CALL at=TIME until=TIME [part]
//	counter NAME [process=ID]
//	  TIME VALUE
//	diagnostic CODE COUNT [EXAMPLE]
//
// The trace line comes first. Objects and functions may be declared, in the order of their ids; a
// use declares those that were not. Where functions share a name, a use says which: NAME#2 is the
// trace's third function. Calls are in pre-order, two blanks deeper than their caller, roots at two
// blanks; beyond level 32 the indentation stays and depth says the level. A line with ! is an
// instant. In a correspondence the first call waits (or, with idle, the time before it was a wait)
// and the second releases; a link goes from the first call to the second, which may be a part of
// it; a call is its pre-order index. An object written ? is unknown. A WORD (and every name, id and
// example) that is empty or ? or holds a blank, a control character or one of " , : = # + ! is
// quoted as in Go. FLAG is sampled or unclosed; the calls of a sampled thread need no flag. A
// thread without a role has the one that trace.DeriveRole gives it; profile, symbols and numbered
// are the fields of those names of Trace and Thread.
package text

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"diptych/internal/trace"
)

// maxIndent is the deepest stack level that indentation alone shows.
const maxIndent = 32

var kindNames = []string{trace.Routine: "", trace.Region: "region", trace.State: "state",
	trace.Event: "event"}

var flagNames = []struct {
	flag trace.Flags
	name string
}{{trace.Sampled, "sampled"}, {trace.Unclosed, "unclosed"}}

// unknown stands for an object that is not known.
const unknown = "?"

// word writes s bare if it can be read back so, else quoted.
func word(s string) string {
	special := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("\",:=#+!\\\ufffd", r)
	}
	if s == "" || s == unknown || strings.ContainsFunc(s, special) {
		return strconv.Quote(s)
	}
	return s
}

var errQuote = errors.New("quoted word does not end")

// split cuts s at each sep that is not within quotes; cutting at blanks leaves out empty parts.
func split(s string, sep byte) ([]string, error) {
	var parts []string
	from, quoted := 0, false
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == sep && !quoted:
			if sep != ' ' || i > from {
				parts = append(parts, s[from:i])
			}
			from = i + 1
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++
		}
	}
	if quoted {
		return nil, errQuote
	}
	return parts, nil
}

// plain returns what a word stands for.
func plain(w string) (string, error) {
	if !strings.HasPrefix(w, `"`) {
		return w, nil
	}
	s, err := strconv.Unquote(w)
	if err != nil {
		return "", errors.New("bad quoted word " + w)
	}
	return s, nil
}

// attr is one key=value of a line; the value is still as written.
type attr struct{ key, value string }

func attrs(words []string) []attr {
	out := make([]attr, len(words))
	for i, w := range words {
		out[i].key, out[i].value, _ = strings.Cut(w, "=")
	}
	return out
}
