package structure

import (
	"maps"

	"gioui.org/layout"

	"diptych/internal/command"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/stacks"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// The view's commands.
const (
	Open            command.ID = "view-structure"
	ShowTree        command.ID = "structure-table"
	SwitchInput     command.ID = "structure-input"
	InputStacks     command.ID = "structure-input-stacks"
	InputCode       command.ID = "structure-input-code"
	SwitchLink      command.ID = "structure-link"
	LinkInFocus     command.ID = "structure-in-focus"
	LinkOutside     command.ID = "structure-outside-focus"
	CycleStacks     command.ID = "structure-stacks-next"
	CycleCode       command.ID = "structure-code-next"
	ColoursOfBoth   command.ID = "structure-colours-both"
	ColoursOfStacks command.ID = "structure-colours-stacks"
	ColoursOfCode   command.ID = "structure-colours-code"
	ColourPackage   command.ID = "structure-package"
	ColourDepth     command.ID = "structure-depth"
	ColourCalls     command.ID = "structure-calls"
	ColourTotal     command.ID = "structure-duration"
	ColourSelf      command.ID = "structure-self"
	ColourFirst     command.ID = "structure-first"
	OfBoth          command.ID = "structure-of-both"
	OfA             command.ID = "structure-of-a"
	OfB             command.ID = "structure-of-b"
	OfChange        command.ID = "structure-of-change"
	OfRatio         command.ID = "structure-of-ratio"
	CycleOf         command.ID = "structure-of-next"
	CycleArea       command.ID = "structure-area-next"
	AreaEqual       command.ID = "structure-area-equal"
	AreaLines       command.ID = "structure-area-lines"
	AreaCalls       command.ID = "structure-area-calls"
	AreaSelf        command.ID = "structure-area-self"
	ZoomInto        command.ID = "structure-zoom"
	ZoomOut         command.ID = "structure-zoom-out"
	ChooseSource    command.ID = "structure-source"
	DropSource      command.ID = "structure-no-source"
)

// TreeTab is the tab of the table.
const TreeTab = "structure"

const group command.Group = "Structure"

var one, two = view.CommandsOf(group)

var commands = []command.Command{
	{ID: Open, Title: "View: structure, where in the code it happens", Keys: []string{"6"},
		Group: group, Needs: command.OneTrace},
	one(SwitchInput, "The pointer acts on the stacks or on the code", "Tap Control"),
	one(SwitchLink, "Colour what is in focus, or what is outside", "Shift-C"),
	one(CycleStacks, "Colours of the stacks: next measure", "Y"),
	one(CycleCode, "Colours of the code: next measure", "Shift-Y"),
	two(CycleOf, "Colours of A, of B or of the difference: next", "Shift-V"),
	one(CycleArea, "Areas of the code: next measure", "Z"),
	one(ZoomInto, "Show the selected code alone", "Shift-F"),
	one(ZoomOut, "Show the code around", "Backspace"),
	one(InputStacks, "The pointer acts on the stacks"),
	one(InputCode, "The pointer acts on the code"),
	one(LinkInFocus, "Colour what is in focus"),
	one(LinkOutside, "Colour what is outside the focus"),
	one(ColoursOfBoth, "Choose the colours of stacks and code"),
	one(ColoursOfStacks, "Choose the colours of the stacks"),
	one(ColoursOfCode, "Choose the colours of the code"),
	one(ColourPackage, "Colour by package"),
	one(ColourDepth, "Colour by stack depth"),
	one(ColourCalls, "Colour by number of calls"),
	one(ColourTotal, "Colour by cumulated duration"),
	one(ColourSelf, "Colour by self time"),
	one(ColourFirst, "Colour by first start"),
	two(OfBoth, "Colours count both sides"),
	two(OfA, "Colours count A"),
	two(OfB, "Colours count B"),
	two(OfChange, "Colours show the difference B − A"),
	two(OfRatio, "Colours show the ratio B : A"),
	one(AreaEqual, "Areas: all functions alike"),
	one(AreaLines, "Areas by lines of source code"),
	one(AreaCalls, "Areas by number of calls"),
	one(AreaSelf, "Areas by self time"),
	one(ChooseSource, "Structure from folder…"),
	one(DropSource, "Structure without the source folder"),
	{ID: ShowTree, Title: "Structure: the code as a table", Keys: []string{"Ctrl-7"},
		Group: command.Show, Needs: command.OneTrace},
}

// Row returns the view's row in the table of views.
func Row() view.Row {
	return view.Row{
		Kind: session.Kind{View: View, Unmatched: true, Wants: []session.Wanted{trees.Wanted()},
			Fresh: func() session.Own { return &Own{} }},
		Title: "Structure", Open: Open, OwnOverview: true,
		New: New, Commands: commands, Actions: actions(), Moves: moves(),
		Enabled: map[command.ID]func(*session.State) bool{
			SwitchInput: shown, // which a tap of Control must not open
			ZoomOut: func(st *session.State) bool {
				return shown(st) && len(ownOf(st).Zoom) > 0
			},
			ZoomInto:    func(st *session.State) bool { return shown(st) && selected(treeIn(st), st) > 0 },
			ColourFirst: func(st *session.State) bool { return !st.Profile() },
			DropSource:  func(st *session.State) bool { return shown(st) && ownOf(st).Source != "" },
		},
		Tabs: []view.Tab{{ID: TreeTab, Title: "Structure", Open: ShowTree, Before: "threads", Lead: true,
			New: func() view.Panel { return newTable() }}},
		Settings: settings(),
		Picture:  Picture,
		Counts: func(st *session.State) string {
			t := treeIn(st)
			if t == nil {
				return words.Visible(st)
			}
			return kit.Joined(size(t, 0), words.Visible(st))
		},
		Describe: describe,
	}
}

func shown(st *session.State) bool { return st.View == View }

// action carries out a command that needs no pane.
type action = func(*view.Context, layout.Context)

func actions() map[command.ID]action {
	return map[command.ID]action{
		ShowTree: func(c *view.Context, _ layout.Context) {
			c.S.SetView(View)
			c.ShowTab(TreeTab)
		},
	}
}

// move carries out a command in a pane that shows the view.
type move = stacks.Move

// owned makes a move of a change of what the pane keeps.
func owned(f func(*Own)) move {
	return func(c *view.Context, _ layout.Context, _ view.View) bool {
		change(c.S, f)
		return true
	}
}

// coloured makes a move of a change of the colours that the pane's controls act on.
func coloured(f func(*scene.Colour)) move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		v.(*Pane).style.recolour(c.S, f)
		return true
	}
}

