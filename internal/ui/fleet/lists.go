package fleet

import (
	"image"
	"math"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/widget"

	"diptych/internal/escape"
	scene "diptych/internal/scene/fleet"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// tab is one of the lists.
type tab int

const (
	outliers tab = iota
	clusters
	functions
	failed
	tabs
)

// The titles of the lists, and their names for assistive tools.
var (
	tabTitles = [tabs]string{"Outliers", "Clusters", "Functions", "Failed"}
	tabNames  = [tabs]string{"Pairs unlike the others", "Clusters of pairs",
		"Functions over all pairs", "Pairs that failed"}
)

// lists is what the page keeps of its lists between frames.
type lists struct {
	shown  tab
	choose [tabs]widget.Clickable
	of     [tabs]widget.List
	rows   [tabs]map[int]*widget.Clickable // by row; only those in sight were ever made
}

// entry is a row of a list.
type entry struct {
	name  string // of the pair, function or cluster
	value string // at its right
	text  string // below it
	error bool   // text says what went wrong
	pair  int    // that stands out in the matrix while it is pointed at, or −1
	ink   int    // a cluster, whose colour stands beside it, or −1
	open  func() // what a click does
}

// size returns how many rows a list has.
func (c *content) size(t tab) int {
	return [tabs]int{len(c.unlike), len(c.Clusters), len(c.Functions), len(c.Failed)}[t]
}

// counted returns how many of a list its tab tells of: pairs that only wait unlike the others are
// no outliers, if there are any.
func (c *content) counted(t tab) int {
	if t == outliers && (len(c.Outliers) > 0 || c.Diverse) {
		return len(c.Outliers)
	}
	return c.size(t)
}

// title names the tab of a list, and tells how long it is: "Outliers 3 + 2" are three outliers and
// two pairs that only wait unlike the others. If the pairs have little in common, all are listed.
func (c *content) title(t tab) string {
	switch {
	case t == functions:
		return tabTitles[t]
	case t == outliers && c.Diverse:
		return "Changed " + kit.Grouped(c.size(t))
	}
	title := tabTitles[t] + " " + kit.Grouped(c.counted(t))
	if more := c.size(t) - c.counted(t); more > 0 {
		title += " + " + kit.Grouped(more)
	}
	return title
}

// entry returns a row of a list.
func (p *Page) entry(t tab, i int) entry {
	c := p.content
	switch t {
	case outliers:
		k := c.unlike[i]
		x := &c.Pairs[k]
		text := escape.Line(x.Told().Text)
		switch {
		case c.Diverse && x.Outlier != nil:
			text = "unlike the others: " + text
		case i >= len(c.Outliers) && len(c.Outliers) > 0 && x.Outlier != nil:
			text = "only waits unlike the others: " + text
		}
		return entry{name: pairName(x), text: text, pair: k,
			value: kit.SignedValue(x.Told().DeltaNs, x.Unit), ink: x.Cluster,
			open: func() { p.visitOutlier(k) }}
	case clusters:
		x := &c.Clusters[i]
		value := kit.SignedValue(int64(math.Round(x.MeanDeltaNs)), c.unit(x.Middle))
		if c.Diverse { // of times of different lengths there is no mean
			value = signedPercent(x.MeanShare)
		}
		return entry{name: clusterName(i), text: c.clusterText(i), pair: x.Middle, ink: i, value: value,
			open: func() { p.visit(x.Middle, x.When.FromBucket, x.When.ToBucket+1) }}
	case functions:
		f := &c.Functions[i]
		return entry{name: escape.Line(f.Name), text: c.functionText(f), pair: f.Worst, ink: none,
			value: kit.SignedValue(f.DeltaNs, c.unit(f.Worst)),
			open:  func() { p.visitFunction(f.Worst, f.Name) }}
	}
	k := c.Failed[i]
	return entry{name: pairName(&c.Pairs[k]), text: escape.Line(c.Pairs[k].Error),
		error: true, pair: none, ink: none, open: func() { p.visit(k, 0, 0) }}
}

// visitFunction opens a pair and looks for a function in it.
func (p *Page) visitFunction(k int, function string) {
	p.opened = k
	v := p.to(k)
	v.At.Find = function
	p.open(v)
}

// layoutLists lays out the list that is shown, below the choice of lists.
func (p *Page) layoutLists(c *view.Context, gtx layout.Context) {
	l := &p.lists
	for t := range l.choose {
		if l.choose[t].Clicked(gtx) {
			l.shown = tab(t)
			gtx.Execute(op.InvalidateCmd{})
		}
	}
	layout.Inset{Left: 10, Right: 4, Top: 8, Bottom: 8}.Layout(gtx,
		func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min = gtx.Constraints.Max
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions { return p.chooser(c, gtx) }),
				layout.Rigid(layout.Spacer{Height: 6}.Layout),
				layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
					return p.list(c, gtx, l.shown)
				}))
		})
}

