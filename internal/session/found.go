package session

import (
	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Found is what the match engine found for the threads shown. It comes in steps: first the graph,
// the rows and the repetitions, then the ladder, then the groups. A Found is never changed, only
// replaced.
type Found struct {
	Graph   *match.Graph
	Rows    *match.Rows // the interface's goroutine alone may ask them
	Ladder  *match.Ladder
	Rung    *match.Rung // the ladder's at State.Tau
	Groups  Groups
	Lit     Lit
	Chosen  *Chosen           // nil until the selected call has been looked at
	Repeats [2]*match.Repeats // by side
	Cached  bool              // the graph was stored by an earlier run
}

// Groups are the groups of matches within what both sides show.
type Groups struct {
	List    []match.Summary // the largest
	Total   int             // how many there are
	Why     string          // why they are not all, or ""
	Visible bool            // found among visible calls only
	Busy    bool            // others are being looked for: these are of an earlier τ or focus
	Of      GroupsOf
}

// GroupsOf is what Groups depend on besides the graph.
type GroupsOf struct {
	Tau   int
	Focus [2]geom.Span
}

// Lit says which bars hold matches of the calls below the hovered one.
type Lit struct {
	Of   Target
	Bars [2][]bool // by side and interval
}

// subject is what is compared.
type subject struct {
	pair  *pair.Pair
	scope match.Scope
}

// subject returns what the threads shown are compared as, the zero value if there is nothing.
func (st *State) subject() subject {
	switch {
	case st.Pair == nil:
		return subject{}
	case st.Process:
		return subject{st.Pair, match.Process()}
	case st.Current < len(st.Pair.Threads):
		t := st.Pair.Threads[st.Current]
		return subject{st.Pair, match.Threads(t.A, t.B)}
	}
	return subject{}
}

// foci returns what both sides show.
func (st *State) foci() [2]geom.Span {
	return [2]geom.Span{st.Sides[pair.A].Focus, st.Sides[pair.B].Focus}
}

// amend replaces what was found by a changed copy, if there is anything.
func (st *State) amend(change func(*Found)) {
	if st.Found != nil {
		f := *st.Found
		change(&f)
		st.Found = &f
	}
}

// both reports whether there are calls on both sides, so that there may be matches.
func (f *Found) both() bool {
	return f.Graph.Sides[pair.A].Len() > 0 && f.Graph.Sides[pair.B].Len() > 0
}

// atTau climbs to τ, which is in hundredths.
func (f *Found) atTau(h int) {
	if f.Ladder != nil {
		f.Rung = f.Ladder.At(h)
	}
}

// index returns the pre-order index in the graph's scope of the call t, or −1.
func (f *Found) index(t Target) int {
	if !t.OK {
		return -1
	}
	if f.Graph.Scope.Process {
		return f.Graph.Sides[t.Side].First[t.Ref.Thread] + int(t.Ref.Call)
	}
	if f.Graph.Scope.Threads.On(t.Side) != int(t.Ref.Thread) {
		return -1
	}
	return int(t.Ref.Call)
}

// Ref returns the call with index i on a side of the graph.
func (f *Found) Ref(side pair.Side, i int) trace.CallRef { return f.target(side, i).Ref }

// target returns the call with index i on a side of the graph.
func (f *Found) target(side pair.Side, i int) Target {
	thread, call := f.Graph.Sides[side].At(i)
	if !f.Graph.Scope.Process {
		thread = f.Graph.Scope.Threads.On(side)
	}
	t := Target{Side: side, OK: true}
	t.Ref.Thread, t.Ref.Call = int32(thread), int32(call)
	return t
}
