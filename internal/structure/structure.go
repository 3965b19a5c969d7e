// Package structure says where in the code the calls of one trace or a pair happen (after
// ViewFusion). It holds the structure tree (processes and modules, packages, namespaces and
// folders, files and classes, functions), what the calls of each node come to on each side, the map
// from calls to nodes, and the layout of the tree as a strip treemap.
//
// The package knows no drawing, no files except through a source.Folder, and no other analysis.
package structure

import (
	"context"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/structure/source"
)

// Kind says what a node stands for.
type Kind uint8

const (
	Root     Kind = iota // all code: node 0, and no other
	Process              // where no module is known and a side has several processes
	Module               // an executable or a library
	Package              // a package, a namespace or a category
	Folder               // a folder of source files
	File                 // a source file
	Class                // a class, or the type that methods belong to
	Function             // what is called: a leaf
)

func (k Kind) String() string {
	return [...]string{"root", "process", "module", "package", "folder", "file", "class",
		"function"}[k]
}

// None stands for no node, no identity or no parent.
const None = -1

// Node is one place in the code. Nodes are in pre-order: the subtree of node i is [i, i+Size), and
// siblings are ordered by name.
type Node struct {
	Name      string // of this level alone, such as "http" of net/http
	Kind      Kind
	Parent    int32 // None for the root
	Depth     int32 // 0 for the root
	Size      int32 // nodes in the subtree, itself included
	Identity  int32 // of a function: its index into Pair.Names; otherwise None
	Functions int32 // function nodes in the subtree
	Lines     int32 // of source code in the subtree, None if unknown

	joint joint // what stands between the parent's name and this one
}

// IsLeaf reports whether nothing lies below the node: a function, or a file that never ran.
func (n *Node) IsLeaf() bool { return n.Size == 1 }

// Sum is what the calls mapped under a node come to on one side.
type Sum struct {
	Calls    int64 // γ
	Counted  int64 // how often what is under the node was called, if Tree.Counted
	Total    int64 // ns; a call inside a call of the same node counts once
	Self     int64 // ns
	Aside    int64 // ns of it in threads that do not run, such as tracks of asynchronous spans
	MaxDepth int32 // largest stack level + 1; 0 without calls
	First    int64 // earliest start, ns; None without calls
}

// Tree is the structure of one trace or of a pair. It never changes.
type Tree struct {
	Pair  *pair.Pair
	Nodes []Node
	Sums  [2][]Sum // by side and node; nil for a side without a trace

	// Source is the folder that the tree was made with, or nil. Unmapped counts the called
	// functions of each side that are in none of its files; they have a place by their names.
	Source   *source.Folder
	Unmapped [2]int

	// Counted says that ByCalls is what the recorders of profiles counted (trace.CallCount).
	Counted bool

	cells [2][]Cells // by side and thread; threads of a process share them

	// Children of all nodes, the busiest first: those of node i are busiest[from[i]:from[i+1]].
	busiest, from []int32
}

// Options says what a tree is made of besides the traces.
type Options struct {
	Source *source.Folder // files that never ran have nodes, too; may be nil
}

// New makes the structure tree of a pair, or of one trace if the pair's B is nil, and sums up the
// calls under each node. Report is told calls done of calls in all.
func New(ctx context.Context, p *pair.Pair, o Options, report progress.Func) (*Tree, error) {
	t := grow(p, o)
	if err := t.sum(ctx, report); err != nil {
		return nil, err
	}
	t.orderByGamma()
	return t, nil
}

// Cells returns the map m from calls to nodes for the calls of a thread. It is nil for a thread
// without calls, and for sums that a tool wrote (trace.Sums), which repeat the time of other
// threads and count nowhere.
func (t *Tree) Cells(s pair.Side, thread int) Cells { return t.cells[s][thread] }

// NodeOf returns the function node of a call, or None for a call of a thread of sums.
func (t *Tree) NodeOf(s pair.Side, thread, call int) int {
	cells := t.cells[s][thread]
	if cells == nil {
		return None
	}
	return int(cells.Of(t.Pair.Trace(s).Threads[thread].Fn[call]))
}

// Contains reports whether node lies in the subtree of root, root itself included.
func (t *Tree) Contains(root, node int) bool {
	return node >= root && node < root+int(t.Nodes[root].Size)
}

