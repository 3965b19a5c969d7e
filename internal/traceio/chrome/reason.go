package chrome

import (
	"errors"
	"fmt"
	"strconv"
)

// mostPhase is how much is quoted of a phase that is not known.
const mostPhase = 16

// reason says why the element of the list at i, a bad record, is no trace event. It is asked of the
// first one of a batch: it scans the element again, with nothing that makes reading fast.
func (t *batch) reason(i int) string {
	b := t.block
	if b[i] != '{' {
		return "no object where a trace event belongs"
	}
	var s scanner
	var e event
	end, st := s.event(b, i, &e)
	switch {
	case st == cut:
		return "a trace event that ends too early"
	case st == broken && len(s.open) == maxNesting:
		return fmt.Sprintf("a trace event with values nested more than %d deep", maxNesting)
	case st == broken:
		return fmt.Sprintf("a trace event that is no JSON after %d bytes", end-i)
	case e.ph.empty():
		return "a trace event without a phase"
	case phases[e.phase(b)] == unknownPhase:
		return fmt.Sprintf("a trace event of an unknown phase, %q", b[e.ph.from:min(e.ph.to, e.ph.from+mostPhase)])
	case e.ts.empty():
		return "a trace event without a time"
	}
	if !isNumber(t.text(e.ts)) {
		return "a trace event whose time is no number"
	}
	if e.dur != (span{}) && !isNumber(t.text(e.dur)) {
		return "a trace event whose duration is no number"
	}
	return "a trace event more than 73 years from time 0" // trace.Limit
}

// isNumber reports whether a text is a number, however large.
func isNumber(text []byte) bool {
	if _, ok := micros(text); ok {
		return true
	}
	v, err := strconv.ParseFloat(string(text), 64)
	return err == nil && v == v && v-v == 0 || errors.Is(err, strconv.ErrRange)
}
