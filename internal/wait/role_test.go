package wait

import (
	"testing"

	"diptych/internal/trace"
)

// TestRole takes away the numbers that tell threads of one role apart, and no others.
func TestRole(t *testing.T) {
	for name, want := range map[string]string{
		"worker 12": "worker", "worker-3": "worker", "Compositor/1": "Compositor", "pool#7": "pool",
		"consumer": "consumer", "lua-5.4.7": "lua-5.4.7", "12": "thread 12", "x86_64": "x86_64",
		"main.main · 1": "main.main", "Größe 2": "Größe",
		"main.run.func1 · 1": "main.run.func1",
	} {
		th := &trace.Thread{ID: "1", Name: name}
		if got := Role(th); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
