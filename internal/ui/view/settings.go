package view

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
)

// Choices are the values that a setting may have, with what they do.
type Choices map[string]func(*session.Session)

// Apply carries out a value.
func (c Choices) Apply(s *session.Session, v string) error {
	f, ok := c[v]
	if !ok {
		return fmt.Errorf("want %s", strings.Join(slices.Sorted(maps.Keys(c)), " or "))
	}
	f(s)
	return nil
}

// Number makes a setting of a positive number.
func Number(set func(*session.Session, float64)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n > 0) {
			return fmt.Errorf("want a number above 0")
		}
		set(s, n)
		return nil
	}
}

// Share makes a setting of a number from 0 to 1, which may be given in percent.
func Share(set func(*session.Session, float64)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		n, err := ParseShare(v)
		if err == nil {
			set(s, n)
		}
		return err
	}
}

// ParseShare reads a number from 0 to 1, or the same in percent.
func ParseShare(v string) (float64, error) {
	text, percent := strings.CutSuffix(v, "%")
	n, err := strconv.ParseFloat(text, 64)
	if percent {
		n /= 100
	}
	if err != nil || !(n >= 0 && n <= 1) {
		return 0, fmt.Errorf("want a number from 0 to 1, or a share such as 40%%")
	}
	return n, nil
}

// units of time on the command line; a bare number is ns.
var timeUnits = []struct {
	suffix string
	ns     float64
}{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// ParseTime reads a time with its unit, such as 1.2s, and returns it in ns.
func ParseTime(s string) (float64, error) {
	scale := 1.0
	for _, u := range timeUnits {
		if strings.HasSuffix(s, u.suffix) {
			s, scale = strings.TrimSuffix(s, u.suffix), u.ns
			break
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no time", s)
	}
	return v * scale, nil
}

// SideNamed returns the side that a letter names.
func SideNamed(name string) (side pair.Side, ok bool) {
	switch name {
	case "A":
		return pair.A, true
	case "B":
		return pair.B, true
	}
	return 0, false
}

// CallNamed returns the call that A:TID:INDEX names: a side, a thread's id, and a pre-order index.
func CallNamed(st *session.State, v string) (session.Target, error) {
	parts := strings.Split(v, ":")
	side, ok := SideNamed(parts[0])
	if !ok || len(parts) != 3 {
		return session.Target{}, fmt.Errorf("want A:TID:INDEX")
	}
	if !st.Loaded(side) {
		return session.Target{}, fmt.Errorf("%s is not open", side)
	}
	tr := st.Sides[side].Trace
	th := tr.ThreadByID(parts[1])
	call, err := strconv.Atoi(parts[2])
	if th < 0 || err != nil || call < 0 || call >= tr.Threads[th].Len() {
		return session.Target{}, fmt.Errorf("there is no such call")
	}
	ref := trace.CallRef{Thread: int32(th), Call: int32(call)}
	return session.Target{Side: side, Ref: ref, OK: true}, nil
}
