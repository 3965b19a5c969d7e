package session

import (
	"context"
	"slices"
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

// of returns which functions of a thread are in the place, by FuncID; nil for none.
func (p *Place) of(side, thread int) []bool {
	if thread < len(p.Fns[side]) {
		return p.Fns[side][thread]
	}
	return nil
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
				found[side] = callsOf(ctx, t, func(thread int) []bool { return p.of(side, thread) })
			}
		}
		return func() { s.apply(func(st *State) { st.Brushed.calls = found }) }
	})
	return true
}

// Found reports whether any of the calls [from, to) of a thread is in the brushed place; known is
// false while that is not known, or nothing is brushed. A call alone is known at once.
func (b *Brushed) Found(st *State, side, thread, from, to int) (some, known bool) {
	switch {
	case b.Place == nil:
		return false, false
	case to == from+1:
		fns := b.of(side, thread)
		return fns != nil && fns[st.Sides[side].Trace.Threads[thread].Fn[from]], true
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
