package finding

import (
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Totals of both whole sides, from which all quantities of findings come.
//
// An alignment says where two runs differ and why, never by how much: which of several equal calls
// it leaves without a partner is arbitrary. So a finding gives the number of calls, the self time
// and the time with callees of a function over all its calls on each side, or over all that one
// function makes. For example, if B's loop body calls Layout from another place, 3 calls have no
// partner, but what is told is that Layout runs 293 times instead of 3.
//
// The totals go through all threads of a side, also those that the other side does not have; only
// threads that hold sums are left out. States that the system puts a thread into (trace.State,
// trace.Event) call nothing: what they contain is called by the call around them.
//
// Time is linear in the calls; memory is linear in the pairs of caller and callee that occur.

// total sums up the calls of a function.
type total struct {
	calls   int64
	self    int64   // ns
	inAll   int64   // ns, including callees; calls inside another call of the function do not count
	inEach  int64   // ns, including callees; the sum of all calls
	squares float64 // Σ of the squares of self times, ns²
	waits   int64   // self time of calls that are marked as waiting, ns
	aside   int64   // self time in threads of the language's runtime, ns
	longest int64   // ns, of one call
	lone    int64   // calls in threads that only this side has, but for asynchronous tracks
	threads int32   // in which it is called
	last    int32   // thread, plus 1
	at      Place   // the longest call
}

// totals are those of one side.
type totals struct {
	functions []total // by identity
	edges     map[uint64]*total
}

// sums are the totals of both sides, and the names under which findings tell them.
type sums struct {
	names    []string          // by identity
	same     []uint32          // by identity: that in A, which differs for renamed functions
	newNames map[uint32]string // in B, of renamed functions by identity
	totals   [2]*totals
}

// edge is the key of a function called by another.
func edge(caller, id uint32) uint64 { return uint64(caller)<<32 | uint64(id) }

// gatherTotals sums up all calls of both sides.
func (s *study) gatherTotals() error {
	for sd := range s.totals {
		t := &totals{functions: make([]total, len(s.p.Names)), edges: map[uint64]*total{}}
		s.totals[sd] = t
		for k, th := range s.p.Trace(pair.Side(sd)).Threads {
			if th.Kind == trace.Sums {
				continue
			}
			s.addThread(t, pair.Side(sd), k)
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// addThread adds the calls of thread k of a side.
func (s *study) addThread(t *totals, sd pair.Side, k int) {
	tr := s.p.Trace(sd)
	th, ids, self := tr.Threads[k], s.p.IDs(sd), selfTimes(tr.Threads[k])
	depth := map[uint32]int{} // open calls of each function
	waiting, lone := waitsIn(th), int64(toInt(s.p.Partner(sd, k) < 0 && th.Kind != trace.AsyncTrack))
	aside := int64(toInt(th.Kind == trace.Runtime))
	var open []int32
	callers := make([]uint32, 0, 64) // by open call: the function that it is, or stands in
	for i := range th.Fn {
		for n := len(open); n > 0 && i >= th.Next(int(open[n-1])); n = len(open) {
			depth[s.same[ids[th.Fn[open[n-1]]]]]--
			open, callers = open[:n-1], callers[:n-1]
		}
		id, from := s.same[ids[th.Fn[i]]], uint32(atRoot)
		if n := len(callers); n > 0 {
			from = callers[n-1]
		}
		at := Place{Thread: k, Call: int32(i)}
		for _, to := range []*total{&t.functions[id], t.edgeOf(from, id)} {
			to.addCall(th, at, self[i], depth[id] == 0)
			to.waits += self[i] * int64(toInt(waiting[int32(i)]))
			to.lone += lone
			to.aside += self[i] * aside
		}
		depth[id]++
		if !byNature(tr.Functions[th.Fn[i]].Kind) {
			from = id
		}
		open, callers = append(open, int32(i)), append(callers, from)
	}
}

// edgeOf returns the total of the calls of a function by another.
func (t *totals) edgeOf(caller, id uint32) *total {
	key := edge(caller, id)
	if t.edges[key] == nil {
		t.edges[key] = &total{}
	}
	return t.edges[key]
}

// waitsIn returns the calls of a thread that are marked as waiting.
func waitsIn(th *trace.Thread) map[int32]bool {
	found := map[int32]bool{}
	for _, b := range th.Blocks {
		if b.Kind == trace.Wait {
			found[b.Call] = true
		}
	}
	return found
}

func (t *total) addCall(th *trace.Thread, at Place, self int64, outermost bool) {
	ns := th.Dur(int(at.Call))
	t.calls++
	t.self += self
	t.inEach += ns
	t.squares += float64(self) * float64(self)
	if outermost {
		t.inAll += ns
	}
	if ns > t.longest || t.calls == 1 {
		t.longest, t.at = ns, at
	}
	if thread := int32(at.Thread) + 1; t.last != thread {
		t.last = thread
		t.threads++
	}
}

// both returns what both sides have of a function, called by caller or, if that is anywhere, by
// any.
func (s *sums) both(caller, id uint32) (t [2]total) {
	for sd := range t {
		if caller == anywhere {
			t[sd] = s.totals[sd].functions[id]
		} else if e := s.totals[sd].edges[edge(caller, id)]; e != nil {
			t[sd] = *e
		}
	}
	return t
}

// change returns by how much B has more calls, and how much more time including callees.
func change(t [2]total) (calls, ns int64) {
	return t[pair.B].calls - t[pair.A].calls, t[pair.B].inAll - t[pair.A].inAll
}

// callerID returns the function that calls call i of a side, atRoot for a root.
func (s *study) callerID(r *align.Result, sd pair.Side, i int32) uint32 {
	tr, th := s.p.Trace(sd), r.Threads[sd]
	up := th.Parent[i]
	for up != align.None && byNature(tr.Functions[th.Fn[up]].Kind) {
		up = th.Parent[up]
	}
	if up == align.None {
		return atRoot
	}
	return s.identity(r, sd, up)
}
