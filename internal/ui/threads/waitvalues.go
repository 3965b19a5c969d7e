package threads

import (
	"image/color"
	"slices"
	"strings"

	"gioui.org/font"

	"diptych/internal/align/finding"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
)

// columns are who waited on whom, the difference, the times and numbers of waits of each side, and
// then what else is known, as far as any line has it.
func (l *Waits) columns(c *view.Context, st *session.State) []kit.Column {
	columns := []kit.Column{{Title: "waiter, releaser", Text: func(row int) string {
		return titleOf(l.rows[row], l.rows[row].Title())
	}}}
	if st.Both() {
		columns = append(columns, l.change(c, st))
	}
	for _, side := range l.sides() {
		columns = append(columns, l.time(st, side, side.String(), "time waited in "+side.String(),
			func(r *table.Row) int64 { return r.WaitNs[side] }))
	}
	if st.Both() && slices.ContainsFunc(l.rows, func(r *table.Row) bool { return note(st, r) != "" }) {
		columns = append(columns, kit.Column{Title: "note", About: "what to know of B − A",
			Text: func(row int) string { return note(st, l.rows[row]) },
			Ink:  func(k *kit.Kit, _ int, _ kit.Style) kit.Style { return k.Faint() }})
	}
	for _, side := range l.sides() {
		columns = append(columns, kit.Column{Title: "waits " + side.String(), Head: sideHead(side),
			Format: func(v float64) string { return kit.Counted(uint64(v)) },
			Number: func(row int) (float64, bool) {
				n := l.rows[row].Count[side]
				return float64(n), n > 0
			}})
	}
	if table.Kind(l.kind) == table.Totals {
		for _, side := range l.sides() {
			columns = append(columns, l.time(st, side, "I/O "+side.String(),
				"input and output in "+side.String(), func(r *table.Row) int64 { return r.IONs[side] }))
		}
	}
	return append(columns, l.texts(st)...)
}

// titleOf writes what a line tells of: who waited on whom, what they are, and for what.
func titleOf(r *table.Row, who string) string { return kit.Joined(who, r.Roles, r.Object) }

// time is a column of times of a side; a line without any has none.
func (l *Waits) time(st *session.State, side pair.Side, title, about string,
	of func(r *table.Row) int64) kit.Column {
	unit := words.UnitOf(st)
	return kit.Column{Title: title, About: about, Unit: unit, Head: sideHead(side),
		Format: func(v float64) string { return geom.FormatValue(v, unit) },
		Number: func(row int) (float64, bool) {
			ns := of(l.rows[row])
			return float64(ns), ns > 0 || l.rows[row].Count[side] > 0
		}}
}

// change is the column of the differences: those that stand out are bold and coloured, those that
// could be chance are faint.
func (l *Waits) change(c *view.Context, st *session.State) kit.Column {
	unit := words.UnitOf(st)
	return kit.Column{Title: "B − A", Unit: unit, Size: true,
		Number: func(row int) (float64, bool) { return float64(l.rows[row].Delta()), true },
		Format: func(v float64) string {
			if v == 0 {
				return "0"
			}
			return kit.SignedValue(int64(v), unit)
		},
		Ink: func(k *kit.Kit, row int, ink kit.Style) kit.Style {
			r := l.rows[row]
			if _, chance := noise(st, r); chance {
				return k.Faint()
			}
			if standsOut(r, shownBy(c).changes) {
				ink.Weight, ink.Color = font.Bold, changeColour(k.Pal, r.Delta())
			}
			return ink
		}}
}

// texts are the columns of what was waited for, of roles, of who held locks and of all runs, where
// any line has such a text.
func (l *Waits) texts(st *session.State) (columns []kit.Column) {
	for _, x := range []struct {
		title string
		of    func(r *table.Row) string
	}{
		{"for", func(r *table.Row) string { return r.Object }},
		{"roles", func(r *table.Row) string { return r.Roles }},
		{"held most by", func(r *table.Row) string { return l.heldBy(st, r) }},
		{"all runs", func(r *table.Row) string { return l.allRuns(st, r) }},
	} {
		if slices.ContainsFunc(l.rows, func(r *table.Row) bool { return x.of(r) != "" }) {
			columns = append(columns, kit.Column{Title: x.title,
				Text: func(row int) string { return x.of(l.rows[row]) }})
		}
	}
	return columns
}

// sideHead is the colour of a column's title that belongs to a side.
func sideHead(side pair.Side) func(k *kit.Kit) color.NRGBA {
	return func(k *kit.Kit) color.NRGBA { return k.Pal.SideText(int(side)) }
}

// note is what stands beside a difference.
func note(st *session.State, r *table.Row) string {
	text, _ := noise(st, r)
	switch {
	case text != "":
	case r.Count[pair.A] == 0 && r.Count[pair.B] > 0:
		text = "only B"
	case r.Count[pair.B] == 0 && r.Count[pair.A] > 0:
		text = "only A"
	}
	return text
}

// noise says what stands beside a difference: where there are several runs a side, how far runs of
// one side are apart; of a single pair, that the account takes the difference for chance. chance
// reports whether the difference is no more than that.
func noise(st *session.State, r *table.Row) (note string, chance bool) {
	delta := r.Delta()
	if delta == 0 {
		return "", false
	}
	if spread, ok := r.Spread(); ok {
		return "± " + geom.FormatValue(float64(spread), words.UnitOf(st)), max(delta, -delta) <= spread
	}
	if d := st.Difference(); d != nil && d.LevelOfWaits(r.WaitNs, r.Squares) == finding.Chance {
		return "chance?", true
	}
	return "", false
}

// changeColour is that of what takes longer, or shorter, in B.
func changeColour(pal *palette.Palette, delta int64) color.NRGBA {
	if delta > 0 {
		return pal.Past
	}
	return pal.Future
}

// standsOut reports whether a line tells of a change that stands out.
func standsOut(r *table.Row, c *session.Changes) bool {
	return c != nil && c.StandsOut(&wait.Row{Count: r.Count, WaitNs: r.WaitNs})
}

// heldBy tells who held the lock that was waited for, where that is known.
func (l *Waits) heldBy(st *session.State, r *table.Row) string {
	var parts []string
	for _, side := range []pair.Side{pair.A, pair.B} {
		if r.Holder[side] != "" {
			parts = append(parts, side.String()+" "+r.Holder[side]+" for "+
				geom.FormatValue(float64(r.HeldNs[side]), words.UnitOf(st)))
		}
	}
	return strings.Join(parts, " | ")
}

// allRuns tells from where to where such waits go over all runs of a side, if there are several.
func (l *Waits) allRuns(st *session.State, r *table.Row) string {
	var parts []string
	for _, side := range []pair.Side{pair.A, pair.B} {
		if least, most, ok := r.Range(side); ok {
			text := geom.FormatValue(float64(least), words.UnitOf(st))
			if to := geom.FormatValue(float64(most), words.UnitOf(st)); to != text {
				text += " – " + to
			}
			parts = append(parts, side.String()+" "+text)
		}
	}
	return strings.Join(parts, " | ")
}
