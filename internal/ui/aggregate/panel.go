package aggregate

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/aggregate"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Panel is the tab of the states: those of the aggregate under the pointer, or that was last; where
// the sides differ most; and those of all that is shown.
type Panel struct {
	list   widget.List
	clicks kit.Clicks[int]  // of deviations
	rest   widget.Clickable // the row that says how many more states the aggregate has
	all    bool             // they are listed
	of     *overview
	memo   memo
}

// memo is what was found of a spot.
type memo struct {
	spot  spot
	ranks []rank
	whole []rank
}

func newPanel() *Panel { return &Panel{list: widget.List{List: layout.List{Axis: layout.Vertical}}} }

// Layout implements view.Panel.
func (l *Panel) Layout(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	o := overviewIn(st)
	if o == nil {
		hint := cmp.Or(words.Apart(st), "The states are listed here once the traces are aggregated.")
		return c.Kit.Hint(gtx, hint)
	}
	if l.of != o {
		l.clicks.Forget()
		l.of, l.memo = o, memo{whole: o.ranked([2][]float64{o.meanOf(0), o.meanOf(1)})}
	}
	if i, ok := l.clicks.Clicked(gtx); ok && i < len(o.worst) {
		zoomInto(c.S, o.spotOf(o.worst[i]))
	}
	if l.rest.Clicked(gtx) {
		l.all = !l.all
	}
	rows := l.rows(c, st, o)
	return c.Kit.Rows(gtx, &l.list, len(rows), func(gtx layout.Context, i int) layout.Dimensions {
		return layout.Inset{Right: 12}.Layout(gtx, rows[i]) // clear of the scroll bar
	})
}

// meanOf returns the mean shares of a side, nil if there is none.
func (o *overview) meanOf(side int) []float64 {
	if p := o.parts[side]; p != nil {
		return p.mean
	}
	return nil
}

// rows are the lines of the panel. There are at most a few for each state.
func (l *Panel) rows(c *view.Context, st *session.State, o *overview) (rows []layout.Widget) {
	title := func(text string) {
		rows = append(rows, func(gtx layout.Context) layout.Dimensions { return c.Kit.Title(gtx, text) })
	}
	if p, ok := c.Pane().(*Pane); ok && p.under.of == o {
		if x := p.under; l.memo.spot.place != x.place || l.memo.spot.plot != x.plot {
			l.memo.spot, l.memo.ranks = x, o.ranked(x.shares())
		}
		title("Aggregate in " + plotNames[l.memo.spot.plot])
		rows = append(rows, l.about(c, st)...)
		rows = append(rows, l.spotTable(c, st, o)...)
	} else {
		rows = append(rows, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Hint(gtx, "Point at an aggregate for its states. A click zooms into it, "+
				"a double click shows its calls.")
		})
	}
	if !o.searched && o.parts[scene.Difference] != nil {
		title("Where the sides differ most")
		rows = append(rows, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Hint(gtx, "This is known once the best p is.")
		})
	}
	if len(o.worst) > 0 {
		title("Where the sides differ most")
		for i := range o.worst {
			rows = append(rows, l.deviation(c, st, o, i))
		}
	}
	title("States of all that is shown")
	return append(rows, l.table(c, st, o, l.memo.whole)...)
}

// about tells where and when an aggregate is.
func (l *Panel) about(c *view.Context, st *session.State) []layout.Widget {
	x := l.memo.spot
	line := func(word, text string) layout.Widget {
		return func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{}.Layout(gtx, c.Kit.Cell(72, word, c.Kit.Caption()),
				layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
					ink := c.Kit.Text()
					ink.Lines = 2
					return c.Kit.Label(gtx, text, ink)
				}))
		}
	}
	list := []layout.Widget{line("resources", x.name())}
	if n := x.of.noun(x.plot, x.place.Leaves[1]-x.place.Leaves[0]); !strings.Contains(x.name(), n) {
		list = append(list, line("", n))
	}
	return append(list, line("time", x.time(st)), line("", x.slices()),
		line("detail", x.homogeneity()))
}

// deviation is a line that leads to an aggregate of the difference. The lines are ordered by the
// time by which the sides differ there, so they tell it besides the shares.
func (l *Panel) deviation(c *view.Context, st *session.State, o *overview, i int) layout.Widget {
	d := o.worst[i]
	x := o.spotOf(d)
	side := pair.A
	if d.share < 0 {
		side = pair.B
	}
	state := o.parts[scene.Difference].source.States()[d.mode]
	time := kit.SignedValue(int64(math.Copysign(d.ns, -d.share)), words.UnitOf(st))
	label := "Show where " + state + " differs: " + x.name() + ", " + x.time(st)
	return func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Pressable(gtx, l.clicks.Row(i), label, false,
			func(gtx layout.Context) layout.Dimensions {
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				return layout.Inset{Left: 6, Right: 6, Top: 4, Bottom: 4}.Layout(gtx,
					func(gtx layout.Context) layout.Dimensions {
						return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
							layout.Rigid(func(gtx layout.Context) layout.Dimensions {
								ink := c.Kit.Text()
								ink.Color, ink.Weight = c.Kit.Pal.SideText(int(side)), font.Medium
								width := gtx.Constraints.Max.X - gtx.Dp(70+timeWidth)
								name := typeface.Shorten(state, float32(width), c.Kit.Px(float32(kit.Normal)), false)
								return layout.Flex{}.Layout(gtx, kit.Wide(func(gtx layout.Context) layout.Dimensions {
									return c.Kit.Label(gtx, points(-d.share)+"  "+name, ink)
								}), c.Kit.Cell(timeWidth, time, kit.Right(c.Kit.Caption())))
							}),
							layout.Rigid(func(gtx layout.Context) layout.Dimensions {
								return c.Kit.Label(gtx, x.name(), c.Kit.Caption())
							}),
							layout.Rigid(func(gtx layout.Context) layout.Dimensions {
								return c.Kit.Label(gtx, x.time(st), c.Kit.Caption())
							}))
					})
			})
	}
}

