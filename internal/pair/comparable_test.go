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

// TestRequestsMeet holds that both sides show a request for the same thing, if both have one.
func TestRequestsMeet(t *testing.T) {
	file := func(shown int, list ...trace.Request) *trace.Trace {
		for k := range list {
			list[k].Shown = k == shown
		}
		return &trace.Trace{Requests: list}
	}
	get := func(id, operation string, ns int64) trace.Request {
		return trace.Request{ID: id, Service: "web", Operation: operation, Duration: ns}
	}
	a := file(0, get("p1", "product", 9), get("p2", "product", 8), get("s1", "search", 7), get("h1", "health", 1))
	for name, c := range map[string]struct {
		b      *trace.Trace
		chosen [2]bool
		want   [2]string
	}{
		"the same":          {file(0, get("p", "product", 30), get("h", "health", 2)), [2]bool{}, [2]string{}},
		"what took longest": {file(0, get("h", "health", 30), get("p", "product", 8)), [2]bool{}, [2]string{"h1", ""}},
		"no longer first":   {file(0, get("x", "other", 30), get("p", "product", 8)), [2]bool{}, [2]string{"", "p"}},
		"one has no other":  {file(0, get("s", "search", 3)), [2]bool{}, [2]string{"s1", ""}},
		"nothing in common": {file(0, get("x", "other", 30)), [2]bool{}, [2]string{}},
		"A was chosen":      {file(0, get("h", "health", 30), get("p", "product", 8)), [2]bool{true, false}, [2]string{"", "p"}},
		"both were chosen":  {file(0, get("h", "health", 30), get("p", "product", 8)), [2]bool{true, true}, [2]string{}},
		"no requests":       {&trace.Trace{}, [2]bool{}, [2]string{}},
		"not loaded":        {nil, [2]bool{}, [2]string{}},
	} {
		if got := Requests(a, c.b, c.chosen); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := Requests(c.b, a, [2]bool{c.chosen[1], c.chosen[0]}); got != [2]string{c.want[1], c.want[0]} {
			t.Errorf("%s, swapped: %q", name, got)
		}
	}
}
