package structure

import (
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/controls"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// styleBar holds the controls of how stacks and code are drawn.
type styleBar struct {
	flow    kit.Flow
	inputs  [2]widget.Clickable
	links   [2]widget.Clickable
	pieces  [3]widget.Clickable
	metrics [len(metricNames)]widget.Clickable
	ofs     [len(ofNames)]widget.Clickable
	areas   [len(areaNames)]widget.Clickable
	source  widget.Clickable
	piece   piece // whose colours the controls choose
}

// piece is which of the two pictures the controls of colours act on.
type piece int

const (
	bothPieces piece = iota
	stacksPiece
	codePiece
)

// What the segmented controls choose, in order, and by which command.
var (
	inputNames  = [...]string{"stacks", "code"}
	inputIDs    = [...]command.ID{InputStacks, InputCode}
	linkNames   = [...]string{"in focus", "outside focus"}
	linkIDs     = [...]command.ID{LinkInFocus, LinkOutside}
	pieceNames  = [...]string{"both", "stacks", "code"}
	pieceIDs    = [...]command.ID{ColoursOfBoth, ColoursOfStacks, ColoursOfCode}
	metricNames = [...]string{"package", "depth", "calls", "duration", "self", "start"}
	metricIDs   = [...]command.ID{ColourPackage, ColourDepth, ColourCalls, ColourTotal, ColourSelf,
		ColourFirst}
	ofNames   = [...]string{"A + B", "A", "B", "B − A", "B : A"}
	ofIDs     = [...]command.ID{OfBoth, OfA, OfB, OfChange, OfRatio}
	areaNames = [...]string{"equal", "lines", "calls", "self"}
	areaIDs   = [...]command.ID{AreaEqual, AreaLines, AreaCalls, AreaSelf}
)

func newStyleBar() styleBar { return styleBar{flow: kit.Flow{Of: "structure"}} }

// colour returns the colours that the controls show as chosen: of both pictures, if they have the
// same.
func (b *styleBar) colour(o *Own) (c scene.Colour, known bool) {
	switch b.piece {
	case stacksPiece:
		return o.Icicles, true
	case codePiece:
		return o.Treemap, true
	}
	return o.Icicles, o.Icicles == o.Treemap
}

// recolour changes the colours that the controls act on.
func (b *styleBar) recolour(s *session.Session, f func(*scene.Colour)) {
	change(s, func(o *Own) {
		if b.piece != codePiece {
			f(&o.Icicles)
		}
		if b.piece != stacksPiece {
			f(&o.Treemap)
		}
	})
}

func (b *styleBar) layout(c *view.Context, gtx layout.Context, st *session.State, p *Pane) {
	if b.source.Clicked(gtx) {
		c.Perform(gtx, ChooseSource)
	}
	controls.Bar(c, gtx, st, &b.flow, &p.tools, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Max.X = min(gtx.Constraints.Max.X/3, gtx.Dp(300))
		return c.Kit.Label(gtx, p.Tally(st), c.Kit.Faint())
	}, b.items(c, st))
}

// items are the controls, the most used first.
func (b *styleBar) items(c *view.Context, st *session.State) []layout.Widget {
	o := ownOf(st)
	colour, known := b.colour(o)
	metric, of := -1, -1
	if known {
		metric, of = int(colourOf(st, treeIn(st), colour).Metric), int(colour.Of)
	}
	metrics := metricsOf(st.Profile())
	colours, areas := metricNames, areaNames
	if t := treeIn(st); t != nil {
		colours[scene.ByCalls], areas[structure.CallsArea] = t.CallNoun()+"s", t.CallNoun()+"s"
	}
	items := []layout.Widget{
		controls.Choice(c, "input", b.inputs[:], inputNames[:], inputIDs[:], int(o.Input)),
		controls.Choice(c, "colour", b.metrics[:metrics], colours[:metrics],
			metricIDs[:metrics], metric),
	}
	if st.Both() {
		items = append(items, controls.Choice(c, "of", b.ofs[:], ofNames[:], ofIDs[:], of))
	}
	return append(items,
		controls.Choice(c, "coloured", b.links[:], linkNames[:], linkIDs[:], int(o.Linking)),
		controls.Choice(c, "area", b.areas[:], areas[:], areaIDs[:], int(areaOf(treeIn(st), o))),
		controls.Choice(c, "colours of", b.pieces[:], pieceNames[:], pieceIDs[:], int(b.piece)),
		func(gtx layout.Context) layout.Dimensions {
			label := "source folder…"
			if o.Source != "" {
				label = "source: " + o.Source
			}
			return c.Kit.Button(gtx, &b.source, label, c.Command(ChooseSource).Title, o.Source != "")
		})
}

// Tally tells what is in focus, else how much code there is.
func (p *Pane) Tally(st *session.State) string {
	t := treeIn(st)
	if t == nil {
		return ""
	}
	if why := problem(st); why != "" {
		return why
	}
	if p.view != nil && p.view.Focus.Mode == scene.Subtree {
		return climbed(p.view.Focus.Height, p.view.Focus.Name)
	}
	return size(t, rootOf(t, ownOf(st)))
}

// size tells how many functions and files are below a node, and how many functions are in no file
// of the source folder.
func size(t *structure.Tree, root int) string {
	files := 0
	for n := root; n < root+int(t.Nodes[root].Size); n++ {
		if t.Nodes[n].Kind == structure.File {
			files++
		}
	}
	text := kit.Plural(int(t.Nodes[root].Functions), "function")
	if files > 0 {
		text += " in " + kit.Plural(files, "file")
	}
	if n := t.Unmapped[0] + t.Unmapped[1]; t.Source != nil && n > 0 {
		text += ", " + kit.Grouped(n) + " outside " + t.Source.Name
	}
	return text
}
