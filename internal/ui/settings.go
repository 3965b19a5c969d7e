package ui

import (
	"fmt"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/view"
)

// Settings returns the keys of --set, in the order in which they apply: what is shown before where,
// and where before what is selected.
func Settings() []view.Setting {
	all := append([]view.Setting{}, ownSettings...)
	for _, r := range views() {
		all = append(all, r.Settings...)
	}
	return append(all, lastSettings...)
}

// ownSettings are the window's own keys that apply before those of the views.
var ownSettings = []view.Setting{
	{Key: "theme", Help: "light or dark", Early: true, Apply: view.Choices{
		"light": func(s *session.Session) { s.SetDark(false) },
		"dark":  func(s *session.Session) { s.SetDark(true) },
	}.Apply},
	{Key: "scheme", Help: "usual or colour-blind: the colours of shifts", Early: true, Apply: view.Choices{
		"usual":        colourBlind(false),
		"colour-blind": colourBlind(true),
	}.Apply},
	{Key: "motion", Help: "on or off: whether views slide to where they are sent", Early: true,
		Apply: view.Choices{
			"on":  func(s *session.Session) { s.SetStill(false) },
			"off": func(s *session.Session) { s.SetStill(true) },
		}.Apply},
	{Key: "narrow", Help: "boxes or levels: how calls too narrow to draw look", Early: true,
		Apply: view.Choices{
			"boxes":  func(s *session.Session) { s.SetLighter(false) },
			"levels": func(s *session.Session) { s.SetLighter(true) },
		}.Apply},
	{Key: "rows", Help: "vertical scale of the stack levels, such as 0.5", Early: true,
		Apply: view.Number(func(s *session.Session, v float64) { s.ScaleRows(float32(v)) })},
	{Key: "levels", Help: "stack levels shown of each thread with scope=process", Early: true,
		Apply: view.Number(func(s *session.Session, v float64) { s.SetLevels(int(v)) })},
	{Key: "view", Early: true, Apply: setPanes,
		Help: "views in the window: " + strings.Join(ViewNames(), ", ") +
			"; several joined by + (beside) and / (below)"},
	{Key: "scope", Help: "thread or process: one pair of threads or all of them", Apply: view.Choices{
		"thread":  func(s *session.Session) { s.ShowProcess(false) },
		"process": func(s *session.Session) { s.ShowProcess(true) },
	}.Apply},
	{Key: "threads", Help: "TID:TID, the threads of A and B to show, by the ids that info prints",
		Apply: setThreads},
	{Key: "anchor", Help: "A:TID:INDEX=B:TID:INDEX, two calls to align by hand; more after commas",
		Apply: setAnchors},
	{Key: "lock", Help: "free, absolute, from-start, proportional or by-alignment", Apply: view.Choices{
		"free":         func(s *session.Session) { s.SetLock(session.Free, pair.A) },
		"absolute":     func(s *session.Session) { s.SetLock(session.Absolute, pair.A) },
		"from-start":   func(s *session.Session) { s.SetLock(session.FromStart, pair.A) },
		"proportional": func(s *session.Session) { s.SetLock(session.Proportional, pair.A) },
		"by-alignment": func(s *session.Session) { s.SetLock(session.ByAlignment, pair.A) },
	}.Apply},
	{Key: "focus-a", Help: "START:END, the time to show of A, such as 1.2s:1500ms", Apply: focusOn(pair.A)},
	{Key: "focus-b", Help: "the same of B", Apply: focusOn(pair.B)},
}

// lastSettings are the window's own keys that apply after those of the views.
var lastSettings = []view.Setting{
	{Key: "search", Help: "text to search functions for", Apply: func(s *session.Session, v string) error {
		s.Find(v)
		return nil
	}},
	{Key: "select", Help: "A:TID:INDEX, the call to select, by pre-order index",
		Apply: onCall((*session.Session).Select)},
	{Key: "hover", Help: "A:TID:INDEX, the call under the pointer, by pre-order index",
		Apply: onCall(func(s *session.Session, t session.Target) { s.SetHover(t) })},
}

func colourBlind(on bool) func(*session.Session) {
	return func(s *session.Session) { s.SetStyle(func(st *session.Style) { st.ColourBlind = on }) }
}

func onCall(f func(*session.Session, session.Target)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		t, err := view.CallNamed(s.State(), v)
		if err == nil {
			f(s, t)
		}
		return err
	}
}

func setPanes(s *session.Session, v string) error {
	layout, shown, err := ParsePanes(v)
	if err == nil {
		s.ShowPanes(layout, shown)
	}
	return err
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

func setAnchors(s *session.Session, v string) error {
	for _, both := range strings.Split(v, ",") {
		first, second, ok := strings.Cut(both, "=")
		if !ok {
			return fmt.Errorf("%q: want A:TID:INDEX=B:TID:INDEX", both)
		}
		a, err := view.CallNamed(s.State(), first)
		if err != nil {
			return err
		}
		b, err := view.CallNamed(s.State(), second)
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

func focusOn(side pair.Side) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		from, to, ok := strings.Cut(v, ":")
		if !ok {
			return fmt.Errorf("want START:END")
		}
		start, err := view.ParseTime(from)
		if err != nil {
			return err
		}
		end, err := view.ParseTime(to)
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
