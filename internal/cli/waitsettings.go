package cli

import (
	"fmt"
	"math"
	"strings"

	"diptych/internal/session"
)

// waitSettings are the keys of --set that say how the view of threads looks.
var waitSettings = map[string]setting{
	"wait-colour": {"thread or object: what the colours of waits tell", choices{
		"thread": waitStyled(func(w *session.WaitStyle) { w.ByObject = false }),
		"object": waitStyled(func(w *session.WaitStyle) { w.ByObject = true }),
	}.apply, true},
	"releases": {"ended or all: the releases that ended waits, or every one within them", choices{
		"ended": waitStyled(func(w *session.WaitStyle) { w.All = false }),
		"all":   waitStyled(func(w *session.WaitStyle) { w.All = true }),
	}.apply, true},
	"roles": {"folded or apart: whether many threads of one role share a section", choices{
		"folded": waitStyled(func(w *session.WaitStyle) { w.Apart = false }),
		"apart":  waitStyled(func(w *session.WaitStyle) { w.Apart = true }),
	}.apply, true},
	"idle": {"on or off: whether idle threads are shown", choices{
		"on":  func(s *session.Session) { s.ShowIdle(true) },
		"off": func(s *session.Session) { s.ShowIdle(false) },
	}.apply, false},
	"changed": {"change of a wait from which on it stands out, such as 25%",
		waitShare(func(w *session.WaitStyle, v float64) { w.Threshold = int(math.Round(v * 100)) }), true},
	"radius": {"zero radius of the circle of threads, as a share of the outer one",
		waitShare(func(w *session.WaitStyle, v float64) { w.Zero = float32(v) }), true},
	"split": {"share of the height above the circle of threads",
		waitShare(func(w *session.WaitStyle, v float64) { w.Split = float32(v) }), true},
	"focus-thread": {"A:TID, the thread in the middle of the view of threads", focusThread, false},
	"hidden": {"A:TID, a thread to hide; more after commas",
		onLines(func(s *session.Session, lines []int) { s.HideLines(lines...) }), false},
	"wide": {"A:TID, a thread whose section is widened; more after commas",
		onLines(func(s *session.Session, lines []int) {
			for _, k := range lines {
				s.WidenLine(k, true)
			}
		}), false},
	"order": {"A:TID,…, the threads on the circle from left to right; the others follow",
		onLines(func(s *session.Session, lines []int) { s.OrderLines(lines) }), false},
}

// waitStyled makes a choice of a change of the view's style.
func waitStyled(set func(*session.WaitStyle)) func(*session.Session) {
	return func(s *session.Session) { s.SetWaitStyle(set) }
}

// waitShare makes a setting of a number from 0 to 1, which may be given in percent.
func waitShare(set func(*session.WaitStyle, float64)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		n, err := parseShare(v)
		if err == nil {
			s.SetWaitStyle(func(w *session.WaitStyle) { set(w, n) })
		}
		return err
	}
}

func focusThread(s *session.Session, v string) error {
	k, err := lineNamed(s.State(), v)
	if err == nil {
		s.FocusLine(k)
	}
	return err
}

// onLines makes a setting of the pairs of threads that a list names by one of theirs each.
func onLines(set func(*session.Session, []int)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		var lines []int
		for _, one := range strings.Split(v, ",") {
			k, err := lineNamed(s.State(), one)
			if err != nil {
				return err
			}
			lines = append(lines, k)
		}
		set(s, lines)
		return nil
	}
}

// lineNamed returns the pair of threads that A:TID names.
func lineNamed(st *session.State, v string) (int, error) {
	name, id, _ := strings.Cut(v, ":")
	side, ok := sideNamed(name)
	if !ok || id == "" {
		return 0, fmt.Errorf("%q: want A:TID", v)
	}
	if !st.Loaded(side) || st.Pair == nil {
		return 0, fmt.Errorf("%s is not open", side)
	}
	th := st.Sides[side].Trace.ThreadByID(id)
	if th < 0 {
		return 0, fmt.Errorf("%s has no thread %q", side, id)
	}
	return st.Pair.Of(side, th), nil
}
