package finding

import (
	"strings"
	"testing"

	"diptych/internal/trace"
)

// TestSwappedInEachCall has two threads of one name hold a lock for longer: which of them is paired
// with which is left to the schedule, in which order they call what is not. It is, where one call
// disagrees, or where there are few.
func TestSwappedInEachCall(t *testing.T) {
	get := func(locked bool) *call {
		lock, sum := &call{name: "lock", self: 20, wait: true}, f("sum", 500, f("add", 60))
		if locked {
			return f("get", 10, f("hash", 30), lock, f("copy", 40), sum, f("unlock", 20))
		}
		return f("get", 10, f("hash", 30), sum, lock, f("copy", 40), f("unlock", 20))
	}
	record := func(n int, locked, first bool) *trace.Trace {
		var roots []*call
		for range 2 {
			all := []*call{get(first)}
			for range n - 1 {
				all = append(all, get(locked))
			}
			roots = append(roots, among("client", all))
		}
		return recorded(t, nil, roots...)
	}
	for name, c := range map[string]struct {
		a, b  *trace.Trace
		level Certainty
	}{
		"each":          {record(30, false, false), record(30, true, true), Certain},
		"one disagrees": {record(30, false, false), record(30, true, false), Chance},
		"few":           {record(3, false, false), record(3, true, true), Chance},
	} {
		_, _, r := compared(t, c.a, c.b)
		got := only(t, r, Moved)
		says := got.Sentence() == "sum is called after lock instead of before it, in each of the 60 calls of get that make both."
		if c.level == Certain && got.Slight {
			t.Errorf("%s is slight", got.Sentence())
		}
		if got.Function != "sum" || got.Certainty != c.level || c.level == Certain && !says {
			t.Errorf("%s: found %v, %s", name, got.Certainty, got.Sentence())
		}
	}
}

// TestAnExchangeIsToldOnce holds that two functions that have changed places in each call of their
// caller are told once, however little time they take, also where pairs of calls show both of them
// to have moved.
func TestAnExchangeIsToldOnce(t *testing.T) {
	load, check := f("load", 300, f("read", 40)), f("check", 300, f("sum", 40))
	record := func(swapped bool) *trace.Trace {
		var roots []*call
		for w := range 2 {
			all := []*call{f("warm", 1_000_000)}
			for k := range 20 {
				l, c := *load, *check
				if k%2 == w { // which of them is the longer one
					l.self = 500
				} else {
					c.self = 500
				}
				step := f("step", 20, &l, &c)
				if swapped {
					step = f("step", 20, &c, &l)
				}
				all = append(all, step)
			}
			roots = append(roots, among("worker", all))
		}
		return recorded(t, nil, roots...)
	}
	_, _, r := compared(t, record(false), record(true))
	got := only(t, r, Moved)
	if want := ", in each of the 40 calls of step that make both."; !strings.HasSuffix(got.Sentence(), want) {
		t.Errorf("%s, want %s", got.Sentence(), want)
	}
}
