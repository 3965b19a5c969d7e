package ui

import (
	"fmt"
	"image"

	"gioui.org/font"
	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// dock is the pane on the right, with a tab for each list.
type dock struct {
	open bool
	tab  tab
	tabs [tabCount]widget.Clickable
	view session.View // that the tab was last chosen for

	findings  findingList
	details   details
	groups    groupList
	waits     waitList
	threads   threadList
	functions functionList
	times     differenceList
	problems  problemList
}

type tab uint8

const (
	findingsTab tab = iota
	detailsTab
	groupsTab
	threadsTab
	functionsTab
	problemsTab
	tabCount
)

var tabNames = [tabCount]string{"Findings", "Details", "Groups", "Threads", "Functions", "Problems"}

// turnToDetails leaves the findings when a call is chosen in the picture.
func (d *dock) turnToDetails() {
	if d.tab == findingsTab {
		d.tab = detailsTab
	}
}

func (d *dock) layout(a *App, gtx layout.Context, st *session.State) {
	if st.Any() && !st.Both() {
		d.turnToDetails() // there is nothing to find in one trace
	}
	if d.view != st.View {
		left := d.view == session.Threads
		d.view = st.View
		switch { // the table of waits belongs to the view, in the place of the groups
		case a.threading(st) && d.tab <= detailsTab:
			d.tab = groupsTab
		case left && d.tab == groupsTab && st.Both():
			d.tab = findingsTab
		}
	}
	for i := range d.tabs {
		if d.tabs[i].Clicked(gtx) {
			d.tab = tab(i)
		}
	}
	layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return d.heads(a, gtx, st) }),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return layout.Inset{Left: 14, Right: 6, Top: 10, Bottom: 8}.Layout(gtx,
				func(gtx layout.Context) layout.Dimensions {
					gtx.Constraints.Min = gtx.Constraints.Max
					switch d.tab {
					case findingsTab:
						return d.findings.layout(a, gtx, st)
					case groupsTab:
						if a.threading(st) {
							return d.waits.layout(a, gtx, st)
						}
						return d.groups.layout(a, gtx, st)
					case threadsTab:
						return d.threads.layout(a, gtx, st)
					case functionsTab:
						if a.aligning(st) && !gtx.Focused(&a.topbar.search) {
							return d.times.layout(a, gtx, st)
						}
						return d.functions.layout(a, gtx, st)
					case problemsTab:
						return d.problems.layout(a, gtx, st)
					}
					return d.details.layout(a, gtx, st)
				})
		}),
	)
}

// roomForTabs is the width in dp that all tabs need to be named in full.
const roomForTabs = 376

const tabInset unit.Dp = 6

// heads draws the tabs over a hairline.
func (d *dock) heads(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	h := gtx.Dp(38)
	width := gtx.Constraints.Max.X
	line := max(1, gtx.Dp(1))
	kit.Fill(gtx, image.Rect(0, h-line, width, h), a.kit.Pal.Line)
	gtx.Constraints.Min.Y, gtx.Constraints.Max.Y = h, h
	children := []layout.FlexChild{kit.Space(6)}
	for i := range d.tabs {
		head := func(gtx layout.Context) layout.Dimensions { return d.head(a, gtx, st, tab(i)) }
		if width < gtx.Dp(roomForTabs) {
			children = append(children, layout.Flexed(1, head)) // each with what fits of its name
		} else {
			children = append(children, layout.Rigid(head))
		}
	}
	layout.Flex{}.Layout(gtx, children...)
	return layout.Dimensions{Size: image.Pt(width, h)}
}

func (d *dock) head(a *App, gtx layout.Context, st *session.State, t tab) layout.Dimensions {
	label := tabNames[t]
	if t == groupsTab && a.threading(st) {
		label = "Waits"
	}
	if n := words.Problems(st); t == problemsTab && n > 0 {
		label = fmt.Sprintf("%s %d", label, n)
	}
	on := d.tab == t
	return a.kit.Pressable(gtx, &d.tabs[t], label, false, func(gtx layout.Context) layout.Dimensions {
		st := a.kit.Text()
		st.Color = a.kit.Pal.Secondary
		if on {
			st.Color, st.Weight = a.kit.Pal.A, font.Medium
		}
		gtx.Constraints.Min.X = 0
		dims := layout.Inset{Left: tabInset, Right: tabInset}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min.Y = gtx.Constraints.Max.Y
			return layout.W.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, label, st)
			})
		})
		if on {
			bar := gtx.Dp(2)
			kit.Fill(gtx, image.Rect(gtx.Dp(tabInset), dims.Size.Y-bar, dims.Size.X-gtx.Dp(tabInset), dims.Size.Y), a.kit.Pal.A)
		}
		return dims
	})
}

// press gives keys to a list that is being picked from.
func (d *dock) press(a *App, gtx layout.Context, k key.Event) bool {
	return d.open && d.tab == threadsTab && d.threads.press(k)
}
