package threads

import (
	"image"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/view"
)

// circle is how the threads of both sides lie, worked out once for each change of what it depends
// on.
type circle struct {
	of      circleOf
	plan    *session.Circle // by which they were arranged; what threads show may differ by now
	arr     threads.Arrangement
	changes *session.Changes // nil while nothing is compared
	times   int              // how often it has been worked out
	even    even
}

// circleOf is what a circle depends on besides the session's plan of it.
type circleOf struct {
	waits    *session.Waits
	prepared *threads.Prepared
	pair     *pair.Pair
	current  int
	apart    bool
}

// refresh works out anew what has changed, and reports whether threads have got other places.
func (c *circle) refresh(st *session.State) bool {
	c.changes = st.WaitChanges()
	of := circleOf{st.Waits, st.PreparedThreads(), st.Pair, st.Current, st.WaitStyle.Apart}
	if c.of == of && st.Circle().SamePlaces(c.plan) {
		return false
	}
	was := c.of
	c.times++
	c.of, c.plan = of, st.Circle()
	c.arr = threads.Arrange(of.prepared, c.options(st))
	return was != of
}

// options returns what is to be arranged.
func (c *circle) options(st *session.State) threads.Options {
	o := threads.Options{Focus: st.Current, Order: c.plan.Order, Hidden: c.plan.Hidden,
		Idle: c.plan.Idle, Spread: c.plan.Spread, Wide: c.plan.Wide}
	if st.WaitStyle.Apart && st.Pair != nil {
		o.Most = len(st.Pair.Threads) + 1
	}
	return o
}

// lines returns the pairs of threads that a place stands for.
func (c *circle) lines(place int) []int {
	if place == threads.Main {
		return []int{c.of.current}
	}
	if place < 0 || place >= len(c.arr.Lines) {
		return nil
	}
	return c.arr.Lines[place]
}

// hue returns the hue of a pair of threads: as it is drawn if it has a place of its own.
func (c *circle) hue(line int) float64 {
	return c.arr.HueOf(line)
}

// state translates a session's snapshot for one side of the view.
func (c *circle) state(st *session.State, side pair.Side, pal *palette.Palette,
	scale float32) *threads.State {
	sd, style := &st.Sides[side], st.WaitStyle
	ts := &threads.State{
		Prepared: c.of.prepared, Side: int(side), Palette: pal, Scale: scale,
		View: sd.Focus, Focus: c.arr.Focus[side], Folded: c.arr.Folded[side],
		Places: c.arr.Places[side],
		Split:  style.Split, Zero: style.Zero, All: style.All,
		Hover: view.RefsOn(side, st.Hover), Selected: view.RefsOn(side, st.Selected, st.Before),
		Emphasis: view.Emphasis(st, side),
	}
	if st.Both() {
		ts.Across = st.Sides[side.Other()].Focus
	}
	if style.Critical && st.Waits != nil {
		ts.Path, ts.Stretch = st.CriticalPath(side), st.Stretch(side)
	}
	if c.changes != nil {
		pairs := c.changes.Pairs[side]
		ts.Changed = func(waiter, releaser int) bool { return pairs[[2]int{waiter, releaser}] }
	}
	if ts.Split == 0 {
		ts.Split = c.even.split
	}
	if ts.Zero == 0 {
		ts.Zero = c.even.zero
	}
	if style.ByObject {
		ts.Mode = threads.ByObject
	}
	ts.Sections = slices.Clone(c.arr.Sections[side])
	leads := c.leads(st)
	for k := range ts.Sections {
		ts.Sections[k].Threads = inFront(ts.Sections[k].Threads, leads, st.Pair, side)
		followPlan(&ts.Sections[k], st.Circle(), side)
	}
	followPlan(&ts.Focus, st.Circle(), side)
	ts.Focus.View = geom.Span{}
	return ts
}

// leads returns the lines that sections of several threads show, on both sides: those of the
// threads that wait in a selected call, or ended such a wait.
func (c *circle) leads(st *session.State) []int {
	var out []int
	if st.Pair == nil {
		return nil
	}
	for _, t := range []session.Target{st.Selected, st.Before} {
		a := st.WaitsOf(t.Side)
		if !t.OK || a == nil || int(t.Ref.Thread) >= len(a.Trace.Threads) {
			continue
		}
		out = append(out, st.Pair.Of(t.Side, int(t.Ref.Thread)))
		if w := a.Waits.Find(t.Ref); w >= 0 && a.Waits.By[w].Thread >= 0 {
			out = append(out, st.Pair.Of(t.Side, int(a.Waits.By[w].Thread)))
		}
	}
	return out
}

// inFront returns the threads of a section with that of the first of some lines first, if it has
// any.
func inFront(list []int, lines []int, p *pair.Pair, side pair.Side) []int {
	if len(list) < 2 {
		return list
	}
	for _, line := range lines {
		if k := slices.Index(list, p.Threads[line].On(side)); k >= 0 {
			return slices.Concat(list[k:], list[:k])
		}
	}
	return list
}

// followPlan gives a section the time and the folded levels that the plan has for its thread.
func followPlan(s *threads.Section, plan *session.Circle, side pair.Side) {
	if len(s.Threads) > 0 {
		s.View, s.Fold = plan.Views[side][s.Threads[0]], plan.Folds[side][s.Threads[0]]
	}
}

// even is the splitter and the zero radius that both sides have where the user leaves them to the
// view: each side alone would have what its own stacks need, and partners would not lie across from
// each other.
type even struct {
	of    evenOf
	split float32 // share of the height above the splitter
	zero  float32 // zero radius as a share of the outer one
}

// evenOf is what an even depends on.
type evenOf struct {
	times int // how often threads have been arranged
	size  geom.Size
	style session.WaitStyle
	scale float32
}

// spareShare is what share of the room that a circle leaves below it the stacks get.
const spareShare = .5

// level works the two out for sides of the given size.
func (c *circle) level(st *session.State, pal *palette.Palette, size image.Point, scale float32) {
	of := evenOf{c.times, geom.Size{W: float32(size.X), H: float32(size.Y)}, st.WaitStyle, scale}
	if of == c.even.of {
		return
	}
	c.even = even{of: of}
	views := c.build(st, pal, size, scale)
	if st.WaitStyle.Split == 0 {
		for _, v := range views {
			c.even.split = max(c.even.split, v.SplitAt(v.Splitter.Y0))
		}
		views = c.build(st, pal, size, scale)
		spare := of.size.H
		for _, v := range views {
			spare = min(spare, v.Context.Y1-v.Ring.Centre.Y-v.Ring.Outer)
		}
		if len(views) > 0 && c.even.split > 0 && spare > 0 {
			c.even.split += spareShare * spare / views[0].Scene.Size.H
		}
	}
	if st.WaitStyle.Zero == 0 {
		for _, v := range views {
			if v.Ring.Outer > 0 && (c.even.zero == 0 || v.Ring.Zero/v.Ring.Outer < c.even.zero) {
				c.even.zero = v.Ring.Zero / v.Ring.Outer
			}
		}
	}
}

// build builds both sides as they are without anything under the pointer.
func (c *circle) build(st *session.State, pal *palette.Palette, size image.Point,
	scale float32) (views []*threads.View) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if st.WaitsOf(side) != nil {
			ts := c.state(st, side, pal, scale)
			if v := buildCircle(st, ts, size, nil); v.Ring.Outer > 0 {
				views = append(views, v)
			}
		}
	}
	return views
}
