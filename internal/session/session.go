package session

import (
	"time"

	"diptych/internal/pair"
	"diptych/internal/store"
)

// Session holds the state and everything that changes it.
type Session struct {
	Store Results    // where comparisons come from; New's keeps none
	Rules pair.Rules // which functions are the same, for traces opened from now on

	state   State
	history history
	jobs    []*Job
	lastJob int
	results chan delivery
	wake    func()
	now     func() time.Time
	hurry   chan struct{} // closed while the session settles: jobs start without waiting

	sought  sought
	visited GroupsOf // what choosing a group from the list has led to
	bars    [2]int   // intervals of time that the overview has room for
	glide   glide
	seen    seen
	moved   time.Time // when the focus or τ last changed

	notice      string
	noticeUntil time.Time
}

// New returns a session with nothing open. Wake is called from other goroutines when a job has
// finished or progressed, so that the interface draws a frame.
func New(wake func()) *Session {
	s := &Session{results: make(chan delivery, 16), wake: wake, now: time.Now,
		hurry: make(chan struct{}), Store: (*store.Store)(nil), bars: [2]int{usualBars, usualBars}}
	s.state.Rows, s.state.Levels = 1, usualLevels
	s.state.Tau, s.state.Style = usualTau, usualStyle
	s.state.Circle, s.state.WaitStyle = &Circle{}, usualWaitStyle
	for i := range s.state.Sides {
		s.state.Sides[i].Focus = s.state.Sides[i].Whole()
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
	if s.state.Any() {
		s.history.record(s.state.viewpoint(), s.now())
	}
}

// apply changes the state without a trace in the history.
func (s *Session) apply(f func(st *State)) {
	f(&s.state)
	s.state.Rev++
	s.noteMove()
	s.pursue()
}

// noticeTime is how long a notice stays.
const noticeTime = 6 * time.Second

// say shows a short message in the status line for a while.
func (s *Session) say(text string) {
	s.notice, s.noticeUntil = text, s.now().Add(noticeTime)
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
	s.apply(func(st *State) { st.Levels = max(leastLevels, min(n, mostLevels)) })
}
