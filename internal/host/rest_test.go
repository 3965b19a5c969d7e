package host

import (
	"testing"
	"time"
)

// TestRest: after a slow frame what nobody waits for comes later, and all else at once.
func TestRest(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		due  time.Time
		rest bool
	}{
		"at once":          {time.Time{}, false},
		"what moves":       {now.Add(-time.Second), false},
		"progress of work": {now.Add(-time.Second / 2), true},
		"much later":       {now.Add(time.Hour), false},
	} {
		l := &loop{stage: &stage{wanted: true, due: c.due}, last: now.Add(-time.Second)}
		l.rest()
		if l.due.Equal(l.rested) != c.rest || !c.rest && !l.due.Equal(c.due) || l.rested.Before(now) {
			t.Errorf("%s: the next frame is due %v after the last one, drawing has rested after %v", name,
				l.due.Sub(l.last), l.rested.Sub(l.last))
		}
	}
}
