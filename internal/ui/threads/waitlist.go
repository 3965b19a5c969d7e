package threads

import (
	"image"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
	"diptych/internal/wait/table"
)

// Waits is the table of waits: who waited on whom for what, on either side, and by how much that
// differs. Above it stands what deserves a word of its own: deadlocks, waits that never ended, the
// critical path. Click a line to see the longest such wait.
type Waits struct {
	filter widget.Editor
	list   widget.List
	kinds  [len(waitKinds)]widget.Clickable
	sorts  [len(waitOrders)]widget.Clickable
	kind   int
	order  int
	picked bool // the user has chosen the kind
	notes  waitNotes

	of     waitListOf
	table  *table.Table
	shown  []*table.Row
	clicks map[string]*widget.Clickable
	laid   []int  // lines that were laid out last, as indices into shown
	chosen string // the key of the line that was clicked
}

// waitListOf is what the lines were made of.
type waitListOf struct {
	table       *table.Table
	kind, order int
	query       string
}

// waitKinds are the ways to add up.
var waitKinds = [...]struct{ label, name string }{
	table.ByThread: {"threads", "Waits by thread"},
	table.ByRole:   {"roles", "Waits by role of the threads"},
	table.Totals:   {"totals", "How long each thread waited in all"},
}

// waitOrders are the ways to sort.
var waitOrders = [...]struct{ label, name string }{
	table.ByChange: {"change", "Sort by change"},
	table.ByTime:   {"time", "Sort by time waited"},
	table.ByCount:  {"count", "Sort by number of waits"},
	table.ByName:   {"name", "Sort by name"},
}

// Table returns what the lines were made of; nil while it is not known.
func (l *Waits) Table() *table.Table { return l.table }

// Lines returns the lines that are listed.
func (l *Waits) Lines() []*table.Row { return l.shown }

// Kind returns how the lines add up.
func (l *Waits) Kind() table.Kind { return table.Kind(l.kind) }

// Chosen returns the key of the line that was clicked, or gone to by a key.
func (l *Waits) Chosen() string { return l.chosen }

// Layout implements view.Panel.
func (l *Waits) Layout(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	query := kit.Filtered(gtx, &l.filter)
	l.order = kit.ChosenOrder(gtx, l.sorts[:], l.order)
	first := firstOrder(st)
	if kind := kit.ChosenOrder(gtx, l.kinds[:], -1); kind >= 0 {
		l.kind, l.picked = kind, true
	}
	l.refresh(st, query)
	if l.table == nil {
		return c.Kit.Hint(gtx, "Who waits on whom is listed here once it has been found.")
	}
	for _, k := range l.laid {
		if k < len(l.shown) && l.clicks[l.shown[k].Key].Clicked(gtx) {
			l.choose(c, k)
		}
	}
	l.laid = l.laid[:0]
	notes := l.notes.refresh(c, gtx, st, l)
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		c.Kit.FilterField(&l.filter, "Filter waits", "Filter waits"),
		c.Kit.Choice(l.kinds[:], l.kind, "", func(i int) (label, name string) {
			return waitKinds[i].label, waitKinds[i].name
		}),
		c.Kit.Ordering(l.sorts[first:], max(l.order, first)-first, func(i int) (label, name string) {
			return waitOrders[first+i].label, waitOrders[first+i].name
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return l.columns(c, gtx, st) }),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			n := notes.len()
			all := n + len(l.shown)
			return c.Kit.Rows(gtx, &l.list, all, func(gtx layout.Context, i int) layout.Dimensions {
				gtx.Constraints.Max.X -= gtx.Dp(10) // the scroll bar's
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				if i < n {
					return notes.at(i)(gtx)
				}
				return l.row(c, gtx, st, i-n)
			})
		}))
}

// firstOrder returns the first of the orders that make sense: nothing changes in one trace.
func firstOrder(st *session.State) int {
	if st.Both() {
		return 0
	}
	return 1
}

// refresh makes the lines anew when what they are made of has changed.
func (l *Waits) refresh(st *session.State, query string) {
	t := st.WaitTable()
	of := waitListOf{t, l.kind, max(l.order, firstOrder(st)), query}
	if of == l.of && l.clicks != nil {
		return
	}
	was := l.of
	l.table = t
	fresh := l.clicks == nil || was.table != t
	if fresh {
		l.notes = waitNotes{open: l.notes.open, path: l.notes.path}
		if t != nil && !l.picked && l.kind == 0 {
			l.kind = int(t.Usual())
			of.kind = l.kind
		}
	}
	if fresh || was.kind != of.kind {
		l.clicks = map[string]*widget.Clickable{}
	}
	l.of, l.laid = of, nil
	if l.shown = nil; t != nil {
		l.shown = t.Rows(table.Kind(of.kind), table.Order(of.order), query)
	}
}

// choose shows what the k-th line tells of.
func (l *Waits) choose(c *view.Context, k int) {
	r := l.shown[k]
	l.chosen = r.Key
	c.S.SetView(session.Threads)
	if r.Longest == [2]int{-1, -1} {
		c.S.FocusLine(r.Line)
		return
	}
	c.S.ShowWaits(l.table.Waits(r))
}

