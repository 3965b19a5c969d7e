package ui

import (
	"strings"

	"gioui.org/font"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/ui/kit"
)

// keysBox is the page of keys, made from the command table, and of what the mouse does.
type keysBox struct{ list widget.List }

// gestures are what the mouse does in the panes.
var gestures = [][2]string{
	{"Drag", "Pan"},
	{"Wheel", "Zoom at the pointer"},
	{"Ctrl-wheel", "Taller or lower rows"},
	{"Shift-wheel", "Pan"},
	{"Shift-drag", "Select a range"},
	{"Click", "Select a call; its match slides beside it"},
	{"Double-click", "Fit a call or a match"},
	{"Drag in the overview", "Move, resize or redraw what is shown"},
	{"Click a thread's label", "Widen it, and give it an overview"},
	{"Drag a thread's label", "Swap it with another, or into the middle"},
	{"Double-click a label", "Hide the thread"},
	{"Drag across levels", "Fold and unfold stack levels of a thread"},
	{"Drop files", "Open them"},
}

// keyLine is a line of a column: the title of a group, a key and what it does, or the free line
// before a title. All are equally high, so that the lines of both columns lie beside one another.
type keyLine struct {
	title bool
	left  string
	right string
}

// scrolls are the keys that scroll the page, and by how many lines.
var scrolls = map[key.Name]int{key.NameUpArrow: -1, key.NameDownArrow: 1, key.NamePageUp: -20,
	key.NamePageDown: 20, key.NameHome: -1e6, key.NameEnd: 1e6}

// scroll hears the keys that scroll the page.
func (k *keysBox) scroll(a *App, gtx layout.Context) {
	if a.overlay.enters {
		gtx.Execute(key.FocusCmd{Tag: k})
	}
	event.Op(gtx.Ops, k)
	filters := []event.Filter{key.FocusFilter{Target: k}}
	for name := range scrolls {
		filters = append(filters, key.Filter{Focus: k, Name: name})
	}
	for {
		e, ok := gtx.Event(filters...)
		if !ok {
			return
		}
		if e, ok := e.(key.Event); ok && e.State == key.Press {
			k.list.ScrollBy(float32(scrolls[e.Name]))
		}
	}
}

func (k *keysBox) layout(a *App, gtx layout.Context) layout.Dimensions {
	k.scroll(a, gtx)
	columns := k.columns(a.commands)
	n := 0
	for _, c := range columns {
		n = max(n, len(c))
	}
	return a.kit.Rows(gtx, &k.list, n, func(gtx layout.Context, i int) layout.Dimensions {
		gtx.Constraints.Min.X = gtx.Constraints.Max.X
		var cells []layout.FlexChild
		for _, c := range columns {
			line := keyLine{}
			if i < len(c) {
				line = c[i]
			}
			cells = append(cells, layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
				return k.line(a, gtx, line)
			}), kit.Space(20))
		}
		return layout.Flex{}.Layout(gtx, cells...)
	})
}

// columns splits the groups over two columns of about equal length.
func (k *keysBox) columns(t *command.Table) [2][]keyLine {
	var out [2][]keyLine
	var group command.Group
	col := 0
	for _, c := range t.All {
		if len(c.Keys) == 0 {
			continue
		}
		if c.Group != group {
			if c.Group == command.Find {
				col = 1
			}
			group = c.Group
			out[col] = beginGroup(out[col], string(group))
		}
		out[col] = append(out[col], keyLine{left: c.Title, right: strings.Join(c.Keys, "  ")})
	}
	out[0] = beginGroup(out[0], "Mouse")
	for _, g := range gestures {
		out[0] = append(out[0], keyLine{left: g[1], right: g[0]})
	}
	return out
}

// beginGroup adds the title of a group to a column.
func beginGroup(column []keyLine, title string) []keyLine {
	if len(column) > 0 {
		column = append(column, keyLine{})
	}
	return append(column, keyLine{title: true, left: title})
}

func (k *keysBox) line(a *App, gtx layout.Context, l keyLine) layout.Dimensions {
	ink := a.kit.Text()
	if l.title {
		ink = kit.Style{Size: ink.Size, Color: a.kit.Pal.AText, Weight: font.Medium}
	}
	return layout.Inset{Top: 2, Bottom: 2}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{}.Layout(gtx,
			kit.Wide(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, l.left, ink)
			}),
			a.kit.Cell(unit.Dp(150), l.right,
				kit.Right(kit.Style{Size: kit.Small, Color: a.kit.Pal.Secondary, Mono: true})))
	})
}
