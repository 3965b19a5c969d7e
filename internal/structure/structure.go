// Package structure says where in the code the calls of one trace or a pair happen (ViewFusion,
// DESIGN §8). It holds the structure tree (processes and modules, packages, namespaces and folders,
// files and classes, functions), what the calls of each node come to on each side, the map from
// calls to nodes, and the layout of the tree as a strip treemap.
//
// The package knows no drawing, no files except through a source.Folder, and no other analysis.
package structure

import (
	"context"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/structure/source"
)

// Kind says what a node stands for.
type Kind uint8

const (
	Root     Kind = iota // all code: node 0, and no other
	Process              // of a trace without modules and with several processes
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
	Total    int64 // ns; a call inside a call of the same node counts once
	Self     int64 // ns
	MaxDepth int32 // largest stack level + 1; 0 without calls
	First    int64 // earliest start, ns; None without calls
}

// Tree is the structure of one trace or of a pair. It never changes.
type Tree struct {
	Pair  *pair.Pair
	Nodes []Node
	Sums  [2][]Sum // by side and node; nil for a side without a trace

	// Source is the folder that the tree was made with, or nil. Unmapped counts the called functions
	// of each side that are in none of its files; they have a place by their names.
	Source   *source.Folder
	Unmapped [2]int

	cells [2][][]int32 // by side and thread: node by function; threads share slices
}

// Options says what a tree is made of besides the traces.
type Options struct {
	Source *source.Folder // files that never ran have nodes, too; may be nil
}

// New makes the structure tree of a pair, or of one trace if the pair's B is nil, and sums up the
// calls under each node. Report is told calls done of calls in all.
func New(ctx context.Context, p *pair.Pair, o Options, report progress.Func) (*Tree, error) {
	return nil, ctx.Err()
}

// Cells returns the map m from calls to nodes for the calls of a thread: function node by FuncID,
// None for functions that the thread's process never calls. The caller must not change it.
func (t *Tree) Cells(s pair.Side, thread int) []int32 { return t.cells[s][thread] }

// NodeOf returns the function node of a call.
func (t *Tree) NodeOf(s pair.Side, thread, call int) int {
	return int(t.cells[s][thread][t.Pair.Trace(s).Threads[thread].Fn[call]])
}

// Contains reports whether node lies in the subtree of root, root itself included.
func (t *Tree) Contains(root, node int) bool {
	return node >= root && node < root+int(t.Nodes[root].Size)
}

// Children calls yield for each child of a node, in order of names, until it returns false.
func (t *Tree) Children(node int, yield func(child int) bool) {}

// Up returns the ancestor of a node the given number of levels up, at most the root's child.
func (t *Tree) Up(node, levels int) int { return node }

// Path returns the names from the first level to the node; it is empty for the root.
func (t *Tree) Path(node int) []string { return nil }

// FullName returns the path as people write it, such as "net/http/server.go · conn.serve" or
// "std::vector<int>::push_back".
func (t *Tree) FullName(node int) string { return "" }

// ChainEnd returns the last node of the chain of single children that begins at a node: all these
// nodes are shown as one, which has the name Label returns. Functions do not join a chain. Example:
// if github.com holds only x, and x holds y and z, the chain of github.com ends at x.
func (t *Tree) ChainEnd(node int) int { return node }

// ChainStart returns the first node of the chain that a node is part of.
func (t *Tree) ChainStart(node int) int { return node }

// Label returns the names of the chain that begins at a node as one, such as "github.com/x/y".
func (t *Tree) Label(node int) string { return "" }

// PackageOf returns the innermost node around a node, or itself, that is a package, a folder, a
// module or a process. Colours by package go by it. It is the root if there is none.
func (t *Tree) PackageOf(node int) int { return 0 }

// FileOf returns the innermost node around a node, or itself, that is a file; without one its
// outermost class, and without that its package. Metrics by file go by it.
func (t *Tree) FileOf(node int) int { return 0 }

// Find returns the node with the given path, or None.
func (t *Tree) Find(path []string) int { return None }
