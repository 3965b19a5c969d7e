package aligned

import (
	"image"

	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/session"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/view"
)

// The commands of the view.
const (
	Open            command.ID = "view-alignment"
	NextDifference  command.ID = "next-difference"
	PrevDifference  command.ID = "previous-difference"
	FirstDifference command.ID = "first-difference"
	SortPairs       command.ID = "sort-pairs"
	FoldPairs       command.ID = "fold-pairs"
)

const group command.Group = "Alignment"

var commands = []command.Command{
	{ID: Open, Title: "View: alignment", Keys: []string{"4"}, Group: group, Needs: command.TwoTraces},
	{ID: NextDifference, Title: "Next difference", Keys: []string{"E"}, Group: group, Needs: command.TwoTraces},
	{ID: PrevDifference, Title: "Previous difference", Keys: []string{"Shift-E"}, Group: group,
		Needs: command.TwoTraces},
	{ID: FirstDifference, Title: "First difference", Keys: []string{"Q"}, Group: group, Needs: command.TwoTraces},
	{ID: SortPairs, Title: "Rows of all pairs of threads: sort by the next", Keys: []string{"Shift-O"}, Group: group,
		Needs: command.TwoTraces},
	{ID: FoldPairs, Title: "Rows of all pairs of threads, or one that sums them up", Keys: []string{"Shift-P"},
		Group: group, Needs: command.TwoTraces},
	{ID: command.AlignHere, Title: "Align here: pair two calls by hand", Keys: []string{"X"}, Group: group,
		Needs: command.Selected},
	{ID: command.RemoveAnchors, Title: "Remove all anchors", Group: group, Needs: command.TwoTraces},
}

// Row returns the view's row in the table of views.
func Row() view.Row {
	return view.Row{
		Kind:  session.Kind{View: session.Alignment},
		Title: "Alignment", Open: Open, Pairs: true,
		New: New, Commands: commands, Moves: moves,
		Actions: map[command.ID]func(*view.Context, layout.Context){
			command.AlignHere:     func(c *view.Context, _ layout.Context) { c.S.AlignHere() },
			command.RemoveAnchors: func(c *view.Context, _ layout.Context) { c.S.RemoveAnchors() },
		},
		Enabled: map[command.ID]func(*session.State) bool{
			command.AlignHere:     func(st *session.State) bool { return st.Both() },
			command.RemoveAnchors: func(st *session.State) bool { return st.Anchors.Len() > 0 },
		},
		Tabs: []view.Tab{dock.GroupsTab()},
		Picture: func(st *session.State, pal *palette.Palette, size image.Point, scale float32) []view.Part {
			as := StateOf(st, pal, scale)
			if v := st.Shown(); v != nil {
				as.Pairs = sortedRows(st, v, 0)
			}
			v := build(as, st, size, false, nil)
			return []view.Part{{Scene: v.Scene, Area: image.Rectangle{Max: size}}}
		},
	}
}

// move carries out a command in a pane that shows the view.
type move = func(c *view.Context, gtx layout.Context, v view.View) bool

var moves = map[command.ID]move{
	NextDifference:  stepping(+1),
	PrevDifference:  stepping(-1),
	FirstDifference: stepping(0),
	SortPairs: onRows(func(r *pairRows) {
		r.order, r.scroll = (r.order+1)%len(rowOrders), -1
	}),
	FoldPairs: onRows(func(r *pairRows) { r.folded, r.scroll = !r.folded, -1 }),

	command.ZoomIn:       zooming(view.ZoomStep),
	command.ZoomOut:      zooming(1 / view.ZoomStep),
	command.PanLeft:      panning(-view.PanStep),
	command.PanRight:     panning(view.PanStep),
	command.ScrollUp:     scrolling(-view.RowsStep),
	command.ScrollDown:   scrolling(view.RowsStep),
	command.FitSelection: fitSelection,
}

// onRows changes the rows of pairs of threads.
func onRows(change func(r *pairRows)) move {
	return func(c *view.Context, gtx layout.Context, v view.View) bool {
		change(&v.(*Pane).rows)
		c.Rebuild(gtx)
		return true
	}
}

func stepping(by int) move {
	return func(c *view.Context, gtx layout.Context, v view.View) bool {
		v.(*Pane).step(c, by)
		return true
	}
}

// zooming zooms virtual time at the pointer.
func zooming(factor float64) move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		st, p := c.S.State(), v.(*Pane)
		if st.Shown() == nil {
			return false
		}
		at := st.Virtual.Mid()
		if p.inside && p.view != nil {
			at = p.view.Axis.T(p.at.X)
		}
		c.S.ZoomVirtual(at, factor)
		return true
	}
}

func panning(share float64) move {
	return func(c *view.Context, _ layout.Context, _ view.View) bool {
		st := c.S.State()
		if st.Shown() == nil {
			return false
		}
		c.S.SetVirtual(st.Virtual.Shift(share * st.Virtual.Len()))
		return true
	}
}

// scrolling moves the stacks by rows towards deeper levels.
func scrolling(rows float32) move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		st, p := c.S.State(), v.(*Pane)
		if st.Shown() == nil || p.view == nil {
			return false
		}
		to := st.Scroll[pair.A] + rows*p.view.Row
		c.S.Scroll(pair.A, min(max(to, 0), p.view.MaxScroll))
		return true
	}
}

func fitSelection(c *view.Context, _ layout.Context, v view.View) bool {
	st, p := c.S.State(), v.(*Pane)
	if st.Shown() == nil {
		return false
	}
	if n, ok := p.Selected(st); ok {
		p.show(c, n, .1)
		p.Raise(c, st.Selected)
	}
	return true
}
