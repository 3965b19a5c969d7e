package words

import (
	"fmt"
	"strconv"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
)

// LinkLines is what the tooltip says of a match.
func LinkLines(st *session.State, l *links.Link) []string {
	names, times := [2]string{}, [2]string{}
	for k, end := range l.Ends {
		tr := st.Sides[k].Trace
		th, unit := tr.Threads[end.Ref.Thread], string(tr.Unit)
		names[k] = tr.FunctionOf(th, int(end.Ref.Call)).Name
		times[k] = fmt.Sprintf("%c  %s%s", "AB"[k],
			geom.FormatValue(float64(th.Dur(int(end.Ref.Call))), unit), At(st, " ", th.Start(int(end.Ref.Call))))
		if end.Calls > 1 {
			times[k] += fmt.Sprintf(", the longest of %s calls too narrow to draw", kit.Grouped(end.Calls))
		}
	}
	title := names[0]
	if names[1] != names[0] {
		title += "  |  " + names[1]
	}
	lines := []string{title, times[0], times[1],
		kit.Joined(kit.Percent(l.S)+" similar", shiftText(st, l))}
	if st.Aligned == nil && !st.Style.All {
		lines = append(lines, "the best match as far as is known before both sides are aligned")
	}
	return lines
}

// BestLines lists the best matches of the call under the pointer, in the order in which clicks
// slide to them; nil where there are none or they are not known yet.
func BestLines(st *session.State) []string {
	if st.Found == nil || !st.Hover.OK || st.Found.Lit.Of != st.Hover || len(st.Found.Lit.Best) == 0 {
		return nil
	}
	lines := []string{"best matches in " + st.Hover.Side.Other().String() + ", a click each:"}
	for i, m := range st.Found.Lit.Best {
		aligned := ""
		if m.Rank.Aligned {
			aligned = "aligned"
		}
		lines = append(lines, fmt.Sprint(i+1)+"  "+kit.Joined(st.FunctionName(m.Target),
			kit.Percent(m.Rank.S), aligned, StartOf(st, m.Target)))
	}
	return lines
}

// shiftText says how far the two calls of a match lie apart; "" in a profile.
func shiftText(st *session.State, l *links.Link) string {
	if st.Profile() {
		return ""
	}
	unit := string(st.Sides[0].Trace.Unit)
	switch shift := l.Shift; {
	case shift > 0:
		return geom.FormatValue(shift, unit) + " later in B"
	case shift < 0:
		return geom.FormatValue(-shift, unit) + " earlier in B"
	}
	return "at the same time"
}

// BarLines puts a bar into words; other is the letter of the trace its matches are in.
func BarLines(st *session.State, b *match.Bar, other string) []string {
	if b.Matches == 0 {
		return []string{"match nothing in " + other}
	}
	text := ManyMatches(uint64(b.Matches)) + ", sum of similarity " + strconv.FormatFloat(b.Weight, 'g', 4, 64)
	if st.Profile() {
		return []string{text}
	}
	unit := UnitOf(st)
	at := "at the same time in " + other + " on average"
	switch shift := geom.FormatValue(kit.Abs(b.Shift), unit); {
	case b.Shift > 0:
		at = "on average " + shift + " later in " + other
	case b.Shift < 0:
		at = "on average " + shift + " earlier in " + other
	}
	if b.Distance > 0 {
		at += ", " + geom.FormatValue(b.Distance, unit) + " apart"
	}
	return []string{text, at}
}

// GroupNames returns the names of a group's root functions.
func GroupNames(st *session.State, s *match.Summary) (a, b string) {
	return ofRoots(st, s, func(tr *trace.Trace, th *trace.Thread, call int) string {
		return tr.FunctionOf(th, call).Name
	})
}

// GroupThreads returns what names the threads of groups' root calls, with the id where a title is
// that of several. It goes through the threads once, since there may be many of both.
func GroupThreads(st *session.State) func(*session.State, *match.Summary) (a, b string) {
	type titled struct {
		tr    *trace.Trace
		title string
	}
	count := map[titled]int{}
	for _, sd := range st.Sides {
		for _, th := range sd.Trace.Threads {
			count[titled{sd.Trace, th.Title()}]++
		}
	}
	return func(st *session.State, s *match.Summary) (a, b string) {
		return ofRoots(st, s, func(tr *trace.Trace, th *trace.Thread, _ int) string {
			if title := th.Title(); count[titled{tr, title}] < 2 {
				return title
			}
			return th.Title() + " (" + th.ID + ")"
		})
	}
}

