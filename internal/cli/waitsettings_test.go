//go:build !nogui

package cli

import (
	"strings"
	"testing"

	"diptych/internal/session"
)

func TestWaitSettings(t *testing.T) {
	s := opened(t)
	st := s.State()
	id := func(k int) string { return "A:" + st.Sides[0].Trace.Threads[st.Pair.Threads[k].A].ID }
	for _, c := range []struct {
		set  string
		says string // of the error, or ""
		want func(st *session.State) bool
	}{
		{"view=threads", "", func(st *session.State) bool { return st.View == session.Threads }},
		{"wait-colour=object", "", func(st *session.State) bool { return st.WaitStyle.ByObject }},
		{"wait-colour=red", "object or thread", nil},
		{"releases=all", "", func(st *session.State) bool { return st.WaitStyle.All }},
		{"roles=apart", "", func(st *session.State) bool { return st.WaitStyle.Apart }},
		{"idle=on", "", func(st *session.State) bool { return st.Circle().Idle }},
		{"changed=40%", "", func(st *session.State) bool { return st.WaitStyle.Threshold == 40 }},
		{"changed=2", "from 0 to 1", nil},
		{"radius=0.6", "", func(st *session.State) bool { return st.WaitStyle.Zero == .6 }},
		{"split=50%", "", func(st *session.State) bool { return st.WaitStyle.Split == .5 }},
		{"focus-thread=" + id(1), "", func(st *session.State) bool { return st.Current == 1 }},
		{"focus-thread=A:none", "no thread", nil},
		{"focus-thread=1", "want A:TID", nil},
		{"focus-thread=" + id(0) + "," + id(1), "no thread", nil},
		{"hidden=" + id(0) + "," + id(2), "", func(st *session.State) bool {
			return st.Circle().Hidden[0] && st.Circle().Hidden[2] && len(st.Circle().Hidden) == 2
		}},
		{"wide=" + id(3), "", func(st *session.State) bool { return st.Circle().Wide[3] }},
		{"order=" + id(3) + "," + id(1), "", func(st *session.State) bool {
			return len(st.Circle().Order) == 2 && st.Circle().Order[0] == 3
		}},
	} {
		set, err := parseSettings([]string{c.set}, false)
		if err == nil {
			err = set.apply(s)
		}
		switch {
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v", c.set, err)
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.set, err)
		case c.want != nil && !c.want(s.State()):
			t.Errorf("%s changes nothing", c.set)
		}
	}
}
