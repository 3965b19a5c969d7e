package structure

import (
	"cmp"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Table is the tab of the code as a tree: how often and how long each part of it ran on either
// side. It is in step with the picture: what is pointed at or chosen here is so there, and the
// other way round.
type Table struct {
	filter   widget.Editor
	list     widget.List
	sorts    [len(orderNames)]widget.Clickable
	measures [len(measureNames)]widget.Clickable
	copy     widget.Clickable
	all      widget.Clickable // opens or folds all lines
	opened   bool
	order    order
	measure  measure
	rows     rows
	sides    []pair.Side     // those with a column, in this frame
	clicks   kit.Clicks[int] // of lines, by node
	folds    kit.Clicks[int]
	clicked  struct {
		node int
		at   int64 // ms
	}
	chosen  int // the node that is selected, as of the last frame
	pointed int // the node of the line that the pointer was over; 0 for none
	leaders []leader
	of      *structure.Tree
	unit    string
}

func newTable() *Table { return &Table{rows: rows{open: map[string]bool{}}} }

var orderNames = [...]struct{ label, name string }{
	byChange: {"change", "Sort code by change"},
	bySize:   {"size", "Sort code by size"},
	byName:   {"name", "Sort code by name"},
}

var measureNames = [...]struct{ label, name string }{
	selfTime: {"self", "What the code takes itself"},
	total:    {"cumulated", "Cumulated duration of the code"},
	calls:    {"calls", "Calls of the code"},
}

// Lines returns the nodes that are listed, from top to bottom.
func (l *Table) Lines() (nodes []int) {
	for _, x := range l.rows.list {
		nodes = append(nodes, x.node)
	}
	return nodes
}

// Layout implements view.Panel.
func (l *Table) Layout(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	t := treeIn(st)
	if t == nil {
		hint := cmp.Or(words.Apart(st), "The code is listed here once its calls have been sorted into it.")
		return c.Kit.Hint(gtx, hint)
	}
	l.update(c, gtx, st, t)
	l.sides = columns(gtx, t)
	first := 0
	if !st.Both() {
		first = int(bySize)
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return l.heading(c, gtx) }),
		c.Kit.FilterField(&l.filter, "Filter packages, files and functions", "Filter code"),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return l.tools(c, gtx) }),
		c.Kit.Ordering(l.sorts[first:], int(l.rows.of.order)-first, func(i int) (label, name string) {
			return orderNames[first+i].label, orderNames[first+i].name
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Columns(gtx, l.lines(st), l.sides, len(sidesOf(t)) == 2)
		}),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions { return l.body(c, gtx, st, t) }))
}

// lines says what the lines of the table are, and in which unit their values are if that is a word.
func (l *Table) lines(st *session.State) string {
	if unit := words.Worded(words.UnitOf(st)); unit != "" && measures[l.rows.of.measure] != structure.ByCalls {
		return unit + " by function"
	}
	return "package, file, function"
}

// namesLeast is the least width in dp of a table with a column for each side. In a narrower one,
// names need the room more.
const namesLeast = 300

// columns returns the sides that have a column of values.
func columns(gtx layout.Context, t *structure.Tree) []pair.Side {
	sides := sidesOf(t)
	if len(sides) == 2 && gtx.Constraints.Max.X < gtx.Dp(namesLeast) {
		return nil
	}
	return sides
}

// update hears what was clicked and typed, and lists the lines anew where that is needed.
func (l *Table) update(c *view.Context, gtx layout.Context, st *session.State, t *structure.Tree) {
	if l.of != t {
		l.of, l.chosen = t, 0
		l.unit = words.UnitOf(st)
		l.leaders = leadersOf(t, l.unit)
		l.clicks.Forget()
		l.folds.Forget()
	}
	l.order = order(kit.ChosenOrder(gtx, l.sorts[:], int(l.order)))
	l.measure = measure(kit.ChosenOrder(gtx, l.measures[:], int(l.measure)))
	of := rowsOf{t, kit.Filtered(gtx, &l.filter), l.order, l.measure}
	if !st.Both() && of.order == byChange {
		of.order = bySize
	}
	l.rows.renew(of)
	if node, ok := l.folds.Clicked(gtx); ok {
		l.toggle(node)
	}
	if node, ok := l.clicks.Clicked(gtx); ok {
		l.choose(c, gtx, t, node)
	}
	if l.all.Clicked(gtx) {
		if l.opened = !l.opened; l.opened {
			l.rows.openAll()
		} else {
			l.rows.foldAll()
		}
	}
	if l.copy.Clicked(gtx) {
		kit.Copy(gtx, l.Copy(kit.TSV, true))
	}
	l.follow(st, t)
}

