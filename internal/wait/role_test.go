package wait

import (
	"testing"

	"diptych/internal/trace"
)

// TestRole takes the role that is stated, and the title where there is none.
func TestRole(t *testing.T) {
	for want, th := range map[string]*trace.Thread{
		"worker":    {ID: "1", Name: "worker 12", Role: "worker"},
		"thread 12": {ID: "1", Name: "12"},
	} {
		if got := Role(th); got != want {
			t.Errorf("%q is %q, want %q", th.Name, got, want)
		}
	}
}
