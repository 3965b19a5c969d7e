package structure

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/structure"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
)

// order is what the rows below one node are sorted by.
type order int

const (
	byChange order = iota // the largest change first, whatever its sign
	bySize                // the largest first, of both sides together
	byName
)

// quantity columns of the table, in the order in which they are offered.
type measure int

const (
	selfTime measure = iota
	total
	calls
)

var measures = [...]structure.Metric{structure.BySelf, structure.ByTotal, structure.ByCalls}

// line is a row of the table: a node, or the chain of single children that it begins.
type line struct {
	node  int // the first of the chain
	depth int
	leaf  bool
	open  bool
}

// rowsOf is what the rows are made of.
type rowsOf struct {
	tree    *structure.Tree
	query   string
	order   order
	measure measure
}

// rows are the lines of the table that are not folded away.
type rows struct {
	of     rowsOf
	open   map[string]bool // by path: the nodes whose children are listed
	list   []line
	most   int64  // the largest change among the lines
	shares []bool // by node: it or something below it matches the filter; nil without one
}

// renew lists the lines anew if what they are made of has changed. It reports whether it has.
func (r *rows) renew(of rowsOf) bool {
	if r.of == of && r.list != nil {
		return false
	}
	if r.of.tree != of.tree && r.open == nil {
		r.open = map[string]bool{}
	}
	r.of = of
	r.filter()
	r.unfold()
	return true
}

func pathKey(t *structure.Tree, node int) string { return strings.Join(t.Path(node), "\x00") }

// filter finds which nodes the query is about.
func (r *rows) filter() {
	t := r.of.tree
	if r.shares = nil; r.of.query == "" || t == nil {
		return
	}
	r.shares = make([]bool, len(t.Nodes))
	for n := len(t.Nodes) - 1; n > 0; n-- {
		if r.shares[n] || strings.Contains(strings.ToLower(t.FullName(n)), r.of.query) {
			r.shares[n] = true
			r.shares[t.Nodes[n].Parent] = true
		}
	}
}

// unfold lists the lines, from the top level on down into what is open. It walks with a stack of
// its own.
func (r *rows) unfold() {
	r.list, r.most = []line{}, 0
	if r.of.tree == nil {
		return
	}
	stack := r.below(0, 0)
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		r.list = append(r.list, l)
		r.most = max(r.most, kit.Abs(r.change(l.node)))
		if l.open {
			stack = append(stack, r.below(r.of.tree.ChainEnd(l.node), l.depth+1)...)
		}
	}
}

// below returns the lines of the children of a node, the last one first.
func (r *rows) below(node, depth int) (lines []line) {
	t := r.of.tree
	for c := range t.Busiest(node) {
		n := int(t.Busiest(node)[c])
		if r.shares != nil && !r.shares[n] {
			continue
		}
		leaf := t.Nodes[t.ChainEnd(n)].IsLeaf()
		lines = append(lines, line{n, depth, leaf, !leaf && (r.open[pathKey(t, n)] || r.narrow(n))})
	}
	slices.SortStableFunc(lines, func(x, y line) int { return r.compare(y.node, x.node) })
	return lines
}

// narrow reports whether the filter opens a node: few are left.
func (r *rows) narrow(n int) bool {
	const few = 400 // nodes in the subtree
	return r.shares != nil && int(r.of.tree.Nodes[n].Size) < few
}

// compare orders two nodes by the order that is chosen.
func (r *rows) compare(x, y int) int {
	t := r.of.tree
	switch r.of.order {
	case byChange:
		if c := cmp.Compare(kit.Abs(r.change(y)), kit.Abs(r.change(x))); c != 0 {
			return c
		}
	case byName:
		return strings.Compare(t.Label(x), t.Label(y))
	}
	return cmp.Or(cmp.Compare(r.size(y), r.size(x)), cmp.Compare(x, y))
}

func (r *rows) change(node int) int64 {
	d, _ := r.of.tree.Change(measures[r.of.measure], node)
	return d
}

func (r *rows) size(node int) (sum int64) {
	for _, s := range []pair.Side{pair.A, pair.B} {
		v, _ := r.of.tree.Value(measures[r.of.measure], s, node)
		sum += v
	}
	return sum
}

// toggle opens or folds the k-th line.
func (r *rows) toggle(k int) {
	key := pathKey(r.of.tree, r.list[k].node)
	r.open[key] = !r.list[k].open
	r.unfold()
}

// openAll opens all lines, up to so many that a list is still of use.
func (r *rows) openAll() {
	t := r.of.tree
	const most = 100_000
	for n := 1; n < min(len(t.Nodes), most); n++ {
		if !t.Nodes[n].IsLeaf() {
			r.open[pathKey(t, n)] = true
		}
	}
	r.unfold()
}

// foldAll folds all lines.
func (r *rows) foldAll() {
	r.open = map[string]bool{}
	r.unfold()
}

// show opens what is around a node, and returns its line.
func (r *rows) show(node int) int {
	t := r.of.tree
	opened := false
	for n := int(t.Nodes[t.ChainStart(node)].Parent); n > 0; n = int(t.Nodes[n].Parent) {
		n = t.ChainStart(n)
		if key := pathKey(t, n); !r.open[key] {
			r.open[key], opened = true, true
		}
	}
	if opened {
		r.unfold()
	}
	return r.at(node)
}

// at returns the line of a node or of what it is folded into, −1 if it is not listed.
func (r *rows) at(node int) int {
	best := -1
	for k, l := range r.list {
		inside := node > 0 && r.of.tree.Contains(l.node, node)
		if inside && (best < 0 || l.depth > r.list[best].depth) {
			best = k
		}
	}
	return best
}

// leader is a package that changed much, and by how much.
type leader struct{ name, amount string }

// leadersOf returns the packages that changed most.
func leadersOf(t *structure.Tree, unit string) (list []leader) {
	for _, x := range t.Movers(3) {
		list = append(list, leader{t.FullName(x.Node), kit.SignedValue(x.ByNs, unit)})
	}
	return list
}

// headline writes the leaders in lines of width px, such as "internal/trace +12 ms, fmt −3 ms". A
// package and its change share a line, for which the name is shortened if need be.
func headline(list []leader, width, size float32) string {
	var lines []string
	for i, x := range list {
		room := width - typeface.Width(" "+x.amount+",", size, true)
		part := strings.TrimSpace(typeface.Shorten(x.name, room, size, true) + " " + x.amount)
		if i+1 < len(list) {
			part += ","
		}
		if n := len(lines) - 1; n >= 0 && typeface.Width(lines[n]+" "+part, size, true) <= width {
			lines[n] += " " + part
		} else {
			lines = append(lines, part)
		}
	}
	return strings.Join(lines, "\n")
}
