package session

import (
	"math"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/stats"
)

// Range is a selected stretch of time, or nothing. It was selected on one side; Across is what it
// is compared with on the other one.
type Range struct {
	Side   pair.Side
	Span   geom.Span
	Across geom.Span // empty if there is nothing across
	OK     bool
	// One says that it was selected while one pair of threads was shown, and is about these alone.
	One     bool
	Threads pair.ThreadPair
}

// On returns the stretch of time on a side.
func (r *Range) On(side pair.Side) geom.Span {
	if side == r.Side {
		return r.Span
	}
	return r.Across
}

// mirror exchanges the sides.
func (r *Range) mirror() {
	r.Side = r.Side.Other()
	r.Threads.A, r.Threads.B = r.Threads.B, r.Threads.A
}

// SelectRange selects the part of span that lies within side's trace, and what stands across from
// it on the other side, of the threads that the pane shows.
func (s *Session) SelectRange(side pair.Side, span geom.Span) {
	s.apply(func(st *State) {
		st.selectRange(side, span)
		if !st.Process && st.Pair != nil && st.Current < len(st.Pair.Threads) {
			st.Range.One, st.Range.Threads = true, st.Pair.Threads[st.Current]
		}
	})
}

// SelectRangeOfAll is SelectRange for a view that shows all threads whatever the pane's are.
func (s *Session) SelectRangeOfAll(side pair.Side, span geom.Span) {
	s.apply(func(st *State) { st.selectRange(side, span) })
}

func (st *State) selectRange(side pair.Side, span geom.Span) {
	span = overlap(span, st.Sides[side].ran())
	st.Range = Range{Side: side, Span: span, Across: st.across(side, span), OK: span.Len() > 0}
}

// across returns what a stretch of a side's time is compared with: the same stretch by the lock, or
// by the alignment while that is shown and known. Without a lock it is what the two sides show one
// above the other, since that is what the user has before their eyes. All of it lies within the
// other trace.
func (st *State) across(side pair.Side, span geom.Span) geom.Span {
	if !st.Both() {
		return geom.Span{}
	}
	other := &st.Sides[side.Other()]
	if st.virtual() {
		if to, ok := st.aligned(side, span); ok {
			return overlap(to, other.ran())
		}
	}
	if st.Lock != Free && st.Lock != ByAlignment {
		return overlap(st.follow(side, span), other.ran())
	}
	from, to := st.Sides[side].Focus, other.Focus
	scale := to.Len() / from.Len()
	return overlap(geom.Span{Start: to.Start + (span.Start-from.Start)*scale,
		End: to.Start + (span.End-from.Start)*scale}, other.ran())
}

// overlap returns what two spans have in common; where that is nothing, an empty span.
func overlap(a, b geom.Span) geom.Span {
	o := geom.Span{Start: max(a.Start, b.Start), End: min(a.End, b.End)}
	if o.Len() <= 0 {
		return geom.Span{}
	}
	return o
}

// Counted returns the selected stretch of time on both sides as package stats counts it: in whole
// ns, at least one where it is not empty.
func (r *Range) Counted() stats.Window {
	w := stats.Window{One: r.One, Threads: r.Threads}
	for side := range w.Ranges {
		if span := r.On(pair.Side(side)); span.Len() > 0 {
			from := int64(math.Round(span.Start))
			w.Ranges[side] = stats.Range{From: from, To: max(int64(math.Round(span.End)), from+1)}
		}
	}
	return w
}

// ClearRange selects no stretch of time.
func (s *Session) ClearRange() {
	s.apply(func(st *State) {
		if st.Range = (Range{}); st.Study.Ranged {
			st.Study = Study{}
		}
	})
}

// Study is a function whose durations are shown, if Of is the present Pair.
type Study struct {
	Of     *pair.Pair
	ID     uint32    // identity of the function
	Ranged bool      // only the calls in the selected range
	Bin    stats.Bin // whose calls are listed; none if it is empty
}

// Studied returns the function whose durations are shown.
func (st *State) Studied() (Study, bool) {
	return st.Study, st.Study.Of != nil && st.Study.Of == st.Pair && (!st.Study.Ranged || st.Range.OK)
}

// StudyFunction shows the durations of a function: of all its calls, or of those in the selected
// range.
func (s *Session) StudyFunction(id uint32, ranged bool) {
	s.apply(func(st *State) { st.Study = Study{Of: st.Pair, ID: id, Ranged: ranged} })
}

// StudyBin lists the calls with durations in a bin, or none with an empty one.
func (s *Session) StudyBin(bin stats.Bin) { s.apply(func(st *State) { st.Study.Bin = bin }) }

// EndStudy shows no durations.
func (s *Session) EndStudy() { s.apply(func(st *State) { st.Study = Study{} }) }

// StudiedWindow returns the window whose calls are studied.
func (st *State) StudiedWindow() stats.Window {
	if st.Study.Ranged {
		return st.Range.Counted()
	}
	return stats.Everything(st.Pair)
}
