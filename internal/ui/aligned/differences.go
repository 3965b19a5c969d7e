package aligned

import (
	"cmp"
	"slices"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/align"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// differenceList is the function time difference table (Weber et al., 4.4): how much longer each
// function takes in B, over the calls that the alignment pairs. Click one to see its calls.
type differenceList struct {
	filter widget.Editor
	list   widget.List
	sorts  [len(differenceOrders)]widget.Clickable
	clicks map[uint32]*widget.Clickable // by identity
	order  int

	of     []align.Difference // what shown was listed from
	query  string
	sorted int
	shown  []int
}

// newDifferences returns the panel.
func newDifferences() view.Panel { return &differenceList{} }

// differenceOrders are the ways to sort.
var differenceOrders = [...]struct {
	label, name string
	less        func(names []string, a, b *align.Difference) int
}{
	{"time", "Sort by difference of time", func(_ []string, a, b *align.Difference) int {
		return cmp.Compare(kit.Abs(float64(b.Balance())), kit.Abs(float64(a.Balance())))
	}},
	{"one side", "Sort by time on one side only", func(_ []string, a, b *align.Difference) int {
		return cmp.Compare(b.OnlyANs+b.OnlyBNs, a.OnlyANs+a.OnlyBNs)
	}},
	{"pairs", "Sort by number of pairs", func(_ []string, a, b *align.Difference) int {
		return cmp.Compare(b.Pairs, a.Pairs)
	}},
	{"name", "Sort by name", func(names []string, a, b *align.Difference) int {
		return cmp.Compare(names[a.ID], names[b.ID])
	}},
}

// Layout implements view.Panel.
func (d *differenceList) Layout(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	if st.Aligned == nil || st.Aligned.Differences == nil {
		return c.Kit.Hint(gtx, "The calls of both traces are being aligned.")
	}
	query := kit.Filtered(gtx, &d.filter)
	d.order = kit.ChosenOrder(gtx, d.sorts[:], d.order)
	d.refresh(st, query)
	for id, click := range d.clicks {
		if click.Clicked(gtx) {
			c.S.Find(st.Aligned.Pair.Names[id])
		}
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		c.Kit.FilterField(&d.filter, "Filter functions", "Filter functions"),
		c.Kit.Ordering(d.sorts[:], d.order, func(i int) (label, name string) {
			return differenceOrders[i].label, differenceOrders[i].name
		}),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Rows(gtx, &d.list, len(d.shown), func(gtx layout.Context, i int) layout.Dimensions {
				gtx.Constraints.Max.X -= gtx.Dp(10) // the scroll bar's
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				return d.row(c, gtx, st, &d.of[d.shown[i]])
			})
		}))
}

// Listed returns which differences are listed, in order, as indices into the session's table.
func (d *differenceList) Listed() []int { return d.shown }

// refresh filters and sorts anew when the table, the filter or the order have changed.
func (d *differenceList) refresh(st *session.State, q string) {
	list, names := st.Aligned.Differences, st.Aligned.Pair.Names
	same := len(d.of) == len(list) && (len(list) == 0 || &d.of[0] == &list[0])
	if d.clicks != nil && same && d.query == q && d.sorted == d.order {
		return
	}
	if d.clicks == nil || !same {
		d.clicks = map[uint32]*widget.Clickable{}
	}
	d.of, d.query, d.sorted, d.shown = list, q, d.order, d.shown[:0]
	for i := range list {
		if strings.Contains(strings.ToLower(names[list[i].ID]), q) {
			d.shown = append(d.shown, i)
		}
	}
	slices.SortStableFunc(d.shown, func(i, j int) int {
		return differenceOrders[d.order].less(names, &list[i], &list[j])
	})
}

// row is one function: by how much B takes longer, and over which pairs and lone calls.
func (d *differenceList) row(c *view.Context, gtx layout.Context, st *session.State, x *align.Difference) layout.Dimensions {
	click := d.clicks[x.ID]
	if click == nil {
		click = &widget.Clickable{}
		d.clicks[x.ID] = click
	}
	name := st.Aligned.Pair.Names[x.ID]
	return c.Kit.Pressable(gtx, click, "Find calls of "+name, st.Search.Query == name, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 6, Right: 6, Top: 4, Bottom: 5}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions { return d.head(c, gtx, st, name, x) }),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return c.Kit.Label(gtx, words.DifferenceText(x, words.UnitOf(st)),
						kit.Style{Size: kit.Small, Color: c.Kit.Pal.Secondary, Lines: 2})
				}))
		})
	})
}

// head is a function's name and how much longer it takes in B.
func (d *differenceList) head(c *view.Context, gtx layout.Context, st *session.State, name string,
	x *align.Difference) layout.Dimensions {
	ink := c.Kit.Text()
	ink.Weight = font.Medium
	switch {
	case x.Balance() > 0:
		ink.Color = c.Kit.Pal.Past
	case x.Balance() < 0:
		ink.Color = c.Kit.Pal.Future
	}
	balance := "="
	if x.Balance() != 0 {
		balance = kit.SignedValue(x.Balance(), words.UnitOf(st))
	}
	return layout.Flex{}.Layout(gtx,
		kit.Wide(func(gtx layout.Context) layout.Dimensions {
			text := c.Kit.Text()
			text.Lines = 2
			return c.Kit.Label(gtx, name, text)
		}),
		c.Kit.Cell(unit.Dp(78), balance, kit.Right(ink)))
}
