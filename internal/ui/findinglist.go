package ui

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
	"diptych/internal/ui/words"
)

// findingList tells in words what differs, the most important first: click one to see it.
type findingList struct {
	list   widget.List
	clicks []widget.Clickable
	of     *finding.Report
	chosen int // −1 for none
}

// signs stand before findings, by kind, and triangles before those that are slower or faster: the
// shape says what the colour says.
var signs = [...]string{
	finding.Slower: "", finding.Faster: "", finding.Missing: "−", finding.New: "+",
	finding.Moved: "»", finding.Renamed: "≈", finding.Repeat: "×", finding.Divergence: "|",
	finding.Threads: "=",
}

// signColour returns the colour of a kind's sign.
func (a *App) signColour(k finding.Kind) color.NRGBA {
	switch k {
	case finding.Slower:
		return a.kit.Pal.Past
	case finding.Faster:
		return a.kit.Pal.Future
	case finding.Missing:
		return a.kit.Pal.A
	case finding.New:
		return a.kit.Pal.B
	}
	return a.kit.Pal.Secondary
}

func (f *findingList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	switch {
	case !st.Both():
		return a.kit.Hint(gtx, "What differs is told here once two traces are open.")
	case st.Aligned == nil || st.Aligned.Findings == nil:
		return a.kit.Hint(gtx, "The calls of both traces are being aligned.")
	}
	r := st.Aligned.Findings
	if f.of != r {
		f.of, f.clicks, f.chosen = r, make([]widget.Clickable, len(r.Findings)), -1
	}
	for i := range f.clicks {
		if f.clicks[i].Clicked(gtx) {
			f.chosen = i
			a.S.GoTo(&r.Findings[i])
		}
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return f.heading(a, gtx, st) }),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			if len(r.Findings) == 0 {
				return a.kit.Hint(gtx, "Nothing differs beyond what varies by itself.")
			}
			return a.kit.Rows(gtx, &f.list, len(r.Findings), func(gtx layout.Context, i int) layout.Dimensions {
				gtx.Constraints.Max.X -= gtx.Dp(10) // the scroll bar's
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				return f.row(a, gtx, st, i)
			})
		}))
}

// heading tells how both runs compare as a whole.
func (f *findingList) heading(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	text := words.FindingsHeading(st, f.of)
	return layout.Inset{Bottom: 6, Left: 4}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return a.kit.Label(gtx, text, kit.Style{Size: kit.Small, Color: a.kit.Pal.Secondary, Weight: font.Medium})
	})
}

// row is one finding: its sign, what it says, and its size.
func (f *findingList) row(a *App, gtx layout.Context, st *session.State, i int) layout.Dimensions {
	x := &f.of.Findings[i]
	return a.kit.Pressable(gtx, &f.clicks[i], x.Text, i == f.chosen, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 4, Right: 6, Top: 6, Bottom: 7}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					gtx.Constraints.Min.X = gtx.Dp(unit.Dp(18))
					return a.sign(gtx, x.Kind)
				}),
				kit.Wide(func(gtx layout.Context) layout.Dimensions { return f.words(a, gtx, st, x) }))
		})
	})
}

// sign draws the sign of a kind.
func (a *App) sign(gtx layout.Context, k finding.Kind) layout.Dimensions {
	if k != finding.Slower && k != finding.Faster {
		return a.kit.Label(gtx, signs[k], kit.Style{Size: kit.Normal, Color: a.signColour(k), Weight: font.Bold})
	}
	wide, top, tall := a.kit.Px(9), a.kit.Px(4), a.kit.Px(7)
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
	paint.FillShape(gtx.Ops, a.signColour(k), clip.Outline{Path: p.End()}.Op())
	return layout.Dimensions{Size: image.Pt(gtx.Constraints.Min.X, gtx.Dp(16))}
}

func (f *findingList) words(a *App, gtx layout.Context, st *session.State, x *finding.Finding) layout.Dimensions {
	text := a.kit.Text()
	text.Lines = 4
	size := words.FindingSize(x, words.UnitOf(st))
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Label(gtx, x.Text, text) }),
		layout.Rigid(layout.Spacer{Height: 2}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, size, a.kit.Caption())
		}))
}
