package session

import (
	"fmt"
	"slices"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/saved"
)

// Spot is what a note is attached to: a call, or a time of a side.
type Spot struct {
	Side pair.Side
	Call Target  // of that side; not OK for a time
	At   float64 // ns since the trace's start, if Call is not OK
}

// SpotOf returns the spot of a call.
func SpotOf(t Target) Spot { return Spot{Side: t.Side, Call: t} }

// Note is a text that the user wrote at a spot. It never changes.
type Note struct {
	Number int // on its flag; no other note has it
	Text   string
	Spot

	// named is how the note's call is found again in another trace; nil for a time.
	named *saved.Call
}

// Lost reports whether the call that the note belongs to is not in the trace that is open.
func (n *Note) Lost() bool { return n.named != nil && !n.Call.OK }

// Notes are all notes, in the order of their numbers. They are never changed, only replaced; nil
// holds none.
type Notes struct{ list []Note }

// All lists the notes.
func (n *Notes) All() []Note {
	if n == nil {
		return nil
	}
	return n.list
}

// Len returns how many notes there are.
func (n *Notes) Len() int { return len(n.All()) }

// Get returns a note by its number.
func (n *Notes) Get(number int) (Note, bool) {
	for _, x := range n.All() {
		if x.Number == number {
			return x, true
		}
	}
	return Note{}, false
}

// At returns the note at a spot.
func (n *Notes) At(p Spot) (Note, bool) {
	for _, x := range n.All() {
		if x.Spot == p {
			return x, true
		}
	}
	return Note{}, false
}

// each returns the notes as f has them; nil if there are none.
func (n *Notes) each(f func(Note) Note) *Notes {
	if n.Len() == 0 {
		return nil
	}
	now := &Notes{slices.Clone(n.list)}
	for i := range now.list {
		now.list[i] = f(now.list[i])
	}
	return now
}

// mirrored returns the notes with A and B exchanged.
func (n *Notes) mirrored() *Notes {
	return n.each(func(x Note) Note {
		x.Side = x.Side.Other()
		if x.Call.OK {
			x.Call.Side = x.Side
		}
		return x
	})
}

// renewed returns the notes with those of a side looked for in its new trace. What is not there
// keeps its text and its name, and may be found in the next.
func (n *Notes) renewed(st *State, side pair.Side) *Notes {
	return n.each(func(x Note) Note {
		if x.Side == side && x.named != nil {
			x.Call, _ = st.callNamed(side, *x.named)
		}
		return x
	})
}

// lost counts the notes of a side whose call is gone.
func (n *Notes) lost(side pair.Side) (lost int) {
	for _, x := range n.All() {
		if x.Side == side && x.Lost() {
			lost++
		}
	}
	return lost
}

// Write puts a text at a spot: another text if there is a note already, and none if the text is
// empty. It is a step of the history.
func (s *Session) Write(p Spot, text string) {
	if s.state.Sides[p.Side].Trace == nil {
		return
	}
	text = strings.TrimSpace(clip(text))
	if was, ok := s.state.Notes.At(p); ok {
		s.Rewrite(was.Number, text)
		return
	}
	if text == "" || s.state.Notes.Len() >= saved.MostNotes {
		return
	}
	n := Note{Number: s.state.Notes.free(), Text: text, Spot: p}
	if p.Call.OK {
		named := s.state.nameCall(p.Call)
		n.named = &named
	}
	s.change(func(st *State) { st.Notes = &Notes{append(slices.Clone(st.Notes.All()), n)} })
}

// clip cuts a text to what a file may hold.
func clip(text string) string {
	if len(text) > saved.MostText {
		text = strings.ToValidUTF8(text[:saved.MostText], "")
	}
	return strings.ToValidUTF8(text, "�")
}

// free returns the number of the next note.
func (n *Notes) free() int {
	if n.Len() == 0 {
		return 1
	}
	return n.list[n.Len()-1].Number + 1
}

