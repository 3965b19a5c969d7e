package ui

import (
	"strings"

	"gioui.org/font"
	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// threadList lists the pairs of threads; clicking one shows it, and any thread of A can be paired
// with another of B.
type threadList struct {
	filter widget.Editor
	list   widget.List
	rows   map[int]*threadRow
	shown  []int      // what the list shows: pairs, or B's threads while one is being picked
	of     *pair.Pair // what shown was listed from
	query  string

	picking bool
	forA    int // the thread of A a partner is being picked for
	cancel  widget.Clickable
}

type threadRow struct{ show, repair widget.Clickable }

func (t *threadList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	if st.Pair == nil {
		return a.kit.Hint(gtx, "Threads are listed once a trace is open.")
	}
	query := kit.Filtered(gtx, &t.filter)
	if t.cancel.Clicked(gtx) {
		t.picking, t.rows = false, nil
	}
	t.refresh(st, query)
	t.clicked(a, gtx, st)
	st = a.S.State() // the pairs may be others now
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		a.kit.FilterField(&t.filter, "Filter threads", "Filter threads"),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return t.heading(a, gtx, st) }),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return a.kit.Rows(gtx, &t.list, len(t.shown), func(gtx layout.Context, i int) layout.Dimensions {
				gtx.Constraints.Max.X -= gtx.Dp(10) // the scroll bar's
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				if t.picking {
					return t.candidate(a, gtx, st, t.shown[i])
				}
				return t.pair(a, gtx, st, t.shown[i])
			})
		}),
	)
}

// refresh recomputes the rows when the pairing or the filter has changed.
func (t *threadList) refresh(st *session.State, q string) {
	if t.of == st.Pair && t.query == q && t.rows != nil {
		return
	}
	if t.rows == nil {
		t.rows = map[int]*threadRow{}
	}
	t.of, t.query, t.shown = st.Pair, q, t.shown[:0]
	if t.picking {
		for i, th := range st.Sides[pair.B].Trace.Threads {
			if strings.Contains(strings.ToLower(th.Name), q) {
				t.shown = append(t.shown, i)
			}
		}
		return
	}
	for i, tp := range st.Pair.Threads {
		for _, side := range []pair.Side{pair.A, pair.B} {
			if k := tp.On(side); k >= 0 && st.Sides[side].Trace.Threads[k].Len() > 0 &&
				strings.Contains(strings.ToLower(st.Sides[side].Trace.Threads[k].Name), q) {
				t.shown = append(t.shown, i)
				break
			}
		}
	}
}

func (t *threadList) row(i int) *threadRow {
	r := t.rows[i]
	if r == nil {
		r = &threadRow{}
		t.rows[i] = r
	}
	return r
}

func (t *threadList) clicked(a *App, gtx layout.Context, st *session.State) {
	for i, r := range t.rows {
		show, repair := r.show.Clicked(gtx), r.repair.Clicked(gtx)
		switch {
		case show && t.picking:
			a.S.Repair(t.forA, i)
			t.picking, t.rows = false, nil
			t.refresh(a.S.State(), t.query)
			return
		case show:
			a.S.ShowPair(i)
		case repair:
			t.picking, t.forA, t.rows = true, st.Pair.Threads[i].A, nil
			t.refresh(st, t.query)
			return
		}
	}
}

func (t *threadList) press(k key.Event) bool {
	if t.picking && k.Name == key.NameEscape {
		t.picking, t.rows = false, nil
		return true
	}
	return false
}

func (t *threadList) heading(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	text := kit.Plural(len(t.shown), "pair") + " of threads"
	if t.picking {
		of := st.Sides[pair.A].Trace.Threads[t.forA]
		text = strings.TrimSpace("Pair “"+of.Title()+"” "+words.OwnID(of)) + " of A with …"
	}
	return layout.Inset{Bottom: 4, Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			kit.Wide(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, text, kit.Style{Size: kit.Small, Color: a.kit.Pal.Secondary, Weight: font.Medium})
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				if !t.picking {
					return layout.Dimensions{}
				}
				return a.kit.Button(gtx, &t.cancel, "cancel", "Cancel pairing", false)
			}))
	})
}

// pair is one pair of threads: names where they differ, calls on either side.
func (t *threadList) pair(a *App, gtx layout.Context, st *session.State, i int) layout.Dimensions {
	tp, r := st.Pair.Threads[i], t.row(i)
	on := !st.Process && st.Current == i
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Pressable(gtx, &r.show, "Show threads "+words.PairName(st, tp), on,
				func(gtx layout.Context) layout.Dimensions {
					return layout.Inset{Left: 6, Right: 4, Top: 4, Bottom: 4}.Layout(gtx,
						func(gtx layout.Context) layout.Dimensions { return t.columns(a, gtx, st, tp) })
				})
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			if tp.A < 0 || !st.Both() {
				return layout.Spacer{Width: 30}.Layout(gtx)
			}
			return a.kit.IconButton(gtx, &r.repair, kit.SwapIcon, "Pair with another thread")
		}))
}

func (t *threadList) columns(a *App, gtx layout.Context, st *session.State, tp pair.ThreadPair) layout.Dimensions {
	children := []layout.FlexChild{kit.Wide(func(gtx layout.Context) layout.Dimensions {
		return a.kit.Label(gtx, words.PairName(st, tp), a.kit.Text())
	})}
	if ids := words.PairIDs(st, tp); ids != "" {
		children = append(children, a.kit.Cell(unit.Dp(84), ids, kit.Right(a.kit.Faint())))
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if !st.Loaded(side) {
			continue
		}
		text, ink := "—", a.kit.Faint()
		if k := tp.On(side); k >= 0 {
			text = kit.Grouped(st.Sides[side].Trace.Threads[k].Len())
			ink.Color = a.kit.Pal.Side(int(side))
		}
		children = append(children, a.kit.Cell(unit.Dp(62), text, kit.Right(ink)))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// candidate is a thread of B that can be picked.
func (t *threadList) candidate(a *App, gtx layout.Context, st *session.State, i int) layout.Dimensions {
	th, r := st.Sides[pair.B].Trace.Threads[i], t.row(i)
	return a.kit.Pressable(gtx, &r.show, "Pair with "+th.Title(), false, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 6, Right: 8, Top: 4, Bottom: 4}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				ink := a.kit.Faint()
				ink.Color = a.kit.Pal.B
				now := words.OwnID(th)
				if k := st.Pair.Partner(pair.B, i); k >= 0 {
					with := st.Sides[pair.A].Trace.Threads[k]
					now += "  now with " + strings.TrimSpace(with.Title()+" "+words.OwnID(with))
				}
				now = strings.TrimSpace(now)
				return layout.Flex{}.Layout(gtx, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Label(gtx, th.Title(), a.kit.Text())
				}), kit.Space(10), kit.Wide(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Label(gtx, now, a.kit.Faint())
				}), a.kit.Cell(unit.Dp(62), kit.Grouped(th.Len()), kit.Right(ink)))
			})
	})
}
