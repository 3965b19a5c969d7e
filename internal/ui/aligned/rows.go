package aligned

import (
	"cmp"
	"fmt"
	"image"
	"slices"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// pairRows are the rows of all pairs of threads below the alignment: how they are sorted and
// scrolled, or whether one row sums them up.
type pairRows struct {
	order  int // index into rowOrders
	folded bool
	scroll float32 // px; negative until it was scrolled
	shown  []aligned.Row
	of     rowsOf

	sorts [len(rowOrders)]widget.Clickable
	fold  widget.Clickable
}

// rowsOf is what the rows depend on.
type rowsOf struct {
	first   *session.Line
	n       int
	shown   *session.Shown
	current int
	order   int
	folded  bool
}

// rowOrders are the ways to sort: what differs most comes first.
var rowOrders = [...]struct {
	label, name string
	compare     func(a, b *aligned.Row) int
}{
	{"similarity", "Sort pairs of threads by similarity, the least first", func(a, b *aligned.Row) int {
		return cmp.Compare(a.Similarity, b.Similarity)
	}},
	{"skew", "Sort pairs of threads by their largest skew", func(a, b *aligned.Row) int {
		return cmp.Compare(b.Farthest(), a.Farthest())
	}},
	{"name", "Sort pairs of threads by name", func(a, b *aligned.Row) int {
		return cmp.Compare(a.Title, b.Title)
	}},
}

// sortedRows returns a row for each pair of threads, if there are several.
func sortedRows(st *session.State, v *session.Shown, order int) []aligned.Row {
	lines := st.Aligned.Lines
	if len(lines) < 2 {
		return nil
	}
	rows, titles := make([]aligned.Row, 0, len(lines)), rowTitles(st)
	for k, l := range lines {
		rows = append(rows, aligned.Row{Pair: l.Pair, Title: titles[k], Current: l.Pair == v.Current,
			Similarity: l.Similarity,
			Timeline:   l.Timeline, Start: float64(v.At(pair.A, l.From)), Length: float64(l.Length),
		})
	}
	slices.SortStableFunc(rows, func(a, b aligned.Row) int { return rowOrders[order].compare(&a, &b) })
	return rows
}

// rowTitles returns the names of all pairs of threads. Pairs of one name have their ids before it:
// a title is cut at its end where it does not fit, and the ids are what tells them apart.
func rowTitles(st *session.State) []string {
	titles, with := make([]string, 0, len(st.Aligned.Lines)), map[string]int{}
	for _, l := range st.Aligned.Lines {
		name := words.PairName(st, st.Pair.Threads[l.Pair])
		titles = append(titles, name)
		with[name]++
	}
	for k, l := range st.Aligned.Lines {
		if with[titles[k]] > 1 {
			if ids := words.PairIDs(st, st.Pair.Threads[l.Pair]); ids != "" {
				titles[k] = ids + " " + titles[k]
			}
		}
	}
	return titles
}

// update returns the rows to show.
func (r *pairRows) update(st *session.State) []aligned.Row {
	v := st.Shown()
	if v == nil || st.Aligned == nil || len(st.Aligned.Lines) < 2 {
		r.shown, r.of = nil, rowsOf{}
		return nil
	}
	lines := st.Aligned.Lines
	if now := (rowsOf{&lines[0], len(lines), v, st.Current, r.order, r.folded}); now != r.of {
		r.of, r.shown = now, sortedRows(st, v, r.order)
		if r.folded {
			all := aligned.Sum(r.shown)
			all.Title = fmt.Sprintf("all %d", len(r.shown))
			r.shown = []aligned.Row{all}
		}
	}
	return r.shown
}

// hear takes what was pressed in the head.
func (r *pairRows) hear(c *view.Context, gtx layout.Context) {
	if to := kit.ChosenOrder(gtx, r.sorts[:], r.order); to != r.order {
		r.order, r.scroll = to, -1
		c.Rebuild(gtx)
	}
	if r.fold.Clicked(gtx) {
		c.Perform(gtx, FoldPairs)
	}
}

// layout lays out the head above the rows.
func (r *pairRows) layout(c *view.Context, gtx layout.Context, v *aligned.View) {
	r.hear(c, gtx)
	head := v.PairsHead
	if head.Empty() {
		return
	}
	label := "sum up"
	if r.folded {
		label = "show all " + kit.Grouped(r.of.n)
	}
	area := image.Rect(int(head.X0), int(head.Y0), int(head.X1), int(head.Y1))
	kit.At(gtx, area, func(gtx layout.Context) {
		gtx.Constraints.Min.Y = gtx.Constraints.Max.Y
		var children []layout.FlexChild
		if !r.folded {
			children = append(children, c.Kit.Ordering(r.sorts[:], r.order, func(i int) (label, name string) {
				return rowOrders[i].label, rowOrders[i].name
			}), kit.Space(8))
		}
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Button(gtx, &r.fold, label, c.Command(FoldPairs).Title, r.folded)
		}))
		layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

// scrollBy scrolls the rows by px.
func (r *pairRows) scrollBy(v *aligned.View, px float32) {
	r.scroll = min(max(v.PairScroll+px, 0), v.MaxPairScroll)
}

// Rows returns the rows of pairs of threads that are shown, in order.
func (p *Pane) Rows() []aligned.Row { return p.rows.shown }