// piecewise makes a move of choosing what the controls of colours act on.
func piecewise(k piece) move {
	return func(c *view.Context, gtx layout.Context, v view.View) bool {
		v.(*Pane).style.piece = k
		c.Rebuild(gtx)
		return true
	}
}

// metricsOf returns how many measures there are for colours. The last one is the first start, and
// in a profile nothing starts before anything else.
func metricsOf(profile bool) int {
	if profile {
		return len(metricNames) - 1
	}
	return len(metricNames)
}

// nextMetric makes a move of going on to the next measure of one picture's colours.
func nextMetric(colour func(*Own) *scene.Colour) move {
	return func(c *view.Context, _ layout.Context, _ view.View) bool {
		n := scene.Metric(metricsOf(c.S.State().Profile()))
		change(c.S, func(o *Own) {
			x := colour(o)
			x.Metric = (x.Metric + 1) % n
		})
		return true
	}
}

func moves() map[command.ID]move {
	all := stacks.Moves()
	maps.Copy(all, map[command.ID]move{
		SwitchInput:     owned(func(o *Own) { o.Input = 1 - o.Input }),
		InputStacks:     owned(func(o *Own) { o.Input = scene.Icicles }),
		InputCode:       owned(func(o *Own) { o.Input = scene.Treemap }),
		SwitchLink:      owned(func(o *Own) { o.Linking = 1 - o.Linking }),
		LinkInFocus:     owned(func(o *Own) { o.Linking = scene.InFocus }),
		LinkOutside:     owned(func(o *Own) { o.Linking = scene.OutsideFocus }),
		CycleStacks:     nextMetric(func(o *Own) *scene.Colour { return &o.Icicles }),
		CycleCode:       nextMetric(func(o *Own) *scene.Colour { return &o.Treemap }),
		ColoursOfBoth:   piecewise(bothPieces),
		ColoursOfStacks: piecewise(stacksPiece),
		ColoursOfCode:   piecewise(codePiece),
		CycleOf:         coloured(func(x *scene.Colour) { x.Of = (x.Of + 1) % scene.Of(len(ofNames)) }),
		AreaLines:       byLines,
		CycleArea:       nextArea,
		ZoomInto: func(c *view.Context, _ layout.Context, _ view.View) bool {
			st := c.S.State()
			if t := treeIn(st); t != nil {
				zoomTo(c.S, t, branch(t, selected(t, st)))
			}
			return true
		},
		ZoomOut:      func(c *view.Context, _ layout.Context, _ view.View) bool { return zoomOut(c.S) },
		ChooseSource: chooseSource,
		DropSource:   owned(func(o *Own) { o.Source = "" }),
	})
	for i, id := range metricIDs {
		all[id] = coloured(func(x *scene.Colour) { x.Metric = scene.Metric(i) })
	}
	for i, id := range ofIDs {
		all[id] = coloured(func(x *scene.Colour) { x.Of = scene.Of(i) })
	}
	for id, area := range map[command.ID]structure.Area{AreaEqual: structure.EqualArea,
		AreaCalls: structure.CallsArea, AreaSelf: structure.SelfArea} {
		all[id] = owned(func(o *Own) { o.Area = area })
	}
	return all
}

// branch returns a node, or for a function the node around it: one cell alone shows nothing.
func branch(t *structure.Tree, node int) int {
	if t.Nodes[node].IsLeaf() {
		return max(int(t.Nodes[node].Parent), 0)
	}
	return node
}

// byLines makes areas stand for lines of code. Without a source folder it asks for one.
func byLines(c *view.Context, gtx layout.Context, v view.View) bool {
	change(c.S, func(o *Own) { o.Area = structure.LinesArea })
	if !hasLines(treeIn(c.S.State())) {
		return chooseSource(c, gtx, v)
	}
	return true
}

// nextArea goes on to the next measure of areas that there is.
func nextArea(c *view.Context, _ layout.Context, _ view.View) bool {
	lines := hasLines(treeIn(c.S.State()))
	change(c.S, func(o *Own) {
		if o.Area = (o.Area + 1) % structure.Area(len(areaNames)); o.Area == structure.LinesArea && !lines {
			o.Area++
		}
	})
	return true
}

// chooseSource lets the user choose the source folder of the pane.
func chooseSource(c *view.Context, _ layout.Context, _ view.View) bool {
	pane := c.S.State().ID
	c.ChooseFolder("Choose the folder of the source code", func(dir string) {
		c.S.In(pane, func() { change(c.S, func(o *Own) { o.Source = dir }) })
	})
	return true
}
