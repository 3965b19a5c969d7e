// Package flags draws where the user's notes are: a small numbered flag at the start of each note's
// call, or at the root edge of the side whose time it marks. Several views show them.
package flags

import (
	"slices"
	"strconv"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Flag is a note's flag as it is drawn.
type Flag struct {
	Note session.Note
	Box  geom.Rect // that the number stands in
	Pole geom.Rect // from the box through the call's row, along its start
}

// Side is what flags of a side stand on. One of Drawing and Strip is given.
type Side struct {
	Drawing *icicle.Drawing
	X       func(at float64) float32 // of a time of the trace; nil for the drawing's own axis
	Strip   geom.Rect                // without stacks: flags stand in the middle of its height
}

// Measures in dp.
const (
	height   = 12
	textSize = 9
	inset    = 3 // beside the number
	pole     = 1.5
	gap      = 1 // between flags at one place
)

// Heads lays out the flags of all notes that are in sight. Where several would cover each other the
// later ones move to the right.
func Heads(st *session.State, sides [2]Side, dp float32) (flags []Flag) {
	for _, n := range st.Notes.All() {
		at, ok := sides[n.Side].row(st, &n)
		if !ok {
			continue
		}
		w := 2*inset*dp + typeface.Width(strconv.Itoa(n.Number), textSize*dp, true)
		mid := (at.Y0 + at.Y1) / 2
		f := Flag{Note: n, Pole: geom.Rect{X0: at.X0, X1: at.X0 + pole*dp, Y0: at.Y0, Y1: at.Y1},
			Box: geom.Rect{X0: at.X0, X1: at.X0 + w, Y0: mid - height/2*dp, Y1: mid + height/2*dp}}
		for k := 0; k < len(flags); k++ {
			if o := flags[k].Box; o.X0 < f.Box.X1 && f.Box.X0 < o.X1 && o.Y0 < f.Box.Y1 && f.Box.Y0 < o.Y1 {
				f.Box = f.Box.Offset(o.X1+gap*dp-f.Box.X0, 0)
				k = -1 // it may cover another one now
			}
		}
		flags = append(flags, f)
	}
	return flags
}

// row returns the row that a flag stands in, from its pole on; ok is false if it is out of sight.
func (s *Side) row(st *session.State, n *session.Note) (r geom.Rect, ok bool) {
	if s.Drawing == nil {
		at, known := st.Time(n)
		if !known || s.X == nil || s.Strip.Empty() {
			return r, false
		}
		r = s.Strip
		r.X0 = s.X(at)
		return r, r.X0 >= s.Strip.X0 && r.X0 <= s.Strip.X1
	}
	d := s.Drawing
	if n.Call.OK {
		r, ok = d.CallRect(n.Call.Ref)
		ok = ok && r.X1 >= d.View.X0 && r.X0 <= d.View.X1 && r.Y1 > d.View.Y0 && r.Y0 < d.View.Y1
		r.X0 = max(r.X0, d.View.X0)
		return r, ok
	}
	at, known := st.Time(n)
	if !known {
		return r, false
	}
	r = d.View
	if r.X0 = d.Axis.X(at); s.X != nil {
		r.X0 = s.X(at)
	}
	if d.Dir == icicle.Down {
		r.Y1 = r.Y0 + d.Row
	} else {
		r.Y0 = r.Y1 - d.Row
	}
	return r, r.X0 >= d.View.X0 && r.X0 <= d.View.X1
}

// Draw draws flags over a view.
func Draw(s *scene.Scene, flags []Flag, pal *palette.Palette, dp float32) {
	if len(flags) == 0 {
		return
	}
	l := s.Layer(geom.Rect{})
	for _, f := range flags {
		l.Fill(f.Pole.Inset(-dp/2), pal.Pane)
		l.Fill(f.Pole, pal.Text)
	}
	for _, f := range flags {
		l.Quads = append(l.Quads,
			scene.Quad{Rect: f.Box.Inset(-dp), Fill: pal.Pane, Radius: 3 * dp, U1: 1},
			scene.Quad{Rect: f.Box, Fill: pal.Text, Radius: 2 * dp, U1: 1})
	}
	texts := s.Layer(geom.Rect{})
	for _, f := range flags {
		texts.Write(scene.Text{Rect: f.Box, Text: strconv.Itoa(f.Note.Number), Fill: pal.Pane,
			Size: textSize * dp, Align: scene.AlignCentre, Bold: true})
	}
}

// At returns the flag at p: of several, the one drawn last.
func At(flags []Flag, p geom.Point) (Flag, bool) {
	for _, f := range slices.Backward(flags) {
		if f.Box.Contains(p) {
			return f, true
		}
	}
	return Flag{}, false
}

// Lines is what the tooltip says of a flag.
func (f *Flag) Lines(st *session.State) []string { return words.NoteLines(st, &f.Note) }

// Choose selects what the note is about; a second click lets its text be changed.
func (f *Flag) Choose(c *view.Context, again bool) {
	switch {
	case again:
		c.WriteNote(f.Note.Spot)
	case f.Note.Call.OK:
		c.S.Select(f.Note.Call)
		c.TurnToDetails()
	}
}

// Stacks returns the sides of a view whose axes are those of its drawings.
func Stacks(drawings [2]*icicle.Drawing) (sides [2]Side) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		sides[side].Drawing = drawings[side]
	}
	return sides
}
