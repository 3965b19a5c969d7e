package aligned

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
	"diptych/internal/ui/controls"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
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
	flow    kit.Flow // of all of them in a small pane
}

// stepLabels are in full and, where the bar is narrow, short.
var stepLabels = [2][3]string{{"first", "‹ difference", "difference ›"}, {"first", "‹", "›"}}

// roomForBar is how wide, in dp, the pane must be for all controls to stand in the bar; in a
// narrower one some are behind a button.
const roomForBar = 760

// roomForSteps is how wide, in dp, the bar must be for the labels of its steps to be in full.
const roomForSteps = 960

var stepCommands = [3]command.ID{FirstDifference, PrevDifference, NextDifference}

func newAlignBar() alignBar {
	return alignBar{least: kit.Slider{Most: 1, Step: .05}, flow: kit.Flow{Of: "alignment"}}
}

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

// layout lays out the bar: alone if there is no room for the toolbar, whose controls it then has.
func (b *alignBar) layout(c *view.Context, gtx layout.Context, st *session.State,
	tools *controls.Toolbar, alone bool) {
	for i := range b.states {
		if b.states[i].Clicked(gtx) {
			b.on ^= aligned.Set(align.State(i))
			c.Rebuild(gtx)
		}
	}
	for i := range b.steps {
		if b.steps[i].Clicked(gtx) {
			c.Perform(gtx, stepCommands[i])
		}
	}
	if b.flow.Menu {
		layout.Inset{Left: 12, Right: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return b.menu(c, gtx, st, tools, alone)
		})
		return
	}
	short := 0
	if gtx.Constraints.Max.X < gtx.Dp(roomForSteps) {
		short = 1
	}
	layout.Inset{Left: 12, Right: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		children := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, "show", c.Kit.Caption())
		}), kit.Space(4)}
		for i := range b.states {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return b.state(c, gtx, align.State(i))
			}))
		}
		children = append(children, kit.Space(10), layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return b.duration(c, gtx, st)
		}), layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return b.anchors.layout(c, gtx, st)
		}), kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return layout.E.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, words.Differences(st), c.Kit.Faint())
			})
		}), kit.Space(10))
		for i := range b.steps {
			children = append(children, b.step(c, i, stepLabels[short][i]))
		}
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

// menu lays the controls out in a narrow pane: the first of them, and the rest behind one button.
func (b *alignBar) menu(c *view.Context, gtx layout.Context, st *session.State,
	tools *controls.Toolbar, alone bool) layout.Dimensions {
	items := []layout.Widget{func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{}.Layout(gtx, b.step(c, 0, "first"), b.step(c, 1, "‹"), b.step(c, 2, "›"))
	}}
	for i := range b.states {
		items = append(items, func(gtx layout.Context) layout.Dimensions {
			return b.state(c, gtx, align.State(i))
		})
	}
	items = append(items, func(gtx layout.Context) layout.Dimensions { return b.duration(c, gtx, st) },
		func(gtx layout.Context) layout.Dimensions { return b.anchors.layout(c, gtx, st) })
	if alone {
		items = append(items[:1:1], tools.Around(c, gtx, st, items[1:])...)
	}
	b.flow.Layout(c.Kit, gtx, func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Label(gtx, words.Differences(st), c.Kit.Faint())
	}, items)
	return layout.Dimensions{Size: gtx.Constraints.Max}
}

// step is a button that goes to a difference.
func (b *alignBar) step(c *view.Context, i int, label string) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Button(gtx, &b.steps[i], label, c.Command(stepCommands[i]).Title, false)
	})
}

// state is the button of a state, with the colour it has in the picture.
func (b *alignBar) state(c *view.Context, gtx layout.Context, s align.State) layout.Dimensions {
	on := b.on != 0 && b.on.Has(s)
	name := "Let calls stand out: " + words.StateNames[s]
	return c.Kit.Pressable(gtx, &b.states[s], name, on, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 7, Right: 8, Top: 5, Bottom: 5}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			ink := c.Kit.Text()
			if on {
				ink.Color, ink.Weight = c.Kit.Pal.AText, font.Medium
			}
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					d := image.Rectangle{Max: image.Pt(gtx.Dp(10), gtx.Dp(10))}
					kit.FillRound(gtx, d, gtx.Dp(2), c.Kit.Pal.Alignment().State(int(s)))
					return layout.Dimensions{Size: d.Max}
				}),
				kit.Space(5),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return c.Kit.Label(gtx, words.StateNames[s], ink)
				}))
		})
	})
}

// duration is the slider of the least duration that stands out.
func (b *alignBar) duration(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	value := "any"
	if f := b.filter(st); f.Least > 0 {
		value = "≥ " + geom.FormatValue(float64(f.Least), words.UnitOf(st))
	}
	d, _, changed := b.least.Layout(c.Kit, gtx, "lasting", "Least duration that stands out", value, b.least.Value())
	if changed {
		c.Rebuild(gtx)
	}
	return d
}
