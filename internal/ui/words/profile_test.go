package words

import (
	"context"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/links"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/wait"
)

// TestProfilesHaveNoTime: of two profiles no tooltip says when, by how much earlier or in ns.
func TestProfilesHaveNoTime(t *testing.T) {
	s := session.New(func() {})
	for side := range 2 {
		put(t, s, pair.Side(side), "trace pprof unit=bytes profile\nthread 1 name=alloc\n"+
			"  0+5000000 main\n    1000000+3000000 parse\n")
	}
	s.SetView(session.Alignment)
	s.Settle(t.Context())
	st := s.State()
	a, b := callOf(t, st, pair.A, "parse", 0), callOf(t, st, pair.B, "parse", 0)
	l := &links.Link{S: 1, Shift: 2000}
	l.Ends[0].Ref, l.Ends[1].Ref = a.Ref, b.Ref
	says(t, "a match", LinkLines(st, l), []string{"parse", "A  2.86 MiB", "B  2.86 MiB", "100 % similar"})
	says(t, "a bar", BarLines(st, &match.Bar{Matches: 2, Weight: 1, Shift: 5, Distance: 3}, "B"),
		[]string{"2 matches, sum of similarity 1"})
	says(t, "a call", TipLines(st, matches.Hit{Pick: icicle.Pick{Call: 1}}), []string{"parse", "2.86 MiB, self 2.86 MiB"})
	if got := StartOf(st, a); got != "" {
		t.Errorf("a call of a profile starts %q", got)
	}
	if got, want := skewWords(st, 2<<20), "up to here A has 2.00 MiB more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	hit := &aligned.Hit{Node: aligned.Node{Calls: [2]int{1, 1}}}
	if lines := strings.Join(AlignLines(st, st.Shown(), hit), "\n"); strings.Contains(lines, " at ") ||
		!strings.Contains(lines, "2.86 MiB") {
		t.Errorf("a pair of calls: %s", lines)
	}
	if got, want := BarTitle(pair.A, geom.Span{End: 1 << 20}, UnitOf(st)),
		"calls of A that begin from 0 B to 1.00 MiB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCallsOfATrace: how much a side holds.
func TestCallsOfATrace(t *testing.T) {
	const profile = "trace text profile\nthread 1\n  0+9 main\n    1+3 f\n    4+3 g\n"
	counted := texttest.Parse(t, profile)
	counted.CallCounts = []trace.CallCount{{Caller: 0, Callee: 1, Calls: 40}, {Caller: 0, Callee: 2, Calls: 2}}
	for tr, want := range map[*trace.Trace]string{
		texttest.Parse(t, profile): "3 stacks", counted: "42 calls",
		texttest.Parse(t, strings.Replace(profile, " profile", "", 1)): "3 calls",
	} {
		if got := Calls(tr); got != want {
			t.Errorf("it holds %q, want %q", got, want)
		}
	}
}

func TestStretchesOfThePath(t *testing.T) {
	a := compared(t, session.Threads).State().WaitsOf(pair.A)
	p, err := a.CriticalPath(context.Background())
	if err != nil || len(p.Segments) < 2 {
		t.Fatal(p, err)
	}
	last := len(p.Segments) - 1
	tip := StretchTip(a, p, last, false)
	if tip[0] != "Critical path, "+StretchText(a, p, last) || tip[len(tip)-1] != "click: show this stretch" {
		t.Errorf("of the last one it says %q", tip)
	}
	before := ThreadText(a, int(p.Segments[last-1].Thread))
	if all := strings.Join(tip, "|"); !strings.Contains(all, "before: "+before) {
		t.Errorf("it does not say that %s comes before: %q", before, tip)
	}
	if tip = StretchTip(a, p, 0, true); tip[2] != "the path begins here" {
		t.Errorf("of the first one it says %q", tip)
	}
	one := *p
	one.Segments = p.Segments[:1]
	one.Segments[0].WaitNs = 1500
	if got := StretchText(a, &one, 0); !strings.HasPrefix(got, "stretch 1 of 1: ") ||
		!strings.HasSuffix(got, ", 1.50 µs of it unexplained waiting") {
		t.Errorf("of one with a wait that nothing explains it says %q", got)
	}
	one.Segments[0].From, one.Segments[0].To = 2_341_100, 2_341_400
	if got, want := StretchTip(a, &one, 0, true)[1], "from 2.3411 ms to 2.3414 ms"; got != want {
		t.Errorf("of a short one late in the run it says %q, want %q", got, want)
	}
	many := wait.Path{Segments: []wait.Segment{{From: 1500, To: 2500}, {From: 2500, To: 9000}}}
	if got := Stretches(a, &many); got != "2 stretches from 1.50 µs to 9.00 µs" {
		t.Errorf("%q", got)
	}
}
