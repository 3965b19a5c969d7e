package session

import (
	"context"
	"slices"
	"sort"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Stats counts, for every function of a trace, its calls and the time spent in them.
type Stats struct {
	Calls []int   // by FuncID
	Self  []int64 // ns outside callees
	Total []int64 // ns from start to end, a recursive call counted once
}

// wantCount asks for a side's Stats.
func wantCount(side pair.Side) Wanted {
	return want[*trace.Trace]{slot: "count" + side.String(),
		key: func(s *Session) (*trace.Trace, bool) { return s.state.Sides[side].Trace, true },
		find: func(s *Session, slot string, _, tr *trace.Trace) {
			if s.cancel(slot); tr != nil && s.state.Sides[side].Stats == nil {
				s.count(slot, side, tr)
			}
		}}
}

// count computes the Stats of a trace in the background.
func (s *Session) count(slot string, side pair.Side, tr *trace.Trace) {
	label := "Counting calls of " + side.String()
	s.start(slot, label, func(ctx context.Context, j *Job) func() {
		stats := Count(ctx, tr)
		return func() {
			s.apply(func(st *State) {
				for i := range st.Sides {
					if st.Sides[i].Trace == tr {
						st.Sides[i].Stats = stats
					}
				}
				st.recount()
			})
		}
	})
}

// recount searches again for what was searched, with the counts that are known now. What was chosen
// stays.
func (st *State) recount() {
	was := st.Search
	st.Search = st.find(was.Query)
	st.Search.Calls, st.Search.Chosen, st.Search.Has = was.Calls, was.Chosen, was.Has
	if was.Hit >= 0 && was.Hit < len(was.Hits) {
		name := was.Hits[was.Hit].Name
		st.Search.Hit = slices.IndexFunc(st.Search.Hits, func(h Hit) bool { return h.Name == name })
	}
}

// Count computes the Stats of t in one pass over each thread's columns; it stops early when ctx is
// done.
func Count(ctx context.Context, t *trace.Trace) *Stats {
	n := len(t.Functions)
	st := &Stats{make([]int, n), make([]int64, n), make([]int64, n)}
	until := make([]int, n) // by function: end of its outermost open subtree, in pre-order
	in := make([]int, n)    // by function: the thread that until speaks of, from 1
	for k, th := range t.Threads {
		if ctx.Err() != nil {
			return st
		}
		for i, fn := range th.Fn {
			st.Calls[fn]++
			d := th.Dur(i)
			st.Self[fn] += d
			if p := th.Parent[i]; p >= 0 {
				st.Self[th.Fn[p]] -= d
			}
			if in[fn] != k+1 || i >= until[fn] {
				in[fn], until[fn] = k+1, th.Next(i)
				st.Total[fn] += d
			}
		}
	}
	return st
}

// Search is what is looked for and what was found.
type Search struct {
	Query  string
	Hits   []Hit
	Hit    int             // the chosen one, −1 for none
	Fns    [2][]bool       // by side and FuncID: the function is a hit; nil for an empty query
	Calls  [2][][]int32    // by side and thread: calls of such functions; nil until gathered
	Chosen [2]trace.FuncID // the chosen function on each side, where Has says so
	Has    [2]bool
}

// Hit is one function found, by name, on either side or both.
type Hit struct {
	Name  string
	Calls [2]int
	Total [2]int64
}

// Find searches both traces for functions whose name contains every blank-separated part of the
// query, without regard to case unless the query has an upper-case letter. An empty query lists all
// functions and marks none.
func (s *Session) Find(query string) {
	s.apply(func(st *State) { st.Search = st.find(query) })
	if s.state.Search.Query == "" {
		s.cancel("search")
		return
	}
	fns := s.state.Search.Fns
	traces := [2]*trace.Trace{s.state.Sides[0].Trace, s.state.Sides[1].Trace}
	s.start("search", "Searching calls", func(ctx context.Context, j *Job) func() {
		var found [2][][]int32
		for i, t := range traces {
			if t != nil {
				found[i] = callsOf(ctx, t, fns[i])
			}
		}
		return func() { s.apply(func(st *State) { st.Search.Calls = found }) }
	})
}

// callsOf lists, by thread, the calls whose function is marked, in pre-order.
func callsOf(ctx context.Context, t *trace.Trace, marked []bool) [][]int32 {
	out := make([][]int32, len(t.Threads))
	for k, th := range t.Threads {
		if ctx.Err() != nil {
			return nil
		}
		for i, fn := range th.Fn {
			if marked[fn] {
				out[k] = append(out[k], int32(i))
			}
		}
	}
	return out
}

// Found reports whether the search has found any of the calls [from, to) of a thread; known is
// false while the calls are still being gathered.
func (se *Search) Found(side pair.Side, thread, from, to int) (some, known bool) {
	if se.Calls[side] == nil {
		return false, false
	}
	c := se.Calls[side][thread]
	k := sort.Search(len(c), func(k int) bool { return int(c[k]) >= from })
	return k < len(c) && int(c[k]) < to, true
}

func (st *State) find(query string) Search {
	se := Search{Query: strings.TrimSpace(query), Hit: -1}
	parts := strings.Fields(query)
	fold := query == strings.ToLower(query)
	byName := map[string]int{}
	for i := range st.Sides {
		sd := &st.Sides[i]
		if sd.Trace == nil {
			continue
		}
		if len(parts) > 0 {
			se.Fns[i] = make([]bool, len(sd.Trace.Functions))
		}
		for id := range sd.Trace.Functions {
			name := sd.Trace.Functions[id].Name
			if !containsAll(name, parts, fold) {
				continue
			}
			if len(parts) > 0 {
				se.Fns[i][id] = true
			}
			k, ok := byName[name]
			if !ok {
				k = len(se.Hits)
				byName[name] = k
				se.Hits = append(se.Hits, Hit{Name: name})
			}
			if sd.Stats != nil {
				se.Hits[k].Calls[i] += sd.Stats.Calls[id]
				se.Hits[k].Total[i] += sd.Stats.Total[id]
			}
		}
	}
	sort.SliceStable(se.Hits, func(x, y int) bool {
		a, b := se.Hits[x], se.Hits[y]
		ta, tb := a.Total[0]+a.Total[1], b.Total[0]+b.Total[1]
		if ta != tb {
			return ta > tb
		}
		return a.Name < b.Name
	})
	return se
}

func containsAll(name string, parts []string, fold bool) bool {
	if fold {
		name = strings.ToLower(name)
	}
	for _, p := range parts {
		if !strings.Contains(name, p) {
			return false
		}
	}
	return true
}

// Choose makes the i-th hit the one that is stepped through, and goes to its first call in view or
// after it.
func (s *Session) Choose(i int) {
	if i < 0 || i >= len(s.state.Search.Hits) {
		return
	}
	name := s.state.Search.Hits[i].Name
	s.apply(func(st *State) {
		st.Search.Hit = i
		for k := range st.Sides {
			st.Search.Has[k] = false
			if st.Sides[k].Trace == nil {
				continue
			}
			for id := range st.Sides[k].Trace.Functions {
				if st.Sides[k].Trace.Functions[id].Name == name {
					st.Search.Chosen[k], st.Search.Has[k] = trace.FuncID(id), true
				}
			}
		}
	})
	s.StepHit(+1)
}

// StepHit selects the next (or previous) call of the chosen hit on the side that has the selection,
// from the selected call on and around the ends; with no selection it begins with A.
func (s *Session) StepHit(step int) {
	se := &s.state.Search
	if se.Hit < 0 && len(se.Hits) > 0 {
		s.Choose(0)
		return
	}
	sel := s.state.Selected
	side := pair.A
	if sel.OK {
		side = sel.Side
	}
	if !se.Has[side] {
		side = side.Other()
		sel = Target{}
	}
	if !se.Has[side] || s.state.Sides[side].Trace == nil {
		return
	}
	from := trace.CallRef{Thread: 0, Call: -1}
	if sel.OK && sel.Side == side {
		from = sel.Ref
	} else if tr := s.state.Tracks[side]; len(tr) > 0 {
		from.Thread = int32(tr[0])
	}
	if ref, ok := nextCall(s.state.Sides[side].Trace, from, se.Chosen[side], step); ok {
		t := Target{Side: side, Ref: ref, OK: true}
		s.Select(t)
		s.Reveal(t)
	}
}

// nextCall scans the function columns from one call on, through all threads and around.
func nextCall(t *trace.Trace, from trace.CallRef, fn trace.FuncID, step int) (trace.CallRef, bool) {
	n := len(t.Threads)
	for k := 0; k <= n; k++ {
		ti := ((int(from.Thread)+k*step)%n + n) % n
		th := t.Threads[ti]
		i := int(from.Call) + step
		if k > 0 {
			i = 0
			if step < 0 {
				i = th.Len() - 1
			}
		}
		for ; i >= 0 && i < th.Len(); i += step {
			if th.Fn[i] == fn {
				return trace.CallRef{Thread: int32(ti), Call: int32(i)}, true
			}
		}
	}
	return trace.CallRef{}, false
}
