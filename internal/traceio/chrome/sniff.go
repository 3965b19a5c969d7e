package chrome

import (
	"bytes"

	"diptych/internal/traceio/input"
)

// ownMembers are members of the outermost object that no other format has. They decide when
// traceEvents itself lies beyond the head, behind pages of metadata.
var ownMembers = map[string]bool{
	"traceEvents": true, "displayTimeUnit": true, "otherData": true, "schemaVersion": true,
	"deviceProperties": true, "distributedInfo": true, "beginningOfTime": true, "stackFrames": true,
	"systemTraceEvents": true, "controllerTraceDataKey": true, "powerTraceAsString": true,
	"viztracer_metadata": true,
}

// Sniff reports whether the source looks like Chrome trace events: a list of objects with a phase,
// or an object with members that are the format's own.
func Sniff(src *input.Source) bool {
	b := bytes.TrimPrefix(src.Head, []byte("\xef\xbb\xbf"))
	i := skipSpace(b, 0)
	if i >= len(b) {
		return false
	}
	var s scanner
	switch b[i] {
	case '[':
		if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
			return skipSpace(b, i+1) == len(b) // a trace of nothing
		}
		return s.listsEvents(b, i)
	case '{':
		return s.hasOwnMember(b, i)
	}
	return false
}

// listsEvents reports whether one of the first objects of a list is an event. The first ones may be
// damaged, or one may reach beyond the head.
func (s *scanner) listsEvents(b []byte, i int) bool {
	if i = skipSpace(b, i); i >= len(b) || b[i] != '{' {
		return false
	}
	const tries = 8
	for range tries {
		var e event
		_, st := s.event(b, i, &e)
		if st != broken && phases[e.phase(b)] != unknownPhase {
			return true
		}
		k := bytes.IndexByte(b[i+1:], '{')
		if k < 0 {
			return false
		}
		i += 1 + k
	}
	return false
}

// hasOwnMember reports whether the object at i has a member that is ours, as far as the head shows
// it, or, where the object is damaged, whether events follow.
func (s *scanner) hasOwnMember(b []byte, i int) bool {
	for i = skipSpace(b, i+1); ; i = skipSpace(b, i+1) {
		from := min(i+1, len(b))
		to, next, st := s.key(b, i)
		if st != whole {
			break
		}
		if ownMembers[string(b[from:to])] {
			return true
		}
		if next = skipSpace(b, next); next >= len(b) {
			return false
		}
		if b[next] == '[' && s.listsEvents(b, next+1) {
			return true
		}
		if i, st = s.value(b, next); st != whole {
			break
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ',' {
			break
		}
	}
	_, rest, found := bytes.Cut(b, []byte(`"traceEvents"`))
	k := bytes.IndexByte(rest, '{')
	return found && k >= 0 && s.listsEvents(rest, k)
}
