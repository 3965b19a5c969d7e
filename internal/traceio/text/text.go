// Package text is the human-readable form of a trace, for tests, goldens and diffs: compact, one
// call a line, indented by stack level. What Write writes, Parse reads back into an equal trace.
// It knows the trace model and no other format.
//
// A file is UTF-8 lines; blank ones and those whose first mark is # are skipped. The grammar, with
// […] optional, {…} repeated and times in ns since the trace's first event:
//
//	trace FORMAT [tool=WORD] [unit=WORD] [origin=INT] [duration=INT] [profile] [symbols]
//	process ID [name=WORD] [sort=INT]
//	object NAME
//	func NAME [package=WORD] [file=WORD] [line=INT] [kind=region|state|event]
//	thread ID [name=WORD] [process=ID] [sort=INT] [lane=INT] [role=WORD [numbered]]
//	       [async|sums|runtime]
//	  START+DURATION FUNC [depth=INT] [args=WORD] [flags=FLAG{,FLAG}] {wait|release|io[=OBJECT{,OBJECT}]}
//	  ! TIME FUNC
//	correspond THREAD:CALL THREAD:CALL at=TIME [object=NAME]
//	counter NAME [process=ID]
//	  TIME VALUE
//	diagnostic CODE COUNT [EXAMPLE]
//
// The trace line comes first. Objects and functions may be declared, in the order of their ids; a
// use declares those that were not. Where functions share a name, a use says which: NAME#2 is the
// trace's third function. Calls are in pre-order, two blanks deeper than their caller, roots at
// two blanks; beyond level 32 the indentation stays and depth says the level. A line with ! is an
// instant. In a correspondence the first call waits and the second releases; a call is its
// pre-order index. An object written ? is unknown. A WORD (and every name, id and example) that is
// empty or ? or holds a blank, a control character or one of " , : = # + ! is quoted as in Go.
// FLAG is sampled or unclosed. A thread without a role has the one that trace.DeriveRole gives it;
// profile, symbols and numbered are the fields of those names of Trace and Thread.
package text

import "diptych/internal/trace"

// maxIndent is the deepest stack level that indentation alone shows.
const maxIndent = 32

var kindNames = []string{trace.Routine: "", trace.Region: "region", trace.State: "state",
	trace.Event: "event"}

var flagNames = []struct {
	flag trace.Flags
	name string
}{{trace.Sampled, "sampled"}, {trace.Unclosed, "unclosed"}}
