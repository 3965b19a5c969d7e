package testtrace

import (
	"fmt"

	"diptych/internal/trace"
)

// Script builds a trace of one thread: a root that calls functions one after the other, in ms.
func Script(t TB, steps ...any) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	th, now := b.Thread("main", -1), int64(0)
	th.Begin(0, b.Function(trace.Function{Name: "main"}))
	for i := 0; i < len(steps); i += 2 {
		ns := int64(steps[i+1].(float64) * 1e6)
		th.Complete(now, now+ns, b.Function(trace.Function{Name: steps[i].(string)}))
		now += ns
	}
	th.End(now)
	return Build(t, b)
}

// Program is a script of ten functions that take 10 to 19 ms, times the factor, and of more steps.
func Program(t TB, factor float64, more ...any) *trace.Trace {
	t.Helper()
	var steps []any
	for k := range 10 {
		steps = append(steps, fmt.Sprint("step", k), float64(10+k)*factor)
	}
	return Script(t, append(steps, more...)...)
}
