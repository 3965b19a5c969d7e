//go:build !nogui

package cli

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/ui"
)

// opened returns a settled session with a pair of real traces.
func opened(t *testing.T) *session.Session {
	t.Helper()
	s := session.New(func() {})
	for i, path := range builds {
		tr, err := traceio.Load(context.Background(), path, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Put(pair.Side(i), path, tr)
	}
	s.Settle(context.Background())
	return s
}

// TestSettingsAreListedOnce: no two views share a key, and each key has a line of help that fits.
func TestSettingsAreListedOnce(t *testing.T) {
	known := map[string]bool{}
	help := strings.Split(settingsHelp(), "\n")
	for k, x := range ui.Settings() {
		if known[x.Key] {
			t.Errorf("the key %s is there twice", x.Key)
		}
		known[x.Key] = true
		if len(help[k]) > 130 || !strings.Contains(help[k], x.Key) || x.Help == "" {
			t.Errorf("%q is no help line of %s", help[k], x.Key)
		}
	}
}

// TestUnknownSettingsAreTold: a window lists only what it takes, a picture also what needs traces.
func TestUnknownSettingsAreTold(t *testing.T) {
	for _, c := range []struct {
		args []string
		all  bool
	}{
		{[]string{"open", "--set", "x=1", queueA()}, false},
		{[]string{"render", "--set", "x=1", "-o", filepath.Join(t.TempDir(), "x.png"), queueA()}, true},
	} {
		status, _, errs := run(t, c.args...)
		if status != 2 || !strings.Contains(errs, "--set x=1: want key=value with a key of theme") ||
			strings.Contains(errs, "search") != c.all {
			t.Errorf("%q: %d %s", c.args, status, errs)
		}
	}
}

func TestMatchSettings(t *testing.T) {
	s := opened(t)
	style := func(st *session.State) session.Style { return st.Style }
	id := func(side pair.Side) string { return s.State().Sides[side].Trace.Threads[0].ID }
	for _, c := range []struct {
		set  string
		says string // of the error, or ""
		want func(st *session.State) bool
	}{
		{"tau=0.35", "", func(st *session.State) bool { return st.Tau == 35 }},
		{"tau=0", "", func(st *session.State) bool { return st.Tau == 0 }},
		{"tau=.29", "", func(st *session.State) bool { return st.Tau == 29 }},
		{"tau=1", "0 to 0.99", nil},
		{"tau=-0.1", "0 to 0.99", nil},
		{"tau=0.355", "hundredths", nil},
		{"tau=nan", "hundredths", nil},
		{"lambda=0", "", func(st *session.State) bool { return st.Style.Lambda == 0 }},
		{"band=40%", "", func(st *session.State) bool { return st.Style.Band == 0.4 }},
		{"band=0.25", "", func(st *session.State) bool { return st.Style.Band == 0.25 }},
		{"band=1.5", "from 0 to 1", nil},
		{"band=nan", "from 0 to 1", nil},
		{"bundling=1", "", func(st *session.State) bool { return st.Style.Strength == 1 }},
		{"shape=both", "", func(st *session.State) bool { return st.Style.Shape == links.Both }},
		{"shape=lines", "", func(st *session.State) bool { return st.Style.Shape == links.Lines }},
		{"shape=none", "", func(st *session.State) bool { return st.Style.Hidden }},
		{"shape=round", "both or lines or none or tubes", nil},
		{"colour=plain", "", func(st *session.State) bool { return st.Style.Colour == links.Plain }},
		{"colour=trace-b", "", func(st *session.State) bool {
			return st.Style.Colour == links.TraceCentric && st.Viewpoint == pair.B
		}},
		{"similarity=on", "", func(st *session.State) bool { return style(st).Similarity }},
		{"matches=all", "", func(st *session.State) bool { return style(st).All }},
		{"matches=best", "", func(st *session.State) bool { return !style(st).All }},
		{"frames=on", "", func(st *session.State) bool { return style(st).Frames }},
		{"layout=original", "", func(st *session.State) bool { return style(st).Original }},
		{"relative=on", "", func(st *session.State) bool { return style(st).Relative }},
		{"scheme=colour-blind", "", func(st *session.State) bool { return style(st).ColourBlind }},
		{"motion=off", "", func(st *session.State) bool { return st.Still }},
		{"hover=B:" + s.State().Sides[pair.B].Trace.Threads[1].ID + ":0", "", func(st *session.State) bool {
			return st.Hover == session.Target{Side: pair.B, Ref: trace.CallRef{Thread: 1}, OK: true}
		}},
		{"hover=C:1:0", "A:TID:INDEX", nil},
		{"anchor=A:" + id(pair.A) + ":1=B:" + id(pair.B) + ":2,B:" + id(pair.B) + ":3=A:" + id(pair.A) + ":4", "",
			func(st *session.State) bool {
				all := st.Anchors.All()
				return len(all) == 2 && all[0].Calls == [2]int32{1, 2} && all[1].Calls == [2]int32{4, 3}
			}},
		{"anchor=A:" + id(pair.A) + ":1", "A:TID:INDEX=B:TID:INDEX", nil},
		{"anchor=A:" + id(pair.A) + ":1=A:" + id(pair.A) + ":2", "one of B", nil},
		{"hover=A:1:99999999", "no such call", nil},
	} {
		set, err := parseSettings([]string{c.set}, false)
		if err != nil {
			t.Fatal(err)
		}
		err = set.apply(s)
		switch {
		case c.says != "":
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: the error is %v, want one with %q", c.set, err, c.says)
			}
		case err != nil:
			t.Error(err)
		case !c.want(s.State()):
			t.Errorf("%s does not do what it says", c.set)
		}
	}
}
