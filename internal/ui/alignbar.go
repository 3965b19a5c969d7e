package ui

import (
	"image"
	"math"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/align"
	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// alignBar holds the controls of the alignment: which states stand out, from which duration on, and
// the steps from difference to difference.
type alignBar struct {
	states [len(words.StateNames)]widget.Clickable
	on     aligned.States
	least  kit.Slider // share of the length of virtual time, on a scale of powers
	steps  [3]widget.Clickable

	anchors anchorList
}

// stepLabels are in full and, where the bar is narrow, short.
var stepLabels = [2][3]string{{"first", "‹ difference", "difference ›"}, {"first", "‹", "›"}}

// roomForSteps is how wide, in dp, the bar must be for its labels to be in full beside anchors.
const roomForSteps = 960

var stepCommands = [3]command.ID{command.FirstDifference, command.PrevDifference,
	command.NextDifference}

func newAlignBar() alignBar { return alignBar{least: kit.Slider{Most: 1, Step: .05}} }

// filter returns what stands out.
func (b *alignBar) filter(st *session.State) aligned.Filter {
	f := aligned.Filter{States: b.on}
	if v := st.Shown(); v != nil && b.least.Value() > 0 {
		f.Least = leastOf(b.least.Value(), v.Length)
	}
	return f
}

// leastOf turns the slider's share into ns: from a hundred-thousandth of the length to a tenth.
func leastOf(share float32, length int64) int64 {
	return int64(float64(length) * math.Pow(10, -5+4*float64(share)))
}

func (b *alignBar) layout(a *App, gtx layout.Context, st *session.State) {
	for i := range b.states {
		if b.states[i].Clicked(gtx) {
			b.on ^= aligned.Set(align.State(i))
		}
	}
	for i := range b.steps {
		if b.steps[i].Clicked(gtx) {
			a.perform(gtx, stepCommands[i])
		}
	}
	short := 0
	if st.Anchors.Len() > 0 && gtx.Constraints.Max.X < gtx.Dp(roomForSteps) {
		short = 1
	}
	layout.Inset{Left: 12, Right: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		children := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, "show", a.kit.Caption())
		}), kit.Space(4)}
		for i := range b.states {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return b.state(a, gtx, align.State(i))
			}))
		}
		children = append(children, kit.Space(10), layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return b.duration(a, gtx, st)
		}), layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return b.anchors.layout(a, gtx, st)
		}), kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return layout.E.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, words.Differences(st), a.kit.Faint())
			})
		}), kit.Space(10))
		for i := range b.steps {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &b.steps[i], stepLabels[short][i], command.Get(stepCommands[i]).Title, false)
			}))
		}
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

// state is the button of a state, with the colour it has in the picture.
func (b *alignBar) state(a *App, gtx layout.Context, s align.State) layout.Dimensions {
	on := b.on != 0 && b.on.Has(s)
	name := "Let calls stand out: " + words.StateNames[s]
	return a.kit.Pressable(gtx, &b.states[s], name, on, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 7, Right: 8, Top: 5, Bottom: 5}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			ink := a.kit.Text()
			if on {
				ink.Color, ink.Weight = a.kit.Pal.A, font.Medium
			}
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					d := image.Rectangle{Max: image.Pt(gtx.Dp(10), gtx.Dp(10))}
					kit.FillRound(gtx, d, gtx.Dp(2), a.kit.Pal.Alignment().State(int(s)))
					return layout.Dimensions{Size: d.Max}
				}),
				kit.Space(5),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Label(gtx, words.StateNames[s], ink)
				}))
		})
	})
}

// duration is the slider of the least duration that stands out.
func (b *alignBar) duration(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	value := "any"
	if f := b.filter(st); f.Least > 0 {
		value = "≥ " + geom.FormatValue(float64(f.Least), words.UnitOf(st))
	}
	d, _, _ := b.least.Layout(a.kit, gtx, "lasting", "Least duration that stands out", value, b.least.Value())
	return d
}
