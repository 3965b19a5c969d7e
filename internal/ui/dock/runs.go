package dock

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/runs"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// runList is the table of the recordings of both sides; above it stands what they tell together.
// Choosing one shows it.
type runList struct {
	table kit.Table
	rows  []sideRun
}

// sideRun is a run of a side, by its index.
type sideRun struct {
	side pair.Side
	k    int
}

// runsOf is what the table depends on.
type runsOf struct {
	runs  *session.Runs
	all   *session.ComparedRuns
	shown [2]int
}

const noRuns = "Only one recording a side is open. Several tell what is chance: " +
	"diptych --a A1 --a A2 … --b B1 --b B2 …"

// Layout lays the tab out.
func (l *runList) Layout(c *view.Context, gtx C, st *session.State) D {
	if st.Runs == nil {
		return c.Kit.Hint(gtx, noRuns)
	}
	if row, ok := l.table.Update(gtx); ok {
		c.S.ShowRun(l.rows[row].side, l.rows[row].k)
		st = c.S.State()
	}
	all := st.ComparedRuns()
	of := runsOf{st.Runs, all, [2]int{st.ShownRun(pair.A), st.ShownRun(pair.B)}}
	l.table.Show(of, func() kit.Content { return l.content(st, all) })
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx C) D { return l.verdict(c, gtx, st, all) }),
		layout.Rigid(func(gtx C) D { return l.heading(c, gtx, st, pair.A, all) }),
		layout.Rigid(func(gtx C) D { return l.heading(c, gtx, st, pair.B, all) }),
		layout.Flexed(1, func(gtx C) D { return l.table.Layout(c.Kit, gtx, nil) }))
}

// Copy implements view.Copier.
func (l *runList) Copy(format kit.TextFormat, whole bool) string {
	return l.table.Text(format, whole)
}

// content is a row for each run: its file, how long it took and what is special about it.
func (l *runList) content(st *session.State, all *session.ComparedRuns) kit.Content {
	l.rows = nil
	digits := 1
	for s, paths := range st.Runs.Paths {
		for k := range paths {
			l.rows = append(l.rows, sideRun{pair.Side(s), k})
		}
		digits = max(digits, len(strconv.Itoa(len(paths))))
	}
	unit, rows := words.UnitOf(st), l.rows
	return kit.Content{Len: len(rows), Of: "runs", Verb: "Show run", Short: true,
		Mark: func(k *kit.Kit, row int) (color.NRGBA, bool) { return k.Pal.Side(int(rows[row].side)), true },
		Columns: []kit.Column{
			{Title: "run", Text: func(row int) string {
				r := rows[row]
				return fmt.Sprintf("%s %0*d  %s", r.side, digits, r.k+1, session.Title(st.Runs.Paths[r.side][r.k]))
			}},
			{Title: strings.ToLower(wholeNoun(st)), Unit: unit,
				Format: func(v float64) string { return geom.FormatValue(v, unit) },
				Number: func(row int) (float64, bool) {
					if all == nil {
						return 0, false
					}
					return float64(all.Study.Sides[rows[row].side][rows[row].k].ElapsedNs), true
				}},
			{Title: "note", Text: func(row int) string { return runNote(st, all, rows[row]) }}}}
}

// runNote says whether a run is the one that is shown, and whether it is the median.
func runNote(st *session.State, all *session.ComparedRuns, r sideRun) string {
	shown, median := "", ""
	if st.ShownRun(r.side) == r.k {
		shown = "shown"
	}
	if all != nil && all.Shown[r.side] == r.k {
		median = "median"
	}
	return kit.Joined(shown, median)
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
	return layout.Inset{Bottom: 4, Left: 6, Right: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, badge(c, side), kit.Space(8),
			wide(c, kit.Plural(len(st.Runs.Paths[side]), "run"), headingInk(c)),
			label(c, median, c.Kit.Caption()))
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
