// Package stacks is what all formats of stack samples share. A loader puts each stack into a Tree,
// where equal stacks are one node, and then says of each sample only its node:
//
//   - to a Timeline, if samples have times: consecutive samples of a thread that agree on a frame
//     and all its callers become one call (timeline.go);
//   - to a Profile, if they have none: a tree as wide as the sums of their values (profile.go,
//     DESIGN §3, "Aggregated profiles").
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
	below map[edge]Node
}

type node struct {
	fn    trace.FuncID
	up    Node
	depth int32
}

type edge struct {
	up Node
	fn trace.FuncID
}

// NewTree returns a tree that holds the Root alone.
func NewTree() *Tree { return &Tree{nodes: make([]node, 1), below: map[edge]Node{}} }

// Child returns the stack in which the innermost function of up calls fn.
func (t *Tree) Child(up Node, fn trace.FuncID) Node {
	e := edge{up, fn}
	n, known := t.below[e]
	if !known {
		n = Node(len(t.nodes))
		t.nodes = append(t.nodes, node{fn, up, t.nodes[up].depth + 1})
		t.below[e] = n
	}
	return n
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
