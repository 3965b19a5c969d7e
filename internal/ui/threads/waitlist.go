package threads

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
	"diptych/internal/wait/table"
)

// Waits is the table of waits: who waited on whom for what, on either side, and by how much that
// differs. Above it stands what deserves a word of its own: deadlocks, waits that never ended, the
// critical path. Choosing a line shows the longest such wait.
type Waits struct {
	lines  kit.Table
	kinds  [3]widget.Clickable
	kind   int
	picked bool // the user has chosen the kind
	notes  waitNotes
	above  widget.List // of the notes

	table *table.Table
	rows  []*table.Row // of the kind
}

// waitLinesOf is what the lines depend on.
type waitLinesOf struct {
	table *table.Table
	kind  int
	// The differences that stand out, and those that could be chance, are known later.
	changes *session.Changes
	account bool
}

// kindLabels and kindNames are those of the ways to add up, by table.Kind.
var (
	kindLabels = []string{"threads", "roles", "totals"}
	kindNames  = []string{"Waits by thread", "Waits by role of the threads",
		"How long each thread waited in all"}
)

// Lines returns the lines that are listed.
func (l *Waits) Lines() (lines []*table.Row) {
	for _, row := range l.lines.Listed() {
		lines = append(lines, l.rows[row])
	}
	return lines
}

// Chosen returns the key of the line that was clicked, or gone to by a key.
func (l *Waits) Chosen() string {
	if row := l.lines.Cursor(); row >= 0 && row < len(l.rows) {
		return l.rows[row].Key
	}
	return ""
}

// Copy implements view.Copier.
func (l *Waits) Copy(format kit.TextFormat, whole bool) string { return l.lines.Text(format, whole) }

// Layout implements view.Panel.
func (l *Waits) Layout(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	if kind := kit.ChosenOrder(gtx, l.kinds[:], -1); kind >= 0 {
		l.kind, l.picked = kind, true
	}
	l.refresh(c, st)
	if l.table == nil {
		hint := cmp.Or(words.Apart(st), "Who waits on whom is listed here once it has been found.")
		return c.Kit.Hint(gtx, hint)
	}
	if row, ok := l.lines.Update(gtx); ok {
		l.choose(c, row)
	}
	notes := l.notes.refresh(c, gtx, st, l)
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min.Y, gtx.Constraints.Max.Y = 0, gtx.Constraints.Max.Y*2/5
			gtx.Constraints.Max.X -= gtx.Dp(10) // the scroll bar's
			return c.Kit.Rows(gtx, &l.above, notes.len(), func(gtx layout.Context, i int) layout.Dimensions {
				return notes.at(i)(gtx)
			})
		}),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return l.lines.Layout(c.Kit, gtx, func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Segments(gtx, l.kinds[:], kindLabels, kindNames, l.kind)
			})
		}))
}

// refresh makes the lines anew when what they are made of has changed.
func (l *Waits) refresh(c *view.Context, st *session.State) {
	t := st.WaitTable()
	if l.table != t {
		l.table, l.notes = t, waitNotes{open: l.notes.open, path: l.notes.path}
		if t != nil && !l.picked && l.kind == 0 {
			l.kind = int(t.Usual())
		}
	}
	if t == nil {
		return
	}
	of := waitLinesOf{t, l.kind, shownBy(c).changes, st.Difference() != nil}
	l.lines.Show(of, func() kit.Content {
		l.rows = t.Rows(table.Kind(l.kind), table.ByTime)
		return l.content(c, st)
	})
}

// content is the table of the lines of the kind.
func (l *Waits) content(c *view.Context, st *session.State) kit.Content {
	rows := l.rows
	// The first column beside the title is the difference, or the time of the only trace.
	return kit.Content{Len: len(rows), Of: "waits", Verb: "Show waits", Order: 1,
		Columns: l.columns(c, st), Shorten: l.shorten,
		Last:   func(row int) bool { return rows[row].Last },
		Search: func(row int) string { return rows[row].Search() },
		Mark:   func(k *kit.Kit, row int) (color.NRGBA, bool) { return l.mark(c, k, rows[row]) }}
}

// mark returns the colour that the thread of a line has in the active pane. A thread that is folded
// or hidden there has none.
func (l *Waits) mark(c *view.Context, k *kit.Kit, r *table.Row) (color.NRGBA, bool) {
	p, ok := c.Pane().(*Pane)
	if r.Line < 0 || ok && p.circle.arr.PlaceOf(r.Line) == threads.Nowhere {
		return color.NRGBA{}, false
	}
	return k.Pal.Waits().Thread(shownBy(c).hue(r.Line)), true
}

// shorten writes who waited on whom, and of the rest what there is room for: for what, since two
// threads may wait for each other on several objects, rather than what they are. Threads have names
// of functions where they have no better one, so each is shortened as such.
func (l *Waits) shorten(row int, room, size float32) string {
	const arrow, more = " ← ", "…"
	r := l.rows[row]
	width := func(s string) float32 { return typeface.Width(s, size, false) }
	who := r.Title()
	all := titleOf(r, who)
	switch {
	case width(all) <= room:
		return all
	case r.Who[1] == "" || width(who+more) <= room:
		return typeface.Clip(kit.Joined(who, cmp.Or(r.Object, r.Roles)), room, size)
	}
	room -= width(arrow)
	waiter := typeface.Shorten(r.Who[0], max(room/2, room-width(r.Who[1])), size, false)
	return waiter + arrow + typeface.Shorten(r.Who[1], room-width(waiter), size, false)
}

// choose shows what a line tells of.
func (l *Waits) choose(c *view.Context, row int) {
	r := l.rows[row]
	c.S.SetView(session.Threads)
	if r.Longest == [2]int{-1, -1} {
		c.S.FocusLine(r.Line)
		return
	}
	c.S.ShowWaits(l.table.Waits(r))
}

// step chooses the line after (or before) the chosen one; after the last one the first.
func (l *Waits) step(c *view.Context, st *session.State, by int) {
	l.refresh(c, st)
	listed := l.lines.Listed()
	if l.table == nil || len(listed) == 0 {
		return
	}
	at, n := slices.Index(listed, l.lines.Cursor()), len(listed)
	if at < 0 && by < 0 {
		at = 0
	}
	row := listed[((at+by)%n+n)%n]
	l.lines.SetCursor(row)
	l.choose(c, row)
}

// shownBy returns how the threads lie in the active pane, if that shows them.
func shownBy(c *view.Context) *circle {
	if p, ok := c.Pane().(*Pane); ok {
		return &p.circle
	}
	return &circle{}
}

// both writes what there is on each side that is open.
func (l *Waits) both(of func(s pair.Side) string) string {
	var parts []string
	for _, s := range l.sides() {
		parts = append(parts, of(s))
	}
	return strings.Join(parts, " | ")
}

// sides returns the sides whose waits are known.
func (l *Waits) sides() (sides []pair.Side) {
	for _, s := range []pair.Side{pair.A, pair.B} {
		if l.table.Sides[s] != nil {
			sides = append(sides, s)
		}
	}
	return sides
}
