package ui

import (
	"image"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/kit"
)

// topbar names what is open on either side and holds the search.
type topbar struct {
	open   [2]widget.Clickable
	swap   widget.Clickable
	keys   widget.Clickable
	theme  widget.Clickable
	search widget.Editor
	views  []widget.Clickable // by row of the table of views
}

func (t *topbar) layout(a *App, gtx layout.Context, st *session.State) {
	kit.Fill(gtx, image.Rectangle{Max: gtx.Constraints.Max}, a.kit.Pal.Pane)
	h := gtx.Constraints.Max.Y
	kit.Fill(gtx, image.Rect(0, h-max(1, gtx.Dp(1)), gtx.Constraints.Max.X, h), a.kit.Pal.Line)
	t.input(a, gtx, st)
	t.search.SingleLine, t.search.Submit = true, true
	if !gtx.Focused(&t.search) && strings.TrimSpace(t.search.Text()) != st.Search.Query {
		t.search.SetText(st.Search.Query)
	}
	layout.Inset{Left: gap, Right: gap}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
				half := (gtx.Constraints.Max.X - gtx.Dp(28)) / 2
				return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
					t.side(a, st, pair.A, half),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						if !st.Both() {
							return layout.Spacer{Width: 20}.Layout(gtx)
						}
						return a.kit.IconButton(gtx, &t.swap, kit.SwapIcon, "Swap A and B")
					}),
					t.side(a, st, pair.B, half),
				)
			}),
			kit.Space(16),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions { return t.tabs(a, gtx, st) }),
			kit.Space(16),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				gtx.Constraints.Max.X = min(gtx.Dp(240), gtx.Constraints.Max.X/4)
				return a.kit.Field(gtx, &t.search, "Search functions  /", "Search functions")
			}),
			kit.Space(8),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &t.keys, "? keys", "Keys", false)
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &t.theme, themeName(st.Dark), "Light or dark", false)
			}),
		)
	})
}

// tabs chooses the view of the active pane, among those that make sense for what is open.
func (t *topbar) tabs(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	if !st.Any() {
		return layout.Dimensions{}
	}
	shown := a.row(st.View).View
	var tabs []layout.FlexChild
	for i := range a.rows {
		r := &a.rows[i]
		if r.Pairs && !st.Both() {
			continue
		}
		name := r.Title
		if !st.Both() && r.Alone != "" {
			name = r.Alone
		}
		tabs = append(tabs, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Button(gtx, &t.views[i], name, a.Command(r.Open).Title, r.View == shown)
		}))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, tabs...)
}

func themeName(dark bool) string {
	if dark {
		return "light"
	}
	return "dark"
}

// side shows the badge, name and extent of one side, at most so many px wide; clicking it opens
// another file there.
func (t *topbar) side(a *App, st *session.State, side pair.Side, most int) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Max.X = min(gtx.Dp(420), most)
		return a.kit.Pressable(gtx, &t.open[side], "Open trace "+side.String(), false,
			func(gtx layout.Context) layout.Dimensions {
				return layout.Inset{Left: 6, Right: 8, Top: 4, Bottom: 4}.Layout(gtx,
					func(gtx layout.Context) layout.Dimensions { return a.sideTitle(gtx, st, side) })
			})
	})
}

func (a *App) sideTitle(gtx layout.Context, st *session.State, side pair.Side) layout.Dimensions {
	sd := &st.Sides[side]
	name, facts := sd.Name, ""
	if job := a.S.Loading(side); job != nil && sd.Trace == nil {
		name = job.Label + "…"
	} else if sd.Trace == nil {
		name = "Open trace " + side.String() + "…"
	} else {
		facts = geom.FormatValue(float64(sd.Trace.Duration), string(sd.Trace.Unit)) + "  ·  " +
			kit.Plural(sd.Trace.Calls(), "call")
	}
	st1 := kit.Style{Size: kit.Large, Color: a.kit.Pal.Text, Weight: font.Medium}
	if sd.Trace == nil {
		st1.Color, st1.Weight = a.kit.Pal.Secondary, font.Normal
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Badge(gtx, side) }),
		kit.Space(8),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Max.X = min(gtx.Dp(unit.Dp(230)), gtx.Constraints.Max.X)
			return a.kit.Label(gtx, name, st1)
		}),
		kit.Space(10),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, facts, a.kit.Caption())
		}),
	)
}

// input handles clicks and what is typed into the search.
func (t *topbar) input(a *App, gtx layout.Context, st *session.State) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if t.open[side].Clicked(gtx) {
			a.choose(side)
		}
	}
	if len(t.views) < len(a.rows) {
		t.views = make([]widget.Clickable, len(a.rows))
	}
	for i := range t.views {
		if t.views[i].Clicked(gtx) {
			a.Perform(gtx, a.rows[i].Open)
		}
	}
	if t.swap.Clicked(gtx) {
		a.Perform(gtx, command.SwapSides)
	}
	if t.keys.Clicked(gtx) {
		a.Perform(gtx, command.Keys)
	}
	if t.theme.Clicked(gtx) {
		a.Perform(gtx, command.ToggleTheme)
	}
	if by := kit.ArrowSteps(gtx, &t.search); by != 0 {
		a.dock.StepFunction(a.context, by)
	}
	for {
		e, ok := t.search.Update(gtx)
		if !ok {
			return
		}
		switch e.(type) {
		case widget.ChangeEvent:
			a.S.Find(t.search.Text())
			if st.Any() {
				a.ShowTab(dock.Functions)
			}
		case widget.SubmitEvent:
			a.S.StepHit(+1)
		}
	}
}
