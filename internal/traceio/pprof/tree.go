package pprof

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// tree is the samples of one type, merged by their stacks. Node 0 stands for what all stacks have
// in common: nothing.
type tree struct {
	nodes []node
	below map[edge]int32
}

// node is a function called from one stack.
type node struct {
	fn       trace.FuncID
	total    int64 // of all samples whose stack leads through here
	children []int32
	labels   map[string]int64 // of the samples that end here: their total by label text
}

type edge struct {
	caller int32
	fn     trace.FuncID
}

// grow merges the samples' stacks. A sample of value 0 says nothing of its type and is left out; a
// negative one, as in the difference of two profiles, has a width of 0 and is counted as such.
func grow(p *profile.Profile, column int, names *names, b *trace.Builder) *tree {
	t, unit := &tree{nodes: make([]node, 1), below: map[edge]int32{}}, p.SampleType[column].Unit
	var stack []trace.FuncID
	for _, s := range p.Sample {
		v := s.Value[column]
		switch {
		case v == 0:
			continue
		case v < 0:
			b.Diagnose(trace.NegativeDuration, 1, "sample of %d %s", v, unit)
			v = 0
		case v > trace.Limit-t.nodes[0].total:
			b.Diagnose(trace.BadRecord, 1, "sample of %d %s exceeds the axis", v, unit)
			continue
		}
		stack = names.stack(stack[:0], s)
		t.addSample(stack, v, labels(s))
	}
	return t
}

// addSample adds a sample of value v with the given stack, outermost first.
func (t *tree) addSample(stack []trace.FuncID, v int64, label string) {
	at := int32(0)
	t.nodes[at].total += v
	for _, fn := range stack {
		next, ok := t.below[edge{at, fn}]
		if !ok {
			next = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{fn: fn})
			t.nodes[at].children = append(t.nodes[at].children, next)
			t.below[edge{at, fn}] = next
		}
		at = next
		t.nodes[at].total += v
	}
	if label == "" {
		return
	}
	n := &t.nodes[at]
	if n.labels == nil {
		n.labels = map[string]int64{}
	}
	n.labels[label] += v
}

// write lays the tree out along the axis: children stand at the start of their caller, one after
// the other, and what is left at its end is the caller's own.
func (t *tree) write(thread *trace.ThreadBuilder, names *names) {
	type entry struct {
		n   int32
		end bool
		at  int64
	}
	todo := []entry{}
	push := func(n int32, at int64) {
		children := t.nodes[n].children
		slices.SortFunc(children, func(x, y int32) int {
			return names.compare(t.nodes[x].fn, t.nodes[y].fn)
		})
		at += t.width(children)
		for _, c := range slices.Backward(children) {
			at -= t.nodes[c].total
			todo = append(todo, entry{n: c, at: at})
		}
	}
	for push(0, 0); len(todo) > 0; {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &t.nodes[e.n]
		if e.end {
			thread.End(e.at)
			continue
		}
		thread.Args(thread.Begin(e.at, n.fn), n.labelText())
		todo = append(todo, entry{e.n, true, e.at + n.total})
		push(e.n, e.at)
	}
}

func (t *tree) width(nodes []int32) (sum int64) {
	for _, n := range nodes {
		sum += t.nodes[n].total
	}
	return sum
}

// labelText lists the labels of the samples that end in a node, with their shares where there are
// several.
func (n *node) labelText() []byte {
	var text []byte
	for i, label := range slices.Sorted(maps.Keys(n.labels)) {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(text, label...)
		if len(n.labels) > 1 {
			text = fmt.Appendf(text, ": %d", n.labels[label])
		}
	}
	return text
}

// labels writes a sample's labels as text.
func labels(s *profile.Sample) string {
	if len(s.Label) == 0 && len(s.NumLabel) == 0 {
		return ""
	}
	var all []string
	for key, values := range s.Label {
		for _, v := range values {
			all = append(all, key+"="+v)
		}
	}
	for key, values := range s.NumLabel {
		for i, v := range values {
			unit := ""
			if i < len(s.NumUnit[key]) {
				unit = s.NumUnit[key][i]
			}
			all = append(all, fmt.Sprintf("%s=%d%s", key, v, unit))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// names turns a profile's locations into functions. A location stands for several where calls were
// inlined.
type names struct {
	b     *trace.Builder
	known map[*profile.Location][]trace.FuncID // innermost first
}

func newNames(b *trace.Builder) *names {
	return &names{b: b, known: map[*profile.Location][]trace.FuncID{}}
}

// stack appends the functions of a sample, outermost first, to into.
func (n *names) stack(into []trace.FuncID, s *profile.Sample) []trace.FuncID {
	for _, l := range slices.Backward(s.Location) {
		for _, fn := range slices.Backward(n.location(l)) {
			into = append(into, fn)
		}
	}
	if len(into) == 0 {
		into = append(into, n.b.Function(trace.Function{Name: "(no stack)", Kind: trace.Event}))
	}
	return into
}

func (n *names) location(l *profile.Location) []trace.FuncID {
	fns, ok := n.known[l]
	if ok {
		return fns
	}
	for _, line := range l.Line {
		if f := line.Function; f != nil && f.Name+f.SystemName != "" {
			fns = append(fns, n.b.Function(function(f)))
		}
	}
	if len(fns) == 0 {
		fns = append(fns, n.b.Function(address(l)))
	}
	n.known[l] = fns
	return fns
}

func function(f *profile.Function) trace.Function {
	name := f.Name
	if name == "" {
		name = f.SystemName
	}
	line := f.StartLine
	if line < 0 || line > math.MaxInt32 {
		line = 0
	}
	return trace.Function{
		Name: name, Package: qualified.Package(name), File: f.Filename, Line: int32(line)}
}

// address names code that the profile has no symbol for by its place in its binary, which unlike
// its address is the same in every run.
func address(l *profile.Location) trace.Function {
	m := l.Mapping
	if m == nil || m.File == "" || l.Address < m.Start {
		return trace.Function{Name: fmt.Sprintf("%#x", l.Address)}
	}
	binary := filepath.Base(m.File)
	return trace.Function{
		Name: fmt.Sprintf("%s+%#x", binary, l.Address-m.Start+m.Offset), Package: binary, Module: binary}
}

// compare orders functions by name. Equal names differ in their files, which are known first to
// last.
func (n *names) compare(x, y trace.FuncID) int {
	if c := strings.Compare(n.b.FunctionName(x), n.b.FunctionName(y)); c != 0 {
		return c
	}
	return cmp.Compare(x, y)
}
