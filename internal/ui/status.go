package ui

import (
	"image"
	"time"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// statusBar tells what is under the pointer, what is going on, and lets it be cancelled.
type statusBar struct {
	cancel widget.Clickable
}

// slow is after how long running work is shown.
const slow = 200 * time.Millisecond

func (s *statusBar) layout(a *App, gtx layout.Context, st *session.State) {
	kit.Fill(gtx, image.Rectangle{Max: gtx.Constraints.Max}, a.kit.Pal.Pane)
	a.kit.Rule(gtx)
	if s.cancel.Clicked(gtx) {
		a.S.CancelAll()
	}
	job := running(a.S.Jobs())
	layout.Inset{Left: 14, Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min = gtx.Constraints.Max
		children := append(s.offered(a, st), a.changed.layout(a, st)...)
		children = append(children, s.marked(a, st)...)
		children = append(children, kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, a.statusText(st), a.kit.Text())
		}), kit.Space(18))
		if job != nil {
			children = append(children, s.progress(a, job)...)
		} else {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, a.counted(st), a.kit.Faint())
			}), kit.Space(6))
		}
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

// offered asks for the scheme of colours while a pair is open; the empty window asks by itself.
func (s *statusBar) offered(a *App, st *session.State) []layout.FlexChild {
	if !a.offer.open || !st.Any() {
		return nil
	}
	return []layout.FlexChild{
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.offer.layout(a, gtx) }),
		kit.Space(18),
	}
}

// marked tells which call waits to be aligned by hand, and what to do next.
func (s *statusBar) marked(a *App, st *session.State) []layout.FlexChild {
	if !st.Mark.OK || a.onBatch() {
		return nil
	}
	ink := a.kit.Text()
	ink.Color, ink.Weight = a.kit.Pal.SideText(int(st.Mark.Side)), font.Medium
	return []layout.FlexChild{
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Max.X = gtx.Constraints.Max.X * 2 / 3
			return a.kit.Label(gtx, words.MarkStatus(st), ink)
		}),
		kit.Space(18),
	}
}

// running returns the oldest job that has been running for long enough to be worth a word.
func running(jobs []*session.Job) *session.Job {
	for _, j := range jobs {
		if time.Since(j.Started) > slow {
			return j
		}
	}
	return nil
}

func (s *statusBar) progress(a *App, j *session.Job) []layout.FlexChild {
	return []layout.FlexChild{
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, words.JobText(j), a.kit.Faint())
		}),
		kit.Space(10),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Progress(gtx, j.Progress(), 120) }),
		kit.Space(6),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Button(gtx, &s.cancel, "cancel", "Cancel what is running", false)
		}),
	}
}

// counts tells what is shown: in a view's own words if it has any.
func counts(r *view.Row, st *session.State) string {
	if r.Counts != nil {
		return r.Counts(st)
	}
	return words.Visible(st)
}

// statusText tells the current notice, else describes the hovered call, else the selected one.
func statusText(s *session.Session, st *session.State, r *view.Row) string {
	if notice, _ := s.Notice(); notice != "" {
		return notice
	}
	for _, t := range []session.Target{st.Hover, st.Selected} {
		if !t.OK {
			continue
		}
		if r.Describe != nil {
			if line := r.Describe(st, t); line != "" {
				return st.FunctionName(t) + "  ·  " + line
			}
		}
		return words.CallLine(st, t)
	}
	return ""
}
