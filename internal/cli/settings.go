package cli

import (
	"fmt"
	"image"
	"maps"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
)

// setting is one key of --set.
type setting struct {
	help  string
	apply func(s *session.Session, value string) error
	early bool // makes sense before a trace is loaded
}

var settingsTable = allSettings()

func allSettings() map[string]setting {
	all := maps.Clone(viewSettings)
	maps.Copy(all, matchSettings)
	maps.Copy(all, waitSettings)
	return all
}

// viewSettings are the keys that say what is shown, and where.
var viewSettings = map[string]setting{
	"theme": {"light or dark", choices{
		"light": func(s *session.Session) { s.SetDark(false) },
		"dark":  func(s *session.Session) { s.SetDark(true) },
	}.apply, true},
	"narrow": {"boxes or levels: how calls too narrow to draw look", choices{
		"boxes":  func(s *session.Session) { s.SetLighter(false) },
		"levels": func(s *session.Session) { s.SetLighter(true) },
	}.apply, true},
	"scope": {"thread or process: one pair of threads or all of them", choices{
		"thread":  func(s *session.Session) { s.ShowProcess(false) },
		"process": func(s *session.Session) { s.ShowProcess(true) },
	}.apply, false},
	"view": {"matches, alignment or threads: what the main pane of the window shows", choices{
		"matches":   func(s *session.Session) { s.SetView(session.Matches) },
		"alignment": func(s *session.Session) { s.SetView(session.Alignment) },
		"threads":   func(s *session.Session) { s.SetView(session.Threads) },
	}.apply, true},
	"lock": {"free, absolute, from-start, proportional or by-alignment", choices{
		"free":         func(s *session.Session) { s.SetLock(session.Free, pair.A) },
		"absolute":     func(s *session.Session) { s.SetLock(session.Absolute, pair.A) },
		"from-start":   func(s *session.Session) { s.SetLock(session.FromStart, pair.A) },
		"proportional": func(s *session.Session) { s.SetLock(session.Proportional, pair.A) },
		"by-alignment": func(s *session.Session) { s.SetLock(session.ByAlignment, pair.A) },
	}.apply, false},
	"rows": {"vertical scale of the stack levels, such as 0.5",
		number(func(s *session.Session, v float64) { s.ScaleRows(float32(v)) }), true},
	"levels": {"stack levels shown of each thread with scope=process",
		number(func(s *session.Session, v float64) { s.SetLevels(int(v)) }), true},
	"threads": {"TID:TID, the threads of A and B to show, by the ids that info prints",
		setThreads, false},
	"focus-a": {"START:END, the time to show of A, such as 1.2s:1500ms", focusOn(pair.A), false},
	"focus-b": {"the same of B", focusOn(pair.B), false},
	"select":  {"A:TID:INDEX, the call to select, by pre-order index", setSelection, false},
	"anchor": {"A:TID:INDEX=B:TID:INDEX, two calls to align by hand; more after commas",
		setAnchors, false},
	"search": {"text to search functions for", setSearch, false},
}

// order in which settings apply: what is shown before where, and where before what is selected.
var settingsOrder = []string{"theme", "scheme", "motion", "narrow", "rows", "levels", "view", "scope",
	"threads", "anchor", "lock", "focus-a", "focus-b", "tau", "matches", "frames", "shape", "layout",
	"lambda", "band", "bundling", "colour", "similarity", "relative", "wait-colour", "releases", "idle",
	"roles", "changed", "radius", "split", "focus-thread", "hidden", "wide", "order", "search", "select",
	"hover"}

// settings are parsed --set flags.
type settings map[string]string

func parseSettings(sets []string) (settings, error) {
	out := settings{}
	for _, kv := range sets {
		k, v, ok := strings.Cut(kv, "=")
		if _, known := settingsTable[k]; !ok || !known {
			return nil, fmt.Errorf("--set %s: want key=value with a key of %s", kv,
				strings.Join(settingsOrder, ", "))
		}
		out[k] = v
	}
	return out, nil
}

// apply carries out all settings.
func (set settings) apply(s *session.Session) error {
	for _, k := range settingsOrder {
		if v, ok := set[k]; ok {
			if err := settingsTable[k].apply(s, v); err != nil {
				return fmt.Errorf("--set %s=%s: %w", k, v, err)
			}
		}
	}
	return nil
}

