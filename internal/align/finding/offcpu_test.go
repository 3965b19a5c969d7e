package finding

import (
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// switched makes a trace in which calls of schedule are time without a processor, as the recorders
// of a kernel's events state it.
func switched(t testtrace.TB, root *call) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Function(trace.Function{Name: schedule, Kind: trace.Event, Off: trace.Switched})
	return recordedAs(t, b, nil, root)
}

const schedule = "linux:schedule"

// TestOffCPUIsNoCallee holds that no finding takes a switch of the scheduler for something called:
// neither a function in which it happened for a level above it, nor the switch for the first
// difference or for a callee that is gone or has moved.
func TestOffCPUIsNoCallee(t *testing.T) {
	off := func() *call { return &call{name: schedule, self: 4000, kind: trace.Event} }
	get := func(kids ...*call) *call { return f("luaH_get", 300, kids...) }
	for name, sides := range map[string][2]*call{
		"in a callee that only B has": {
			among("main", again(12, f("luaV_execute", 1000, off()))),
			among("main", again(12, f("luaV_execute", 1000, get(off()))))},
		"one level further down": {
			among("main", again(12, f("luaV_execute", 1000, off(), get()))),
			among("main", again(12, f("luaV_execute", 1000, get(off()))))},
		"more often": {
			among("main", again(12, f("luaV_execute", 1000, get()))),
			among("main", again(12, f("luaV_execute", 1000, off(), off(), get())))},
	} {
		_, results, r := compared(t, switched(t, sides[0]), switched(t, sides[1]))
		for _, f := range r.Findings {
			state := f.Function == schedule && (f.Kind == Slower || f.Kind == Faster)
			if strings.Contains(f.Sentence(), schedule) && !state {
				t.Errorf("%s: %v: %s", name, f.Kind, f.Sentence())
			}
		}
		for s, passed := range results[0].Passed {
			if passed != nil {
				t.Errorf("%s: calls of side %d are passed through", name, s)
			}
		}
	}
}
