package threads

import (
	"image/color"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"

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

// values are the times of a line, with how often below each.
func (l *Waits) values(c *view.Context, st *session.State, r *table.Row) []layout.FlexChild {
	var out []layout.FlexChild
	for _, side := range []pair.Side{pair.A, pair.B} {
		if l.table.Sides[side] == nil {
			continue
		}
		text, times := "—", ""
		if r.Count[side] > 0 {
			text = geom.FormatValue(float64(r.WaitNs[side]), words.UnitOf(st))
			times = kit.Grouped(int(r.Count[side])) + " ×"
		}
		out = append(out, c.Kit.Value(text, times, c.Kit.Text()))
	}
	if !st.Both() {
		return out
	}
	ink, text := c.Kit.Text(), "0"
	if d := r.Delta(); d != 0 {
		text = kit.SignedValue(d, words.UnitOf(st))
	}
	note, chance := noise(st, r)
	switch {
	case chance:
		ink = c.Kit.Faint()
	case standsOut(r, shownBy(c).changes):
		ink.Weight = font.Bold
		ink.Color = changeColour(c.Kit.Pal, r.Delta())
	}
	switch {
	case note != "":
	case r.Count[pair.A] == 0:
		note = "only B"
	case r.Count[pair.B] == 0:
		note = "only A"
	}
	return append(out, c.Kit.Value(text, note, ink))
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
	if len(parts) == 0 {
		return ""
	}
	return "held most by: " + strings.Join(parts, " | ")
}

// allRuns tells from where to where such waits go over all runs of a side, if there are several.
func (l *Waits) allRuns(st *session.State, r *table.Row) string {
	var parts []string
	for _, side := range []pair.Side{pair.A, pair.B} {
		if least, most, ok := r.Range(side); ok {
			text := side.String() + " " + geom.FormatValue(float64(least), words.UnitOf(st))
			if most > least {
				text += " – " + geom.FormatValue(float64(most), words.UnitOf(st))
			}
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "all runs: " + strings.Join(parts, " | ")
}
