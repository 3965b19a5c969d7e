package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

const countSlot = "count" // of a job, and the side

// wantCount asks for a side's Stats.
func wantCount(side pair.Side) Wanted {
	return want[*trace.Trace]{slot: countSlot + side.String(),
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
		stats := trace.Count(ctx, tr)
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
	if st.Search = st.find(was.Query); was.Place != nil {
		st.Search = st.findIn(was.Place)
	}
	st.Search.Calls, st.Search.Chosen = was.Calls, was.Chosen
	if was.Hit >= 0 && was.Hit < len(was.Hits) {
		name := was.Hits[was.Hit].Name
		st.Search.Hit = slices.IndexFunc(st.Search.Hits, func(h Hit) bool { return h.Name == name })
	}
}

// Search is what is looked for and what was found.
type Search struct {
	Query  string // what functions' names contain, or the name of Place
	Place  *Place // if its functions are looked for
	Hits   []Hit
	Hit    int          // the chosen one, −1 for none
	Fns    [2][]bool    // by side and FuncID: the function is a hit; nil for an empty query
	Calls  [2][][]int32 // by side and thread: calls of such functions; nil until gathered
	Chosen [2][]bool    // by side and FuncID: the functions stepped through; nil for none
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
func (s *Session) Find(query string) { s.search(func(st *State) { st.Search = st.find(query) }) }

// search carries out a search and gathers the calls of what it finds.
func (s *Session) search(find func(st *State)) {
	s.apply(find)
	if s.state.Search.Query == "" {
		s.cancel("search")
		return
	}
	fns := s.state.Search.Fns
	traces := s.state.traces()
	s.start("search", "Searching calls", func(ctx context.Context, j *Job) func() {
		var found [2][][]int32
		for i, t := range traces {
			if t != nil {
				found[i] = callsOf(ctx, t, func(int) []bool { return fns[i] })
			}
		}
		return func() { s.apply(func(st *State) { st.Search.Calls = found }) }
	})
}

// callsOf lists, by thread, the calls whose function is marked, in pre-order. Marks says which are
// in a thread, by FuncID; nil stands for none.
func callsOf(ctx context.Context, t *trace.Trace, marks func(thread int) []bool) [][]int32 {
	out := make([][]int32, len(t.Threads))
	for k, th := range t.Threads {
		if ctx.Err() != nil {
			return nil
		}
		marked := marks(k)
		if marked == nil {
			continue
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
	return within(se.Calls[side][thread], from, to), true
}

func (st *State) find(query string) Search {
	se := Search{Query: strings.TrimSpace(query), Hit: -1}
	parts := strings.Fields(query)
	fold := query == strings.ToLower(query)
	for i := range st.Sides {
		t := st.Sides[i].Trace
		if t == nil || len(parts) == 0 {
			continue
		}
		se.Fns[i] = make([]bool, len(t.Functions))
		for id := range t.Functions {
			se.Fns[i][id] = containsAll(t.Functions[id].Name, parts, fold)
		}
	}
	st.list(&se)
	return se
}

// list lists what a search has found: the functions in Fns, or all where Fns is nil, by name.
func (st *State) list(se *Search) {
	byName := map[string]int{}
	for i := range st.Sides {
		sd := &st.Sides[i]
		if sd.Trace == nil {
			continue
		}
		for id := range sd.Trace.Functions {
			if se.Fns[i] != nil && !se.Fns[i][id] {
				continue
			}
			name := sd.Trace.Functions[id].Name
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
	slices.SortStableFunc(se.Hits, func(x, y Hit) int {
		return cmp.Or(cmp.Compare(y.Total[0]+y.Total[1], x.Total[0]+x.Total[1]), cmp.Compare(x.Name, y.Name))
	})
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
	s.choose(func(t *trace.Trace, _ pair.Side, fn int) bool { return t.Functions[fn].Name == name })
}

// ChooseFunction makes the functions of an identity those that are stepped through, and goes to
// their first call in view or after it.
func (s *Session) ChooseFunction(id uint32) {
	p := s.state.Pair
	if p == nil {
		return
	}
	s.choose(func(_ *trace.Trace, side pair.Side, fn int) bool { return p.IDs(side)[fn] == id })
}

// choose makes the functions that are meant those that are stepped through, and goes to a call.
func (s *Session) choose(meant func(t *trace.Trace, side pair.Side, fn int) bool) {
	s.apply(func(st *State) {
		names := map[string]bool{}
		st.Search.Chosen = [2][]bool{}
		for side := range st.Sides {
			t := st.Sides[side].Trace
			if t == nil {
				continue
			}
			var chosen []bool
			for fn := range t.Functions {
				if meant(t, pair.Side(side), fn) {
					if chosen == nil {
						chosen = make([]bool, len(t.Functions))
					}
					chosen[fn], names[t.Functions[fn].Name] = true, true
				}
			}
			st.Search.Chosen[side] = chosen
		}
		st.Search.Hit = slices.IndexFunc(st.Search.Hits, func(h Hit) bool { return names[h.Name] })
	})
	s.StepHit(+1)
}

// none reports whether no function is stepped through.
func (se *Search) none() bool { return se.Chosen[0] == nil && se.Chosen[1] == nil }

// StepHit selects the next (or previous) call of the chosen hit on the side that has the selection,
// from the selected call on and around the ends; with no selection it begins with A.
func (s *Session) StepHit(step int) {
	se := &s.state.Search
	if se.none() && len(se.Hits) > 0 {
		s.Choose(0)
		return
	}
	sel := s.state.Selected
	side := pair.A
	if sel.OK {
		side = sel.Side
	}
	if se.Chosen[side] == nil {
		side = side.Other()
		sel = Target{}
	}
	if se.Chosen[side] == nil || s.state.Sides[side].Trace == nil {
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
func nextCall(t *trace.Trace, from trace.CallRef, fns []bool, step int) (trace.CallRef, bool) {
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
			if fns[th.Fn[i]] {
				return trace.CallRef{Thread: int32(ti), Call: int32(i)}, true
			}
		}
	}
	return trace.CallRef{}, false
}
