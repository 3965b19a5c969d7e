package structure

import (
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// tooltip explains the call or the code under the pointer. It stands beside what it explains.
func (p *Pane) tooltip(c *view.Context, gtx layout.Context, st *session.State) {
	if !p.Inside || p.Grab.Moved || c.Quiet() {
		return
	}
	lines, shape := p.explain(st)
	if f, ok := flags.At(p.flags, p.At); ok {
		lines, shape = f.Lines(st), f.Box
	}
	if lines != nil {
		c.Kit.TipBox(gtx, lines, shape, p.At)
	}
}

// explain returns what there is to say of what is under the pointer, and where that is. With the
// stacks as input target, code is no target and says nothing.
func (p *Pane) explain(st *session.State) ([]string, geom.Rect) {
	t := treeIn(st)
	hit, ok := p.view.Pick(p.At)
	if !ok || t == nil || hit.Node <= 0 {
		return nil, geom.Rect{}
	}
	if call := target(hit); call.OK {
		return callLines(t, st, call, hit.Node), hit.Pick.Rect
	}
	if ownOf(st).Input != scene.Treemap {
		return nil, geom.Rect{}
	}
	node := p.meant(hit.Node)
	return nodeLines(t, node, words.UnitOf(st)), p.view.NodeRect(node)
}

// callLines tell of a call and of the function's code.
func callLines(t *structure.Tree, st *session.State, call session.Target, node int) []string {
	th, i := st.Call(call)
	unit := string(st.Sides[call.Side].Trace.Unit)
	value := func(ns int64) string { return geom.FormatValue(float64(ns), unit) }
	lines := nodeLines(t, node, unit)
	own := value(th.Dur(i)) + ", self " + value(th.Self(i)) + words.At(st, ", ", th.Start(i))
	return append([]string{st.FunctionName(call), "this call: " + own, t.FullName(node)}, lines[1:]...)
}

// told is a quantity of a node.
type told struct {
	label  string
	metric structure.Metric
	timed  bool
}

// quantities are what tooltips, the table and its copy tell of a node, see quantitiesOf.
var quantities = []told{
	{"calls", structure.ByCalls, false},
	{"self", structure.BySelf, true},
	{"cumulated", structure.ByTotal, true},
	{"stack depth", structure.ByDepth, false},
	{"first start", structure.ByFirst, true},
}

// quantitiesOf returns the quantities that nodes of a tree have: in a profile nothing starts
// earlier or later than anything else, and calls may not have been counted.
func quantitiesOf(t *structure.Tree) (all []told) {
	for _, q := range quantities {
		switch q.metric {
		case structure.ByFirst:
			if t.Pair.Profile() {
				continue
			}
		case structure.ByCalls:
			q.label = t.CallNoun() + "s"
		}
		all = append(all, q)
	}
	return all
}

// amount writes a value of a metric.
func amount(m structure.Metric, v int64, unit string) string {
	switch m {
	case structure.ByCalls:
		return kit.Grouped(int(v)) + " ×"
	case structure.ByDepth:
		return kit.Grouped(int(v))
	}
	return geom.FormatValue(float64(v), unit)
}

// signed writes a change of a metric.
func signed(m structure.Metric, v int64, unit string) string {
	switch {
	case v < 0:
		return "−" + amount(m, -v, unit)
	case v > 0:
		return "+" + amount(m, v, unit)
	}
	return "0"
}

// nodeLines tell all quantities of a node: of one trace the value, of two A, B and B − A.
func nodeLines(t *structure.Tree, node int, unit string) []string {
	n := &t.Nodes[node]
	what := n.Kind.String()
	if !n.IsLeaf() {
		what += " of " + kit.Plural(int(n.Functions), "function")
	}
	if n.Lines >= 0 {
		what += ", " + kit.Plural(int(n.Lines), "line")
	}
	lines := []string{t.FullName(node), what}
	if t.Gamma(node) == 0 {
		return append(lines, "never called")
	}
	for _, q := range quantitiesOf(t) {
		lines = append(lines, q.label+"   "+quantity(t, q.metric, node, unit))
	}
	return lines
}

// quantity writes one quantity of a node, such as "A: 278 µs   B: 12.9 ms   B − A: +12.6 ms".
func quantity(t *structure.Tree, m structure.Metric, node int, unit string) string {
	text := func(s pair.Side) string {
		v, ok := t.Value(m, s, node)
		if !ok {
			return "–"
		}
		return amount(m, v, unit)
	}
	switch {
	case t.Sums[pair.B] == nil:
		return text(pair.A)
	case t.Sums[pair.A] == nil:
		return text(pair.B)
	}
	out := "A: " + text(pair.A) + "   B: " + text(pair.B)
	if d, ok := t.Change(m, node); ok {
		out += "   B − A: " + signed(m, d, unit)
	}
	return out
}

// describe says in the status line where in the code a call is.
func describe(st *session.State, call session.Target) string {
	t := treeIn(st)
	node := nodeOf(t, call)
	if node == 0 {
		return ""
	}
	th, i := st.Call(call)
	where := t.FullName(t.PackageOf(node))
	if file := t.FileOf(node); t.Nodes[file].Kind == structure.File {
		where = t.FullName(file)
	}
	below := ""
	if n := int(th.Size(i)) - 1; n > 0 {
		below = kit.Plural(n, st.Sides[call.Side].Trace.Kind.CallNoun()) + " below"
	}
	return kit.Joined(where,
		geom.FormatValue(float64(th.Dur(i)), string(st.Sides[call.Side].Trace.Unit)), below)
}
