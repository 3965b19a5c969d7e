package dock

import (
	"strings"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// ThreadList lists the pairs of threads; clicking one shows it, and any thread of A can be paired
// with another of B.
type ThreadList struct {
	filter widget.Editor
	list   widget.List
	shows  kit.Clicks[int] // by what shown has
	pairs  kit.Clicks[int]
	shown  []int // what the list shows: pairs, or B's threads while one is being picked
	of     listedThreads
	names  [2][]string // of the threads of each side, in lower case

	picking bool
	forA    int // the thread of A a partner is being picked for
	cancel  widget.Clickable
}

// listedThreads is what the shown threads depend on.
type listedThreads struct {
	pair    *pair.Pair
	query   string
	picking bool
}

// Layout lays the list out.
func (t *ThreadList) Layout(c *view.Context, gtx C,
	st *session.State) D {
	if st.Pair == nil {
		t.picking = false
		if st.Apart != nil {
			return c.Kit.Hint(gtx, notCompared(st))
		}
		return c.Kit.Hint(gtx, "Threads are listed once a trace is open.")
	}
	query := kit.Filtered(gtx, &t.filter)
	t.clicked(c, gtx, st)
	st = c.S.State() // the pairs may be others now
	t.refresh(st, query)
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		c.Kit.FilterField(&t.filter, "Filter threads", "Filter threads"),
		layout.Rigid(func(gtx C) D { return t.heading(c, gtx, st) }),
		listed(c, &t.list, len(t.shown), func(gtx C, i int) D {
			if t.picking {
				return t.candidate(c, gtx, st, t.shown[i])
			}
			return t.pair(c, gtx, st, t.shown[i])
		}))
}

// refresh lists anew when the pairing or the filter has changed, or what is listed.
func (t *ThreadList) refresh(st *session.State, query string) {
	if t.of.pair != st.Pair {
		t.picking = false // that thread of A may be gone
		t.readNames(st)
	}
	of := listedThreads{st.Pair, query, t.picking}
	if t.of == of {
		return
	}
	t.of, t.shown = of, t.shown[:0]
	t.shows.Forget()
	t.pairs.Forget()
	if t.picking {
		for i, name := range t.names[pair.B] {
			if strings.Contains(name, query) {
				t.shown = append(t.shown, i)
			}
		}
		return
	}
	for i, tp := range st.Pair.Threads {
		if t.finds(st, pair.A, tp) || t.finds(st, pair.B, tp) {
			t.shown = append(t.shown, i)
		}
	}
}

// readNames notes the names of all threads as they are compared with the filter.
func (t *ThreadList) readNames(st *session.State) {
	t.names = [2][]string{}
	for side := range st.Sides {
		if tr := st.Sides[side].Trace; tr != nil {
			for _, th := range tr.Threads {
				t.names[side] = append(t.names[side], strings.ToLower(th.Name))
			}
		}
	}
}

// finds reports whether a side of a pair has calls and a name that the filter finds.
func (t *ThreadList) finds(st *session.State, side pair.Side, tp pair.ThreadPair) bool {
	th := words.ThreadOf(st, side, tp)
	return th != nil && th.Len() > 0 && strings.Contains(t.names[side][tp.On(side)], t.of.query)
}

// clicked does what was clicked, which was listed for t.of.
func (t *ThreadList) clicked(c *view.Context, gtx C, st *session.State) {
	if t.cancel.Clicked(gtx) {
		t.picking = false
	}
	show, shown := t.shows.Clicked(gtx)
	repair, repaired := t.pairs.Clicked(gtx)
	switch {
	case t.of.pair != st.Pair:
	case shown && t.of.picking:
		c.S.Repair(t.forA, show)
		t.picking = false
	case shown:
		c.S.ShowPair(show)
	case repaired:
		t.Pick(st.Pair.Threads[repair].A)
	}
}

