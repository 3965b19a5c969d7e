package loadtest

import (
	"errors"
	"fmt"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// TB is what Sound needs of a test: rapid's have it, too.
type TB interface {
	Helper()
	Fatal(...any)
}

// Sound holds what must be true of whatever a loader was given: it has failed with a typed error of
// one line, or made a trace that can be kept and looked at, whose calls lie within it and within
// their callers.
func Sound(t TB, tr *trace.Trace, err error) {
	t.Helper()
	if err != nil {
		var e *input.FormatError
		typed := errors.As(err, &e) || errors.Is(err, input.ErrLimit)
		if !typed || tr != nil || strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatal(fmt.Sprintf("%T %q, a trace: %v", err, err, tr != nil))
		}
		return
	}
	if bad := misplaced(tr); bad != "" {
		t.Fatal(bad)
	}
	for _, d := range tr.Diagnostics {
		if d.Count == 0 || strings.ContainsAny(d.Example, "\n\r") {
			t.Fatal(fmt.Sprintf("diagnostic %+v", d))
		}
	}
	if _, err := tr.Form().Build(inOrder); err != nil {
		t.Fatal(err)
	}
}

func inOrder(n int, check func(k int) error) error {
	for k := range n {
		if err := check(k); err != nil {
			return err
		}
	}
	return nil
}

// misplaced returns which call of a trace lies outside the trace or its caller, "" if none does.
func misplaced(tr *trace.Trace) string {
	for _, th := range tr.Threads {
		for i := range th.Len() {
			up := int(th.Parent(i))
			if th.Start(i) < 0 || th.End(i) < th.Start(i) || th.End(i) > tr.Duration ||
				up >= 0 && (th.Start(i) < th.Start(up) || th.End(i) > th.End(up)) {
				return fmt.Sprintf("call %d of %s, %d to %d of %d", i, th.ID, th.Start(i), th.End(i), tr.Duration)
			}
		}
	}
	return ""
}
