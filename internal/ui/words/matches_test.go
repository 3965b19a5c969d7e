package words

import (
	"fmt"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/scene/links"
	"diptych/internal/session"
)

func TestManyMatches(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 matches", 1: "1 match", 4000: "4\u2009000 matches",
		5e12: "5.0 × 10¹² matches"} {
		if got := ManyMatches(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestMatchCount(t *testing.T) {
	for _, c := range []struct {
		rung *match.Rung
		want string
	}{
		{nil, "2 of 30 drawn"},
		{&match.Rung{Totals: match.Totals{Pairs: 1}}, "2 of 30 drawn · 1 match"},
		{&match.Rung{Totals: match.Totals{Pairs: 50}}, "2 of 30 drawn · 50 matches"},
		{&match.Rung{Totals: match.Totals{Pairs: 50, Saturated: true}}, "2 of 30 drawn · over 50 matches"},
	} {
		if got := MatchCount(2, 30, c.rung); got != c.want {
			t.Errorf("%+v: %q, want %q", c.rung, got, c.want)
		}
	}
}

func TestTipsOfBars(t *testing.T) {
	st := session.New(func() {}).State()
	for name, c := range map[string]struct {
		bar  match.Bar
		want []string
	}{
		"none":    {match.Bar{}, []string{"match nothing in B"}},
		"one":     {match.Bar{Matches: 1, Weight: .5}, []string{"1 match, sum of similarity 0.5", "at the same time in B on average"}},
		"later":   {match.Bar{Matches: 3, Weight: 2, Shift: 2000}, []string{"3 matches, sum of similarity 2", "on average 2.00 µs later in B"}},
		"earlier": {match.Bar{Matches: 3, Weight: 2, Shift: -2000, Distance: 3000}, []string{"3 matches, sum of similarity 2", "on average 2.00 µs earlier in B, 3.00 µs apart"}},
	} {
		says(t, name, BarLines(st, &c.bar, "B"), c.want)
	}
	for span, want := range map[geom.Span]string{
		{Start: 1000, End: 2500}:       "calls of A that begin from 1.00 µs to 2.50 µs",
		{Start: 530_900, End: 531_300}: "calls of A that begin from 530.9 µs to 531.3 µs",
	} {
		if got := BarTitle(pair.A, span, "ns"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSampledBarsInWords: a bar that is not final says how much of it is known, and never that
// nothing matches; one that is final reads as always.
func TestSampledBarsInWords(t *testing.T) {
	st := compared(t, session.Matches).State()
	g := st.Found.Graph
	for _, scope := range []match.Scope{g.Scope, {Process: !g.Scope.Process, Threads: g.Scope.Threads}} {
		s, err := g.Sample(t.Context(), match.DefaultTau, [2]int{4, 4}, 1, scope)
		if err == nil {
			s, err = s.Refine(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		final, open := 0, 0
		for bar := range s.Sides[pair.A].Bars {
			got := strings.Join(SampledBarLines(st, s, pair.A, bar), "\n")
			if s.Settled(pair.A, bar) {
				final++
				if want := strings.Join(BarLines(st, &s.Sides[pair.A].Bars[bar], "B"), "\n"); got != want {
					t.Errorf("a final bar is %q, want %q", got, want)
				}
				continue
			}
			open++
			within := "compared within one thread a side so far: the bar can only grow"
			if s.Whole() {
				within = fmt.Sprintf("%d of %d calls compared so far: the bar can only grow",
					s.Sides[pair.A].Compared[bar], s.Sides[pair.A].Calls[bar])
			}
			if !strings.HasSuffix(got, within) || strings.Contains(got, "match nothing") {
				t.Errorf("an open bar is %q, want … %q", got, within)
			}
		}
		if open == 0 || s.Whole() && final == 0 {
			t.Errorf("%d final bars, %d open", final, open)
		}
		if text := SampleText(s); !strings.HasSuffix(text, " % of calls compared") || strings.HasPrefix(text, "100") {
			t.Errorf("the sample is %q", text)
		}
	}
}

func TestTipsOfMatches(t *testing.T) {
	st := compared(t, session.Matches).State()
	a, b := callOf(t, st, pair.A, "parse", 0), callOf(t, st, pair.B, "main", 0)
	l := &links.Link{S: .75, Shift: -1000}
	l.Ends[0].Ref, l.Ends[1].Ref = a.Ref, b.Ref
	l.Ends[0].Calls, l.Ends[1].Calls = 1, 12
	says(t, "a match", LinkLines(st, l), []string{"parse  |  main", "A  4.00 µs at 1.00 µs",
		"B  12.0 µs at 0 ns, the longest of 12 calls too narrow to draw",
		"75 % similar  ·  1.00 µs earlier in B"})
	unaligned := *st
	unaligned.Aligned = nil
	if lines := LinkLines(&unaligned, l); !strings.HasSuffix(lines[len(lines)-1], "before both sides are aligned") {
		t.Errorf("before the sides are aligned a match is %q", lines)
	}
	if unaligned.Style.All = true; len(LinkLines(&unaligned, l)) != 4 {
		t.Error("one of all matches is said to be the best")
	}
	for shift, want := range map[float64]string{0: "at the same time", 2000: "2.00 µs later in B",
		-2000: "2.00 µs earlier in B"} {
		if got := shiftText(st, &links.Link{Shift: shift}); got != want {
			t.Errorf("a shift of %v is %q, want %q", shift, got, want)
		}
	}
}

func TestGroupsInWords(t *testing.T) {
	for _, c := range []struct {
		groups session.Groups
		listed int
		want   string
	}{
		{session.Groups{Total: 1, Summed: true}, 1, "1 group in the time shown"},
		{session.Groups{Total: 30, Summed: true, Busy: true}, 12, "12 of 30 groups in the time shown …"},
		{session.Groups{Total: 30, Summed: true, Why: "too many"}, 30, "30 groups, not all: too many"},
		{session.Groups{Total: 2, Summed: true, Visible: true}, 2,
			"2 groups among the calls wide enough to see, since there are too many to list all"},
	} {
		if got := GroupsHeading(&c.groups, c.listed); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	s := compared(t, session.Matches)
	s.SetTab(session.GroupsTab)
	s.Settle(t.Context())
	st := s.State()
	for i := range st.Found.Groups.List {
		if a, b := GroupNames(st, &st.Found.Groups.List[i]); a == "" || b == "" {
			t.Errorf("group %d has the roots %q and %q", i, a, b)
		}
	}
	if len(st.Found.Groups.List) == 0 {
		t.Error("there are no groups")
	}
}
