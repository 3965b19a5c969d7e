package pair

import (
	"maps"
	"slices"

	"diptych/internal/trace"
)

// process is the threads of one process.
type process struct {
	id, name string
	threads  []int32
}

// anonymous reports whether the name is nothing but the number that the system gave it.
func (o *process) anonymous() bool { return o.name == "" || o.name == o.id }

// processPairer pairs processes. A browser runs many of one name, which start in any order.
type processPairer struct {
	*Pair
	by    [2]*profiler
	of    [2][]process
	words map[word]uint32 // the number of each
}

// word is what processes are compared by: a function on a thread of some name. So a process is not
// like another one merely because both have a thread that waits for messages.
type word struct {
	thread string
	fn     uint32 // identity
}

// homes returns the number of the process pair that each thread belongs to, by side and thread, or
// none. Processes pair by name. If several have the same name, they pair by content, and so do the
// others among themselves: those whose name occurs on one side only, or is a mere number that does
// not mean the same on both sides.
func (p *Pair) homes(by [2]*profiler) [2][]int32 {
	q := &processPairer{p, by, [2][]process{processes(p.A), processes(p.B)}, map[word]uint32{}}
	named, others := crews(q.everyone(), q.names())
	partner := slices.Repeat([]int32{none}, len(q.of[A]))
	for _, c := range append(named, others) {
		q.pairByContent(c, partner)
	}
	homes := [2][]int32{
		slices.Repeat([]int32{none}, p.threads(A)), slices.Repeat([]int32{none}, p.threads(B))}
	for a, b := range partner {
		if b == none {
			continue
		}
		for s, o := range [2]process{q.of[A][a], q.of[B][b]} {
			for _, i := range o.threads {
				homes[s][i] = int32(a)
			}
		}
	}
	return homes
}

// processes lists the processes that have threads. Threads of no known process count as one.
func processes(t *trace.Trace) []process {
	out := make([]process, len(t.Processes)+1)
	for k, of := range t.Processes {
		out[k+1].id, out[k+1].name = of.ID, of.Name
	}
	for i, th := range t.Threads {
		out[th.Process+1].threads = append(out[th.Process+1].threads, int32(i))
	}
	return slices.DeleteFunc(out, func(o process) bool { return len(o.threads) == 0 })
}

func (q *processPairer) everyone() *crew {
	return &crew{upTo[int32](len(q.of[A])), upTo[int32](len(q.of[B]))}
}

// names returns the names that processes pair by, "" for those whose number means nothing.
func (q *processPairer) names() naming {
	var ids [2]map[string]bool
	for s := range ids {
		ids[s] = map[string]bool{}
		for i := range q.of[s] {
			if o := &q.of[s][i]; o.anonymous() {
				ids[s][o.id] = true
			}
		}
	}
	agree := agree(ids)
	return func(s Side, i int32) string {
		switch o := &q.of[s][i]; {
		case !o.anonymous():
			return o.name
		case agree:
			return o.id
		}
		return ""
	}
}

// pairByContent pairs processes such that the sum of their likenesses is greatest; if there is only
// one on each side, the two are a pair. More than maxAssigned stay alone: their threads pair over
// all processes.
func (q *processPairer) pairByContent(c *crew, partner []int32) {
	switch n := max(len(c[A]), len(c[B])); {
	case min(len(c[A]), len(c[B])) == 0 || n > maxAssigned:
		return
	case n == 1:
		inOrder(*c, partner)
		return
	}
	var content [2][]profile
	for s := range content {
		for _, i := range c[s] {
			content[s] = append(content[s], q.content(Side(s), &q.of[s][i]))
		}
	}
	for k, j := range assign(upTo[int](len(c[A])), upTo[int](len(c[B])), func(a, b int) likeness {
		return compareContent(&content[A][a], &content[B][b])
	}) {
		if j != none {
			partner[c[A][k]] = c[B][j]
		}
	}
}

// content describes a process by how often it calls each function on threads of each name.
func (q *processPairer) content(s Side, o *process) profile {
	counts := map[uint32]uint32{}
	for _, i := range o.threads {
		f := q.by[s].everything(i)
		for k, n := range f.counts {
			counts[q.number(word{q.Trace(s).Threads[i].CommonName(), f.calls[k]})] += n
		}
	}
	f := profile{calls: slices.Sorted(maps.Keys(counts))}
	for _, w := range f.calls {
		f.counts = append(f.counts, counts[w])
	}
	return f
}

// number returns the number of a word, a new one if it is new.
func (q *processPairer) number(w word) uint32 {
	n, ok := q.words[w]
	if !ok {
		n = uint32(len(q.words))
		q.words[w] = n
	}
	return n
}
