package dock

import (
	"math"

	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/account/explain"
	"diptych/internal/align/finding"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// findingList tells where the time of both runs went and in words what differs, as `diptych diff`
// does: click a finding to see it.
type findingList struct {
	list   widget.List
	clicks kit.Clicks[int]
	own    kit.Clicks[int] // of the view's own findings
	of     *explain.Difference
	asked  string // which requests are compared, "" if there is no choice
	items  []item // of the difference
	chosen int    // −1 for none
	all    bool   // whether trifles are listed, too

	opened map[int]bool // the causes, by index, of which all that follows is listed
}

// item is a row of the list; it lays itself out.
type item func(c *view.Context, gtx C, st *session.State) D

// Layout lays the list out.
func (f *findingList) Layout(c *view.Context, gtx C, st *session.State) D {
	if hint := noFindings(st); hint != "" {
		return c.Kit.Hint(gtx, hint)
	}
	if d := st.Difference(); f.of != d {
		f.read(d)
	}
	f.pressed(c, gtx)
	own := ownFindings(c, st)
	if i, ok := f.own.Clicked(gtx); ok && i < len(own) {
		own[i].Show(c)
	}
	const first = 1 // the balance comes before the view's own findings
	rows := listed(c, &f.list, len(f.items)+len(own), func(gtx C, i int) D {
		switch {
		case i < first:
			return f.items[i](c, gtx, st)
		case i < first+len(own):
			return f.ownRow(c, gtx, i-first, &own[i-first])
		}
		return f.items[i-len(own)](c, gtx, st)
	})
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, rows)
}

// pressed goes to the finding whose row was clicked.
func (f *findingList) pressed(c *view.Context, gtx C) {
	switch i, ok := f.clicks.Clicked(gtx); {
	case ok && i == trifles:
		f.all = !f.all
		f.arrange()
	case ok && i < trifles:
		f.opened[followers-i] = !f.opened[followers-i]
		f.arrange()
	case ok:
		f.chosen = i
		c.S.GoTo(&f.of.Findings[i])
	}
}

// noFindings says why there are no findings to list, "" if there are.
func noFindings(st *session.State) string {
	switch {
	case !st.Both():
		return "Differences are listed here once two traces are open."
	case st.Apart != nil:
		return words.Apart(st)
	case st.Difference() != nil:
		return ""
	case st.Aligned == nil || st.Aligned.Findings == nil:
		return "The calls of both traces are being aligned."
	}
	return "What both traces are made of is being counted."
}

// read takes over a difference.
func (f *findingList) read(d *explain.Difference) {
	f.of, f.chosen, f.opened = d, -1, map[int]bool{}
	f.asked = explain.Requests(d.Balance.Pair)
	f.arrange()
}

// arrange makes the rows: the balance, the findings, all but the first section under titles, and
// what is left.
func (f *findingList) arrange() {
	d := f.of
	f.items = []item{f.balance}
	f.clicks.Forget()
	chance := false
	limit := math.MaxInt
	if f.all {
		limit = 0
	}
	lines, left := d.Rows(limit)
	listed := map[int]bool{}
	for _, l := range lines {
		if l.More > 0 {
			f.arrangeFollowers(l, chance, listed)
			continue
		}
		if l.Title != "" {
			section := d.Findings[l.Finding].Section
			chance = section == explain.Large || section == explain.Doubtful
			f.items = append(f.items, titleItem(l.Title))
		}
		listed[l.Finding] = true
		f.items = append(f.items, f.findingItem(l.Finding, chance))
	}
	if len(d.Findings) == 0 {
		f.items = append(f.items, hintItem(d.Found.Verdict))
	}
	if f.all || left.Total() > 0 {
		f.items = append(f.items, f.triflesItem(left))
	}
	if d.Unexplained() != "" {
		f.items = append(f.items, f.left)
	}
}

// arrangeFollowers adds the row that says how many more findings follow from a cause. A click on it
// lists them in its place, above a row that hides them again.
func (f *findingList) arrangeFollowers(l explain.Row, chance bool, listed map[int]bool) {
	text := explain.MoreFollow(l.More)
	if f.opened[l.Finding] {
		text = "Fewer"
		for i := l.Finding + 1; i < len(f.of.Findings) && f.of.Findings[i].Under >= 0; i++ {
			if !listed[i] {
				f.items = append(f.items, f.findingItem(i, chance))
			}
		}
	}
	f.items = append(f.items, f.foldItem(followers-l.Finding, text, setIn+signWidth))
}

// findingItem is the row of a finding.
func (f *findingList) findingItem(i int, chance bool) item {
	return func(c *view.Context, gtx C, _ *session.State) D { return f.row(c, gtx, i, chance) }
}

// Keys of rows that are no findings: trifles is that of the row that says what the list leaves out,
// followers−i that of the row that says how many more findings follow from finding i.
const (
	trifles   = -1
	followers = -2
)

// triflesItem is the row that says what the list leaves out, and lists it when it is clicked.
func (f *findingList) triflesItem(left explain.Left) item {
	text := "Fewer"
	if !f.all {
		text = left.String()
	}
	return f.foldItem(trifles, text, 0)
}

// foldItem is a row that lists or hides other rows when it is clicked.
func (f *findingList) foldItem(key int, text string, in unit.Dp) item {
	return func(c *view.Context, gtx C, _ *session.State) D {
		return c.Kit.Pressable(gtx, f.clicks.Row(key), text, false, func(gtx C) D {
			return layout.Inset{Left: 4 + in, Right: 6, Top: 6, Bottom: 6}.Layout(gtx, func(gtx C) D {
				ink := c.Kit.Caption()
				ink.Lines = usualLines
				return c.Kit.Label(gtx, text, ink)
			})
		})
	}
}

