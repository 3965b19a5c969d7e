package ui

import (
	"image"
	"slices"
	"strings"

	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/command"
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
	folded kit.Drop           // the views, where there is no room for their tabs
}

// Widths of the window in dp: in a narrow one the buttons at the right have shorter names, and in
// one that is smaller still the views fold into a menu.
const (
	narrowTop = 1100
	foldedTop = 860
)

// Widths of the search field: a share of the window, within limits in dp.
const (
	searchShare             = .17
	leastSearch, mostSearch = 130, 240
)

// width returns the width of the window in dp.
func (a *App) width() float32 { return float32(a.kit.Size.X) / a.kit.Px(1) }

func (t *topbar) layout(a *App, gtx layout.Context, st *session.State) {
	kit.Fill(gtx, image.Rectangle{Max: gtx.Constraints.Max}, a.kit.Pal.Pane)
	h := gtx.Constraints.Max.Y
	kit.Fill(gtx, image.Rect(0, h-max(1, gtx.Dp(1)), gtx.Constraints.Max.X, h), a.kit.Pal.Line)
	t.input(a, gtx, st)
	t.search.SingleLine, t.search.Submit = true, true
	if !gtx.Focused(&t.search) && strings.TrimSpace(t.search.Text()) != st.Search.Query {
		t.search.SetText(st.Search.Query)
	}
	keys, beside := "? keys", unit.Dp(16)
	if a.width() < narrowTop {
		keys, beside = "?", 8
	}
	layout.Inset{Left: gap, Right: gap}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				if a.onBatch() {
					return layout.Dimensions{}
				}
				return a.toBatch(gtx)
			}),
			layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
				if a.onBatch() {
					return a.batchTitle(gtx)
				}
				rooms := a.sideRooms(st, gtx.Constraints.Max.X-gtx.Dp(28))
				return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
					t.side(a, st, pair.A, rooms[pair.A]),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						if !st.Both() {
							return layout.Spacer{Width: 20}.Layout(gtx)
						}
						return a.kit.IconButton(gtx, &t.swap, kit.SwapIcon, "Swap A and B")
					}),
					t.side(a, st, pair.B, rooms[pair.B]),
				)
			}),
			kit.Space(beside),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions { return t.tabs(a, gtx, st) }),
			kit.Space(beside),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				if a.onBatch() {
					return layout.Dimensions{}
				}
				gtx.Constraints.Max.X = a.kit.Dp(kit.Bound(a.width()*searchShare, leastSearch, mostSearch))
				return a.kit.Field(gtx, &t.search, "Search functions  /", "Search functions")
			}),
			kit.Space(8),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &t.keys, keys, "Keys", false)
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &t.theme, themeName(st.Dark), "Light or dark", false)
			}),
		)
	})
}

// viewTab is a view that makes sense for what is open, and what it is called there.
type viewTab struct {
	row   int // of the table of views
	title string
}

func (a *App) viewTabs(st *session.State) (tabs []viewTab) {
	for i := range a.rows {
		r := &a.rows[i]
		switch {
		case !st.Facing() && r.Pairs:
		case !st.Facing() && r.Alone != "":
			tabs = append(tabs, viewTab{i, r.Alone})
		default:
			tabs = append(tabs, viewTab{i, r.Title})
		}
	}
	return tabs
}

// tabs chooses the view of the active pane.
func (t *topbar) tabs(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	if st.Empty() || a.onBatch() {
		return layout.Dimensions{}
	}
	views := a.viewTabs(st)
	if a.width() < foldedTop {
		return t.menu(a, gtx, st, views)
	}
	t.folded.Close()
	var tabs []layout.FlexChild
	for _, v := range views {
		tabs = append(tabs, layout.Rigid(func(gtx layout.Context) layout.Dimensions { return t.tab(a, gtx, st, v) }))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, tabs...)
}

// dismiss closes the menu of views, and reports whether it was open.
func (t *topbar) dismiss() bool {
	was := t.folded.Open()
	t.folded.Close()
	return was
}

// tab is the button of a view.
func (t *topbar) tab(a *App, gtx layout.Context, st *session.State, v viewTab) layout.Dimensions {
	r := &a.rows[v.row]
	return a.kit.Button(gtx, &t.views[v.row], v.title, a.Command(r.Open).Title, r.View == st.View)
}

// menu names the view that is shown; the others drop from it.
func (t *topbar) menu(a *App, gtx layout.Context, st *session.State, views []viewTab) layout.Dimensions {
	t.folded.Update(gtx)
	shown := slices.IndexFunc(views, func(v viewTab) bool { return a.rows[v.row].View == st.View })
	d := a.kit.DropButton(gtx, &t.folded, views[max(shown, 0)].title, "Views")
	t.folded.Layout(a.kit, gtx, d.Size.Y, len(views), func(gtx layout.Context, i int) layout.Dimensions {
		return t.tab(a, gtx, st, views[i])
	})
	return d
}

func themeName(dark bool) string {
	if dark {
		return "light"
	}
	return "dark"
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
			t.folded.Close()
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
		a.keyed = true
		a.dock.StepFunction(a.context, by)
	}
	for {
		e, ok := t.search.Update(gtx)
		if !ok {
			return
		}
		a.keyed = true
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