// early carries out those that make sense before anything is loaded.
func (set settings) early(s *session.Session) error {
	for k, v := range set {
		if !settingsTable[k].early {
			return fmt.Errorf("--set %s: not for a window", k)
		}
		if err := settingsTable[k].apply(s, v); err != nil {
			return fmt.Errorf("--set %s=%s: %w", k, v, err)
		}
	}
	return nil
}

// earlyKeys lists the keys of the settings that early takes.
func earlyKeys() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(settingsOrder), func(k string) bool {
		return !settingsTable[k].early
	}), ", ")
}

func settingsHelp() string {
	var b strings.Builder
	for _, k := range settingsOrder {
		fmt.Fprintf(&b, "  %-12s %s\n", k, settingsTable[k].help)
	}
	return strings.TrimRight(b.String(), "\n")
}

// choices are the values that a setting may have, and what each does.
type choices map[string]func(*session.Session)

func (c choices) apply(s *session.Session, v string) error {
	f, ok := c[v]
	if !ok {
		return fmt.Errorf("want %s", strings.Join(slices.Sorted(maps.Keys(c)), " or "))
	}
	f(s)
	return nil
}

// number makes a setting of a positive number.
func number(set func(*session.Session, float64)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n > 0) {
			return fmt.Errorf("want a number above 0")
		}
		set(s, n)
		return nil
	}
}

func setThreads(s *session.Session, v string) error {
	st := s.State()
	a, b, ok := strings.Cut(v, ":")
	if !ok {
		return fmt.Errorf("want TID:TID")
	}
	find := func(side pair.Side, id string) (int, error) {
		if !st.Loaded(side) {
			return -1, nil
		}
		if i := st.Sides[side].Trace.ThreadByID(id); i >= 0 {
			return i, nil
		}
		return -1, fmt.Errorf("%s has no thread %q", side, id)
	}
	ta, err := find(pair.A, a)
	if err != nil {
		return err
	}
	tb, err := find(pair.B, b)
	if err != nil {
		return err
	}
	s.Repair(ta, tb)
	return nil
}

func setSearch(s *session.Session, v string) error {
	s.Find(v)
	return nil
}

func focusOn(side pair.Side) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		from, to, ok := strings.Cut(v, ":")
		if !ok {
			return fmt.Errorf("want START:END")
		}
		start, err := parseTime(from)
		if err != nil {
			return err
		}
		end, err := parseTime(to)
		if err != nil {
			return err
		}
		if end <= start {
			return fmt.Errorf("the end is not after the start")
		}
		s.SetFocus(side, geom.Span{Start: start, End: end})
		return nil
	}
}

// units of time on the command line; a bare number is ns.
var timeUnits = []struct {
	suffix string
	ns     float64
}{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}

func parseTime(s string) (float64, error) {
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

func setSelection(s *session.Session, v string) error {
	t, err := callNamed(s, v)
	if err == nil {
		s.Select(t)
	}
	return err
}

func setAnchors(s *session.Session, v string) error {
	for _, both := range strings.Split(v, ",") {
		first, second, ok := strings.Cut(both, "=")
		if !ok {
			return fmt.Errorf("%q: want A:TID:INDEX=B:TID:INDEX", both)
		}
		a, err := callNamed(s, first)
		if err != nil {
			return err
		}
		b, err := callNamed(s, second)
		if err != nil {
			return err
		}
		if a.Side == b.Side {
			return fmt.Errorf("%s: want a call of A and one of B", both)
		}
		s.Anchor(a, b)
	}
	return nil
}

func sideNamed(name string) (side pair.Side, ok bool) {
	switch name {
	case "A":
		return pair.A, true
	case "B":
		return pair.B, true
	}
	return 0, false
}

// callNamed returns the call that A:TID:INDEX names.
func callNamed(s *session.Session, v string) (session.Target, error) {
	st := s.State()
	parts := strings.Split(v, ":")
	side, ok := sideNamed(parts[0])
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

// Limits of a picture's size in pixels.
const (
	leastSize = 64
	mostSize  = 8192
)

func sizeOf(s string) (image.Point, error) {
	var p image.Point
	if n, err := fmt.Sscanf(s, "%dx%d", &p.X, &p.Y); err != nil || n != 2 {
		return p, fmt.Errorf("size %q: want WIDTHxHEIGHT", s)
	}
	if min(p.X, p.Y) < leastSize || max(p.X, p.Y) > mostSize {
		return p, fmt.Errorf("size %q: want between %d and %d", s, leastSize, mostSize)
	}
	return p, nil
}
