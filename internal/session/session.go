package session

import (
	"context"
	"time"
	"unicode/utf8"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/store"
	"diptych/internal/trace"
	"diptych/internal/tracefile"
)

// Session holds the state and everything that changes it.
type Session struct {
	Store Results // where comparisons come from; New's keeps none
	// Traces keeps traces that took long to load; nil keeps none.
	Traces *tracefile.Cache
	Rules  pair.Rules // which functions are the same, for traces opened from now on
	Strict bool       // align callees with callees only (align.Options), for those too
	// Whole has each side first show all of its trace, at a scale of its own, as tests do that
	// measure pictures.
	Whole bool
	// Wasted, which may be nil, is called from any goroutine once long work has ended whose result
	// nobody wants, or a trace could not be loaded: that took memory. It is set before any work.
	Wasted func()

	state   State
	history history
	joining bool // changes belong to a step that is not complete
	jobs    []*Job
	lastJob int
	life    context.Context // of all jobs
	end     context.CancelFunc
	results chan delivery
	held    []delivery // results that Ready has waited for and Take has not applied
	wake    func()
	now     func() time.Time
	hurry   chan struct{} // closed while the session settles: jobs start without waiting

	asked       map[string]any // by slot: the key a result was last asked for
	inquiries   []inquiry
	left        inquiry // about what was shown last of what is not shown now; may be zero
	barsGate    gate    // passed when the first bars are there
	leadGate    gate    // passed when the lead threads are sampled
	lastInquiry int
	lastPair    *pair.Pair // the last pairing there was
	slid        slid       // what a click has slid the other side to
	visited     visit      // the group chosen from a list; zero after others were sought
	bars        [2]int     // intervals of time that the overview has room for
	glide       glide
	seen        seen
	moved       time.Time // when the focus or τ last changed
	picked      bool      // which runs are shown was chosen
	sizes       sizes     // from which first bars pay
	resuming    *resuming // a saved session whose traces are being loaded
	wished      wished
	arrival     *expected               // of the pair that is being opened; may be nil
	sought      [2]Target               // by side: see Sought
	hashes      map[*trace.Trace]string // of traces that are open

	notice      string
	noticeUntil time.Time
}

// New returns a session with nothing open. Wake is called from other goroutines when a job has
// finished or progressed, so that the interface draws a frame.
func New(wake func()) *Session {
	life, end := context.WithCancel(context.Background())
	s := &Session{life: life, end: end, results: make(chan delivery, 16), wake: wake, now: time.Now,
		asked: map[string]any{}, hurry: make(chan struct{}), Store: (*store.Store)(nil),
		bars: [2]int{usualBars, usualBars}, sizes: usualSizes}
	st := &s.state
	st.Rows, st.Levels = 1, usualLevels
	st.Tau, st.Style, st.WaitStyle = usualTau, usualStyle, usualWaitStyle
	st.View, st.Layout = Matches, &Split{}
	st.panes = []Pane{st.Pane}
	s.Register(Kind{View: Threads, Fresh: func() Own { return &Circle{} }, Unmatched: true})
	for i := range st.Sides {
		st.Sides[i].Focus = st.Sides[i].Whole()
	}
	return s
}

// State returns a snapshot.
func (s *Session) State() *State {
	st := s.state
	return &st
}

// change applies f as one step and records the view it leads to.
func (s *Session) change(f func(st *State)) {
	s.apply(f)
	if s.state.Any() && !s.joining {
		s.history.record(s.state.viewpoint(), s.now())
	}
}

// AsOneStep makes all changes of f one step of the history.
func (s *Session) AsOneStep(f func()) {
	was := s.joining
	s.joining = true
	f()
	s.joining = was
	s.change(func(*State) {})
}

// apply changes the state without a trace in the history.
func (s *Session) apply(f func(st *State)) {
	f(&s.state)
	s.state.Rev++
	if s.state.Pair != nil {
		s.lastPair = s.state.Pair
	}
	s.noteMove()
	s.pursue()
	s.state.store()
}

// How long a notice stays: as long as it takes to notice and to read it, whatever it is about, and
// no longer, since it covers what the status line says of the call under the pointer.
const (
	noticing    = 3 * time.Second
	readingRune = 70 * time.Millisecond // some 14 letters a second
	mostReading = 15 * time.Second
)

// noticeTime returns how long a notice stays.
func noticeTime(text string) time.Duration {
	return noticing + min(time.Duration(utf8.RuneCountInString(text))*readingRune, mostReading)
}

// Say shows a message in the status line until it can have been read.
func (s *Session) Say(text string) {
	s.notice, s.noticeUntil = text, s.now().Add(noticeTime(text))
}

// Notice returns the current message and until when it stays, or "".
func (s *Session) Notice() (string, time.Time) {
	if s.now().After(s.noticeUntil) {
		return "", time.Time{}
	}
	return s.notice, s.noticeUntil
}

// SetDark chooses the theme.
func (s *Session) SetDark(dark bool) { s.apply(func(st *State) { st.Dark = dark }) }

// SetLighter chooses how narrow calls are drawn.
func (s *Session) SetLighter(lighter bool) { s.apply(func(st *State) { st.Lighter = lighter }) }

// Limits of the vertical scale and of the levels a thread shows beside others.
const (
	leastRows, mostRows     = 0.25, 4
	leastLevels, mostLevels = 1, 1 << 17
	usualLevels             = 6
)

// ScaleRows makes rows taller by factor (lower below 1).
func (s *Session) ScaleRows(factor float32) {
	s.apply(func(st *State) { st.Rows = max(leastRows, min(st.Rows*factor, mostRows)) })
}

// SetLevels limits the stack levels shown of each thread while all threads are shown.
func (s *Session) SetLevels(n int) {
	s.apply(func(st *State) {
		st.Levels = max(leastLevels, min(n, mostLevels))
		for side := range st.Sides {
			st.Sides[side].Deeper = nil
		}
	})
}

// Close empties both sides. The panes stay, with nothing in them.
func (s *Session) Close() {
	s.stopAll()
	s.asked, s.inquiries, s.left, s.lastPair = map[string]any{}, nil, inquiry{}, nil
	s.resuming, s.wished, s.hashes, s.arrival = nil, wished{}, nil, nil
	s.apply(func(was *State) {
		st := *was
		st = State{Rev: st.Rev, Dark: st.Dark, Lighter: st.Lighter, Rows: st.Rows, Levels: st.Levels,
			Tau: st.Tau, Style: st.Style, Still: st.Still, WaitStyle: st.WaitStyle,
			kinds: st.kinds, Layout: st.Layout, panes: st.panes, Active: st.Active, Pane: st.Pane}
		st.eachPane(func() { st.Pane = Pane{ID: st.ID, View: st.View} })
		for i := range st.Sides {
			st.Sides[i].Focus = geom.Span{Start: 0, End: 1}
		}
		*was = st
	})
	s.history = history{}
}