// Rewrite gives a note another text; an empty one removes it.
func (s *Session) Rewrite(number int, text string) {
	was, ok := s.state.Notes.Get(number)
	text = strings.TrimSpace(clip(text))
	switch {
	case !ok || was.Text == text:
	case text == "":
		s.RemoveNote(number)
	default:
		s.change(func(st *State) {
			st.Notes = st.Notes.each(func(x Note) Note {
				if x.Number == number {
					x.Text = text
				}
				return x
			})
		})
	}
}

// RemoveNote removes a note.
func (s *Session) RemoveNote(number int) {
	if _, ok := s.state.Notes.Get(number); !ok {
		return
	}
	s.change(func(st *State) {
		kept := slices.DeleteFunc(slices.Clone(st.Notes.list), func(x Note) bool { return x.Number == number })
		if st.Notes = nil; len(kept) > 0 {
			st.Notes = &Notes{kept}
		}
	})
}

// ShowNote selects a note's call and makes it visible, or shows the time around the note.
func (s *Session) ShowNote(n Note) {
	switch {
	case n.Lost() || !s.state.Loaded(n.Side):
		s.Say("The call of this note is not in the trace that is open")
	case n.Call.OK:
		s.Select(n.Call)
		s.Reveal(n.Call)
	case !s.state.Sides[n.Side].Focus.Contains(n.At):
		f := s.state.Sides[n.Side].Focus
		s.SetFocus(n.Side, f.Shift(n.At-f.Mid()))
	}
}

// Time returns when a note is, ns since the start of its side's trace; ok is false if that is not
// known.
func (st *State) Time(n *Note) (at float64, ok bool) {
	switch {
	case n.Call.OK:
		return st.span(n.Call).Start, true
	case n.named != nil || !st.Loaded(n.Side):
		return 0, false
	}
	return n.At, true
}

// tellNotes says which notes of a side have lost their calls with the trace that was open there.
func (s *Session) tellNotes(side pair.Side, was Side) {
	if n := s.state.Notes.lost(side); n > 0 && was.Trace != nil {
		s.Say(fmt.Sprintf("%s no longer: the call is not in %s", plural.Of(n, "note fits", "notes fit"), s.state.Sides[side].Name))
	}
}

// nameCall names a call so that callNamed finds it in another recording of the same.
func (st *State) nameCall(t Target) saved.Call {
	th, i := st.Call(t)
	return saved.Call{Thread: th.ID, Index: i, Function: st.FunctionName(t)}
}

// callNamed returns the call of a side that has a name; none if the thread is gone, is shorter, or
// has another function there.
func (st *State) callNamed(side pair.Side, c saved.Call) (Target, bool) {
	t, ok := st.callAt(side, CallAt{c.Thread, c.Index})
	if !ok || st.FunctionName(t) != c.Function {
		return Target{}, false
	}
	return t, true
}

// LineName names a pair of threads by the id of one of them, as --set does: A:TID, or B:TID where A
// has none.
func (st *State) LineName(line int) string {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if th := st.Pair.Threads[line].On(side); th >= 0 {
			return side.String() + ":" + st.Sides[side].Trace.Threads[th].ID
		}
	}
	return ""
}

// LineNamed returns the pair of threads that a name stands for, one as LineName makes.
func (st *State) LineNamed(name string) (line int, err error) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		id, of := strings.CutPrefix(name, side.String()+":")
		if !of {
			continue
		}
		if !st.Loaded(side) || st.Pair == nil {
			return 0, fmt.Errorf("%s is not open", side)
		}
		th := st.Sides[side].Trace.ThreadByID(id)
		if th < 0 {
			return 0, fmt.Errorf("%s has no thread %q", side, id)
		}
		return st.Pair.Of(side, th), nil
	}
	return 0, fmt.Errorf("%q: want A:TID", name)
}

func spanOf(s geom.Span) saved.Span { return saved.Span{Start: s.Start, End: s.End} }
func spanIn(s saved.Span) geom.Span { return geom.Span{Start: s.Start, End: s.End} }

// CallName names the call that a note belongs to, whether it is there or not; "" for a time.
func (n *Note) CallName() string {
	if n.named == nil {
		return ""
	}
	return fmt.Sprintf("%s, call %d of thread %s", n.named.Function, n.named.Index, n.named.Thread)
}