// chooser chooses a list, and tells how long each is.
func (p *Page) chooser(c *view.Context, gtx layout.Context) layout.Dimensions {
	l := &p.lists
	var labels, names []string
	for t := range tabs {
		if t == failed && p.content.size(t) == 0 {
			break
		}
		name := tabNames[t]
		if t == outliers && p.content.Diverse {
			name = "Pairs by what changed"
		}
		labels, names = append(labels, p.content.title(t)), append(names, name)
	}
	return c.Kit.Segments(gtx, l.choose[:], labels, names, int(l.shown))
}

// list lays out a list. The row under the pointer stands out in the matrix.
func (p *Page) list(c *view.Context, gtx layout.Context, t tab) layout.Dimensions {
	l, n := &p.lists, p.content.size(t)
	if n == 0 {
		p.mark(gtx, none)
		return layout.Inset{Left: 6, Top: 6}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Hint(gtx, emptyTexts[t])
		})
	}
	if l.rows[t] == nil {
		l.rows[t] = map[int]*widget.Clickable{}
	}
	pointed := none
	d := c.Kit.Rows(gtx, &l.of[t], n, func(gtx layout.Context, i int) layout.Dimensions {
		click := l.rows[t][i]
		if click == nil {
			click = &widget.Clickable{}
			l.rows[t][i] = click
		}
		e := p.entry(t, i)
		if click.Clicked(gtx) {
			e.open()
		}
		if click.Hovered() && e.pair != none {
			pointed = p.content.rows[e.pair]
		}
		return p.row(c, gtx, click, &e)
	})
	p.mark(gtx, pointed)
	return d
}

// emptyTexts stand in lists that are empty.
var emptyTexts = [tabs]string{"No pair is unlike the others.", "There are no clusters.",
	"No function differs.", "All pairs could be compared."}

// mark makes a row of the matrix stand out, in the next frame.
func (p *Page) mark(gtx layout.Context, row int) {
	if p.matrix.marked != row {
		p.matrix.marked = row
		gtx.Execute(op.InvalidateCmd{})
	}
}

// row lays out a row of a list.
func (p *Page) row(c *view.Context, gtx layout.Context, click *widget.Clickable,
	e *entry) layout.Dimensions {
	gtx.Constraints.Min.X = gtx.Constraints.Max.X
	title := c.Kit.Text()
	title.Weight = font.Medium
	text := c.Kit.Caption()
	text.Lines = 4
	if e.error {
		text.Color = c.Kit.Pal.Error
	}
	on := e.pair != none && e.pair == p.opened
	return c.Kit.Pressable(gtx, click, "Open "+e.name, on, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 6, Right: 14, Top: 6, Bottom: 6}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
							layout.Rigid(func(gtx layout.Context) layout.Dimensions {
								return chip(c, gtx, e.ink)
							}),
							kit.Wide(func(gtx layout.Context) layout.Dimensions {
								return c.Kit.Label(gtx, e.name, title)
							}),
							kit.Space(8),
							layout.Rigid(func(gtx layout.Context) layout.Dimensions {
								return c.Kit.Label(gtx, e.value, c.Kit.Text())
							}))
					}),
					layout.Rigid(layout.Spacer{Height: 2}.Layout),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						return c.Kit.Label(gtx, e.text, text)
					}))
			})
	})
}

// chip shows the colour of a cluster.
func chip(c *view.Context, gtx layout.Context, cluster int) layout.Dimensions {
	if cluster < 0 {
		return layout.Dimensions{}
	}
	size := image.Pt(gtx.Dp(7), gtx.Dp(14))
	kit.FillRound(gtx, image.Rectangle{Max: size}, gtx.Dp(2), scene.ClusterInk(c.Kit.Pal, cluster))
	return layout.Dimensions{Size: size.Add(image.Pt(gtx.Dp(7), 0))}
}
