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
}

// On returns the stretch of time on a side.
func (r *Range) On(side pair.Side) geom.Span {
	if side == r.Side {
		return r.Span
	}
	return r.Across
}

// SelectRange selects the part of span that lies within side's trace, and what stands across from
// it on the other side.
func (s *Session) SelectRange(side pair.Side, span geom.Span) {
	s.apply(func(st *State) {
		span = overlap(span, st.Sides[side].Whole())
		st.Range = Range{side, span, st.across(side, span), span.Len() > 0}
	})
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
			return overlap(to, other.Whole())
		}
	}
	if st.Lock != Free && st.Lock != ByAlignment {
		return overlap(st.follow(side, span), other.Whole())
	}
	from, to := st.Sides[side].Focus, other.Focus
	scale := to.Len() / from.Len()
	return overlap(geom.Span{Start: to.Start + (span.Start-from.Start)*scale,
		End: to.Start + (span.End-from.Start)*scale}, other.Whole())
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
func (r *Range) Counted() (ranges [2]stats.Range) {
	for side := range ranges {
		if span := r.On(pair.Side(side)); span.Len() > 0 {
			from := int64(math.Round(span.Start))
			ranges[side] = stats.Range{From: from, To: max(int64(math.Round(span.End)), from+1)}
		}
	}
	return ranges
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

// StudiedRanges returns the ranges whose calls are studied.
func (st *State) StudiedRanges() [2]stats.Range {
	if st.Study.Ranged {
		return st.Range.Counted()
	}
	return [2]stats.Range{stats.Whole(st.Pair.A), stats.Whole(st.Pair.B)}
}
