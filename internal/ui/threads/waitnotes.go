package threads

import (
	"slices"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
)

// waitNotes is what stands above the table of waits: deadlocks, waits that never ended, the
// critical path. Each wait leads to where it is.
type waitNotes struct {
	open   bool // every wait that never ended is listed
	toggle widget.Clickable
	clicks map[table.Endless]*widget.Clickable
	path   pathSteps
}

// notes are what is laid out above the table: some notes, a line for each wait that never ended if
// they are listed, and a last note.
type notes struct {
	first   []layout.Widget
	endless []table.Endless
	line    func(table.Endless) layout.Widget
	last    layout.Widget
}

func (n *notes) len() int { return len(n.first) + len(n.endless) + 1 }

// at returns the i-th note.
func (n *notes) at(i int) layout.Widget {
	if i < len(n.first) {
		return n.first[i]
	}
	if i -= len(n.first); i < len(n.endless) {
		return n.line(n.endless[i])
	}
	return n.last
}

// refresh takes clicks and returns the notes to lay out.
func (n *waitNotes) refresh(c *view.Context, gtx layout.Context, st *session.State, l *Waits) notes {
	if n.clicks == nil {
		n.clicks = map[table.Endless]*widget.Clickable{}
	}
	if n.toggle.Clicked(gtx) {
		n.open = !n.open
	}
	for w, click := range n.clicks {
		if click.Clicked(gtx) {
			waits := [2]int{-1, -1}
			waits[w.Side] = w.Wait
			c.S.SetView(session.Threads)
			c.S.ShowWaits(waits)
		}
	}
	n.path.update(c, gtx)
	t, out := l.table, notes{last: n.critical(c, st)}
	out.line = func(w table.Endless) layout.Widget { return n.endless(c, t.Sides[w.Side], w) }
	for _, side := range []pair.Side{pair.A, pair.B} {
		if w := t.Sides[side]; w != nil {
			for _, d := range w.Deadlocks {
				out.first = append(out.first, n.deadlock(c, side, w, d))
			}
		}
	}
	if len(t.Endless) > 0 {
		out.first = append(out.first, n.count(c, l))
	}
	if n.open {
		out.endless = t.Endless
	}
	return out
}

// click returns the click of a wait.
func (n *waitNotes) click(s table.Endless) *widget.Clickable {
	if n.clicks[s] == nil {
		n.clicks[s] = &widget.Clickable{}
	}
	return n.clicks[s]
}

// deadlock tells of threads that wait for each other for ever.
func (n *waitNotes) deadlock(c *view.Context, side pair.Side, w *wait.Analysis,
	d wait.Deadlock) layout.Widget {
	var parts []string
	for _, s := range d {
		parts = append(parts, words.ThreadText(w, int(w.Waits.Thread[s.Wait]))+" waits for "+
			table.ObjectName(w, s.Object)+", which "+words.ThreadText(w, int(s.Holder))+" holds")
	}
	text := "Deadlock in " + side.String() + ": " + strings.Join(parts, "; ")
	click := n.click(table.Endless{Side: side, Wait: d[0].Wait})
	return c.Kit.Note(click, "Show the deadlock in "+side.String(), text,
		kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Warn, Weight: font.Bold, Lines: 4})
}

// count tells how many waits never ended, and lists them when it is clicked.
func (n *waitNotes) count(c *view.Context, l *Waits) layout.Widget {
	ofB, _ := slices.BinarySearchFunc(l.table.Endless, pair.B, func(w table.Endless, s pair.Side) int {
		return int(w.Side) - int(s)
	})
	by := [2]int{ofB, len(l.table.Endless) - ofB}
	text := l.both(func(s pair.Side) string { return s.String() + " " + kit.Grouped(by[s]) })
	mark := "+ "
	if n.open {
		mark = "– "
	}
	return c.Kit.Note(&n.toggle, "List waits that never ended", mark+"Waits that never ended: "+text,
		kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Warn, Weight: font.Medium})
}

// endless tells of a wait that never ended.
func (n *waitNotes) endless(c *view.Context, w *wait.Analysis, s table.Endless) layout.Widget {
	ws := &w.Waits
	th := w.Trace.Threads[ws.Thread[s.Wait]]
	text := s.Side.String() + "  " + words.ThreadText(w, int(ws.Thread[s.Wait])) + " in " +
		table.CalledIn(w, th, int(ws.Call[s.Wait])) + " since " + words.TimeText(w, ws.Start[s.Wait])
	return c.Kit.Note(n.click(s), "Show "+text, text,
		kit.Style{Size: kit.Small, Color: c.Kit.Pal.Text, Lines: 2})
}

// Least widths in dp of a panel with a column for B − A, and of one that names quantities in full.
// In a narrower one, what is left of the names needs the room more.
const changeLeast, wordsLeast = 280, 340

// critical tells what the durations of the traces hung on: nothing, if all of their calls are
// asynchronous spans, or if they are profiles, of which nobody knows what came after what.
func (n *waitNotes) critical(c *view.Context, st *session.State) layout.Widget {
	known := func(p *wait.Path) bool { return p != nil && p.Ns > 0 }
	if st.Profile() || !slices.ContainsFunc(st.Waits.Paths[:], known) {
		return layout.Spacer{}.Layout
	}
	return func(gtx layout.Context) layout.Dimensions {
		var sides []pair.Side
		var ns, waited [2]int64
		unexplained := "of it unexplained waiting"
		if gtx.Constraints.Max.X < gtx.Dp(wordsLeast) {
			unexplained = "unexplained"
		}
		children := []layout.FlexChild{kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return c.Kit.Label(gtx, "length", c.Kit.Text())
				}),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return c.Kit.Label(gtx, unexplained, c.Kit.Caption())
				}))
		})}
		value := func(ns int64) string { return geom.FormatValue(float64(ns), words.UnitOf(st)) }
		for _, side := range []pair.Side{pair.A, pair.B} {
			if path := st.Waits.Paths[side]; path != nil {
				sides = append(sides, side)
				ns[side], waited[side] = path.Ns, path.WaitNs
				children = append(children, c.Kit.Value(value(path.Ns), value(path.WaitNs), c.Kit.Text()))
			}
		}
		change := len(sides) == 2 && gtx.Constraints.Max.X >= gtx.Dp(changeLeast)
		if change {
			children = append(children, c.Kit.Value(kit.SignedValue(ns[1]-ns[0], words.UnitOf(st)),
				kit.SignedValue(waited[1]-waited[0], words.UnitOf(st)), c.Kit.Text()))
		}
		lines := []layout.FlexChild{
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Columns(gtx, "critical path", sides, change)
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return layout.Inset{Left: 6, Right: 16, Top: 4}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
					return layout.Flex{}.Layout(gtx, children...)
				})
			})}
		return layout.Inset{Bottom: 6}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx, append(lines, n.path.lines(c, st)...)...)
		})
	}
}
