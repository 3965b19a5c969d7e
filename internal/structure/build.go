package structure

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/structure/source"
	"diptych/internal/trace"
)

// This file makes the tree from the places of the functions of both sides:
//
//  1. Every function that is called has a place: by its file in the source folder, or by its name
//     and what its format knows (place.go). Where a side has several processes and functions are
//     not symbols, each process has places of its own, on both sides.
//  2. B's places are adapted to A's, so that a function has one node although a version number is
//     part of its path, or it moved to another file (adapt.go).
//  3. The places are inserted in a trie, which is laid out in pre-order.
//
// Cost: linear in functions times the levels of their places, with one sort of siblings.

// use is a function that is called in a process.
type use struct {
	process string // "" where processes are no level
	fn      trace.FuncID
	id      uint32 // identity
	file    string // as the trace states it
	at      place
}

// usesOf lists the functions that a side calls, and says which of them each thread calls: the index
// of its process's first use, and uses by function.
type usesOf struct {
	list     []use
	byThread []Cells // uses by function; nil for threads left out
}

// counts reports whether the calls of a thread count. Sums that a tool wrote repeat the time of the
// other threads.
func counts(th *trace.Thread) bool { return th.Kind != trace.Sums }

// collect lists what a side calls. Processes have the names of processNames.
func collect(p *pair.Pair, s pair.Side, processes []string) usesOf {
	t := p.Trace(s)
	var u usesOf
	if t == nil {
		return u
	}
	tables := map[string]Cells{}
	u.byThread = make([]Cells, len(t.Threads))
	for i, th := range t.Threads {
		if !counts(th) || th.Len() == 0 {
			continue
		}
		name := ""
		if processes != nil && th.Process >= 0 {
			name = processes[th.Process]
		}
		table, ok := tables[name]
		if !ok {
			table = newCells(len(t.Functions))
			tables[name] = table
		}
		u.byThread[i] = table
		for _, fn := range th.Fn {
			if table.Of(fn) == None {
				table.set(fn, int32(len(u.list)))
				u.list = append(u.list, use{process: name, fn: fn, id: p.IDs(s)[fn]})
			}
		}
	}
	return u
}

// processNames returns the names of processes by side, nil where processes are no level: not where
// functions of a side are symbols, whose modules say more, and not where each side has one process.
// If A has one process and B has two, they are a level on both sides: without it on A, no function
// of A would be the same as one of B. If processes of B have numbers for names, they have the names
// of A's processes that their threads pair with.
func processNames(p *pair.Pair) (names [2][]string) {
	several, symbols := false, false
	for s := range names {
		if t := p.Trace(pair.Side(s)); t != nil {
			for i := range t.Processes {
				names[s] = append(names[s], t.Processes[i].Name)
			}
			several, symbols = several || processes(t) > 1, symbols || t.Symbols
		}
	}
	if symbols || !several {
		return [2][]string{}
	}
	pairs := map[[2]int32]int{} // of threads, by process of A and of B
	for _, t := range p.Threads {
		if t.A >= 0 && t.B >= 0 {
			pairs[[2]int32{p.A.Threads[t.A].Process, p.B.Threads[t.B].Process}]++
		}
	}
	most := slices.SortedFunc(maps.Keys(pairs), func(x, y [2]int32) int {
		return cmp.Or(cmp.Compare(pairs[y], pairs[x]), slices.Compare(x[:], y[:]))
	})
	given := [2]map[int32]bool{{-1: true}, {-1: true}} // -1 is no process
	for _, x := range most {
		a, b := x[pair.A], x[pair.B]
		if given[pair.A][a] || given[pair.B][b] {
			continue
		}
		given[pair.A][a], given[pair.B][b] = true, true
		if o := &p.B.Processes[b]; o.Name == o.ID {
			names[pair.B][b] = names[pair.A][a]
		}
	}
	return names
}

// processes returns how many names the processes have whose calls count.
func processes(t *trace.Trace) int {
	names := map[string]bool{}
	for _, th := range t.Threads {
		if th.Process >= 0 && th.Len() > 0 && counts(th) {
			names[t.Processes[th.Process].Name] = true
		}
	}
	return len(names)
}

// locate gives all uses of a side their places. It returns the number of those that are in no file
// of the source folder, 0 without one.
func (u usesOf) locate(p *pair.Pair, s pair.Side, folder *source.Folder) (unmapped int) {
	if len(u.list) == 0 {
		return 0
	}
	t := p.Trace(s)
	x := newPlacer(t)
	if u.list[0].process != "" {
		x.process = "" // it is a level already
	}
	var paths []string
	for i := range u.list {
		v := &u.list[i]
		v.file = withoutPosition(x.file(&t.Functions[v.fn]))
		paths = append(paths, v.file)
	}
	var files []int
	if folder != nil {
		files = folder.Match(paths)
	}
	for i := range u.list {
		v := &u.list[i]
		f, name := &t.Functions[v.fn], p.Names[v.id]
		switch {
		case folder == nil:
			v.at = x.place(f, name)
		case files[i] == source.NoFile:
			v.at = x.place(f, name)
			unmapped++
		default:
			v.file = folder.Files[files[i]].Path
			name, _, _ = located(name)
			v.at = append(sourcePath(folder, files[i]), x.inFile(f, name)...)
		}
		if v.process != "" {
			v.at = append(place{{v.process, Process, apart}}, v.at...)
		}
		v.at = tidy(v.at)
	}
	return unmapped
}

// mostLevels is how deep a place may be. Only a broken or a hostile name is deeper.
const mostLevels = 64

