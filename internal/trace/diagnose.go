package trace

import (
	"math"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code names a way in which input violated the model.
type Code string

// The first of these are repaired by rule, whatever the format.
const (
	// A call would partly overlap another on its thread: it goes to the first further lane of the
	// thread on which it nests. No time is changed.
	OverlapLane Code = "overlap-lane"
	// An end without a begin that it can close: it is left out.
	UnmatchedEnd Code = "unmatched-end"
	// A begin without an end: the call ends with its caller, or at the thread's last time.
	UnmatchedBegin Code = "unmatched-begin"
	// An end before the start: the call gets no length.
	NegativeDuration Code = "negative-duration"
	// Events out of order: they are sorted by (start, −end, input order).
	Reordered Code = "reordered"
	// A broken record, or a number that is not finite or too large: the record is left out.
	BadRecord Code = "bad-record"
	// The file was cut off: all before the cut is kept.
	Truncated Code = "truncated"

	BadChecksum   Code = "bad-checksum"   // a compressed file is not what was written
	UnboundFlow   Code = "unbound-flow"   // a flow with no call at one of its ends
	LostRecords   Code = "lost-records"   // the tracer itself says that it lost some
	NotUTF8       Code = "not-utf8"       // a text with bytes that are no UTF-8: see Escape
	ClockJump     Code = "clock-jump"     // a time far from those around it
	ClockSkew     Code = "clock-skew"     // an effect that is recorded before its cause
	UnknownClock  Code = "unknown-clock"  // a time on a clock that is not related to the trace's
	NoRecords     Code = "no-records"     // a thread that the recording only names
	NotRead       Code = "not-read"       // a record of a kind that is not a part of the model
	SplitCost     Code = "split-cost"     // a cost that several callers share, split by estimate
	MergedCalls   Code = "merged-calls"   // calls that are shown as one, for there are too many
	NoThread      Code = "no-thread"      // a call of which no record tells the thread
	NoSymbol      Code = "no-symbol"      // a frame of code that the recording has no symbol for
	Beside        Code = "beside"         // another file of the archive that was opened
	MissingParent Code = "missing-parent" // a span whose parent is not in the file
	BeyondParent  Code = "beyond-parent"  // a span that its parent does not enclose
	ClockSteps    Code = "clock-steps"    // a span that a coarse clock put beyond its parent
	RepeatedSpan  Code = "repeated-span"  // a span with the id of another
	OtherRequests Code = "other-requests" // distributed traces beside the one that is shown
)

// Diagnostic counts one kind of violation and keeps the first example of it, one line of text. A
// count stays at the greatest number there is.
type Diagnostic struct {
	Code    Code
	Count   uint64
	Example string
}

// diagnostics collects them by code.
type diagnostics map[Code]*diagnosis

// diagnosis is a diagnostic before the trace is complete.
type diagnosis struct {
	code    Code
	count   uint64
	example Example
}

func (d diagnostics) count(c Code, n uint64, example func() Example) {
	if n == 0 {
		return
	}
	e := d[c]
	if e == nil {
		e = &diagnosis{code: c, example: example()}
		d[c] = e
	}
	e.count += min(n, math.MaxUint64-e.count)
}

// add adds those of o, of which d keeps no example where it has one.
func (d diagnostics) add(o diagnostics) {
	for c, e := range o {
		d.count(c, e.count, func() Example { return e.example })
	}
}

// list writes them, with the time of the trace's first event and the unit of its times.
func (d diagnostics) list(first int64, unit Unit) []Diagnostic {
	out := make([]Diagnostic, 0, len(d))
	for _, e := range d {
		out = append(out, Diagnostic{e.code, e.count, oneLine(e.example.write(first, unit))})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Code < out[j].Code })
	return out
}

// oneLine keeps the names of an input, which may hold anything, from breaking a line.
func oneLine(s string) string {
	if !utf8.ValidString(s) {
		s = Escape(s)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
