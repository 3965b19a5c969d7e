package aggregate

import (
	"fmt"
	"image"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/aggregate"
	"diptych/internal/command"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/ui/controls"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// bar holds the controls above the grids: what is aggregated in rows of alternatives, and at the
// right the slider of p with the quality curves. In a small pane all are in one row.
type bar struct {
	rows   [2]kit.Flow // the second one only where they are parted
	small  bool        // one row, without curves
	parted bool        // the controls of what is aggregated have a row of their own
	brief  bool        // narrow curves, and numbers in brief
	narrow bool        // no curves

	states    [3]widget.Clickable
	resources [2]widget.Clickable
	times     [2]widget.Clickable
	shows     [3]widget.Clickable
	slices    kit.Slider
	least     kit.Slider
	p         kit.Slider // where there is no room for the curves
	curve     curve
}

func newBar() bar {
	b := bar{slices: kit.Slider{Most: mostSlices, Step: 10}, least: kit.Slider{Most: 24, Step: 1},
		p: kit.Slider{Most: 1, Step: .02}}
	b.rows[0].Of, b.rows[1].Of = "overview", "timeslices"
	return b
}

// mostSlices is how far the slider of timeslices goes; --set slices goes on to the engine's limit.
const mostSlices = 400

// What the segmented controls choose, in order, and by which command.
var (
	stateNames    = [...]string{"function", "package", "blocking"}
	stateIDs      = [...]command.ID{StatesFunction, StatesPackage, StatesBlocking}
	resourceNames = [...]string{"threads", "code"}
	resourceIDs   = [...]command.ID{ByThreads, ByCode}
	timeNames     = [...]string{"share of run", "virtual time"}
	timeIDs       = [...]command.ID{EqualShares, VirtualTime}
	showNames     = [...]string{"all", "A and B", "B − A"}
	showIDs       = [...]command.ID{ShowEverything, ShowTheSides, ShowTheDifference}
)

// Measures of the bar in dp.
const (
	curveWidth  = 420 // with the numbers beside them
	briefWidth  = 270
	numberWidth = 112
	briefNumber = 66
	plotName    = 34   // of the numbers: which plot they are of
	partedRoom  = 1200 // least width of a pane with room for all controls in two rows of their own
	curveRoom   = 900  // least width of a pane with all of these
	curveLeast  = 620  // least width of a pane with curves, which are narrower then
	curveHeight = 94
)

// height returns the height that the bar takes of a pane, px.
func (b *bar) height(c *view.Context, area image.Rectangle) int {
	b.small = view.Small(c, area)
	b.narrow = b.small || float32(area.Dx()) < c.Kit.Px(curveLeast)
	b.brief = b.narrow || float32(area.Dx()) < c.Kit.Px(curveRoom)
	b.parted = !b.brief && float32(area.Dx()) >= c.Kit.Px(partedRoom)
	b.rows[0].Menu, b.rows[0].Rows = b.small, 1
	if !b.parted && !b.small {
		b.rows[0].Rows = 2 // and one button for what has no room in them
	}
	height := b.tall(c) + c.Kit.Dp(6)
	if !b.narrow {
		height = max(height, c.Kit.Dp(curveHeight))
	}
	return height
}

// tall is the height of the rows of controls, px, as of the last frame.
func (b *bar) tall(c *view.Context) int {
	height := b.rows[0].Height(c.Kit)
	if b.parted {
		height += b.rows[1].Height(c.Kit)
	}
	return height
}

func (b *bar) close() bool { return b.rows[0].Close() || b.rows[1].Close() }

func (b *bar) layout(c *view.Context, gtx layout.Context, st *session.State) {
	layout.Inset{Left: 12, Right: 12, Top: 4}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min = gtx.Constraints.Max
		children := []layout.FlexChild{layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			b.controls(c, gtx, st)
			return layout.Dimensions{Size: gtx.Constraints.Max}
		})}
		if !b.narrow {
			children = append(children, kit.Space(12),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					gtx.Constraints.Max.X = b.either(gtx, briefWidth, curveWidth)
					return b.chosen(c, gtx, st)
				}))
		}
		return layout.Flex{}.Layout(gtx, children...)
	})
}