// step chooses the line after (or before) the chosen one.
func (l *Waits) step(c *view.Context, st *session.State, by int) {
	if l.refresh(st, l.of.query); len(l.shown) == 0 {
		return
	}
	at, n := -1, len(l.shown)
	for k := range l.shown {
		if l.shown[k].Key == l.chosen {
			at = k
		}
	}
	if at < 0 && by < 0 {
		at = 0
	}
	at = ((at+by)%n + n) % n
	l.choose(c, at)
	l.list.ScrollTo(max(0, at-3))
}

// columns names the columns of times.
func (l *Waits) columns(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	var sides []pair.Side
	for _, side := range []pair.Side{pair.A, pair.B} {
		if l.table.Sides[side] != nil {
			sides = append(sides, side)
		}
	}
	return c.Kit.Columns(gtx, "waiter ← releaser", sides, st.Both())
}

// row lays out a line of the table.
func (l *Waits) row(c *view.Context, gtx layout.Context, st *session.State, k int) layout.Dimensions {
	r := l.shown[k]
	click := l.clicks[r.Key]
	if click == nil {
		click = &widget.Clickable{}
		l.clicks[r.Key] = click
	}
	l.laid = append(l.laid, k)
	name := "Show waits " + strings.ReplaceAll(r.Key, "\n", " ")
	return c.Kit.Pressable(gtx, click, name, l.chosen == r.Key, func(gtx layout.Context) layout.Dimensions {
		cells := append([]layout.FlexChild{l.names(c, r)}, l.values(c, st, r)...)
		return layout.Inset{Left: 6, Right: 6, Top: 4, Bottom: 5}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				lines := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return layout.Flex{Alignment: layout.Start}.Layout(gtx, cells...)
				})}
				for _, text := range []string{l.heldBy(st, r), l.allRuns(st, r)} {
					if text == "" {
						continue
					}
					lines = append(lines, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						return layout.Inset{Left: 17}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
							return c.Kit.Label(gtx, text, c.Kit.Caption())
						})
					}))
				}
				return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...)
			})
	})
}

// names tells who waited on whom, with the colour of the one who waited.
func (l *Waits) names(c *view.Context, r *table.Row) layout.FlexChild {
	return kit.Wide(func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				if r.Line < 0 {
					return layout.Dimensions{}
				}
				hue := c.Kit.Pal.Waits().Thread(shownBy(c).hue(r.Line))
				return layout.Inset{Top: 3, Right: 7}.Layout(gtx,
					func(gtx layout.Context) layout.Dimensions {
						d := image.Rectangle{Max: image.Pt(gtx.Dp(10), gtx.Dp(10))}
						kit.FillRound(gtx, d, gtx.Dp(5), hue)
						return layout.Dimensions{Size: d.Max}
					})
			}),
			kit.Wide(func(gtx layout.Context) layout.Dimensions {
				lines := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return whoOnWhom(c, gtx, r)
				})}
				for _, text := range []string{r.Roles, l.about(r)} {
					if text != "" {
						lines = append(lines, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
							return c.Kit.Label(gtx, text, c.Kit.Caption())
						}))
					}
				}
				return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...)
			}))
	})
}

// whoOnWhom names the one who waited and the one who ended that: in one line, or where there is no
// room for both below each other.
func whoOnWhom(c *view.Context, gtx layout.Context, r *table.Row) layout.Dimensions {
	ink := c.Kit.Text()
	ink.Weight = font.Medium
	size, room := c.Kit.Px(float32(kit.Normal)), float32(gtx.Constraints.Max.X)
	arrow := float32(gtx.Dp(22))
	name := func(who string, width float32) layout.FlexChild {
		if r.Line < 0 { // a role, which is the name of a function where it has no better one
			who = typeface.Shorten(who, width, size, true)
		}
		return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, who, ink)
		})
	}
	if r.Who[1] == "" {
		return layout.Flex{}.Layout(gtx, name(r.Who[0], room))
	}
	by := []layout.FlexChild{
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return kit.ArrowIcon.Draw(gtx, c.Kit.Pal.Secondary)
		}), kit.Space(3), name(r.Who[1], room-arrow)}
	if typeface.Width(r.Who[0], size, true)+typeface.Width(r.Who[1], size, true)+arrow <= room {
		line := append([]layout.FlexChild{name(r.Who[0], room), kit.Space(3)}, by...)
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, line...)
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, name(r.Who[0], room),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx, by...)
		}))
}

// shownBy returns how the threads lie in the active pane, if that shows them.
func shownBy(c *view.Context) *circle {
	if p, ok := c.Pane().(*Pane); ok {
		return &p.circle
	}
	return &circle{}
}

// about tells what was waited for, or how long input and output took.
func (l *Waits) about(r *table.Row) string {
	if r.IONs == [2]int64{} {
		return r.Object
	}
	return "I/O " + l.both(func(s pair.Side) string { return words.TimeText(l.table.Sides[s], r.IONs[s]) })
}

// both writes what there is on each side that is open.
func (l *Waits) both(of func(s pair.Side) string) string {
	var parts []string
	for _, s := range []pair.Side{pair.A, pair.B} {
		if l.table.Sides[s] != nil {
			parts = append(parts, of(s))
		}
	}
	return strings.Join(parts, " | ")
}
