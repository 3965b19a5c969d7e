package aggregate

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/trace"
	"diptych/internal/ui/view"
)

// This file says what leads from an aggregate to its parts, and to its calls.

// resources returns what a spot is about, in the order of its leaves.
func (x spot) resources() []int {
	return x.of.parts[x.plot].of[x.place.Leaves[0]:x.place.Leaves[1]]
}

// spans returns the time of a spot on each side.
func (x spot) spans() (spans [2]geom.Span) {
	for s, m := range x.of.cut.Sides {
		if m != nil {
			spans[s] = geom.Span{Start: float64(m.Borders[x.place.From]),
				End: float64(m.Borders[x.place.To+1])}
		}
	}
	return spans
}

// zoomInto lets an aggregate be the whole.
func zoomInto(s *session.Session, x spot) {
	of := slices.Clone(x.resources())
	slices.Sort(of)
	all := len(of) == len(x.of.parts[x.plot].of)
	if all && x.place.From == 0 && x.place.To == x.of.cut.of.slices-1 {
		return
	}
	label := x.name()
	if all { // those that the other plots have beside them stay; what is new is the time
		label = x.time(s.State())
		of = ownOf(s.State()).resources()
		if of == nil {
			of = x.of.all()
		}
	}
	zoomTo(s, label, of, x.spans())
}

// all returns the resources of all plots.
func (o *overview) all() (list []int) {
	for _, p := range o.parts {
		if p != nil {
			list = append(list, p.of...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// showCalls opens the calls of an aggregate: its time and its threads or, by code, its functions.
func showCalls(c *view.Context, x spot) {
	of := x.resources()
	c.S.AsOneStep(func() {
		c.S.SetView(session.Matches)
		focus(c.S, x.spans())
		switch code := x.of.cut.of.code; {
		case code != nil:
			c.S.ShowProcess(true)
			c.S.FindIn(code.place(of))
		case len(of) == 1:
			c.S.ShowPair(of[0])
		default:
			c.S.ShowProcess(true)
		}
	})
}

// place returns some functions as the session knows them: by the node around all of them.
func (c *code) place(of []int) *session.Place {
	node := c.nodes[of[0]]
	for _, r := range of[1:] {
		for !c.tree.Contains(node, c.nodes[r]) {
			node = int(c.tree.Nodes[node].Parent)
		}
	}
	in := map[int32]bool{}
	for _, r := range of {
		in[int32(c.nodes[r])] = true
	}
	p := &session.Place{Path: c.tree.Path(node), Name: c.tree.FullName(node)}
	for s := range p.Fns {
		if tr := c.tree.Pair.Trace(pair.Side(s)); tr != nil {
			p.Fns[s] = functionsIn(c.tree, pair.Side(s), tr, in)
		}
	}
	return p
}

// functionsIn says by thread and FuncID which functions have some nodes. Threads of one process
// share the list.
func functionsIn(t *structure.Tree, s pair.Side, tr *trace.Trace, nodes map[int32]bool) [][]bool {
	out := make([][]bool, len(tr.Threads))
	made := map[any][]bool{} // by the map of a process
	for i := range tr.Threads {
		cells := t.Cells(s, i)
		if cells == nil {
			continue
		}
		list, ok := made[cells.Key()]
		if !ok {
			for fn := range tr.Functions {
				list = append(list, nodes[cells.Of(trace.FuncID(fn))])
			}
			made[cells.Key()] = list
		}
		out[i] = list
	}
	return out
}

// spotOf returns the aggregate of a deviation.
func (o *overview) spotOf(d deviation) spot {
	n := o.parts[scene.Difference].source.Tree().Nodes[d.Node]
	at := scene.Place{Leaves: [2]int{int(n.From), int(n.To)}, From: d.From, To: d.To, OK: true}
	return spot{of: o, plot: scene.Difference, place: at,
		area: scene.Area{Place: at, Node: d.Node, Mode: d.mode, Share: d.share, Parts: 1}}
}
