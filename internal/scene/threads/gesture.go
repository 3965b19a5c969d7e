package threads

import (
	"math"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// What a gesture means depends on where it happens. These methods tell a window what the pointer is
// over and what a drag or a turn of the wheel leads to. None of them changes the view or its state.

// PlaceAt returns the place at p: Main over the focus thread's stacks, a section on the ring or a
// little outside of it, or Nowhere.
func (v *View) PlaceAt(p geom.Point) int {
	if v.Drawing != nil && v.Stacks.Contains(p) {
		return Main
	}
	radius, angle := v.Ring.polar(p)
	if v.Ring.Outer == 0 || !v.Context.Contains(p) || radius < v.Ring.Zero ||
		radius > v.Ring.Outer+8*v.dp {
		return Nowhere
	}
	for k := range v.sections {
		if s := &v.sections[k]; angle <= s.left && angle >= s.right {
			return k
		}
	}
	return Nowhere
}

// TimeAt returns the time at p in a place.
func (v *View) TimeAt(place int, p geom.Point) float64 {
	switch {
	case place == Main && !v.Stacks.Empty():
		return v.Axis.T(p.X)
	case !v.has(place):
		return v.st.View.Mid()
	}
	_, angle := v.Ring.polar(p)
	return v.sections[place].time(angle)
}

// has reports whether a place is a section of this view.
func (v *View) has(place int) bool { return place >= 0 && place < len(v.sections) }

// ViewOf returns the time that a place shows.
func (v *View) ViewOf(place int) geom.Span { return v.st.view(place) }

// Outward returns how far a drag from one point to another moves a place's stacks away from their
// roots, px: what folding goes by.
func (v *View) Outward(place int, from, to geom.Point) float32 {
	if place == Main {
		return to.Y - from.Y
	}
	a, _ := v.Ring.polar(from)
	b, _ := v.Ring.polar(to)
	return b - a
}

// Folded returns how many levels of a place are folded, and maxFold how many can be.
func (v *View) Folded(place int) int {
	if place == Main {
		if v.Drawing == nil {
			return 0
		}
		return v.Drawing.Fold
	}
	if !v.has(place) {
		return 0
	}
	return v.sections[place].plot.fold
}

// maxFold returns how many levels of a place can be folded at most.
func (v *View) maxFold(place int) int {
	th := v.st.section(place).Threads
	if len(th) == 0 || v.trace == nil {
		return 0
	}
	return max(v.trace.Threads[th[0]].MaxDepth()-1, 0)
}

// FoldAfter returns the Section.Fold of a place after a drag. fold levels were folded when the drag
// began, and px is how far it went away from the roots: each row towards the roots folds a level,
// each row away from them unfolds one.
func (v *View) FoldAfter(place, fold int, px float32) int {
	row := v.Row
	if place != Main {
		row = v.RingRow
	}
	n := min(max(fold-int(math.Round(float64(px/max(row, 1)))), 0), v.maxFold(place))
	if n == 0 {
		return -1 // none, whatever the room
	}
	return n
}

// SplitAt returns State.Split for a splitter at height y.
func (v *View) SplitAt(y float32) float32 { return min(max(y/v.size.H, .05), .95) }

// ZeroAt returns State.Zero for a zero radius that passes p.
func (v *View) ZeroAt(p geom.Point) float32 {
	radius, _ := v.Ring.polar(p)
	return min(max(radius/v.Ring.Outer, .15), .92)
}

// arcOf returns where on the ring a call lies, if its thread has a section and it is in sight.
func (v *View) arcOf(ref trace.CallRef) (scene.Arc, bool) {
	for k := range v.sections {
		if th := v.st.Sections[k].Threads; len(th) > 0 && th[0] == int(ref.Thread) {
			return v.callArc(k, ref)
		}
	}
	return scene.Arc{}, false
}

// CallRect returns the box around a call, wherever it is drawn: what a tooltip must not cover.
func (v *View) CallRect(ref trace.CallRef) (geom.Rect, bool) {
	if v.trace == nil {
		return geom.Rect{}, false
	}
	if v.Drawing != nil && v.Drawing.TrackOf(int(ref.Thread)) >= 0 {
		r, ok := v.Drawing.CallRect(ref)
		r = r.Intersect(v.Stacks)
		return r, ok && !r.Empty()
	}
	a, ok := v.arcOf(ref)
	return bounds(&a), ok
}

// HitRect returns the box around what was hit, or around its place.
func (v *View) HitRect(h Hit) geom.Rect {
	switch {
	case h.Part == OnCall && !h.Aggregate:
		if r, ok := v.CallRect(h.Ref()); ok {
			return r
		}
	case h.Part == OnCall && v.has(h.Place):
		s := &v.sections[h.Place]
		for k := s.first; k < s.last; k++ {
			if c := &v.bent[k].cell; c.Run && c.From == h.From {
				return bounds(&v.bent[k].arc)
			}
		}
	case h.Part == OnLabel:
		k := slices.IndexFunc(v.labels, func(d disc) bool { return d.place == h.Place })
		if k >= 0 {
			d := &v.labels[k]
			return geom.Rect{X0: d.at.X - d.half - d.radius, X1: d.at.X + d.half + d.radius,
				Y0: d.at.Y - d.radius, Y1: d.at.Y + d.radius}
		}
	}
	return geom.Rect{}
}
