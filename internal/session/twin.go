package session

import (
	"maps"
	"slices"
	"time"
)

// Twin returns another session in the state of s, which must have settled. What has been computed
// is shared, as nothing of it ever changes; all that happens to one session later leaves the other
// as it is. Tests start with twins, so that each of them need not compute everything anew.
func (s *Session) Twin(wake func()) *Session {
	t := New(wake)
	t.Store, t.Rules, t.Strict, t.Whole = s.Store, s.Rules, s.Strict, s.Whole
	t.state = s.state
	t.state.panes = slices.Clone(s.state.panes)
	t.history = s.history
	t.history.steps = slices.Clone(s.history.steps)
	t.history.last = time.Time{} // what comes next is a step of its own
	t.asked, t.inquiries, t.lastInquiry = maps.Clone(s.asked), slices.Clone(s.inquiries), s.lastInquiry
	t.left, t.lastPair, t.visited, t.bars, t.seen = s.left, s.lastPair, s.visited, s.bars, s.seen
	return t
}