const (
	shareWidth unit.Dp = 58
	timeWidth  unit.Dp = 62
)

// spotStates is how many states of an aggregate are listed at first.
const spotStates = 9

// spotTable lists the largest states of an aggregate, above a row that says how many more there
// are, and that lists or hides these when it is clicked.
func (l *Panel) spotTable(c *view.Context, st *session.State, o *overview) []layout.Widget {
	ranks, text := l.memo.ranks, "Fewer states"
	n := len(ranks) - spotStates
	if n <= 1 {
		return l.table(c, st, o, ranks)
	}
	if !l.all {
		ranks, text = ranks[:spotStates], kit.Plural(n, "state")+" more"
	}
	return append(l.table(c, st, o, ranks), func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Pressable(gtx, &l.rest, text, false, func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min.X = gtx.Constraints.Max.X
			return layout.Inset{Top: 3, Bottom: 3}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, text, c.Kit.Caption())
			})
		})
	})
}

// table lists states with their shares: of a pair those of A, of B, and B − A.
func (l *Panel) table(c *view.Context, st *session.State, o *overview, ranks []rank) (rows []layout.Widget) {
	cells := func(name layout.Widget, texts [3]string, inks [3]kit.Style) layout.Widget {
		return func(gtx layout.Context) layout.Dimensions {
			children := []layout.FlexChild{kit.Wide(name)}
			for k, text := range texts {
				if k < scene.Difference && o.parts[k] == nil || k == scene.Difference && !st.Both() {
					continue
				}
				children = append(children, c.Kit.Cell(shareWidth, text, kit.Right(inks[k])))
			}
			return layout.Inset{Top: 3}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
			})
		}
	}
	head := c.Kit.Caption()
	rows = append(rows, cells(func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Label(gtx, "state", head)
	}, plotNames, [3]kit.Style{head, head, head}))
	names := o.states()
	inks := c.Kit.Pal.States(names, aggregate.Other)
	for _, r := range ranks {
		fill := color.NRGBA{}
		if r.state >= 0 {
			fill = inks[r.state]
		}
		delta := c.Kit.Text()
		text := "–"
		if r.known[0] && r.known[1] {
			d := r.share[1] - r.share[0]
			text = points(d)
			if kit.Abs(d) >= .05 {
				delta.Color = c.Kit.Pal.SideText(on(d > 0))
			}
		}
		rows = append(rows, cells(l.name(c, o, r.name, fill),
			[3]string{r.of(0), r.of(1), text}, [3]kit.Style{c.Kit.Text(), c.Kit.Text(), delta}),
			l.bars(c, o, r))
	}
	return rows
}

// states returns the names of the states.
func (o *overview) states() []string {
	for _, p := range o.parts {
		if p != nil {
			return p.source.States()
		}
	}
	return nil
}

// name is a state's colour and name.
func (l *Panel) name(c *view.Context, o *overview, name string, fill color.NRGBA) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				r := image.Rect(0, 0, gtx.Dp(11), gtx.Dp(11))
				if fill.A == 0 {
					kit.StrokeRound(gtx, r, gtx.Dp(3), c.Kit.Px(1), c.Kit.Pal.Line)
				} else {
					kit.FillRound(gtx, r, gtx.Dp(3), fill)
				}
				return layout.Dimensions{Size: r.Max}
			}),
			kit.Space(7),
			layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
				size := c.Kit.Px(float32(kit.Normal))
				return c.Kit.Label(gtx, shortBeside(name, o.states(), float32(gtx.Constraints.Max.X), size),
					c.Kit.Text())
			}))
	}
}

// shortBeside returns a name that fits in width and is not that of another state, shortened: both
// RunTask and ThreadControllerImpl::RunTask end so.
func shortBeside(name string, others []string, width, size float32) string {
	short := typeface.Shorten(name, width, size, false)
	for _, other := range others {
		if short != name && other != name && typeface.Shorten(other, width, size, false) == short {
			return typeface.Differing(name, other, width, size, false)
		}
	}
	return short
}

// bars show the shares of a state, a line for each side.
func (l *Panel) bars(c *view.Context, o *overview, r rank) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		left, thick, y := gtx.Dp(18), max(gtx.Dp(2), 1), 0
		for s := range r.share {
			if o.parts[s] == nil {
				continue
			}
			if w := int(float64(gtx.Constraints.Max.X-left) * min(r.share[s], 1)); w > 0 {
				kit.Fill(gtx, image.Rect(left, y, left+w, y+thick), c.Kit.Pal.Side(s))
			}
			y += thick + 1
		}
		return layout.Dimensions{Size: image.Pt(gtx.Constraints.Max.X, y+gtx.Dp(2))}
	}
}
