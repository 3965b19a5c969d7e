package dock

import (
	"fmt"
	"slices"

	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/runs"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// runList lists the recordings of each side and says what they tell together. A click shows another
// of them.
type runList struct {
	list   widget.List
	clicks kit.Clicks[sideRun]
	of     *session.Runs // what the clicks are for
}

// sideRun is a run of a side, by its index.
type sideRun struct {
	side pair.Side
	k    int
}

const noRuns = "Only one recording a side is open. Several tell what is chance: " +
	"diptych --a A1 --a A2 … --b B1 --b B2 …"

// Layout lays the list out.
func (l *runList) Layout(c *view.Context, gtx C, st *session.State) D {
	if st.Runs == nil {
		return c.Kit.Hint(gtx, noRuns)
	}
	if l.of != st.Runs {
		l.of = st.Runs
		l.clicks.Forget()
	}
	if r, ok := l.clicks.Clicked(gtx); ok {
		c.S.ShowRun(r.side, r.k)
	}
	rows := l.rows(c, st)
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		listed(c, &l.list, len(rows), func(gtx C, i int) D { return rows[i](gtx) }))
}

func (l *runList) rows(c *view.Context, st *session.State) (rows []layout.Widget) {
	all := st.ComparedRuns()
	rows = append(rows, func(gtx C) D { return l.verdict(c, gtx, st, all) })
	for _, side := range []pair.Side{pair.A, pair.B} {
		paths := st.Runs.Paths[side]
		rows = append(rows, func(gtx C) D { return l.heading(c, gtx, st, side, all) })
		for k := range paths {
			rows = append(rows, func(gtx C) D { return l.run(c, gtx, st, sideRun{side, k}, all) })
		}
	}
	return rows
}

// verdict says how the elapsed time differs over all runs, and how many runs it takes.
func (l *runList) verdict(c *view.Context, gtx C, st *session.State, all *session.ComparedRuns) D {
	text, advice := "The runs are being compared …", ""
	if all != nil {
		x := &all.Total[0]
		text = fmt.Sprintf("%s %s, %s (%s to %s, at %.0f %%): %s", wholeNoun(st),
			kit.SignedValue(int64(x.Delta.Value), words.UnitOf(st)), geom.FormatRatio(x.Ratio.Value),
			geom.FormatRatio(x.Ratio.Low), geom.FormatRatio(x.Ratio.High), 100*x.Delta.Level,
			sureness(x))
		advice = all.Advice()
	}
	ink, small := c.Kit.Text(), c.Kit.Caption()
	ink.Lines, small.Lines = 3, 6
	return layout.Inset{Bottom: 8, Left: 6}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, label(c, text, ink),
			layout.Rigid(layout.Spacer{Height: 4}.Layout), label(c, advice, small))
	})
}

// wholeNoun names what runs are ranked by.
func wholeNoun(st *session.State) string {
	if st.Profile() {
		return "Total"
	}
	return "Elapsed time"
}

// sureness says how sure a change is.
func sureness(x *runs.Change) string {
	if x.Certainty == runs.Chance {
		return "could be chance"
	}
	return x.Certainty.String()
}

func (l *runList) heading(c *view.Context, gtx C, st *session.State, side pair.Side,
	all *session.ComparedRuns) D {
	median := ""
	if all != nil {
		median = "median " + geom.FormatValue(all.Total[0].Median[side], words.UnitOf(st))
	}
	return layout.Inset{Top: 8, Bottom: 4, Left: 6, Right: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, badge(c, side), kit.Space(8),
			wide(c, kit.Plural(len(st.Runs.Paths[side]), "run"), headingInk(c)),
			label(c, median, c.Kit.Caption()))
	})
}

// run is a line: the file's name, how long it took, and what is special about it.
func (l *runList) run(c *view.Context, gtx C, st *session.State, r sideRun,
	all *session.ComparedRuns) D {
	name, elapsed, note := session.Title(st.Runs.Paths[r.side][r.k]), "", ""
	shown := st.ShownRun(r.side) == r.k
	if all != nil {
		elapsed = geom.FormatValue(float64(all.Study.Sides[r.side][r.k].ElapsedNs), words.UnitOf(st))
		if all.Shown[r.side] == r.k {
			note = "median"
		}
	}
	if shown {
		note = kit.Joined("shown", note)
	}
	about := fmt.Sprintf("Show run %d of %s", r.k+1, r.side)
	return c.Kit.Pressable(gtx, l.clicks.Row(r), about, shown, func(gtx C) D {
		return layout.Inset{Left: 6, Right: 8, Top: 4, Bottom: 4}.Layout(gtx, func(gtx C) D {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx, wide(c, name, c.Kit.Text()),
				label(c, note, c.Kit.Caption()),
				c.Kit.Cell(unit.Dp(80), elapsed, kit.Right(c.Kit.Text())))
		})
	})
}

// onBothSides reports whether a function has a ratio: it is on both sides in some run.
func onBothSides(x *runs.Change) bool {
	return x != nil && slices.Max(x.Values[pair.A]) > 0 && slices.Max(x.Values[pair.B]) > 0
}

// ratioOf returns B / A over all runs, 0 if there is none.
func ratioOf(x *runs.Change) float64 {
	if !onBothSides(x) {
		return 0
	}
	return x.Ratio.Value
}

// intervalWords returns the interval of the ratio, or which side alone has a function in most runs.
func intervalWords(x *runs.Change) string {
	switch {
	case x == nil:
		return ""
	case slices.Max(x.Values[pair.A]) == 0:
		return "only B"
	case slices.Max(x.Values[pair.B]) == 0:
		return "only A"
	}
	low, high := geom.FormatRatio(x.Ratio.Low), geom.FormatRatio(x.Ratio.High)
	return low[:len(low)-len("×")] + "–" + high
}
