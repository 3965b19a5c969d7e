package dock

import (
	"image"
	"image/color"

	"gioui.org/f32"
	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/align/finding"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// findingList tells in words what differs, the most important first: click one to see it.
type findingList struct {
	list   widget.List
	clicks kit.Clicks[int]
	own    kit.Clicks[int] // of the view's own findings
	of     *finding.Report
	chosen int // −1 for none
}

// signs stand before findings, by kind, and triangles before those that are slower or faster: the
// shape says what the colour says.
var signs = [...]string{
	finding.Slower: "", finding.Faster: "", finding.Missing: "−", finding.New: "+",
	finding.Moved: "»", finding.Renamed: "≈", finding.Repeat: "×", finding.Divergence: "|",
	finding.Threads: "=", finding.Called: "×", finding.Burst: "*",
}

// signColour returns the colour of a kind's sign.
func signColour(c *view.Context, k finding.Kind) color.NRGBA {
	switch k {
	case finding.Slower:
		return c.Kit.Pal.Past
	case finding.Faster:
		return c.Kit.Pal.Future
	case finding.Missing:
		return c.Kit.Pal.A
	case finding.New:
		return c.Kit.Pal.B
	}
	return c.Kit.Pal.Secondary
}

// Layout lays the list out.
func (f *findingList) Layout(c *view.Context, gtx C, st *session.State) D {
	if hint := noFindings(st); hint != "" {
		return c.Kit.Hint(gtx, hint)
	}
	r := st.Aligned.Findings
	if f.of != r {
		f.of, f.chosen = r, -1
		f.clicks.Forget()
	}
	if i, ok := f.clicks.Clicked(gtx); ok {
		f.chosen = i
		c.S.GoTo(&r.Findings[i])
	}
	own := ownFindings(c, st)
	if i, ok := f.own.Clicked(gtx); ok && i < len(own) {
		own[i].Show(c)
	}
	n := len(r.Findings)
	rows := listed(c, &f.list, n+len(own), func(gtx C, i int) D {
		if i < len(own) {
			return f.ownRow(c, gtx, i, &own[i])
		}
		return f.row(c, gtx, st, i-len(own))
	})
	if n+len(own) == 0 {
		rows = layout.Flexed(1, func(gtx C) D {
			return c.Kit.Hint(gtx, r.Verdict)
		})
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx C) D { return f.heading(c, gtx, st) }), rows)
}

// noFindings says why there are no findings to list, "" if there are.
func noFindings(st *session.State) string {
	switch {
	case !st.Both():
		return "Differences are listed here once two traces are open."
	case st.Apart != nil:
		return notCompared(st)
	case st.Aligned == nil || st.Aligned.Findings == nil:
		return "The calls of both traces are being aligned."
	}
	return ""
}

// heading tells how both runs compare as a whole, and which packages changed most.
func (f *findingList) heading(c *view.Context, gtx C, st *session.State) D {
	lines := []layout.FlexChild{layout.Rigid(func(gtx C) D {
		return c.Kit.Label(gtx, words.FindingsHeading(st, f.of), headingInk(c))
	})}
	if text := packagesText(st); text != "" {
		lines = append(lines, layout.Rigid(func(gtx C) D {
			ink := c.Kit.Caption()
			ink.Lines = 3
			return layout.Inset{Top: 3}.Layout(gtx, func(gtx C) D { return c.Kit.Label(gtx, text, ink) })
		}))
	}
	return layout.Inset{Bottom: 6, Left: 4, Right: 6}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...)
	})
}

// row is one finding: its sign, what it says, and its size.
func (f *findingList) row(c *view.Context, gtx C, st *session.State, i int) D {
	x := &f.of.Findings[i]
	return c.Kit.Pressable(gtx, f.clicks.Row(i), x.Text, i == f.chosen, func(gtx C) D {
		return layout.Inset{Left: 4, Right: 6, Top: 6, Bottom: 7}.Layout(gtx, func(gtx C) D {
			return layout.Flex{}.Layout(gtx,
				layout.Rigid(func(gtx C) D {
					gtx.Constraints.Min.X = gtx.Dp(unit.Dp(18))
					return sign(c, gtx, x.Kind)
				}),
				kit.Wide(func(gtx C) D { return f.words(c, gtx, st, x) }))
		})
	})
}

// sign draws the sign of a kind.
func sign(c *view.Context, gtx C, k finding.Kind) D {
	if k != finding.Slower && k != finding.Faster {
		return c.Kit.Label(gtx, signs[k], kit.Style{Size: kit.Normal, Color: signColour(c, k),
			Weight: font.Bold})
	}
	wide, top, tall := c.Kit.Px(9), c.Kit.Px(4), c.Kit.Px(7)
	base, tip := top+tall, top
	if k == finding.Faster {
		base, tip = top, top+tall
	}
	var p clip.Path
	p.Begin(gtx.Ops)
	p.MoveTo(f32.Pt(0, base))
	p.LineTo(f32.Pt(wide, base))
	p.LineTo(f32.Pt(wide/2, tip))
	p.Close()
	paint.FillShape(gtx.Ops, signColour(c, k), clip.Outline{Path: p.End()}.Op())
	return D{Size: image.Pt(gtx.Constraints.Min.X, gtx.Dp(16))}
}

func (f *findingList) words(c *view.Context, gtx C, st *session.State, x *finding.Finding) D {
	text := c.Kit.Text()
	text.Lines = 4
	size := words.FindingSize(x, words.UnitOf(st))
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		label(c, x.Text, text),
		layout.Rigid(layout.Spacer{Height: 2}.Layout),
		label(c, size, c.Kit.Caption()))
}

// ownFindings returns what the view in the active pane has found by itself.
func ownFindings(c *view.Context, st *session.State) []view.Finding {
	if v, ok := c.Pane().(view.Finder); ok {
		return v.Findings(st)
	}
	return nil
}

// ownRow is one finding of the view's own.
func (f *findingList) ownRow(c *view.Context, gtx C, i int, x *view.Finding) D {
	return c.Kit.Pressable(gtx, f.own.Row(i), x.Text, false, func(gtx C) D {
		return layout.Inset{Left: 4, Right: 6, Top: 6, Bottom: 7}.Layout(gtx, func(gtx C) D {
			text := c.Kit.Text()
			text.Lines = 3
			return layout.Flex{}.Layout(gtx,
				c.Kit.Cell(18, "▪", c.Kit.Faint()),
				kit.Wide(func(gtx C) D {
					return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
						label(c, x.Text, text),
						layout.Rigid(layout.Spacer{Height: 2}.Layout),
						label(c, x.Size, c.Kit.Caption()))
				}))
		})
	})
}
