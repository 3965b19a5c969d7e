package pair

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

// partners says which processes belong together, by the pairs of threads in use, and which threads
// each has. Threads without calls are in none.
type partners struct {
	list    [][2]int32         // the processes that share the most pairs first, each process once
	of      [2]map[int32]int32 // by side and process
	threads [2]map[int32][]int // by side and process, in order of creation
}

func (p *Pair) partners() *partners {
	q := &partners{of: [2]map[int32]int32{{}, {}}, threads: [2]map[int32][]int{{}, {}}}
	for s := range q.threads {
		for i, th := range p.Trace(Side(s)).Threads {
			if th.Len() > 0 {
				q.threads[s][th.Process] = append(q.threads[s][th.Process], i)
			}
		}
	}
	shared := map[[2]int32]int{}
	var all [][2]int32
	for _, t := range p.Threads {
		if t.A < 0 || t.B < 0 {
			continue
		}
		of := [2]int32{p.A.Threads[t.A].Process, p.B.Threads[t.B].Process}
		if shared[of] == 0 {
			all = append(all, of)
		}
		shared[of]++
	}
	slices.SortFunc(all, func(x, y [2]int32) int {
		return cmp.Or(cmp.Compare(shared[y], shared[x]), slices.Compare(x[:], y[:]))
	})
	for _, of := range all {
		_, hasA := q.of[A][of[A]]
		if _, hasB := q.of[B][of[B]]; !hasA && !hasB {
			q.of[A][of[A]], q.of[B][of[B]] = of[B], of[A]
			q.list = append(q.list, of)
		}
	}
	return q
}

// Homes returns the process that a thread belongs to, nil for none. That of a thread of B is the
// process of A that its own shares the most pairs of threads with, if any.
func (p *Pair) Homes() func(s Side, thread int) *trace.Process {
	var inA map[int32]int32
	if p.A != nil && p.B != nil {
		inA = p.partners().of[B]
	}
	return func(s Side, thread int) *trace.Process {
		t := p.Trace(s)
		of := t.Threads[thread].Process
		if to, ok := inA[of]; ok && s == B {
			t, of = p.A, to
		}
		return t.ProcessAt(of)
	}
}

// threadsIn returns the threads of a scope, in order of creation.
func (q *partners) threadsIn(p *Pair, sc Scope, s Side) (threads []int) {
	if !sc.ByRole {
		return q.threads[s][sc.Processes[s]]
	}
	for i, th := range p.Trace(s).Threads {
		if th.Len() > 0 && th.CommonName() == sc.Role {
			threads = append(threads, i)
		}
	}
	return threads
}

// apart reports whether a process of A and one of B are not partners although one of them has a
// partner.
func (q *partners) apart(a, b int32) bool {
	toB, hasB := q.of[A][a]
	toA, hasA := q.of[B][b]
	return hasB && toB != b || hasA && toA != a
}
