package aggregate

import (
	"cmp"
	"slices"
	"strings"

	"gioui.org/layout"

	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

func sortRanks(list []rank) {
	slices.SortStableFunc(list, func(x, y rank) int { return cmp.Compare(y.largest(), x.largest()) })
}

// tooltip explains the aggregate or the name under the pointer.
func (p *Pane) tooltip(c *view.Context, gtx layout.Context, st *session.State) {
	o := overviewIn(st)
	if !p.inside || p.grab.Moved || c.Quiet() || o == nil {
		return
	}
	if k, label, ok := p.view.PickLabel(p.at); ok {
		t := p.built.state.Plots[k].Picture.Source.Tree()
		n := &t.Nodes[label.Node]
		does := "click folds its rows into one"
		if label.Folded {
			does = "click unfolds its rows"
		}
		lines := []string{nodeName(n), o.noun(p.built.state.Plots[k].Of, int(n.To-n.From)), does}
		c.Kit.TipBox(gtx, lines, label.Rect, p.at)
		return
	}
	if p.over && p.under.of == o {
		if p.lines == nil {
			p.lines = p.under.explain(st)
		}
		c.Kit.TipBox(gtx, p.lines, p.under.area.Rect, p.at)
	}
}

// tipStates is how many states a tooltip tells; the tab of the dock tells all.
const tipStates = 8

// explain says what an aggregate is: its resources, its time, its states and how alike its parts
// are.
func (x spot) explain(st *session.State) []string {
	lines := []string{x.name(), x.time(st) + ", " + x.slices()}
	n := x.place.Leaves[1] - x.place.Leaves[0]
	if noun := x.of.noun(x.plot, n); strings.Contains(x.name(), noun) {
		lines = append(lines, x.homogeneity())
	} else {
		lines = append(lines, noun+", "+x.homogeneity())
	}
	shares := x.shares()
	if x.plot != scene.Difference {
		shares[1-x.plot] = nil
	}
	list := x.of.ranked(shares)
	if x.plot == scene.Difference {
		slices.SortStableFunc(list, func(a, b rank) int {
			return cmp.Compare(kit.Abs(b.share[1]-b.share[0]), kit.Abs(a.share[1]-a.share[0]))
		})
	}
	for i, r := range list {
		if i == tipStates && len(list) > i+1 {
			return append(lines, kit.Plural(len(list)-i, "state")+" more")
		}
		lines = append(lines, r.text(x.plot)+"   "+typeface.Shorten(r.name, 300, 11, false))
	}
	return lines
}

// text writes the share of a state in a plot, or in the difference both and their difference.
func (r *rank) text(plot int) string {
	if plot != scene.Difference {
		return kit.Percent(r.share[plot])
	}
	text := "A " + r.of(0) + "   B " + r.of(1)
	if r.known[0] && r.known[1] {
		text += "   " + points(r.share[1]-r.share[0])
	}
	return text
}

// of writes the share on a side, – where the resources are not there.
func (r *rank) of(side int) string {
	if !r.known[side] {
		return "–"
	}
	return kit.Percent(r.share[side])
}
