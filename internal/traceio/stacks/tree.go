// Package stacks is what all formats of stack samples share. A loader puts each stack into a Tree,
// where equal stacks are one node, and then says of each sample only its node:
//
//   - to a Timeline, if samples have times: consecutive samples of a thread that agree on a frame
//     and all its callers become one call (timeline.go);
//   - to a Profile, if they have none: a tree as wide as the sums of their values (profile.go).
//
// It knows the trace model and no format.
package stacks

import "diptych/internal/trace"

// Node is a stack: the function at its innermost end together with all callers.
type Node int32

// Root is the stack without a function.
const Root Node = 0

// Tree holds stacks by what they have in common. Each is stored once, whatever the number of
// samples that show it. A caller's node is always smaller than those of its callees.
type Tree struct {
	nodes []node
	// below has the children of nodes with more than few of them: most have one or two, which are
	// found sooner one after the other.
	below map[edge]Node
}

type node struct {
	fn          trace.FuncID
	up          Node
	first, next Node // the last child that was added, and the one of the same caller before this
	depth       int32
}

type edge struct {
	up Node
	fn trace.FuncID
}

const few = 8

// NewTree returns a tree that holds the Root alone.
func NewTree() *Tree { return &Tree{nodes: make([]node, 1), below: map[edge]Node{}} }

// Child returns the stack in which the innermost function of up calls fn.
func (t *Tree) Child(up Node, fn trace.FuncID) Node {
	k := 0
	for n := t.nodes[up].first; n != Root && k < few; n = t.nodes[n].next {
		if t.nodes[n].fn == fn {
			return n
		}
		k++
	}
	if k == few {
		if n, known := t.below[edge{up, fn}]; known {
			return n
		}
	}
	n := Node(len(t.nodes))
	t.nodes = append(t.nodes, node{fn, up, Root, t.nodes[up].first, t.nodes[up].depth + 1})
	t.nodes[up].first = n
	if k == few {
		t.below[edge{up, fn}] = n
		for c := t.nodes[n].next; c != Root && t.missing(c); c = t.nodes[c].next {
			t.below[edge{up, t.nodes[c].fn}] = c
		}
	}
	return n
}

// missing reports whether a node is not among those of many siblings. If one is, all older are.
func (t *Tree) missing(n Node) bool {
	_, known := t.below[edge{t.nodes[n].up, t.nodes[n].fn}]
	return !known
}

// Rename replaces the functions of all stacks, as is due once it is known what the numbers that
// stood for them mean. It returns the new nodes by the old ones; nil if they are the same, which is
// so unless functions fall together.
func (t *Tree) Rename(to func(trace.FuncID) trace.FuncID) []Node {
	names, taken, apart := map[trace.FuncID]trace.FuncID{}, map[trace.FuncID]bool{}, true
	for i := range t.nodes[1:] {
		old := t.nodes[i+1].fn
		if _, known := names[old]; !known {
			names[old] = to(old)
			apart = apart && !taken[names[old]]
			taken[names[old]] = true
		}
	}
	if !apart {
		return t.rebuild(names)
	}
	for i := range t.nodes[1:] {
		t.nodes[i+1].fn = names[t.nodes[i+1].fn]
	}
	below := make(map[edge]Node, len(t.below))
	for e, n := range t.below {
		below[edge{e.up, names[e.fn]}] = n
	}
	t.below = below
	return nil
}

// rebuild renames functions of which several get one name.
func (t *Tree) rebuild(names map[trace.FuncID]trace.FuncID) []Node {
	old := t.nodes
	*t = *NewTree()
	nodes := make([]Node, len(old))
	for i := range old[1:] {
		n := &old[i+1]
		nodes[i+1] = t.Child(nodes[n.up], names[n.fn])
	}
	return nodes
}

// Stack returns the stack of these functions, outermost first.
func (t *Tree) Stack(fns []trace.FuncID) Node {
	n := Root
	for _, fn := range fns {
		n = t.Child(n, fn)
	}
	return n
}

// Len returns the number of nodes, the Root included.
func (t *Tree) Len() int { return len(t.nodes) }

// Function returns the innermost function of a stack other than the Root.
func (t *Tree) Function(n Node) trace.FuncID { return t.nodes[n].fn }

// Caller returns a stack without its innermost function. The Root's is the Root.
func (t *Tree) Caller(n Node) Node { return t.nodes[n].up }

// Depth returns the number of functions in a stack.
func (t *Tree) Depth(n Node) int { return int(t.nodes[n].depth) }

// common returns the part that two stacks have in common, from the outermost function on.
func (t *Tree) common(a, b Node) Node {
	for a != b {
		if t.nodes[a].depth >= t.nodes[b].depth {
			a = t.nodes[a].up
		} else {
			b = t.nodes[b].up
		}
	}
	return a
}
