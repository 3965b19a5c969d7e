package testtrace

import (
	"fmt"
	"os"
	"strings"

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

// WriteScript writes such a trace to a file in the Trace Event Format, for tests that open files.
// Times are rounded down to µs.
func WriteScript(t TB, path string, steps ...any) {
	t.Helper()
	var b strings.Builder
	now := 0
	for i := 0; i < len(steps); i += 2 {
		us := int(steps[i+1].(float64) * 1e3)
		fmt.Fprintf(&b, `{"ph":"X","pid":1,"tid":1,"name":%q,"ts":%d,"dur":%d},`, steps[i], now, us)
		now += us
	}
	text := fmt.Sprintf(`[%s{"ph":"X","pid":1,"tid":1,"name":"main","ts":0,"dur":%d}]`, b.String(), now)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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
