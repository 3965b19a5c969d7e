package session

import (
	"context"
	"slices"

	"diptych/internal/trace"
)

// Place is some code that a view shows as one, such as a package, with the functions in it. The
// session knows no structure of code: it takes the names and the functions as they are.
type Place struct {
	Path []string // names from the outermost level on
	Name string   // the path as people write it
	// Fns says which functions are in it, by side, thread and FuncID: threads of different
	// processes may have different ones. Threads of one process share a slice; nil stands for
	// none.
	Fns [2][][]bool
}

// Same reports whether two places are the same code. Either may be nil.
func (p *Place) Same(q *Place) bool {
	return p == q || p != nil && q != nil && slices.Equal(p.Path, q.Path)
}

// has reports whether a call is of a function in the place.
func (p *Place) has(side, thread int, fn trace.FuncID) bool {
	fns := p.Fns[side]
	return thread < len(fns) && fns[thread] != nil && fns[thread][fn]
}

// anywhere returns which functions of a side some thread has in the place, by FuncID.
func (p *Place) anywhere(side, functions int) []bool {
	out := make([]bool, functions)
	var last *bool
	for _, fns := range p.Fns[side] {
		if len(fns) == 0 || &fns[0] == last {
			continue
		}
		last = &fns[0]
		for id, in := range fns {
			out[id] = out[id] || in
		}
	}
	return out
}

// Brushed is a place under the pointer: its calls stand out in all views.
type Brushed struct {
	*Place
	calls [2][][]int32 // by side and thread; nil until they are gathered
}

const brushSlot = "brush"

// Brush makes the calls of a place stand out in all views, for as long as the pointer is over it;
// nil ends that. It reports whether anything changed. While only one pane is open nobody looks at
// runs of calls, so that they are not gathered.
func (s *Session) Brush(p *Place) bool {
	if s.state.Brushed.Place.Same(p) {
		return false
	}
	s.apply(func(st *State) { st.Brushed = Brushed{Place: p} })
	s.cancel(brushSlot)
	if p == nil || s.state.Layout.Parts[0] == nil {
		return true
	}
	traces := s.state.traces()
	s.start(brushSlot, "Looking for calls of "+p.Name, func(ctx context.Context, _ *Job) func() {
		var found [2][][]int32
		for side, t := range traces {
			if t != nil {
				found[side] = callsIn(ctx, t, p, side)
			}
		}
		return func() { s.apply(func(st *State) { st.Brushed.calls = found }) }
	})
	return true
}

func (st *State) traces() [2]*trace.Trace {
	return [2]*trace.Trace{st.Sides[0].Trace, st.Sides[1].Trace}
}

// callsIn lists, by thread, the calls of functions in a place, in pre-order.
func callsIn(ctx context.Context, t *trace.Trace, p *Place, side int) [][]int32 {
	out := make([][]int32, len(t.Threads))
	for k, th := range t.Threads {
		if ctx.Err() != nil {
			return nil
		}
		if k >= len(p.Fns[side]) || p.Fns[side][k] == nil {
			continue
		}
		marked := p.Fns[side][k]
		for i, fn := range th.Fn {
			if marked[fn] {
				out[k] = append(out[k], int32(i))
			}
		}
	}
	return out
}

// Found reports whether any of the calls [from, to) of a thread is in the brushed place; known is
// false while that is not known, or nothing is brushed. A call alone is known at once.
func (b *Brushed) Found(st *State, side, thread, from, to int) (some, known bool) {
	switch {
	case b.Place == nil:
		return false, false
	case to == from+1:
		return b.has(side, thread, st.Sides[side].Trace.Threads[thread].Fn[from]), true
	case b.calls[side] == nil:
		return false, false
	}
	return within(b.calls[side][thread], from, to), true
}

// within reports whether a rising list has a number in [from, to).
func within(list []int32, from, to int) bool {
	k, _ := slices.BinarySearch(list, int32(from))
	return k < len(list) && int(list[k]) < to
}

// FindIn searches for the functions of a place instead of those with a name. It ends as any search
// does: with another one.
func (s *Session) FindIn(p *Place) { s.search(func(st *State) { st.Search = st.findIn(p) }) }

// findIn is the search for the functions of a place.
func (st *State) findIn(p *Place) Search {
	se := Search{Query: p.Name, Place: p, Hit: -1}
	for i := range st.Sides {
		if t := st.Sides[i].Trace; t != nil {
			se.Fns[i] = p.anywhere(i, len(t.Functions))
		}
	}
	st.list(&se)
	return se
}