// GroupCallers returns what calls a group's root calls.
func GroupCallers(st *session.State, s *match.Summary) (a, b string) {
	return ofRoots(st, s, func(tr *trace.Trace, th *trace.Thread, call int) string {
		if up := int(th.Parent(call)); up >= 0 {
			return "called by " + tr.FunctionOf(th, up).Name
		}
		return "called by nobody"
	})
}

// GroupStarts returns when a group's root calls start; in a profile nothing does.
func GroupStarts(st *session.State, s *match.Summary) (a, b string) {
	return ofRoots(st, s, func(tr *trace.Trace, th *trace.Thread, call int) string {
		if st.Profile() {
			return ""
		}
		return "at " + geom.FormatValue(float64(th.Start(call)), string(tr.Unit))
	})
}

// ofRoots returns what of says of a group's root calls.
func ofRoots(st *session.State, s *match.Summary,
	of func(*trace.Trace, *trace.Thread, int) string) (a, b string) {
	root := func(side pair.Side, i int) string {
		calls := &st.Found.Graph.Sides[side].Calls
		th, call := calls.At(i)
		return of(st.Sides[side].Trace, calls.Threads[th], call)
	}
	return root(pair.A, s.A), root(pair.B, s.B)
}

// ManyMatches writes a number of matches with the noun.
func ManyMatches(n uint64) string {
	if n == 1 {
		return "1 match"
	}
	return kit.Counted(n) + " matches"
}

// GroupsHeading says how many groups there are and among which calls they were looked for; listed
// is how many of them the list shows.
func GroupsHeading(gs *session.Groups, listed int) string {
	text := kit.Plural(gs.Total, "group")
	if listed < gs.Total {
		text = kit.Grouped(listed) + " of " + text
	}
	switch {
	case gs.Visible:
		text += " among the calls wide enough to see, since there are too many to list all"
	case gs.Why != "":
		text += ", not all: " + gs.Why
	default:
		text += " in the time shown"
	}
	if gs.Busy || !gs.Summed {
		text += " …"
	}
	return text
}

// MatchCount says how many of the matches between calls wide enough to see are drawn, and how many
// there are in the whole of what is compared: the number that match --json gives as pairs.
func MatchCount(drawn int, visible uint64, r *match.Rung) string {
	text := kit.Grouped(drawn) + " of " + kit.Counted(visible) + " drawn"
	switch {
	case r == nil:
	case r.Saturated:
		text += " · over " + kit.Counted(r.Pairs) + " matches"
	default:
		text += " · " + ManyMatches(r.Pairs)
	}
	return text
}

// SampleText says how many calls are compared so far.
func SampleText(s *match.Sample) string {
	share := s.Share()
	if share < 1 {
		share = min(share, .99) // which must not read as all of them
	}
	return kit.Percent(share) + " of calls compared"
}

// SampledBarLines puts a bar of a sample into words, and how much of it is known.
func SampledBarLines(st *session.State, s *match.Sample, side pair.Side, bar int) []string {
	of, other := &s.Sides[side], side.Other().String()
	lines := BarLines(st, &of.Bars[bar], other)
	if s.Settled(side, bar) {
		return lines
	}
	if of.Bars[bar].Matches == 0 {
		lines = []string{"no match in " + other + " is known yet"}
	}
	if !s.Whole() {
		return append(lines, "compared within one thread a side so far: the bar can only grow")
	}
	return append(lines, kit.Counted(of.Compared[bar])+" of "+kit.Counted(of.Calls[bar])+
		" calls compared so far: the bar can only grow")
}

// BarTitle says which calls a bar stands for: those of a side that start within span.
func BarTitle(side pair.Side, span geom.Span, unit string) string {
	return "calls of " + side.String() + " that begin from " +
		geom.FormatSpan(span.Start, span.End, unit)
}