func titleItem(text string) item {
	return func(c *view.Context, gtx C, _ *session.State) D {
		return layout.Inset{Left: 4}.Layout(gtx, func(gtx C) D { return c.Kit.Title(gtx, text) })
	}
}

func hintItem(text string) item {
	return func(c *view.Context, gtx C, _ *session.State) D {
		return layout.Inset{Left: 4, Right: 6}.Layout(gtx, func(gtx C) D { return c.Kit.Hint(gtx, text) })
	}
}

// balance is the row on top.
func (f *findingList) balance(c *view.Context, gtx C, st *session.State) D {
	list := func(gtx C) D { return balance(c, gtx, st, f.of) }
	if f.asked == "" {
		return list(gtx)
	}
	ink := c.Kit.Caption()
	ink.Lines = 6
	asked := func(gtx C) D { return c.Kit.Label(gtx, f.asked, ink) }
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx C) D { return layout.Inset{Bottom: 6, Left: 4, Right: 6}.Layout(gtx, asked) }),
		layout.Rigid(list))
}

// Measures of a row in dp: the sign, how far what follows from a cause is set in, and what a
// finding owns.
const (
	signWidth unit.Dp = 18
	setIn     unit.Dp = 14
	ownWidth  unit.Dp = 82
)

// Lines of a sentence: of a finding that has been chosen, all that it may have.
const (
	usualLines  = 5
	chosenLines = 16
)

// row is one finding: its sign, what it says, and what it owns of the difference.
func (f *findingList) row(c *view.Context, gtx C, i int, chance bool) D {
	x := &f.of.Findings[i]
	lay := func(gtx C) D { return f.columns(c, gtx, x, i == f.chosen, chance) }
	if !session.Places(x) {
		return lay(gtx)
	}
	return c.Kit.Pressable(gtx, f.clicks.Row(i), x.Text, i == f.chosen, lay)
}

func (f *findingList) columns(c *view.Context, gtx C, x *explain.Finding, chosen, chance bool) D {
	ink, in := c.Kit.Text(), unit.Dp(0)
	if x.Under >= 0 {
		in = setIn
	}
	if x.Under >= 0 || chance {
		ink.Color = c.Kit.Pal.Secondary
	}
	// A finding without a place cannot be chosen, so it is always read whole.
	if ink.Lines = usualLines; chosen || !session.Places(x) {
		ink.Lines = chosenLines
	}
	text := []layout.FlexChild{label(c, x.Text, ink)}
	if x.Certainty == finding.Likely {
		text = append(text, layout.Rigid(layout.Spacer{Height: 2}.Layout),
			label(c, finding.Likely.String(), c.Kit.Caption()))
	}
	children := []layout.FlexChild{kit.Space(in),
		layout.Rigid(func(gtx C) D {
			gtx.Constraints.Min.X = gtx.Dp(signWidth)
			return sign(c, gtx, x.Kind)
		}),
		kit.Wide(func(gtx C) D { return layout.Flex{Axis: layout.Vertical}.Layout(gtx, text...) })}
	if x.Under < 0 {
		children = append(children, f.amounts(c, x))
	}
	return layout.Inset{Left: 4, Right: 6, Top: 6, Bottom: 7}.Layout(gtx, func(gtx C) D {
		return layout.Flex{}.Layout(gtx, children...)
	})
}

// amounts is what a finding owns of elapsed time, over what it owns of work.
func (f *findingList) amounts(c *view.Context, x *explain.Finding) layout.FlexChild {
	elapsed, work := f.of.Owns(x)
	return amounts(c, elapsed, work)
}

func amounts(c *view.Context, elapsed, work string) layout.FlexChild {
	if work == elapsed {
		work = "" // what adds to the work lengthens the run by as much
	}
	var lines []layout.FlexChild
	unit := words.UnitOf(c.S.State())
	elapsed, work = words.Bare(elapsed, unit), words.Bare(work, unit)
	if elapsed != "" {
		lines = append(lines, label(c, elapsed, kit.Right(c.Kit.Text())))
	}
	if work != "" {
		lines = append(lines, label(c, "work "+work, kit.Right(c.Kit.Caption())))
	}
	return layout.Rigid(func(gtx C) D {
		w := gtx.Dp(ownWidth)
		gtx.Constraints.Min.X, gtx.Constraints.Max.X = w, w
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...)
	})
}

// left is the last row: what no finding accounts for, with its largest parts.
func (f *findingList) left(c *view.Context, gtx C, _ *session.State) D {
	d := f.of
	elapsed, work := d.Owns(&explain.Finding{Own: d.Left.Delta})
	text := []layout.FlexChild{label(c, "unexplained", c.Kit.Text())}
	if parts := d.LargestLeft(); parts != "" {
		ink := c.Kit.Caption()
		ink.Lines = usualLines
		text = append(text, layout.Rigid(layout.Spacer{Height: 2}.Layout), label(c, parts, ink))
	}
	return layout.Inset{Left: 4, Right: 6, Top: 8, Bottom: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{}.Layout(gtx,
			c.Kit.Cell(signWidth, "?", c.Kit.Faint()),
			kit.Wide(func(gtx C) D { return layout.Flex{Axis: layout.Vertical}.Layout(gtx, text...) }),
			amounts(c, elapsed, work))
	})
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
				c.Kit.Cell(signWidth, "▪", c.Kit.Faint()),
				kit.Wide(func(gtx C) D {
					return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
						label(c, x.Text, text),
						layout.Rigid(layout.Spacer{Height: 2}.Layout),
						label(c, x.Size, c.Kit.Caption()))
				}))
		})
	})
}
