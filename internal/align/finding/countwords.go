package finding

import (
	"fmt"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// The sentences about functions that one side calls more often, or alone.

// countWords says which calls one side makes more often.
func (s *study) countWords(f *Finding, t [2]*total) string {
	a, b := t[pair.A].calls, t[pair.B].calls
	head := ""
	switch f.Kind {
	case Missing:
		return fmt.Sprintf("%s is missing in B: %s%s%s%s", f.Function, s.numberWords(f, a),
			after(", ", s.timeWords(f, t)), s.calledBy(f), s.tailWords(f, t))
	case New:
		return fmt.Sprintf("%s is new in B: %s%s%s%s", f.Function, s.numberWords(f, b),
			after(", ", s.timeWords(f, t)), s.calledBy(f), s.tailWords(f, t))
	case Moved:
		was, is := Lengths([2]int64{t[pair.A].inAll, t[pair.B].inAll}, s.unit)
		return fmt.Sprintf("%s now runs in %s instead of %d: %s, %s → %s including callees%s",
			f.Function, plural(int64(t[pair.B].threads), "thread"), t[pair.A].threads, callsWords(t),
			was, is, Labelled(f.Certainty))
	case Repeat:
		head = fmt.Sprintf("%s runs %s instead of %d", f.Function, plural(b, "time"), a)
		if min(a, b) > 1 {
			head += " in the same loops"
		}
	default:
		head = fmt.Sprintf("%s is called %s instead of %d", f.Function, plural(b, "time"), a)
	}
	if s.isSampled(f.ID) {
		head = fmt.Sprintf("%s is sampled in %s instead of %d", f.Function, plural(b, "call"), a)
	}
	return head + s.fromWords(f) + after(": ", s.timeWords(f, t)) + s.tailWords(f, t)
}

// isSampled reports whether calls of a function were inferred from samples, as in an execution
// trace of Go, which has a stack where an event happens: then nobody knows how many calls there
// were. The longest call on each side is looked at.
func (s *study) isSampled(id uint32) bool {
	for sd, t := range s.totals {
		if f := &t.functions[id]; f.calls > 0 {
			th := s.p.Trace(pair.Side(sd)).Threads[f.at.Thread]
			if th.Flagged() && th.Flags(int(f.at.Call))&trace.Sampled != 0 {
				return true
			}
		}
	}
	return false
}

// numberWords says how many calls the only side has that calls a function.
func (s *study) numberWords(f *Finding, n int64) string {
	if s.isSampled(f.ID) {
		return "sampled in " + plural(n, "call")
	}
	return plural(n, "call")
}

// after returns words after a separator, or nothing if there are none.
func after(separator, words string) string {
	if words == "" {
		return ""
	}
	return separator + words
}

// timeWords says how much time the change of a count makes, "" if it makes none.
func (s *study) timeWords(f *Finding, t [2]*total) string {
	if f.DeltaNs == 0 {
		return ""
	}
	switch _, ns := change(t); f.scope {
	case ofPart:
		return fmt.Sprintf("about %s of %s including callees", s.signed(f.DeltaNs), s.signed(ns))
	case ofSelf:
		return s.signed(f.DeltaNs) + " of self time"
	}
	return s.signed(f.DeltaNs) + " including callees"
}

// fromWords says who makes most of these calls, and how many: "main: 3 → 293".
func (s *study) fromWords(f *Finding) string {
	if f.Caller == "" {
		return ""
	}
	t := s.both(f.named, f.ID)
	if t[pair.A].calls == f.Calls[pair.A] && t[pair.B].calls == f.Calls[pair.B] {
		return " by " + f.Caller
	}
	return fmt.Sprintf(", by %s %d → %d%s", f.Caller, t[pair.A].calls, t[pair.B].calls, f.instead)
}

// calledBy says who calls a function that only one side has.
func (s *study) calledBy(f *Finding) string {
	if f.Caller == "" {
		return ""
	}
	t := s.both(f.named, f.ID)
	if n := t[pair.A].calls + t[pair.B].calls; n < f.Calls[pair.A]+f.Calls[pair.B] {
		return fmt.Sprintf(", %d of them by %s", n, f.Caller)
	}
	return ", called by " + f.Caller
}

// tailWords ends the sentence about a count.
func (s *study) tailWords(f *Finding, t [2]*total) string {
	text := ""
	if sd := toInt(f.DeltaNs > 0); f.scope != ofSelf && f.gone(t) {
		text = fmt.Sprintf("; one of %s takes %s",
			[2]string{"those that B lacks", "those that A lacks"}[sd], s.length(t[sd].longest))
	}
	switch {
	case f.Waiting && moreAsync(t):
		text += ", most of it in asynchronous spans"
	case f.Waiting:
		text += ", most of it waiting; the cause lies with what they wait for"
	}
	return text + Labelled(f.Certainty)
}

// gone reports whether one call that the other side has not the like of makes most of a change.
func (f *Finding) gone(t [2]*total) bool {
	ns := int64(f.oneCall(f.DeltaNs, t))
	return f.Calls[0] > 0 && f.Calls[1] > 0 && 2*magnitude(ns) > magnitude(f.DeltaNs)
}
