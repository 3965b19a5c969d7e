// Package aggregate shows a whole trace, or what differs between two, as few rectangles as
// possible (after Ocelotl). It holds the resource tree, the microscopic model (how long each leaf
// is in each state in each timeslice), gain and loss of each possible aggregate, the optimal
// partition for a given p, and the curve of all optimal partitions. A good order to read the files
// in is:
//
//	source.go, tree.go        what can be aggregated; the tree of its leaves
//	model.go, difference.go   the microscopic models of both sides; what differs between them
//	states.go, slicer.go      the states of calls, and how long each lasts in each timeslice
//	threads.go                the resource tree of a trace, and of two whose threads are paired
//	only.go                   a source with some of its leaves
//	quality.go, column.go     gain and loss of all aggregates, from one column a node
//	log.go, walk.go           logarithms in a third of the time; a tree from the leaves up
//	partition.go, solver.go   the optimal partition for one p
//	best.go                   what solvers hand from node to node
//	leaf.go, edges.go         leaves with few active slices; where runs of equal slices are cut
//	recovery.go, cuts.go      the aggregates of what was found
//	kernels.go                the inner loops, also by vector instructions
//	curve.go, nearest.go      all optimal partitions, and the one to begin with
//
// The package knows no drawing, no files and no other analysis. A caller that aggregates by code
// hands in the tree of the code.
package aggregate

import "slices"

// None stands for no parent, or no leaf.
const None = -1

// Node is a set of resources. Nodes are in pre-order: the subtree of node i is [i, i+Size).
type Node struct {
	Path   []string // names of the levels below the root, down to this one; empty for the root
	Parent int32    // None for the root
	Size   int32    // nodes in the subtree, itself included
	Leaf   int32    // index of a leaf, None for inner nodes
	From   int32    // the leaves below are [From, To)
	To     int32
}

// Tree is a tree of resources. Each inner node has at least two children. It never changes.
type Tree struct {
	Nodes  []Node
	Leaves int
}

// Place is a leaf of a tree that is to be made, in its place: the names of the levels around it and
// its own. Levels are told apart by their keys, which need not be names.
type Place struct {
	Keys, Names []string
}

// drafts are the nodes while the tree is made, the root first. There may be a leaf for each of
// 10,000 threads, so that what a node takes is in few pieces.
type drafts struct {
	nodes []draft
	known map[draftKey]int32
}

type draft struct {
	name, key string
	leaf      int
	// Children are a list; None ends it.
	first, last, next int32
}

type draftKey struct {
	parent int32
	key    string
}

func (d *drafts) add(key, name string) int32 {
	d.nodes = append(d.nodes, draft{name, key, None, None, None, None})
	return int32(len(d.nodes) - 1)
}

// child returns the child of a node with a key. It is mostly the one before: leaves come by process
// and role.
func (d *drafts) child(of int32, key, name string) int32 {
	if last := d.nodes[of].last; last != None && d.nodes[last].key == key {
		return last
	}
	if c, ok := d.known[draftKey{of, key}]; ok {
		return c
	}
	c := d.add(key, name)
	d.known[draftKey{of, key}] = c
	if last := d.nodes[of].last; last != None {
		d.nodes[last].next = c
	} else {
		d.nodes[of].first = c
	}
	d.nodes[of].last = c
	return c
}

// NewTree makes the tree of some leaves. A level with one child is left out. Order is the leaf at
// each place of the tree: order[k] is the index into leaves of leaf k.
func NewTree(leaves []Place) (t *Tree, order []int) {
	t = &Tree{}
	if len(leaves) == 0 {
		return t, nil
	}
	d := &drafts{known: make(map[draftKey]int32, len(leaves))}
	root := d.add("", "")
	for i, l := range leaves {
		at := root
		for k := range l.Keys {
			at = d.child(at, l.Keys[k], l.Names[k])
		}
		d.nodes[at].leaf = i
	}
	p := planting{drafts: d, tree: t, order: make([]int, 0, len(leaves))}
	p.put(root, None, nil)
	t.Leaves = len(p.order)
	return t, p.order
}

// planting puts drafts into a tree.
type planting struct {
	*drafts
	tree  *Tree
	order []int
	names []string // of paths, one after the other
}

// put adds a node and what is below it. Resource trees are as deep as names have levels.
func (p *planting) put(at, parent int32, path []string) {
	d := &p.nodes[at]
	for d.first != None && d.first == d.last && d.leaf == None {
		d = &p.nodes[d.first]
	}
	if parent != None {
		path = p.path(path, d.name)
	}
	t := p.tree
	own := int32(len(t.Nodes))
	n := Node{Path: path, Parent: parent, Leaf: None, From: int32(len(p.order))}
	if d.first == None {
		n.Leaf = int32(len(p.order))
		p.order = append(p.order, d.leaf)
	}
	t.Nodes = append(t.Nodes, n)
	for c := d.first; c != None; c = p.nodes[c].next {
		p.put(c, own, path)
	}
	t.Nodes[own].Size = int32(len(t.Nodes)) - own
	t.Nodes[own].To = int32(len(p.order))
}

// pathsAtOnce is how many names of short paths have their memory together.
const pathsAtOnce = 1024

// path returns the path of a child.
func (p *planting) path(parent []string, name string) []string {
	n := len(parent) + 1
	if cap(p.names)-len(p.names) < n {
		p.names = make([]string, 0, max(n, pathsAtOnce))
	}
	from := len(p.names)
	p.names = append(append(p.names, parent...), name)
	return p.names[from : from+n : from+n]
}

// children returns the children of a node.
func (t *Tree) children(node int) (list []int) {
	for c, end := node+1, node+int(t.Nodes[node].Size); c < end; c += int(t.Nodes[c].Size) {
		list = append(list, c)
	}
	return list
}

// Sub returns the part of a tree below a node as a tree of its own. Nodes and leaves are numbered
// from 0, and paths begin below the new root.
func (t *Tree) Sub(node int) *Tree {
	root := t.Nodes[node]
	part := &Tree{Nodes: slices.Clone(t.Nodes[node : node+int(root.Size)]),
		Leaves: int(root.To - root.From)}
	for i := range part.Nodes {
		n := &part.Nodes[i]
		n.Path, n.Parent = n.Path[len(root.Path):], n.Parent-int32(node)
		n.From, n.To = n.From-root.From, n.To-root.From
		if n.Leaf != None {
			n.Leaf -= root.From
		}
	}
	part.Nodes[0].Path, part.Nodes[0].Parent = nil, None
	return part
}
