package dock

import (
	"slices"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// problemList tells why a file could not be read, what was repaired in those that were, why the two
// cannot be compared, which work was given up by a fault of the program's own, and which stored
// traces were damaged.
type problemList struct {
	list    widget.List
	dismiss [2]widget.Clickable
	forget  widget.Clickable // the faults and what was damaged
}

// Layout lays the list out.
func (p *problemList) Layout(c *view.Context, gtx C, st *session.State) D {
	for i := range p.dismiss {
		if p.dismiss[i].Clicked(gtx) {
			c.S.Dismiss(pair.Side(i))
		}
	}
	if p.forget.Clicked(gtx) {
		c.S.DismissFaults()
	}
	rows := p.rows(c, c.S.State())
	if len(rows) == 0 {
		return c.Kit.Hint(gtx, "Nothing was wrong with the files.")
	}
	return c.Kit.Rows(gtx, &p.list, len(rows), func(gtx C, i int) D {
		return layout.Inset{Bottom: 14, Right: 10}.Layout(gtx, rows[i])
	})
}

// rows returns the problems, the gravest first.
func (p *problemList) rows(c *view.Context, st *session.State) (rows []layout.Widget) {
	for i := range st.Faults {
		rows = append(rows, p.fault(c, &st.Faults[i], i == 0))
	}
	for i, d := range st.Damaged {
		rows = append(rows, p.damage(c, d.Sentence(), i == 0 && len(st.Faults) == 0))
	}
	if st.Apart != nil {
		rows = append(rows, func(gtx C) D {
			ink := kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Error, Lines: 8}
			return c.Kit.Label(gtx, words.Apart(st), ink)
		})
	}
	if text := recordedOtherwise(st); text != "" {
		rows = append(rows, p.recorded(c, text))
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		sd := &st.Sides[side]
		if sd.Err != nil {
			rows = append(rows, p.failure(c, side, sd.Err))
		}
		if sd.Trace == nil {
			continue
		}
		if v := sd.Trace.Verdict(); v != trace.Complete {
			rows = append(rows, p.verdict(c, side, v))
		}
		for _, d := range sd.Trace.Diagnostics {
			rows = append(rows, p.diagnostic(c, side, d))
		}
	}
	return rows
}

// recordedOtherwise says what the tool was told for one side alone, "" for nothing.
func recordedOtherwise(st *session.State) string {
	if st.Pair == nil {
		return ""
	}
	return st.Pair.Recorded().String()
}

// recorded says that the tool was told otherwise for one side.
func (p *problemList) recorded(c *view.Context, text string) layout.Widget {
	return func(gtx C) D {
		title := kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Warn, Weight: font.Medium}
		what := c.Kit.Text()
		what.Lines = 6
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, label(c, "Recorded otherwise", title),
			label(c, text, what))
	}
}

func (p *problemList) failure(c *view.Context, side pair.Side, err error) layout.Widget {
	return func(gtx C) D {
		ink := kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Error, Lines: 8}
		return c.Kit.Sided(gtx, side, func(gtx C) D {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				label(c, err.Error(), ink),
				layout.Rigid(func(gtx C) D {
					return c.Kit.Button(gtx, &p.dismiss[side], "dismiss", "Dismiss the error", false)
				}))
		})
	}
}

// verdict says what all that was wrong with a file means for the comparison.
func (p *problemList) verdict(c *view.Context, side pair.Side, v trace.Verdict) layout.Widget {
	return func(gtx C) D {
		return c.Kit.Sided(gtx, side, func(gtx C) D {
			what := c.Kit.Text()
			what.Lines = 5
			title := kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Warn, Weight: font.Medium}
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				label(c, "The recording is "+v.String(), title), label(c, v.Meaning(), what))
		})
	}
}

func (p *problemList) diagnostic(c *view.Context, side pair.Side,
	d trace.Diagnostic) layout.Widget {
	return func(gtx C) D {
		return c.Kit.Sided(gtx, side, func(gtx C) D {
			what := c.Kit.Text()
			what.Lines = 3
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				label(c, kit.Grouped(int(d.Count))+" × "+string(d.Code),
					kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Warn, Weight: font.Medium}),
				label(c, d.Code.Meaning(), what),
				label(c, d.Example, monoInk(c, 4)))
		})
	}
}

// fault tells of a job that failed. The first one has the button that dismisses all.
func (p *problemList) fault(c *view.Context, f *session.Fault, first bool) layout.Widget {
	title := kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Error, Weight: font.Medium, Lines: 2}
	stack := monoInk(c, 40)
	why := c.Kit.Text()
	why.Lines = 4
	return func(gtx C) D {
		children := []layout.FlexChild{label(c, f.Label+" failed by a fault of this program", title),
			label(c, f.Why, why), label(c, f.Stack, stack)}
		if first {
			children = slices.Insert(children, 2, p.dismissal(c, "Dismiss the faults"))
		}
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, children...)
	}
}

// damage tells of a stored trace that was damaged.
func (p *problemList) damage(c *view.Context, text string, first bool) layout.Widget {
	title := kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Warn, Weight: font.Medium}
	what := c.Kit.Text()
	what.Lines = 8
	return func(gtx C) D {
		children := []layout.FlexChild{label(c, "Stored trace damaged", title), label(c, text, what)}
		if first {
			children = append(children, p.dismissal(c, "Dismiss what was damaged"))
		}
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, children...)
	}
}

func (p *problemList) dismissal(c *view.Context, hint string) layout.FlexChild {
	return layout.Rigid(func(gtx C) D { return c.Kit.Button(gtx, &p.forget, "dismiss", hint, false) })
}

// monoInk is the style of lines that are quoted from a file or from a stack.
func monoInk(c *view.Context, lines int) kit.Style {
	return kit.Style{Size: kit.Small, Color: c.Kit.Pal.Secondary, Mono: true, Lines: lines}
}
