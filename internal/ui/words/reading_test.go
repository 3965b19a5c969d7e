package words

import (
	"testing"

	"diptych/internal/session"
	"diptych/internal/trace"
)

func TestReading(t *testing.T) {
	read := func(share float64, calls int) *session.Growing {
		return &session.Growing{Glimpse: trace.Glimpse{Calls: calls}, Share: share}
	}
	for _, c := range []struct {
		g    *session.Growing
		want string
	}{
		{nil, "opening"},
		{read(-1, 0), "opening"},
		{read(.07, 0), "7.0 % read"},
		{read(.42, 1), "42 % read  ·  1 call so far"},
		{read(-1, 2), "2 calls so far"},
		{read(1, 2), "2 calls so far"},
	} {
		if got := Reading(c.g); got != c.want {
			t.Errorf("%q is said, want %q", got, c.want)
		}
	}
}
