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
	"strings"

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

// resources says which threads of a trace are resources: those that have calls. Sums, which repeat
// other threads' time, are none; nor are asynchronous tracks and samples, which run beside the
// threads that carry out what they show, unless there is nothing else.
func resources(t *trace.Trace) []bool {
	list := make([]bool, len(t.Threads))
	only := true
	for i, th := range t.Threads {
		list[i] = th.Len() > 0 && th.Runs()
		only = only && !list[i]
	}
	for i, th := range t.Threads {
		list[i] = list[i] || only && th.Len() > 0 && th.Kind != trace.Sums
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
			home := t.ProcessAt(t.Threads[i].Process)
			list, of = append(list, threadPlace{t, i, pair.A, home}), append(of, i)
		}
	}
	return threadTree(list, of)
}

// PairThreads makes the resource tree of the pairs of threads. A pair has the place of its thread
// in A; a thread of B without a partner stands in the process of A that its own belongs to, if any,
// so that a thread more is one of its process on either side. Order is the index into p.Threads at
// each leaf.
func PairThreads(p *pair.Pair) (tree *Tree, order []int) {
	var list []threadPlace
	var of []int
	var is [2][]bool
	for s := range is {
		if t := p.Trace(pair.Side(s)); t != nil {
			is[s] = resources(t)
		}
	}
	homeOf := p.Homes()
	for i, tp := range p.Threads {
		for _, s := range []pair.Side{pair.A, pair.B} {
			if k := tp.On(s); k >= 0 && is[s][k] {
				list, of = append(list, threadPlace{p.Trace(s), k, s, homeOf(s, k)}), append(of, i)
				break
			}
		}
	}
	return threadTree(list, of)
}

type threadPlace struct {
	t      *trace.Trace
	thread int
	side   pair.Side      // a thread of B may have the id of one of A without being its partner
	home   *trace.Process // where it stands, nil for no process
}

// threadTree makes a tree of threads. Processes have the order that the recording asks for, roles
// and threads that of their first calls. Order is what is in of for the thread at each leaf.
func threadTree(list []threadPlace, of []int) (tree *Tree, order []int) {
	type rank struct{ sort, runtime int }
	by, ranks := make([]int, len(list)), make([]rank, len(list))
	for i := range by {
		by[i], ranks[i] = i, rank{list[i].sort(), list[i].runtime()}
	}
	slices.SortStableFunc(by, func(x, y int) int {
		p, q := ranks[x], ranks[y]
		if p.sort != q.sort {
			return cmp.Compare(p.sort, q.sort)
		}
		return cmp.Compare(p.runtime, q.runtime)
	})
	leaves, levels := make([]Place, len(list)), make([]string, 2*threadLevels*len(list))
	var last processOf
	for i, k := range by {
		leaves[i] = Place{levels[:threadLevels:threadLevels],
			levels[threadLevels : 2*threadLevels : 2*threadLevels]}
		levels = levels[2*threadLevels:]
		list[k].fill(&leaves[i], &last)
	}
	nameByProcess(leaves)
	nameByID(leaves)
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
	threadLevels // their number
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
	known, of := map[process]*crew{}, make([]*crew, len(leaves))
	var last process
	for i, p := range leaves {
		own := process{p.Keys[hostLevel], p.Keys[processLevel]}
		if i > 0 && own == last {
			of[i] = of[i-1]
		} else if of[i] = known[own]; of[i] == nil {
			of[i] = &crew{}
			known[own] = of[i]
		}
		c, role := of[i], p.Keys[roleLevel]
		*c = crew{role, c.threads + 1, c.mixed || c.threads > 0 && c.role != role}
		last = own
	}
	titles := map[string]int{}
	for i, p := range leaves {
		if of[i].threads == 1 {
			titles[p.Names[threadLevel]]++
		}
	}
	for i, p := range leaves {
		c := of[i]
		if !c.mixed {
			p.Names[roleLevel] = p.Names[processLevel]
		}
		if c.threads == 1 && titles[p.Names[threadLevel]] > 1 {
			p.Names[threadLevel] = p.Names[processLevel]
		}
	}
}

// nameByID gives threads of one role in one process that have the same name their ids, without
// that of the process: three rows that are all called "worker" tell nobody which is which.
func nameByID(leaves []Place) {
	type place struct{ host, process, role, name string }
	of := func(p Place) place {
		return place{p.Keys[hostLevel], p.Keys[processLevel], p.Keys[roleLevel], p.Names[threadLevel]}
	}
	alike := map[place]int{}
	for _, p := range leaves {
		alike[of(p)]++
	}
	for _, p := range leaves {
		if alike[of(p)] > 1 {
			id := p.Keys[threadLevel][1:] // after the side
			p.Names[threadLevel] += " · " + id[strings.LastIndexByte(id, '/')+1:]
		}
	}
}

func (l threadPlace) sort() int {
	if l.home != nil {
		return l.home.Sort
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

// processOf is a process and what the places of its threads have in common.
type processOf struct {
	of                       *trace.Process
	known                    bool
	hostKey, host, key, name string
}

// seek makes it a process, nil for none. Where the recording knows no hosts, all threads have one,
// so that the tree leaves that level out.
func (o *processOf) seek(p *trace.Process) {
	if o.known && o.of == p {
		return
	}
	id, host := "", ""
	*o = processOf{of: p, known: true, name: "no process"}
	if p != nil {
		id, host, o.name = p.ID, p.Host, cmp.Or(p.Name, "process "+p.ID)
	}
	o.hostKey, o.host, o.key = host, cmp.Or(host, "no host"), id+"\x00"+o.name
}

// fill says where a thread stands: its host, its process, its role and the thread itself. last is
// the process of the thread before.
func (l threadPlace) fill(p *Place, last *processOf) {
	th := l.t.Threads[l.thread]
	last.seek(l.home)
	key, role := th.Role, cmp.Or(th.Role, "threads")
	if th.Kind == trace.Runtime {
		key, role = "\x00"+RuntimeRole, RuntimeRole
	}
	p.Keys[hostLevel], p.Names[hostLevel] = last.hostKey, last.host
	p.Keys[processLevel], p.Names[processLevel] = last.key, last.name
	p.Keys[roleLevel], p.Names[roleLevel] = key, role
	p.Keys[threadLevel], p.Names[threadLevel] = l.side.String()+th.ID, th.Title()
}
