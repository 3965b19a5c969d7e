package perfetto

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

// Two kinds of stretches depend on what was there before them in time, which is not the order of
// packets: so their ends are kept until all is read.
//
//   - Asynchronous slices of atrace (S and F) do not nest: one that is open does not begin again.
//   - A state of a track (TYPE_STATE) holds until the next one; one without a name is none.

// turn is an end of a stretch.
type turn struct {
	at     int64
	fn     trace.FuncID
	begins bool
	args   []byte
}

// stretches are those of one track.
type stretches struct {
	*trace.ThreadBuilder
	turns  []turn
	states bool
}

// stretchesOf returns the stretches of a track that has none but those.
func (f *feed) stretchesOf(th *trace.ThreadBuilder, states bool) *stretches {
	s := f.stretches[th]
	if s == nil {
		s = &stretches{ThreadBuilder: th, states: states}
		f.stretches[th] = s
		f.stretched = append(f.stretched, s)
	}
	return s
}

// finishStretches feeds all stretches.
func (f *feed) finishStretches() {
	for _, s := range f.stretched {
		slices.SortStableFunc(s.turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
		if s.states {
			s.finishStates(f.latest)
		} else if again := s.finishSlices(); again > 0 {
			f.b.Diagnose(trace.UnmatchedBegin, again, "slices of atrace that began while they were open")
		}
	}
}

func (s *stretches) finishStates(end int64) {
	open := false
	for _, t := range s.turns {
		if open {
			s.End(t.at)
		}
		if open = t.begins; open {
			s.Args(s.Begin(t.at, t.fn), t.args)
		}
	}
	if open {
		s.End(end)
	}
}

// finishSlices returns how many began while they were open.
func (s *stretches) finishSlices() (again uint64) {
	open := false
	for _, t := range s.turns {
		switch {
		case !t.begins:
			s.End(t.at)
		case open:
			again++
			continue
		default:
			s.Begin(t.at, t.fn)
		}
		open = t.begins
	}
	return again
}

// state feeds an event of a state.
func (f *feed) state(s *sequence, e *event, t *track, at int64) {
	th := f.builder(t, f.nameOf(s, e))
	if t.place == onThread { // which has calls of its own
		th.Instant(at, f.function(s, e, trace.Event))
		return
	}
	of := f.stretchesOf(th, true)
	of.turns = append(of.turns, turn{at, f.function(s, e, trace.Region), f.nameOf(s, e) != "",
		slices.Clone(f.arguments(s, e))})
}
