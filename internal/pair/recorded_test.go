package pair

import (
	"testing"

	"diptych/internal/trace"
)

// TestRecorded: what the tool was told for one side alone is said, and nothing where a file does
// not say what it was told.
func TestRecorded(t *testing.T) {
	const due = ", so what only one of them has can be due to that alone"
	none := []string{}
	for _, c := range []struct {
		a, b []string
		want string
	}{
		{none, none, ""},
		{[]string{"-a", "-D 3"}, []string{"-D 3", "-a"}, ""},
		{nil, []string{"-D 3"}, ""},
		{[]string{"-D 3"}, nil, ""},
		{[]string{"-D 3"}, none, "A was recorded with -D 3 and B without" + due},
		{[]string{"-a"}, []string{"-D 3", "-a"}, "B was recorded with -D 3 and A without" + due},
		{[]string{"-D 2"}, []string{"-D 3", "-N f"}, "A was recorded with -D 2 and B with -D 3, -N f" + due},
		{[]string{"1", "2", "3", "4", "5", "6", "7", "8"}, none,
			"A was recorded with 1, 2, 3 and 5 more options and B without" + due},
	} {
		p := &Pair{A: &trace.Trace{Options: c.a}, B: &trace.Trace{Options: c.b}}
		if got := p.Recorded().String(); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
	p := &Pair{A: &trace.Trace{Format: "uftrace", Options: []string{"-a"}},
		B: &trace.Trace{Format: "firefox", Options: none}}
	if p.Recorded().Differ() || (&Pair{A: p.A}).Recorded().Differ() {
		t.Error("options of two formats, or of one side, are compared")
	}
}