// controls lays out the rows of alternatives.
func (b *bar) controls(c *view.Context, gtx layout.Context, st *session.State) {
	what, how := b.what(c, st), b.how(c, st)
	nothing := func(gtx layout.Context) layout.Dimensions { return layout.Dimensions{} }
	tail := nothing
	if o := overviewIn(st); b.narrow && o != nil { // there is no curve that tells it
		tail = func(gtx layout.Context) layout.Dimensions {
			text := quality(st, o)
			if !o.searched {
				text += "  " + searching
			}
			return c.Kit.Label(gtx, text, c.Kit.Caption())
		}
	}
	before := b.tall(c)
	switch {
	case b.narrow:
		b.rows[0].Layout(c.Kit, gtx, tail, append(append(b.slide(c, st), what...), how...))
	case !b.parted:
		b.rows[0].Layout(c.Kit, gtx, tail, append(what, how...))
	default:
		b.rows[0].Layout(c.Kit, gtx, tail, what)
		kit.At(gtx, image.Rect(0, b.rows[0].Height(c.Kit), gtx.Constraints.Max.X,
			gtx.Constraints.Max.Y), func(gtx layout.Context) {
			b.rows[1].Layout(c.Kit, gtx, nothing, how)
		})
	}
	if b.tall(c) != before {
		c.Rebuild(gtx) // the view begins below the bar
	}
}

// what are the controls of what is aggregated.
func (b *bar) what(c *view.Context, st *session.State) []layout.Widget {
	o := ownOf(st)
	items := []layout.Widget{
		controls.Choice(c, "resources", b.resources[:], resourceNames[:], resourceIDs[:], on(o.Code))}
	if !o.Code {
		items = append(items,
			controls.Choice(c, "states", b.states[:], stateNames[:], stateIDs[:], int(o.States)))
	}
	if st.Both() {
		items = append(items,
			controls.Choice(c, "show", b.shows[:], showNames[:], showIDs[:], int(o.Show)))
	}
	return items
}

// how are the controls of timeslices and rows.
func (b *bar) how(c *view.Context, st *session.State) []layout.Widget {
	o := ownOf(st)
	items := []layout.Widget{func(gtx layout.Context) layout.Dimensions {
		d, v, changed := b.slices.Layout(c.Kit, gtx, "timeslices", "Number of timeslices",
			kit.Grouped(o.Slices), min(float32(o.Slices), mostSlices))
		if changed {
			setSlices(c.S, int(v+.5))
		}
		return d
	}, func(gtx layout.Context) layout.Dimensions {
		d, v, changed := b.least.Layout(c.Kit, gtx, "fold rows below", "Fold rows lower than this",
			fmt.Sprintf("%.0f px", o.Least), o.Least)
		if changed {
			change(c.S, func(o *Own) { o.Least = max(float32(int(v+.5)), 1) })
		}
		return d
	}}
	if st.Both() {
		items = append(items,
			controls.Choice(c, "slices of", b.times[:], timeNames[:], timeIDs[:], on(o.Virtual)))
	}
	return items
}

// slide is the slider of p for a bar without curves.
func (b *bar) slide(c *view.Context, st *session.State) []layout.Widget {
	o := overviewIn(st)
	if o == nil {
		return nil
	}
	return []layout.Widget{func(gtx layout.Context) layout.Dimensions {
		now := o.p(ownOf(st))
		d, v, changed := b.p.Layout(c.Kit, gtx, "p", "Simplicity against detail",
			fmt.Sprintf("%.2f", now), float32(now))
		if changed {
			setP(c.S, float64(v))
		}
		return d
	}}
}

func on(second bool) int {
	if second {
		return 1
	}
	return 0
}

// setSlices cuts time into so many slices.
func setSlices(s *session.Session, n int) {
	change(s, func(o *Own) {
		o.Slices = min(max(n, aggregate.FewestSlices), aggregate.MostSlices)
	})
}

// setP shows what is optimal for p.
func setP(s *session.Session, p float64) {
	change(s, func(o *Own) { o.Fixed, o.P = true, min(max(p, 0), 1) })
}

