package aggregate

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

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