// Children calls yield for each child of a node, in order of names, until it returns false.
func (t *Tree) Children(node int, yield func(child int) bool) {
	for c, end := node+1, node+int(t.Nodes[node].Size); c < end; c += int(t.Nodes[c].Size) {
		if !yield(c) {
			return
		}
	}
}

// Busiest returns the children of a node, the busiest first: by γ, then by name. The caller must
// not change them.
func (t *Tree) Busiest(node int) []int32 { return t.busiest[t.from[node]:t.from[node+1]] }

// Path returns the names from the first level to the node; it is empty for the root.
func (t *Tree) Path(node int) []string {
	path := make([]string, t.Nodes[node].Depth)
	for n := node; n > 0; n = int(t.Nodes[n].Parent) {
		path[t.Nodes[n].Depth-1] = t.Nodes[n].Name
	}
	return path
}

// FullName returns the path as people write it, such as "net/http/server.go · conn.serve" or
// "std::vector<int>::push_back".
func (t *Tree) FullName(node int) string { return t.NameIn(0, node) }

// NameIn writes out the names of the nodes below one, down to another in its subtree.
func (t *Tree) NameIn(from, node int) string {
	text := ""
	for ; node != from; node = int(t.Nodes[node].Parent) {
		n := &t.Nodes[node]
		if text = n.Name + text; int(n.Parent) != from {
			text = t.jointOf(node).String() + text
		}
	}
	return text
}

// jointOf returns what stands between the names of a node and its parent. A file's classes and
// functions, and whatever a module or a process holds, are no part of its name. Nor is an absolute
// folder: "/tmp/orders · /tmp/src" is the code in /tmp/src of the program /tmp/orders.
func (t *Tree) jointOf(node int) joint {
	n := &t.Nodes[node]
	switch t.Nodes[n.Parent].Kind {
	case File:
		return apart
	case Module, Process:
		if n.joint != slash || strings.HasPrefix(n.Name, "/") {
			return apart
		}
	}
	return n.joint
}

// ChainEnd returns the last node of the chain of single children that begins at a node: all these
// nodes are shown as one, which has the name Label returns. Functions do not join a chain, nor does
// the root. Example: if github.com holds only x, and x holds y and z, the chain of github.com ends
// at x.
func (t *Tree) ChainEnd(node int) int {
	for node > 0 && t.inChain(node+1) {
		node++
	}
	return node
}

// inChain reports whether a node is shown as one with its parent.
func (t *Tree) inChain(node int) bool {
	if node >= len(t.Nodes) || t.Nodes[node].Kind == Function {
		return false
	}
	p := t.Nodes[node].Parent
	return p > 0 && t.Nodes[p].Size == t.Nodes[node].Size+1
}

// ChainStart returns the first node of the chain that a node is part of.
func (t *Tree) ChainStart(node int) int {
	for t.inChain(node) {
		node--
	}
	return node
}

// Label returns the names of the chain that begins at a node as one, such as "github.com/x/y".
func (t *Tree) Label(node int) string {
	if node == 0 {
		return ""
	}
	return t.NameIn(int(t.Nodes[node].Parent), t.ChainEnd(node))
}

// PackageOf returns the innermost node around a node, or itself, that is a package, a folder, a
// module or a process. Colours by package go by it. It is the root if there is none.
func (t *Tree) PackageOf(node int) int {
	for t.Nodes[node].Kind > Folder {
		node = int(t.Nodes[node].Parent)
	}
	return node
}

// FileOf returns the innermost node around a node, or itself, that is a file; without one its
// outermost class, and without that its package. Metrics by file go by it.
func (t *Tree) FileOf(node int) int {
	class := None
	for ; t.Nodes[node].Kind > Folder; node = int(t.Nodes[node].Parent) {
		switch t.Nodes[node].Kind {
		case File:
			return node
		case Class:
			class = node
		}
	}
	if class >= 0 {
		return class
	}
	return node
}

// Find returns the node with the given path, or None. Of functions that share a path it returns the
// first.
func (t *Tree) Find(path []string) int {
	node := 0
	for _, name := range path {
		found := None
		for c := range t.childSeq(node) {
			if t.Nodes[c].Name == name {
				found = c
				break
			}
		}
		if node = found; node == None {
			return None
		}
	}
	return node
}

func (t *Tree) childSeq(node int) func(func(int) bool) {
	return func(yield func(int) bool) { t.Children(node, yield) }
}