// p returns the p of what is shown: of the sides, or of the difference where it is alone.
func (o *overview) p(own *Own) float64 {
	if own.Fixed {
		return own.P
	}
	return o.best[o.leading(own)].P
}

// leading returns the curve that the keys step along.
func (o *overview) leading(own *Own) int {
	if own.Show == ShowDifference && o.parts[scene.Difference] != nil {
		return apart
	}
	return sides
}

// chosen lays out p, how much it simplifies, and the curves.
func (b *bar) chosen(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	gtx.Constraints.Min.X = gtx.Constraints.Max.X
	gtx.Constraints.Max.Y = min(gtx.Constraints.Max.Y, gtx.Dp(curveHeight))
	o := overviewIn(st)
	if o == nil {
		return layout.Dimensions{Size: gtx.Constraints.Max}
	}
	return layout.Flex{}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Max.X = b.numberWidth(c, gtx, st, o)
			gtx.Constraints.Min.X = gtx.Constraints.Max.X
			return b.numbers(c, gtx, st, o)
		}),
		kit.Space(10),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return b.curve.layout(c, gtx, st, o)
		}))
}

// either returns the smaller of two lengths if the bar is brief, px.
func (b *bar) either(gtx layout.Context, brief, full unit.Dp) int {
	if b.brief {
		return gtx.Dp(brief)
	}
	return gtx.Dp(full)
}

// numberWidth returns the width of the numbers, px: more than usual if there are many aggregates.
func (b *bar) numberWidth(c *view.Context, gtx layout.Context, st *session.State, o *overview) int {
	w := b.either(gtx, briefNumber, numberWidth)
	for _, pic := range picturesIn(st, o) {
		if pic != nil {
			w = max(w, gtx.Dp(plotName)+int(c.Kit.Width(b.count(pic), kit.Small))+1)
		}
	}
	return w
}

// count writes how many aggregates a picture has, of how many cells if there is room for that.
func (b *bar) count(pic *scene.Picture) string {
	count := kit.Grouped(len(pic.Partition.Aggregates))
	if !b.brief {
		count += " of " + cellWords(pic.Source.Tree().Leaves*pic.Source.Slices())
	}
	return count
}

// quality writes gain and loss of what the keys of p step along: of the sides their means.
func quality(st *session.State, o *overview) string {
	gain, loss, n := 0.0, 0.0, 0.0
	for k, pic := range picturesIn(st, o) {
		if pic != nil && (k == scene.Difference) == (o.leading(ownOf(st)) == apart) {
			gain, loss, n = gain+pic.Partition.Gain, loss+pic.Partition.Loss, n+1
		}
	}
	if n == 0 {
		return ""
	}
	return "gain " + kit.Percent(gain/n) + "  loss " + kit.Percent(loss/n)
}

// numbers tell p and how many aggregates of how many cells it leaves.
func (b *bar) numbers(c *view.Context, gtx layout.Context, st *session.State,
	o *overview) layout.Dimensions {
	own := ownOf(st)
	title := kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Text, Weight: font.Medium}
	text := fmt.Sprintf("p %.3f", o.p(own))
	if !own.Fixed && o.searched && !b.brief {
		text += "  best"
	}
	rows := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Label(gtx, text, kit.Right(title))
	})}
	for k, pic := range picturesIn(st, o) {
		if pic == nil || !own.Show.has(k) && o.parts[scene.Difference] != nil {
			continue
		}
		ink := kit.Style{Size: kit.Small, Color: c.Kit.Pal.Secondary, Weight: font.Medium}
		if k != scene.Difference {
			ink.Color = c.Kit.Pal.SideText(k)
		}
		rows = append(rows, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{}.Layout(gtx,
				c.Kit.Cell(plotName, plotNames[k], ink),
				layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
					return c.Kit.Label(gtx, b.count(pic), kit.Right(c.Kit.Caption()))
				}))
		}))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, rows...)
}

// searching is what the controls say while the best p is not known.
const searching = "looking for the best p"

// plotNames name the plots.
var plotNames = [...]string{"A", "B", "B − A"}