// tidy joins the levels around a function that lies too deep, and names those without a name.
func tidy(at place) place {
	if n := len(at) - mostLevels; n > 0 {
		var name strings.Builder
		name.WriteString(at[0].name)
		for _, l := range at[1 : n+1] {
			name.WriteString(l.joint.String() + l.name)
		}
		joined := at[0]
		joined.name = name.String()
		at = append(place{joined}, at[n+1:]...)
	}
	for i := range at {
		at[i].name = cmp.Or(at[i].name, "(unnamed)")
	}
	return at
}

// sourcePath returns the levels of a file of the source folder.
func sourcePath(folder *source.Folder, file int) place {
	return append(place{{folder.Name, Folder, apart}}, filePath(folder.Files[file].Path)...)
}

// trie is the tree while it grows: nodes in order of insertion.
type trie struct {
	nodes []Node
	known map[trieKey]int32
}

// trieKey names a node below its parent. Functions are told apart by their identities.
type trieKey struct {
	parent, identity int32
	name             string
}

func newTrie() *trie {
	return &trie{[]Node{{Kind: Root, Parent: None, Identity: None, Lines: None}},
		map[trieKey]int32{}}
}

// insert returns the node of a place, which it adds if it is new.
func (x *trie) insert(at place, identity int32) int32 {
	n := int32(0)
	for i, l := range at {
		key := trieKey{n, None, l.name}
		if l.kind == Function && i == len(at)-1 {
			key.identity = identity
		}
		child, ok := x.known[key]
		if !ok {
			child = int32(len(x.nodes))
			x.known[key] = child
			x.nodes = append(x.nodes, Node{Name: l.name, Kind: l.kind, Parent: n,
				Depth: x.nodes[n].Depth + 1, Identity: key.identity, Lines: None, joint: l.joint})
		}
		// A node that is a package by one name and a class by another is a package.
		x.nodes[child].Kind = min(x.nodes[child].Kind, l.kind)
		n = child
	}
	return n
}

// sorted returns the nodes in pre-order, siblings by name, and the new index of each old node.
func (x *trie) sorted() (nodes []Node, at []int32) {
	kids := make([][]int32, len(x.nodes))
	for i := 1; i < len(x.nodes); i++ {
		p := x.nodes[i].Parent
		kids[p] = append(kids[p], int32(i))
	}
	nodes, at = make([]Node, 0, len(x.nodes)), make([]int32, len(x.nodes))
	stack := []int32{0}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at[i] = int32(len(nodes))
		n := x.nodes[i]
		if n.Parent >= 0 {
			n.Parent = at[n.Parent]
		}
		nodes = append(nodes, n)
		slices.SortFunc(kids[i], func(a, b int32) int { return x.compare(b, a) })
		stack = append(stack, kids[i]...)
	}
	measure(nodes)
	return nodes, at
}

func (x *trie) compare(a, b int32) int {
	m, n := &x.nodes[a], &x.nodes[b]
	return cmp.Or(strings.Compare(m.Name, n.Name), cmp.Compare(m.Kind, n.Kind),
		cmp.Compare(m.Identity, n.Identity))
}

// measure sets what nodes sum up from their children.
func measure(nodes []Node) {
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		n.Size++
		if n.Kind == Function {
			n.Functions = 1
		}
		if n.Parent < 0 {
			continue
		}
		p := &nodes[n.Parent]
		p.Size += n.Size
		p.Functions += n.Functions
		if n.Lines >= 0 {
			p.Lines = max(p.Lines, 0) + n.Lines
		}
	}
}

// addSource inserts all files of the source folder, with their lines.
func (x *trie) addSource(folder *source.Folder) {
	for i, f := range folder.Files {
		x.nodes[x.insert(sourcePath(folder, i), None)].Lines = f.Lines
	}
}

// grow makes the tree without its sums.
func grow(p *pair.Pair, o Options) *Tree {
	t := &Tree{Pair: p, Source: o.Source}
	var sides [2]usesOf
	processes := processNames(p)
	for s := range sides {
		sides[s] = collect(p, pair.Side(s), processes[s])
		t.Unmapped[s] = sides[s].locate(p, pair.Side(s), o.Source)
	}
	adapt(sides[pair.A].list, sides[pair.B].list)
	x := newTrie()
	if o.Source != nil {
		x.addSource(o.Source)
	}
	var nodes [2][]int32 // by use
	for s := range sides {
		for _, v := range sides[s].list {
			nodes[s] = append(nodes[s], x.insert(v.at, int32(v.id)))
		}
	}
	var at []int32
	t.Nodes, at = x.sorted()
	for s := range sides {
		if p.Trace(pair.Side(s)) == nil {
			continue
		}
		t.cells[s] = cellsOf(sides[s].byThread, nodes[s], at)
	}
	return t
}

// cellsOf turns uses by thread and function into nodes. Threads that share a table go on sharing.
func cellsOf(byThread []Cells, nodes, at []int32) []Cells {
	made := map[any]Cells{}
	cells := make([]Cells, len(byThread))
	for i, table := range byThread {
		if len(table) == 0 {
			continue
		}
		key := table.Key()
		if made[key] == nil {
			made[key] = table.mapped(func(use int32) int32 { return at[nodes[use]] })
		}
		cells[i] = made[key]
	}
	return cells
}

// base returns the last element of a path, "" for none.
func base(file string) string {
	if file == "" {
		return ""
	}
	return path.Base(strings.ReplaceAll(file, `\`, "/"))
}