func (l *Table) toggle(node int) {
	for k := range l.rows.list {
		if l.rows.list[k].node == node {
			l.rows.toggle(k)
			return
		}
	}
}

// doubleClick is the longest time between two clicks on a line that zoom into it, ms.
const doubleClick = 350

// choose selects a node for all views; a second click lets it fill the pane.
func (l *Table) choose(c *view.Context, gtx layout.Context, t *structure.Tree, node int) {
	l.chosen = node
	again := l.clicked.node == node && gtx.Now.UnixMilli()-l.clicked.at < doubleClick
	l.clicked.node, l.clicked.at = node, gtx.Now.UnixMilli()
	if again {
		zoomTo(c.S, t, branch(t, t.ChainEnd(node)))
		return
	}
	choose(c.S, t, node)
}

// Thing implements view.Holder: a line of the code.
func (l *Table) Thing(c *view.Context, pointed bool) view.Thing {
	st := c.S.State()
	t := treeIn(st)
	node := l.chosen
	if pointed {
		node, _ = l.clicks.Hovered()
	}
	if t == nil || t != l.of || node <= 0 {
		return view.Thing{}
	}
	return codeThing(st, t, node)
}

// follow shows the line of what was selected in a picture.
func (l *Table) follow(st *session.State, t *structure.Tree) {
	node := selected(t, st)
	if node == l.chosen {
		return
	}
	l.chosen = node
	if k := l.rows.at(t.ChainStart(max(node, 0))); node > 0 && k >= 0 {
		if nodeAt(t, st.Search.Place) > 0 { // of code that was chosen, the line itself
			k = l.rows.show(node)
		}
		l.list.ScrollTo(max(0, k-3))
	}
}

// heading names the packages that changed most.
func (l *Table) heading(c *view.Context, gtx layout.Context) layout.Dimensions {
	if len(l.leaders) == 0 {
		return layout.Dimensions{}
	}
	return layout.Inset{Bottom: 6, Left: 4, Right: 8}.Layout(gtx,
		func(gtx layout.Context) layout.Dimensions {
			text := headline(l.leaders, float32(gtx.Constraints.Max.X), c.Kit.Px(float32(kit.Small)))
			return c.Kit.Label(gtx, text, kit.Style{Size: kit.Small, Color: c.Kit.Pal.Secondary,
				Weight: font.Medium, Lines: len(l.leaders)})
		})
}

// tools choose the quantity that is listed, and copy the table.
func (l *Table) tools(c *view.Context, gtx layout.Context) layout.Dimensions {
	var labels, names []string
	for k, m := range measureNames {
		if measure(k) == calls {
			m.label = l.of.CallNoun() + "s"
		}
		labels, names = append(labels, m.label), append(names, m.name)
	}
	label, name := "open all", "Open all code"
	if l.opened {
		label, name = "fold all", "Fold all code"
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Segments(gtx, l.measures[:], labels, names, int(l.measure))
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Button(gtx, &l.all, label, name, false)
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Button(gtx, &l.copy, "copy", "Copy the table", false)
		}), kit.Space(8))
}

// body lays out the lines that are visible, and brushes the one that the pointer is over.
func (l *Table) body(c *view.Context, gtx layout.Context, st *session.State,
	t *structure.Tree) layout.Dimensions {
	if len(l.rows.list) == 0 {
		return c.Kit.Hint(gtx, "No code has “"+l.rows.of.query+"” in its name.")
	}
	lit, over := l.rows.at(hovered(t, st)), 0
	d := c.Kit.Rows(gtx, &l.list, len(l.rows.list), func(gtx layout.Context, i int) layout.Dimensions {
		gtx.Constraints.Max.X -= gtx.Dp(10) // the scroll bar's
		gtx.Constraints.Min.X = gtx.Constraints.Max.X
		x := &l.rows.list[i]
		if l.clicks.Row(x.node).Hovered() {
			over = x.node
		}
		return l.row(c, gtx, st, t, x, i == lit)
	})
	if over != l.pointed {
		l.pointed = over
		brush(c.S, over)
	}
	return d
}
