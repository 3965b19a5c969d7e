package stacks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"diptych/internal/quantity"
	"diptych/internal/trace"
)

// Profile sums the values of samples by stack. Profiles of one recording may share a tree.
type Profile struct {
	tree   *Tree
	b      *trace.Builder
	unit   string                    // of the values, for diagnostics
	self   []int64                   // by node: the sum of the samples that end there
	seen   []bool                    // by node: there is such a sample
	labels map[Node]map[string]int64 // of the samples that end there: their sum by label text
	total  int64
	text   int64 // bytes of labels
}

// NewProfile returns an empty profile of stacks in t.
func NewProfile(t *Tree, b *trace.Builder, unit string) *Profile {
	return &Profile{tree: t, b: b, unit: unit, labels: map[Node]map[string]int64{}}
}

// Add adds a sample, whose label may be "". One of value 0 says nothing and is left out; a negative
// one, as in the difference of two profiles, has a width of 0 and is counted as such.
func (p *Profile) Add(n Node, value int64, label string) {
	switch {
	case value == 0:
		return
	case value < 0:
		p.b.Diagnose(trace.NegativeDuration, 1, "sample of %s", quantity.Format(float64(value), p.unit))
		value = 0
	case value > trace.Limit-p.total:
		p.b.Diagnose(trace.BadRecord, 1, "sample of %s exceeds the axis",
			quantity.Format(float64(value), p.unit))
		return
	}
	if missing := p.tree.Len() - len(p.self); missing > 0 {
		p.self = append(p.self, make([]int64, missing)...)
		p.seen = append(p.seen, make([]bool, missing)...)
	}
	p.self[n] += value
	p.seen[n] = true
	p.total += value
	if label == "" {
		return
	}
	if p.labels[n] == nil {
		p.labels[n] = map[string]int64{}
	}
	if _, known := p.labels[n][label]; !known {
		p.text += int64(len(label)) + labelBytes
	}
	p.labels[n][label] += value
}

// LabelBytes returns how many bytes the labels take.
func (p *Profile) LabelBytes() int64 { return p.text }

// Write lays the tree out along the axis of sums: children stand at the start of their caller, in
// the order of their names, and what is left at its end is the caller's own.
func (p *Profile) Write(to *trace.ThreadBuilder) {
	l := p.layout()
	type entry struct {
		n   Node
		end bool
		at  int64
	}
	var todo []entry
	push := func(n Node, at int64) {
		children := l.children(n)
		slices.SortFunc(children, p.compare)
		for _, c := range children {
			at += l.total[c]
		}
		for _, c := range slices.Backward(children) {
			at -= l.total[c]
			todo = append(todo, entry{n: c, at: at})
		}
	}
	for push(Root, 0); len(todo) > 0; {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if e.end {
			to.End(e.at)
			continue
		}
		to.Args(to.Begin(e.at, p.tree.Function(e.n)), p.labelText(e.n))
		todo = append(todo, entry{e.n, true, e.at + l.total[e.n]})
		push(e.n, e.at)
	}
}

// layout is what a profile needs of its tree to be written.
type layout struct {
	total []int64 // by node: of all samples whose stack leads through it
	below []Node  // the children of all nodes, those of node n from from[n] to from[n+1]
	from  []int32
}

func (l *layout) children(n Node) []Node { return l.below[l.from[n]:l.from[n+1]] }

// layout adds up the totals and lists the children of the nodes that samples lead through.
func (p *Profile) layout() *layout {
	n := len(p.self)
	l := &layout{total: slices.Clone(p.self), from: make([]int32, max(n, 1)+1)}
	seen := slices.Clone(p.seen)
	for i := n - 1; i > 0; i-- {
		if up := p.tree.nodes[i].up; seen[i] {
			l.total[up] += l.total[i]
			seen[up] = true
			l.from[up+1]++
		}
	}
	for i := range n {
		l.from[i+1] += l.from[i]
	}
	l.below = make([]Node, l.from[len(l.from)-1])
	next := slices.Clone(l.from)
	for i := 1; i < n; i++ {
		if up := p.tree.nodes[i].up; seen[i] {
			l.below[next[up]] = Node(i)
			next[up]++
		}
	}
	return l
}

// compare orders stacks of one caller by their functions' names. Equal names differ in their files,
// which are known first to last.
func (p *Profile) compare(x, y Node) int {
	f, g := p.tree.Function(x), p.tree.Function(y)
	return cmp.Or(strings.Compare(p.b.FunctionName(f), p.b.FunctionName(g)), cmp.Compare(f, g))
}

// labelText lists the labels of the samples that end in a node, with their shares where there are
// several.
func (p *Profile) labelText(n Node) []byte {
	var text []byte
	labels := p.labels[n]
	for i, label := range slices.Sorted(maps.Keys(labels)) {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(text, label...)
		if len(labels) > 1 {
			text = fmt.Appendf(text, ": %d", labels[label])
		}
	}
	return text
}