// Pick lists the threads of B for the user to choose the partner of a thread of A.
func (t *ThreadList) Pick(a int) { t.picking, t.forA = true, a }

func (t *ThreadList) press(k key.Event) bool {
	was := t.picking && k.Name == key.NameEscape
	if was {
		t.picking = false
	}
	return was
}

func (t *ThreadList) heading(c *view.Context, gtx C, st *session.State) D {
	text := kit.Plural(len(t.shown), "pair") + " of threads"
	if t.picking {
		of := st.Sides[pair.A].Trace.Threads[t.forA]
		text = strings.TrimSpace("Pair “"+of.Title()+"” "+words.OwnID(of)) + " of A with …"
	}
	return layout.Inset{Bottom: 4, Right: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			wide(c, text, headingInk(c)),
			layout.Rigid(func(gtx C) D {
				if !t.picking {
					return D{}
				}
				return c.Kit.Button(gtx, &t.cancel, "cancel", "Cancel pairing", false)
			}))
	})
}

// pair is one pair of threads: names where they differ, calls on either side.
func (t *ThreadList) pair(c *view.Context, gtx C, st *session.State, i int) D {
	tp := st.Pair.Threads[i]
	on := !st.Process && st.Current == i
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		kit.Wide(func(gtx C) D {
			return c.Kit.Pressable(gtx, t.shows.Row(i), "Show threads "+words.PairName(st, tp), on,
				func(gtx C) D {
					return layout.Inset{Left: 6, Right: 4, Top: 4, Bottom: 4}.Layout(gtx,
						func(gtx C) D { return t.columns(c, gtx, st, tp) })
				})
		}),
		layout.Rigid(func(gtx C) D {
			if tp.A < 0 || !st.Both() {
				return layout.Spacer{Width: 30}.Layout(gtx)
			}
			return c.Kit.IconButton(gtx, t.pairs.Row(i), kit.SwapIcon, "Pair with another thread")
		}))
}

func (t *ThreadList) columns(c *view.Context, gtx C, st *session.State, tp pair.ThreadPair) D {
	children := []layout.FlexChild{wide(c, words.PairName(st, tp), c.Kit.Text())}
	if ids := words.PairIDs(st, tp); ids != "" {
		children = append(children, c.Kit.Cell(unit.Dp(84), ids, kit.Right(c.Kit.Faint())))
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if !st.Loaded(side) {
			continue
		}
		text, ink := "—", c.Kit.Faint()
		if k := tp.On(side); k >= 0 {
			text = kit.Grouped(st.Sides[side].Trace.Threads[k].Len())
			ink.Color = c.Kit.Pal.SideText(int(side))
		}
		children = append(children, c.Kit.Cell(unit.Dp(62), text, kit.Right(ink)))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// candidate is a thread of B that can be picked.
func (t *ThreadList) candidate(c *view.Context, gtx C, st *session.State, i int) D {
	th := st.Sides[pair.B].Trace.Threads[i]
	return c.Kit.Pressable(gtx, t.shows.Row(i), "Pair with "+th.Title(), false, func(gtx C) D {
		return layout.Inset{Left: 6, Right: 8, Top: 4, Bottom: 4}.Layout(gtx,
			func(gtx C) D {
				ink := c.Kit.Faint()
				ink.Color = c.Kit.Pal.BText
				now := words.OwnID(th)
				if k := st.Pair.Partner(pair.B, i); k >= 0 {
					with := st.Sides[pair.A].Trace.Threads[k]
					now += "  now with " + strings.TrimSpace(with.Title()+" "+words.OwnID(with))
				}
				now = strings.TrimSpace(now)
				return layout.Flex{}.Layout(gtx,
					label(c, th.Title(), c.Kit.Text()),
					kit.Space(10),
					wide(c, now, c.Kit.Faint()),
					c.Kit.Cell(unit.Dp(62), kit.Grouped(th.Len()), kit.Right(ink)))
			})
	})
}
