package dock

import (
	"context"
	"time"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/stats"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// rangeList is the table of the functions in the selected range. Above it stands which stretches of
// time these are and how much was called in them.
type rangeList struct {
	table      functionTable
	durations  durations
	fit, clear widget.Clickable
}

// rangeOf is what the table of a range depends on.
type rangeOf struct {
	pair   *pair.Pair
	within stats.Window
}

// rangeRest is how long a range stays as it is before it is counted, so that dragging is smooth.
const rangeRest = 60 * time.Millisecond

// foundRange are the functions in the selected range.
var foundRange = session.Result[rangeOf, *stats.Table]{
	Slot: "range", Label: "Counting the range", Rest: rangeRest,
	Key: func(st *session.State) (rangeOf, bool) {
		return rangeOf{st.Pair, st.Range.Counted()}, st.Range.OK && st.Pair != nil
	},
	Find: func(ctx context.Context, of rangeOf, report progress.Func) (*stats.Table, error) {
		return stats.Count(ctx, of.pair, of.within, report)
	},
}

// Layout lays the tab out. While a new range is being counted the table of the one before stays.
func (l *rangeList) Layout(c *view.Context, gtx C, st *session.State) D {
	counted, _ := foundRange.Last(st)
	switch {
	case st.Apart != nil:
		return c.Kit.Hint(gtx, words.Apart(st))
	case !st.Range.OK:
		return c.Kit.Hint(gtx, "Drag over the stacks with Shift held to select a range of time. "+
			"This tab then shows what each function does in it.")
	case counted == nil || counted.Pair != st.Pair:
		return c.Kit.Hint(gtx, "The functions in the range are being counted.")
	}
	l.hear(c, gtx, counted)
	l.table.show(st, counted, nil)
	if row, ok := l.table.Update(gtx); ok {
		showFirst(c, st, l.table.of(row))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx C) D { return l.heading(c, gtx, st, counted) }),
		layout.Flexed(1, func(gtx C) D {
			return l.table.layout(c, gtx, st, &l.durations, true)
		}))
}

// showFirst shows the first call of a function in the range, on the side that the range was
// selected on if it has one there.
func showFirst(c *view.Context, st *session.State, f *stats.Function) {
	side := st.Range.Side
	if f.Sides[side].Calls == 0 {
		side = side.Other()
	}
	t := session.Target{Side: side, Ref: f.Sides[side].First, OK: true}
	c.S.Select(t)
	c.S.Reveal(t)
}

// hear takes what was clicked beside the table.
func (l *rangeList) hear(c *view.Context, gtx C, counted *stats.Table) {
	if l.fit.Clicked(gtx) {
		c.S.FitSelection()
	}
	if l.clear.Clicked(gtx) {
		c.S.ClearRange()
	}
}

// Copy implements view.Copier.
func (l *rangeList) Copy(format kit.TextFormat, whole bool) string {
	return l.table.Text(format, whole)
}

// heading says which stretches of time are compared and what ran in them.
func (l *rangeList) heading(c *view.Context, gtx C, st *session.State, counted *stats.Table) D {
	var lines []layout.FlexChild
	for _, side := range []pair.Side{pair.A, pair.B} {
		if st.Loaded(side) {
			lines = append(lines, layout.Rigid(func(gtx C) D {
				return layout.Inset{Bottom: 4}.Layout(gtx, func(gtx C) D {
					return c.Kit.Sided(gtx, side, func(gtx C) D {
						return c.Kit.Label(gtx, rangeWords(st, side, counted), c.Kit.Text())
					})
				})
			}))
		}
	}
	return layout.Flex{}.Layout(gtx,
		kit.Wide(func(gtx C) D { return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...) }),
		layout.Rigid(func(gtx C) D { return c.Kit.Button(gtx, &l.fit, "fit", "Show the range", false) }),
		layout.Rigid(func(gtx C) D { return c.Kit.Button(gtx, &l.clear, "clear", "Clear the range", false) }),
		kit.Space(8))
}

// rangeWords tells of the range on a side: from when to when, how long, and how many calls.
func rangeWords(st *session.State, side pair.Side, counted *stats.Table) string {
	span, unit := st.Range.On(side), string(st.Sides[side].Trace.Unit)
	if span.Len() <= 0 {
		return "nothing lies across from the range"
	}
	value := func(v float64) string { return geom.FormatValue(v, unit) }
	return kit.Joined(value(span.Len()), "from "+value(span.Start),
		kit.Plural(counted.Sums[side].Calls, st.Sides[side].Trace.Kind.CallNoun()))
}
