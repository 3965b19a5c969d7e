// Package session is the state of the application: what is open, what each side shows, what is
// selected, hovered and searched, which work is running, and the way back through earlier views.
// One goroutine, the interface's, owns a Session; background jobs hand their results over a channel
// that Drain empties once a frame. It knows nothing of drawing but the names of styles.
package session

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
	"diptych/internal/tracefile"
	"diptych/internal/traceio/input"
)

// State is all that the views are functions of. It is a value: the slices, maps and pointers in it
// are never changed, only replaced, so a copy is a snapshot. It is seen from one pane, whose fields
// it has for its own: from the active one unless it was asked for From another.
type State struct {
	Rev   uint64 // rises with every change
	Sides [2]Side
	Pair  *pair.Pair // nil until both sides are loaded and paired
	Apart error      // why the sides cannot be compared; nil if they can
	Runs  *Runs      // all recordings of both sides, if there are more than those that are shown

	Pane
	Active PaneID // the pane that keys act on
	Layout *Split // how the panes share the main area; never nil
	panes  []Pane // all of them; what is seen from one is in Pane
	kinds  map[View]Kind

	Lock   Lock
	Common bool   // both sides can show as much time, so that a second may be as wide on either
	beside beside // what was shown before the alignment was looked at

	Selected Target
	Before   Target // the call on the other side that was selected just before, if any
	Mark     Target // the call that is to be aligned by hand with one on the other side
	Range    Range
	Study    Study // the function whose durations are shown, if any
	Alike    Alike // the threads that the matrix of similarities compares, if it is shown
	Hover    Target
	Brushed  Brushed // the place in the code under the pointer, if any
	Search   Search

	Tau       int       // threshold of similarity, hundredths
	Style     Style     // how matches are drawn
	Viewpoint pair.Side // of trace-centric colours: the half the mouse was last in
	Anchors   *Anchors  // the calls that were paired by hand
	Notes     *Notes    // what the user wrote at calls and times
	Aligned   *Aligned  // how the calls of both traces are paired; nil until they are
	Waits     *Waits    // who waits on whom; nil until it is known
	WaitStyle WaitStyle // how the view of threads is drawn
	Still     bool      // nothing moves by itself
	Tab       string    // what is shown beside the panes, by id; "" for nothing

	results map[string]any // by slot: what views want of the session
	samples []sampled      // of subjects whose ladder is not known yet
	Faults  []Fault        // jobs that failed by a fault of the program's own

	Damaged []tracefile.Damage // stored traces that were damaged, and so are read again

	Dark    bool
	Lighter bool    // narrow calls as one lighter box a level instead of one pink box
	Rows    float32 // vertical scale of the stack levels, 1 for the usual height
	Levels  int     // stack levels shown of each thread while all threads are shown
}

// Side is what one half shows.
type Side struct {
	Path   string
	Format string // that it was to be read as; "" if its content said so
	Name   string
	Trace  *trace.Trace // nil while nothing is loaded
	Err    error        // why the last load failed
	Focus  geom.Span    // visible time, ns since the trace's start
	// how far Focus can reach beyond a shorter trace's end, ns; 0 for not at all
	Room  float64
	Stats *trace.Stats // calls and time by function; nil until counted
	// Deeper has the threads of which more levels are shown than of others beside all threads.
	Deeper *icicle.Deeper

	// Changed says that the recording was seen to have changed since it was loaded.
	Changed bool

	chosen bool              // the user asked for the request that is shown
	asked  *input.Options    // how it was loaded; nil if it was put there
	source *tracefile.Source // what it was loaded from; nil if that cannot be told
	left   bool              // the user has seen that it has changed, and lets it be

	// Growing is what has been read of a trace that is being loaded while there is no Trace, else
	// nil.
	Growing *Growing
}

// Request returns the id of the request that is shown, if the file holds several, and else "".
func (s *Side) Request() string {
	if s.Trace == nil || len(s.Trace.Requests) < 2 {
		return ""
	}
	return s.Trace.ShownRequest().ID
}

// Whole returns all that the side can show: the full extent of its trace, and of the other side's
// if both are at one scale; at least a nanosecond, so that axes are defined.
func (s *Side) Whole() geom.Span {
	return geom.Span{Start: 0, End: max(s.Extent(), s.Room)}
}

// Extent returns the length of the side's trace in ns; at least 1.
func (s *Side) Extent() float64 {
	if s.Trace == nil {
		return 1
	}
	return float64(max(s.Trace.Duration, 1))
}

// ran returns the extent of the side's trace as a span, whatever room there is to show beyond it.
func (s *Side) ran() geom.Span { return geom.Span{End: s.Extent()} }

// Seen returns the part of the side's trace that is in Focus, at least a nanosecond long.
func (s *Side) Seen() geom.Span {
	end := min(s.Focus.End, s.Extent())
	return geom.Span{Start: min(s.Focus.Start, end-1), End: end}
}

// Target is a call on one side, or nothing.
type Target struct {
	Side pair.Side
	Ref  trace.CallRef
	OK   bool
}

// Call returns the thread and index of target t, which must be OK and on a loaded side.
func (s *State) Call(t Target) (*trace.Thread, int) {
	return s.Sides[t.Side].Trace.Threads[t.Ref.Thread], int(t.Ref.Call)
}

// Loaded reports whether side has a trace.
func (s *State) Loaded(side pair.Side) bool { return s.Sides[side].Trace != nil }

// Both reports whether both sides have a trace.
func (s *State) Both() bool { return s.Loaded(pair.A) && s.Loaded(pair.B) }

// Profile reports whether a side is a profile, in which nothing is earlier or later: the axis adds
// samples up.
func (s *State) Profile() bool {
	for i := range s.Sides {
		if tr := s.Sides[i].Trace; tr != nil && tr.Kind == trace.Profile {
			return true
		}
	}
	return false
}

// Any reports whether at least one side has a trace.
func (s *State) Any() bool { return s.Loaded(pair.A) || s.Loaded(pair.B) }

// Lock is how one side's focus follows the other's.
type Lock uint8

const (
	Free         Lock = iota // each on its own
	Absolute                 // the same time on the recording's clock
	FromStart                // the same time since each trace's start
	Proportional             // the same share of each trace's length
	ByAlignment              // what is paired by the alignment
)

func (l Lock) String() string {
	return [...]string{"free", "absolute", "from start", "proportional", "by alignment"}[l]
}
