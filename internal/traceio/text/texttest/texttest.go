// Package texttest gives tests traces that they write down as text. Only tests import it; it knows
// nothing of what is done with a trace.
package texttest

import (
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/text"
)

// Parse reads a trace in its text form. The line that heads it may be left out.
func Parse(t testing.TB, lines string) *trace.Trace {
	t.Helper()
	if !strings.HasPrefix(lines, "trace ") {
		lines = "trace test\n" + lines
	}
	tr, err := text.Parse("test", strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Hang is a program that hangs: threads a and b each wait for the mutex that the other holds, n and
// m, and thread c waits for the semaphore s, which nobody posts.
const Hang = `
thread a
  0+1 mutex_lock wait=m
  5+20 mutex_lock wait=n flags=unclosed
thread b
  0+1 mutex_lock wait=n
  6+19 mutex_lock wait=m flags=unclosed
thread c
  0+25 main flags=unclosed
    7+18 sem_wait wait=s flags=unclosed
`
