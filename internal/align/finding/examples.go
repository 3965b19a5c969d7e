package finding

import (
	"slices"
	"sync"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Examples of calls that one side makes more often.
//
// A reader who follows such a finding wants to see a call that the other side lacks, made by the
// caller that the sentence names. The topmost calls without a partner (causes.go) are often others.
// For example:
//
//	A: main calls run once for 4 ms, and resize calls it 76 times
//	B: main calls run once for 3 ms
//
// All 76 lie below other calls without a partner, so causes.go has none of them, and the longest
// call of run is the one that both sides make. So examples are looked for among all calls, in one
// pass for all findings that have no good one yet.

// wanted is an example that is looked for, and the best one found.
type wanted struct {
	finding int    // index
	caller  uint32 // who makes the call, anywhere for nobody in particular
	found   Place
	ns      int64 // of found; −1 while there is none
}

// seeker looks for examples on one side.
type seeker struct {
	s    *study
	sd   pair.Side
	ids  []uint32 // identities, by function
	list []wanted
	of   []int32 // by function: the first of list that wants it, and 1; 0 for none
	next []int32 // by index in list: the next one of the same function, and 1; 0 for none
}

// findExamples gives findings about numbers of calls an example on the side that makes more, unless
// there is no call such as they tell.
func (s *study) findExamples() error {
	seekers := [2]*seeker{}
	for sd := range seekers {
		seekers[sd] = &seeker{s: s, sd: pair.Side(sd), ids: s.identities(pair.Side(sd))}
	}
	of := s.resultsByThread()
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if sk := seekers[toInt(f.grows())]; f.counts() && !sk.suits(f, of[sk.sd]) {
			sk.list = append(sk.list, wanted{finding: k, caller: f.by(), ns: -1})
		}
	}
	for _, sk := range seekers {
		if err := sk.seek(); err != nil {
			return err
		}
		for _, w := range sk.list {
			if w.ns >= 0 {
				s.report.Findings[w.finding].At[sk.sd] = &w.found
			}
		}
	}
	return nil
}

// by returns the function whose calls a finding is about, anywhere if it names none.
func (f *Finding) by() uint32 {
	if f.Caller == "" {
		return anywhere
	}
	return f.named
}

// resultsByThread returns by side and thread how it was aligned, nil for threads that are left out.
func (s *study) resultsByThread() (of [2][]*align.Result) {
	for sd := range of {
		of[sd] = make([]*align.Result, len(s.p.Trace(pair.Side(sd)).Threads))
	}
	for _, list := range [][]*align.Result{s.results, s.lone} {
		for _, r := range list {
			for sd, k := range r.Indices {
				if k >= 0 {
					of[sd][k] = r
				}
			}
		}
	}
	return of
}

// suits reports whether the example that a finding has is such as it tells.
func (k *seeker) suits(f *Finding, of []*align.Result) bool {
	at := f.At[k.sd]
	return at != nil && of[at.Thread] != nil && k.lacks(of[at.Thread], at.Call) &&
		(f.Caller == "" || k.callerOf(of[at.Thread].Threads[k.sd], at.Call) == f.named)
}

// lacks reports whether the other side has no such call where call i of a thread is.
func (k *seeker) lacks(r *align.Result, i int32) bool {
	other := k.sd.Other()
	if len(r.Partner[other]) == 0 || r.Partner[k.sd][i] == align.None {
		return true
	}
	return k.s.identity(r, other, r.Partner[k.sd][i]) != k.s.identity(r, k.sd, i)
}

// callerOf returns the identity of the function that makes call i of a thread.
func (k *seeker) callerOf(th *trace.Thread, i int32) uint32 {
	if up := th.Parent(int(i)); up >= 0 {
		return k.ids[th.Fn[up]]
	}
	return atRoot
}

// seek goes through all calls of the side.
func (k *seeker) seek() error {
	if len(k.list) == 0 {
		return nil
	}
	first := map[uint32]int32{} // by identity
	k.next = make([]int32, len(k.list))
	for n, w := range k.list {
		id := k.s.report.Findings[w.finding].ID
		k.next[n], first[id] = first[id], int32(n)+1
	}
	k.of = make([]int32, len(k.ids))
	for fn, id := range k.ids {
		k.of[fn] = first[id]
	}
	results := slices.Concat(k.s.results, k.s.lone)
	var mu sync.Mutex
	var found [][]wanted // by goroutine
	err := progress.SpreadEach(k.s.ctx, len(results), func() func(int) error {
		mu.Lock()
		defer mu.Unlock()
		list := slices.Clone(k.list)
		found = append(found, list)
		return func(n int) error {
			if results[n].Indices[k.sd] >= 0 {
				k.seekIn(results[n], list)
			}
			return k.s.ctx.Err()
		}
	})
	for _, list := range found {
		for n, w := range list {
			if w.ns >= 0 && k.list[n].isWorse(w.ns, w.found) {
				k.list[n] = w
			}
		}
	}
	return err
}

// seekIn goes through the calls of one thread. Few are longer than the best so far, so what takes
// longer to find out is asked of these alone.
func (k *seeker) seekIn(r *align.Result, list []wanted) {
	th := r.Threads[k.sd]
	for i, fn := range th.Fn {
		for n := k.of[fn]; n != 0; n = k.next[n-1] {
			w, at, ns := &list[n-1], Place{r.Indices[k.sd], int32(i)}, th.Dur(i)
			if w.isWorse(ns, at) && (w.caller == anywhere || w.caller == k.callerOf(th, at.Call)) &&
				k.lacks(r, at.Call) {
				w.found, w.ns = at, ns
			}
		}
	}
}

// isWorse reports whether a call is a better example than the one found: a longer one, and of
// equally long ones the first.
func (w *wanted) isWorse(ns int64, at Place) bool {
	return ns > w.ns || ns == w.ns && at.before(&w.found)
}
