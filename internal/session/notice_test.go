package session

import (
	"strings"
	"testing"
	"time"
)

// TestNoticesStayAsLongAsTheyTakeToRead: whatever a notice is about, a short one makes room for what
// the status line says of the call under the pointer soon.
func TestNoticesStayAsLongAsTheyTakeToRead(t *testing.T) {
	s, now := New(nil), time.Unix(0, 0)
	s.now = func() time.Time { return now }
	for _, c := range []struct {
		text        string
		least, most time.Duration
	}{
		{"The picture is copied", 4 * time.Second, 6 * time.Second},
		{"Saved to /tmp/report.html", 4 * time.Second, 6 * time.Second},
		{"Not saved: " + strings.Repeat("a long reason ", 8), 9 * time.Second, 15 * time.Second},
		{strings.Repeat("a text without end ", 1000), 15 * time.Second, 20 * time.Second},
	} {
		s.Say(c.text)
		began := now
		now = began.Add(c.least)
		if text, until := s.Notice(); text != c.text || until.Before(now) {
			t.Errorf("%.40q is gone after %v", c.text, c.least)
		}
		now = began.Add(c.most)
		if text, _ := s.Notice(); text != "" {
			t.Errorf("%.40q is still there after %v", c.text, c.most)
		}
		now = began
	}
}
