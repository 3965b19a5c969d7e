package structure

import (
	"context"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/structure/source"
	"diptych/internal/trace"
)

// View is the view's name.
const View session.View = "structure"

// Own is what the view keeps in a pane: how it is drawn, and which part of the code it shows.
type Own struct {
	Input            scene.Target
	Linking          scene.Linking
	Icicles, Treemap scene.Colour
	Area             structure.Area
	// Height is how many levels above the node under the pointer the focus begins.
	Height int
	// Zoom is the path of the node that fills the pane; empty for all code. Names survive another
	// pairing, numbers of nodes do not.
	Zoom   []string
	Source string // folder of source code; "" for none
}

// Renew implements session.Own: the next pair is shown in the same way.
func (o *Own) Renew(_, _ *pair.Pair) session.Own { return o }

// SameStep implements session.Own: only turning the wheel through the levels is no step by itself.
func (o *Own) SameStep(other session.Own) bool {
	was, ok := other.(*Own)
	if !ok {
		return false
	}
	a, b := *o, *was
	a.Height, b.Height = 0, 0
	return a.same(&b)
}

func (o *Own) same(p *Own) bool {
	return o.Input == p.Input && o.Linking == p.Linking && o.Icicles == p.Icicles &&
		o.Treemap == p.Treemap && o.Area == p.Area && o.Height == p.Height &&
		slices.Equal(o.Zoom, p.Zoom) && o.Source == p.Source
}

// Save implements session.Own.
func (o *Own) Save(*session.State) any { return o }

// Open implements session.Own. A folder that is gone is told where it is needed.
func (o *Own) Open(_ *session.State, k session.Kept) (session.Own, int, error) {
	now := &Own{}
	if err := k.Into(now); err != nil {
		return nil, 0, err
	}
	metrics, sides := scene.Metric(len(metricKeys)), scene.Of(len(ofKeys))
	if now.Input > scene.Treemap || now.Linking > scene.OutsideFocus || now.Area > structure.SelfArea ||
		now.Icicles.Metric >= metrics || now.Icicles.Of >= sides || now.Treemap.Metric >= metrics ||
		now.Treemap.Of >= sides || now.Height < 0 || now.Height > mostHeight {
		return nil, 0, session.ErrUnfit
	}
	return now, 0, nil
}

// ownOf returns what the pane keeps that st is seen from. It must not be changed: see change.
func ownOf(st *session.State) *Own {
	if o, ok := st.OwnOf(View).(*Own); ok {
		return o
	}
	return &Own{}
}

// change replaces what the pane keeps, if f changes anything.
func change(s *session.Session, f func(*Own)) {
	was := ownOf(s.State())
	now := *was
	if f(&now); !now.same(was) {
		s.SetOwn(View, &now)
	}
}

// found is the tree of the code, and why the source folder is no part of it.
type found struct {
	tree *structure.Tree
	err  error
}

// treeOf is what a tree is made of.
type treeOf struct {
	pair   *pair.Pair
	source string
}

// trees holds the tree of each pane: panes may have different source folders.
var trees = session.Result[treeOf, *found]{Slot: "structure",
	Label: "Sorting calls by where in the code they are", PerPane: true,
	Key: func(st *session.State) (treeOf, bool) {
		return treeOf{st.Pair, ownOf(st).Source}, st.Pair != nil
	},
	Find: func(ctx context.Context, k treeOf, report progress.Func) (*found, error) {
		var f found
		var o structure.Options
		if k.source != "" {
			if o.Source, f.err = source.Read(ctx, k.source, nil); f.err != nil && ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		var err error
		f.tree, err = structure.New(ctx, k.pair, o, report)
		return &f, err
	}}

func init() { trees.Then = resolve } // which asks for the tree

// resolve looks up what was named before the tree was known.
func resolve(s *session.Session) {
	for _, id := range s.State().Layout.Panes() {
		s.In(id, func() { spellOut(s) })
	}
	brushNamed(s)
}

// treeIn returns the tree for what st shows, nil until it is known. While another source folder is
// read, it is the tree without it.
func treeIn(st *session.State) *structure.Tree {
	if f, ok := trees.Of(st); ok {
		return f.tree
	}
	if f, ok := trees.Last(st); ok && f != nil && f.tree.Pair == st.Pair {
		return f.tree
	}
	return nil
}

// problem says why the source folder could not be read, or "".
func problem(st *session.State) string {
	if f, ok := trees.Of(st); ok && f.err != nil {
		return f.err.Error()
	}
	return ""
}

// rootOf returns the node that fills the pane.
func rootOf(t *structure.Tree, o *Own) int {
	if t == nil {
		return 0
	}
	return max(t.Find(o.Zoom), 0)
}

// zoomTo lets a node fill the pane. If the node begins a chain of single children, the last of them
// fills the pane, since the others show the same.
func zoomTo(s *session.Session, t *structure.Tree, node int) {
	node = t.ChainEnd(node)
	if node < 0 || t.Nodes[node].IsLeaf() {
		return
	}
	change(s, func(o *Own) { o.Zoom = t.Path(node) })
}

// zoomOut shows the code around the node that fills the pane.
func zoomOut(s *session.Session) bool {
	t, o := treeIn(s.State()), ownOf(s.State())
	if t == nil || len(o.Zoom) == 0 {
		return false
	}
	up := t.Nodes[t.ChainStart(rootOf(t, o))].Parent
	change(s, func(o *Own) { o.Zoom = t.Path(max(int(up), 0)) })
	return true
}

// placeOf returns a node as the session knows it.
func placeOf(t *structure.Tree, node int) *session.Place {
	p := &session.Place{Path: t.Path(node), Name: t.FullName(node)}
	for side := range p.Fns {
		tr := t.Pair.Trace(pair.Side(side))
		if tr == nil {
			continue
		}
		p.Fns[side] = make([][]bool, len(tr.Threads))
		made := map[any][]bool{} // by the map of a process, which its threads share
		for i := range tr.Threads {
			cells := t.Cells(pair.Side(side), i)
			if cells == nil {
				continue
			}
			key := cells.Key()
			if made[key] == nil {
				made[key] = marked(t, node, cells, len(tr.Functions))
			}
			p.Fns[side][i] = made[key]
		}
	}
	return p
}

// marked says which functions lie in the subtree of a node.
func marked(t *structure.Tree, node int, cells structure.Cells, functions int) []bool {
	in := make([]bool, functions)
	for fn := range in {
		in[fn] = t.Contains(node, int(cells.Of(trace.FuncID(fn))))
	}
	return in
}

// nodeAt returns the node of a place, or 0 if there is none.
func nodeAt(t *structure.Tree, p *session.Place) int {
	if t == nil || p == nil {
		return 0
	}
	return max(t.Find(p.Path), 0)
}

// nodeOf returns the function node of a call, or 0.
func nodeOf(t *structure.Tree, c session.Target) int {
	if t == nil || !c.OK || t.Sums[c.Side] == nil {
		return 0
	}
	return max(t.NodeOf(c.Side, int(c.Ref.Thread), int(c.Ref.Call)), 0)
}

// hovered returns the node that is pointed at, in any view: a place or a call.
func hovered(t *structure.Tree, st *session.State) int {
	if n := nodeAt(t, st.Brushed.Place); n > 0 {
		return n
	}
	return nodeOf(t, st.Hover)
}

// selected returns the node that is chosen: a place or a call.
func selected(t *structure.Tree, st *session.State) int {
	if n := nodeAt(t, st.Search.Place); n > 0 {
		return n
	}
	return nodeOf(t, st.Selected)
}
