package threads

import (
	"math"
	"strings"

	"diptych/internal/session"
	"diptych/internal/ui/view"
)

// settings are the keys of --set that say how the view looks.
func settings() []view.Setting {
	return []view.Setting{
		{Key: "wait-colour", Help: "thread or object: what the colours of waits tell", Early: true,
			Apply: view.Choices{
				"thread": styled(func(w *session.WaitStyle) { w.ByObject = false }),
				"object": styled(func(w *session.WaitStyle) { w.ByObject = true }),
			}.Apply},
		{Key: "releases", Help: "ended or all: the releases that ended waits, or every one within them",
			Early: true, Apply: view.Choices{
				"ended": styled(func(w *session.WaitStyle) { w.All = false }),
				"all":   styled(func(w *session.WaitStyle) { w.All = true }),
			}.Apply},
		{Key: "path", Help: "on or off: whether the critical path is drawn", Early: true,
			Apply: view.Choices{
				"on":  styled(func(w *session.WaitStyle) { w.Critical = true }),
				"off": styled(func(w *session.WaitStyle) { w.Critical = false }),
			}.Apply},
		{Key: "idle", Help: "on or off: whether threads that take no part in waits are shown", Apply: view.Choices{
			"on":  func(s *session.Session) { s.ShowIdle(true) },
			"off": func(s *session.Session) { s.ShowIdle(false) },
		}.Apply},
		{Key: "roles", Help: "folded or apart: whether many threads of one role share a section",
			Early: true, Apply: view.Choices{
				"folded": styled(func(w *session.WaitStyle) { w.Apart = false }),
				"apart":  styled(func(w *session.WaitStyle) { w.Apart = true }),
			}.Apply},
		{Key: "changed", Help: "change of a wait from which on it stands out, such as 25%", Early: true,
			Apply: share(func(w *session.WaitStyle, v float64) { w.Threshold = int(math.Round(v * 100)) })},
		{Key: "radius", Help: "inner radius of the circle of threads, as a share of the outer one",
			Early: true, Apply: share(func(w *session.WaitStyle, v float64) { w.Zero = float32(v) })},
		{Key: "split", Help: "share of the height above the circle of threads", Early: true,
			Apply: share(func(w *session.WaitStyle, v float64) { w.Split = float32(v) })},
		{Key: "focus-thread", Help: "A:TID, the thread in the middle of the view of threads",
			Apply: focusThread},
		{Key: "hidden", Help: "A:TID, a thread to hide; more after commas",
			Apply: onLines(func(s *session.Session, lines []int) { s.HideLines(lines...) })},
		{Key: "wide", Help: "A:TID, a thread whose section is widened; more after commas",
			Apply: onLines(func(s *session.Session, lines []int) {
				for _, k := range lines {
					s.WidenLine(k, true)
				}
			})},
		{Key: "order", Help: "A:TID,…, the threads on the circle from left to right; the others follow",
			Apply: onLines((*session.Session).OrderLines)},
	}
}

// styled makes a choice of a change of the view's style.
func styled(set func(*session.WaitStyle)) func(*session.Session) {
	return func(s *session.Session) { s.SetWaitStyle(set) }
}

// share makes a setting of a number from 0 to 1, which may be given in percent.
func share(set func(*session.WaitStyle, float64)) func(*session.Session, string) error {
	return view.Share(func(s *session.Session, v float64) {
		s.SetWaitStyle(func(w *session.WaitStyle) { set(w, v) })
	})
}

func focusThread(s *session.Session, v string) error {
	k, err := s.State().LineNamed(v)
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
			k, err := s.State().LineNamed(one)
			if err != nil {
				return err
			}
			lines = append(lines, k)
		}
		set(s, lines)
		return nil
	}
}
