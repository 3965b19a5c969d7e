package pair

import (
	"testing"

	"diptych/internal/trace"
)

func TestComparable(t *testing.T) {
	time, bytes := &trace.Trace{Unit: trace.Nanoseconds}, &trace.Trace{Unit: "bytes"}
	for _, c := range []struct {
		a, b *trace.Trace
		want string
	}{
		{time, time, ""}, {bytes, bytes, ""}, {nil, bytes, ""}, {time, nil, ""},
		{time, bytes, "trace A is measured in ns and trace B in bytes, so they cannot be compared"},
		{bytes, time, "trace A is measured in bytes and trace B in ns, so they cannot be compared"},
	} {
		got := ""
		if err := Comparable(c.a, c.b); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
