// Package aggregate shows a whole trace, or what differs between two, as few rectangles as
// possible (Ocelotl; DESIGN §9, ALGORITHMS C1). It holds the resource tree, the microscopic model
// (how long each leaf is in each state in each timeslice), gain and loss of each possible
// aggregate, the optimal partition for a given p, and the curve of all optimal partitions.
//
// The package knows no drawing, no files and no other analysis. A caller that aggregates by code
// hands in the tree of the code.
package aggregate

import (
	"cmp"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

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

// draft is a node while the tree is made.
type draft struct {
	name, key string
	leaf      int
	children  []*draft
	byKey     map[string]*draft
}

func (d *draft) child(key, name string) *draft {
	if c := d.byKey[key]; c != nil {
		return c
	}
	c := &draft{name: name, key: key, leaf: None, byKey: map[string]*draft{}}
	d.byKey[key] = c
	d.children = append(d.children, c)
	return c
}

// NewTree makes the tree of some leaves. A level with one child is left out. Order is the leaf at
// each place of the tree: order[k] is the index into leaves of leaf k.
func NewTree(leaves []Place) (t *Tree, order []int) {
	root := &draft{leaf: None, byKey: map[string]*draft{}}
	for i, l := range leaves {
		at := root
		for k := range l.Keys {
			at = at.child(l.Keys[k], l.Names[k])
		}
		at.leaf = i
	}
	t = &Tree{}
	if len(leaves) == 0 {
		return t, nil
	}
	t.put(root, None, nil, &order)
	t.Leaves = len(order)
	return t, order
}

// put adds a node and what is below it. Resource trees are as deep as names have levels.
func (t *Tree) put(d *draft, parent int32, path []string, order *[]int) {
	for len(d.children) == 1 && d.leaf == None {
		d = d.children[0]
	}
	if parent != None {
		path = append(slices.Clone(path), d.name)
	}
	at := len(t.Nodes)
	n := Node{Path: path, Parent: parent, Leaf: None, From: int32(len(*order))}
	if len(d.children) == 0 {
		n.Leaf = int32(len(*order))
		*order = append(*order, d.leaf)
	}
	t.Nodes = append(t.Nodes, n)
	for _, c := range d.children {
		t.put(c, int32(at), path, order)
	}
	t.Nodes[at].Size = int32(len(t.Nodes) - at)
	t.Nodes[at].To = int32(len(*order))
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

// resources says which threads of a trace are resources: those that have calls. Sums, which repeat
// other threads' time, are none; nor are asynchronous tracks, which run beside the threads that
// carry out what they show, unless there is nothing else.
func resources(t *trace.Trace) []bool {
	list := make([]bool, len(t.Threads))
	only := true
	for i, th := range t.Threads {
		list[i] = th.Len() > 0 && th.Kind != trace.Sums && th.Kind != trace.AsyncTrack
		only = only && !list[i]
	}
	for i, th := range t.Threads {
		list[i] = list[i] || only && th.Len() > 0 && th.Kind == trace.AsyncTrack
	}
	return list
}

// RuntimeRole is the role of the threads of a language's runtime. They are the last of a process.
const RuntimeRole = "runtime"

// Threads makes the resource tree machine, host, process, role, thread of a trace. Order is the
// index of the thread at each leaf.
func Threads(t *trace.Trace) (tree *Tree, order []int) {
	var list []threadPlace
	var of []int
	for i, is := range resources(t) {
		if is {
			list, of = append(list, threadPlace{t: t, thread: i}), append(of, i)
		}
	}
	return threadTree(list, of)
}

// PairThreads makes the resource tree of the pairs of threads. A pair has the place of its thread
// in A; a thread of B without a partner has its own. Order is the index into p.Threads at each
// leaf.
func PairThreads(p *pair.Pair) (tree *Tree, order []int) {
	var list []threadPlace
	var of []int
	var is [2][]bool
	for s := range is {
		if t := p.Trace(pair.Side(s)); t != nil {
			is[s] = resources(t)
		}
	}
	for i, tp := range p.Threads {
		for _, s := range []pair.Side{pair.A, pair.B} {
			if k := tp.On(s); k >= 0 && is[s][k] {
				list, of = append(list, threadPlace{p.Trace(s), k, s}), append(of, i)
				break
			}
		}
	}
	return threadTree(list, of)
}

type threadPlace struct {
	t      *trace.Trace
	thread int
	side   pair.Side // a thread of B may have the id of one of A without being its partner
}

// threadTree makes a tree of threads. Processes have the order that the recording asks for, roles
// and threads that of their first calls. Order is what is in of for the thread at each leaf.
func threadTree(list []threadPlace, of []int) (tree *Tree, order []int) {
	by := make([]int, len(list))
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(x, y int) int {
		p, q := list[x], list[y]
		return cmp.Or(cmp.Compare(p.sort(), q.sort()), cmp.Compare(p.runtime(), q.runtime()))
	})
	leaves := make([]Place, len(list))
	for i, k := range by {
		leaves[i] = list[k].place()
	}
	nameByProcess(leaves)
	tree, order = NewTree(leaves)
	for i := range order {
		order[i] = of[by[order[i]]]
	}
	return tree, order
}

// Levels of the places of threads.
const (
	hostLevel = iota
	processLevel
	roleLevel
	threadLevel
)

// nameByProcess gives what stands alone in its process the name of that: the only role of several
// threads, and the only thread, if such a thread of another process has its name. The tree leaves
// out the level of the process there, and all ranks of a parallel program have a "Master thread".
func nameByProcess(leaves []Place) {
	type process struct{ host, key string }
	type crew struct {
		role    string
		threads int
		mixed   bool // there are several roles
	}
	of := func(p Place) process { return process{p.Keys[hostLevel], p.Keys[processLevel]} }
	crews, titles := map[process]crew{}, map[string]int{}
	for _, p := range leaves {
		c, role := crews[of(p)], p.Keys[roleLevel]
		crews[of(p)] = crew{role, c.threads + 1, c.mixed || c.threads > 0 && c.role != role}
	}
	for _, p := range leaves {
		if crews[of(p)].threads == 1 {
			titles[p.Names[threadLevel]]++
		}
	}
	for _, p := range leaves {
		c := crews[of(p)]
		if !c.mixed {
			p.Names[roleLevel] = p.Names[processLevel]
		}
		if c.threads == 1 && titles[p.Names[threadLevel]] > 1 {
			p.Names[threadLevel] = p.Names[processLevel]
		}
	}
}

func (l threadPlace) process() *trace.Process {
	if p := l.t.Threads[l.thread].Process; p >= 0 {
		return &l.t.Processes[p]
	}
	return nil
}

func (l threadPlace) sort() int {
	if p := l.process(); p != nil {
		return p.Sort
	}
	return 0
}

// runtime returns 1 for a thread of the runtime, else 0.
func (l threadPlace) runtime() int {
	if l.t.Threads[l.thread].Kind == trace.Runtime {
		return 1
	}
	return 0
}

// place returns where a thread stands: its host, its process, its role and the thread itself. Where
// the recording knows no hosts, all threads have one, so that the tree leaves that level out.
func (l threadPlace) place() Place {
	th := l.t.Threads[l.thread]
	id, process, host := "", "no process", ""
	if p := l.process(); p != nil {
		id, process, host = p.ID, cmp.Or(p.Name, "process "+p.ID), p.Host
	}
	key, role := th.Role, cmp.Or(th.Role, "threads")
	if th.Kind == trace.Runtime {
		key, role = "\x00"+RuntimeRole, RuntimeRole
	}
	return Place{Keys: []string{host, id + "\x00" + process, key, l.side.String() + th.ID},
		Names: []string{cmp.Or(host, "no host"), process, role, th.Title()}}
}
